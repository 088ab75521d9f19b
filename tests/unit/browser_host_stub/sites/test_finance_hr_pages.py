"""Tasks at the demo finance and personnel systems, done with the actions of the real Chromium driver."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.demo_browser import demo_browser
from browser_host_stub.driver import JsonObject
from browser_host_stub.sites.finance.clue_data import REPORTED
from browser_host_stub.sites.frame.knobs import Fault
from browser_host_stub.sites.hr import salary
from browser_host_stub.sites.hr.insurance import DECLARED
from browser_host_stub.sites.server import DemoSites
from sgclaw.protocol.actions import spec_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
TODAY = date(2026, 4, 15)
FINANCE, HR = "https://finance.example.com", "https://hr.example.com"
PAGES = [
    f"{FINANCE}/",
    f"{FINANCE}/compliance",
    f"{FINANCE}/reconciliation",
    f"{FINANCE}/vouchers",
    f"{HR}/",
    f"{HR}/insurance/declare",
    f"{HR}/salary/check",
    f"{HR}/employees",
]
READY = '[data-state="ready"]'


@dataclass(frozen=True)
class Desk:
    """A signed-in browser and the sites it works at."""

    driver: ChromiumDriver
    sites: DemoSites

    async def act(self, action: str, selector: str = "", **params: object) -> JsonObject:
        given = params | ({"selector": selector} if selector else {})
        located = await self.driver.locate(action, spec_of(action).check(given), None, deadline_s=20.0)
        return await self.driver.perform(located, 20.0)

    async def open(self, url: str) -> None:
        await self.act("navigate", url=url)
        await self.see(READY)

    async def click(self, *selectors: str) -> None:
        for selector in selectors:
            await self.act("click", selector)

    async def type(self, selector: str, text: str, *, submit: bool = False) -> None:
        await self.act("type", selector, text=text, submit=submit)

    async def see(self, selector: str) -> str:
        """The text of what has appeared."""
        await self.act("waitForSelector", selector, timeout_ms=20_000, state="visible")
        return str((await self.act("getText", selector))["text"])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    async with demo_browser(tmp_path_factory.mktemp("files"), today=TODAY) as browser:
        yield Desk(browser.driver, browser.sites)


@pytest.fixture(autouse=True)
def quiet(desk: Desk) -> None:
    """States and knobs as at the start; the login stays."""
    desk.sites.finance.reset()
    desk.sites.hr.reset()
    shared = desk.sites.control.shared
    shared.drift, shared.latency_s = (), 0.0
    shared.faults.clear()


@pytest.mark.requirement("SITE-50")
async def test_a_person_enters_a_clue_and_reports_it(desk: Desk) -> None:
    await desk.open(f"{FINANCE}/compliance")
    await desk.click("#clue-new")
    await desk.type("#clue-title input", "华东分公司差旅费重复报销线索")
    await desk.click("#clue-unit", ".vxe-select--panel.ani--enter .vxe-select-option:nth-child(2)")
    await desk.click(
        "#clue-category", '.vxe-cascader--panel [title="费用报销"]', '.vxe-cascader--panel [title="重复报销"]'
    )
    await desk.type("#clue-found input", "2026-04-10", submit=True)
    await desk.type("#clue-amount input", "12800.50")
    await desk.click(
        "#clue-level label:nth-child(2)", "#clue-owner", ".vxe-select--panel.ani--enter .vxe-select-option:nth-child(2)"
    )
    await desk.type("#clue-description textarea", "同一张机票在三月和四月各报销一次。")
    await desk.click("#clue-submit")
    await desk.act("waitForSelector", "#clue-submit", timeout_ms=20_000, state="detached")
    clues = desk.sites.finance.state.clues
    made = next(clue for clue in clues.listed() if clue.title == "华东分公司差旅费重复报销线索")
    assert (made.amount_cents, made.unit, made.owner, made.level) == (1_280_050, "华东分公司", "王芳", "中")
    await desk.type("#clue-words input", made.number)
    await desk.click(f'.clue-report-one[data-id="{made.number}"]', ".vxe-modal--wrapper.type--confirm .theme--primary")
    assert "成功 1 条，失败 0 条" in await desk.see(".clue-results")
    assert clues.clue(made.number).status == REPORTED


@pytest.mark.requirement("SITE-50")
async def test_a_cell_is_edited_in_place_and_kept(desk: Desk) -> None:
    await desk.open(f"{FINANCE}/compliance")
    number = "XS-202604-0070"
    await desk.type("#clue-words input", number)
    await desk.click(f'[rowid="{number}"] [data-value="低"]')
    await desk.see(".vxe-body--column.col--active .vxe-select")
    await desk.click(".vxe-select--panel.ani--enter .vxe-select-option:nth-child(1)")
    await desk.click(".fin-title")
    await desk.see(f'[rowid="{number}"] [data-value="高"]')
    assert desk.sites.finance.state.clues.clue(number).level == "高"


@pytest.mark.requirement("SITE-51")
async def test_a_person_reconciles_a_month_to_the_confirmation(desk: Desk) -> None:
    await desk.open(f"{FINANCE}/reconciliation")
    await desk.click("#recon-auto")
    work = desk.sites.finance.state.reconciliation("ICBC", "2026-03")
    await desk.see('.bank-grid .match-undo[data-match="M0001"]')
    await desk.click("#recon-confirm", "#confirm-ok")
    count = len(work.differences())
    assert await desk.see(".recon-error") == f"还有 {count} 笔差异未填写说明"
    await desk.type("#difference-note input", "下月入账")
    await desk.click("#difference-explain")
    await desk.act("waitForSelector", ".recon-error", timeout_ms=20_000, state="hidden")
    await desk.click("#recon-confirm")
    assert await desk.see(".confirm-count") == str(count)
    await desk.click("#confirm-ok")
    assert await desk.see(".recon-done") == "已由张敏确认"
    assert work.confirmed_by == "张敏"


@pytest.mark.requirement("SITE-67")
async def test_a_person_declares_a_month_step_by_step(desk: Desk, tmp_path: Path) -> None:
    await desk.open(f"{HR}/insurance/declare")
    await desk.click("#declare-month", '.ant-picker-cell[title="2026-03"]')
    await desk.type("#declare-unit", "上海设计院")
    await desk.click('.ant-select-tree-node-content-wrapper[title="上海设计院"]', "#declare-begin")
    await desk.see(".people-table")
    await desk.click("#people-next")
    assert await desk.see(".declare-error") == "有 5 人未通过校验，请调整后继续"
    insurance = desk.sites.hr.state.insurance
    (draft,) = insurance.declarations.values()
    wrong = {problem.person for problem in insurance.problems(draft)}
    draft.members = [member for member in draft.members if member.person not in wrong]
    await desk.click(".record-open", "#people-next")
    await desk.see(".proof-upload")
    proof = tmp_path / "proof.pdf"
    proof.write_bytes(b"%PDF-1.4")
    file = await desk.driver.artifacts.register(proof)
    await desk.act("upload", ".proof-upload input[type=file]", file=file.artifact.id)
    await desk.see(".ant-upload-list-item-done")
    await desk.click("#proof-next", "#review-submit", "#submit-ok")
    assert "申报成功" in await desk.see(".declare-done")
    assert (draft.status, draft.person, [one.name for one in draft.proofs]) == (DECLARED, "张敏", ["proof.pdf"])


@pytest.mark.requirement("SITE-68")
async def test_a_person_returns_an_odd_slip_with_a_reason(desk: Desk) -> None:
    await desk.open(f"{HR}/salary/check")
    await desk.click("#salary-only")
    odd = next(slip for slip in salary.slips("集团总部", "2026-04") if slip.anomalies)
    await desk.see(f'.slip-anomaly[data-id="{odd.id}"]')
    await desk.click(f'.slip-return[data-id="{odd.id}"]', "#decide-ok")
    assert "至少 5 个字" in await desk.see(".decide-error")
    await desk.type("#decide-reason", "请核对后重新提交")
    await desk.click("#decide-ok")
    assert "成功 1 张，失败 0 张" in await desk.see(".salary-results")
    assert desk.sites.hr.state.salary.decisions[odd.id].reason == "请核对后重新提交"


@pytest.mark.requirement("SITE-68")
async def test_a_lost_answer_and_a_second_try_decide_a_slip_once(desk: Desk) -> None:
    await desk.open(f"{HR}/salary/check")
    plain = next(slip for slip in salary.slips("集团总部", "2026-04") if not slip.anomalies)
    desk.sites.control.shared.faults.append(Fault("lost_response", path="/api/salary/decide", times=1))
    await desk.click(f'.slip-pass[data-id="{plain.id}"]', "#decide-ok")
    assert "请刷新后核对结果" in await desk.see(".decide-error")
    assert desk.sites.hr.state.salary.status(plain) == salary.PASSED
    await desk.click("#decide-ok")
    assert "成功 1 张，失败 0 张" in await desk.see(".salary-results")


@pytest.mark.requirement("SITE-69")
@pytest.mark.parametrize("url", PAGES)
async def test_every_page_works_with_drifted_names_places_and_paging(desk: Desk, url: str) -> None:
    desk.sites.control.shared.drift = ("ids", "classes", "wrap", "move", "twins", "labels", "paging")
    await desk.open(url)


@pytest.mark.requirement("SITE-69")
async def test_a_task_works_on_a_drifted_page_by_what_it_says(desk: Desk) -> None:
    desk.sites.control.shared.drift = ("ids", "classes", "wrap")
    await desk.open(f"{HR}/salary/check")
    await desk.click(".ant-switch")
    odd = next(slip for slip in salary.slips("集团总部", "2026-04") if slip.anomalies)
    await desk.see(f'tr[data-row-key="{odd.id}"]')
    rows = await desk.act("query", ".ant-table-tbody tr[data-row-key]", fact="count")
    assert rows["value"] == sum(bool(slip.anomalies) for slip in salary.slips("集团总部", "2026-04"))
