"""The demo OA as a person uses it in Chromium; what counts is the state behind the page."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from browser_host_stub.sites.frame.knobs import Fault
from browser_host_stub.sites.oa.app import PAGES
from browser_host_stub.sites.oa.approvals import APPROVED, PENDING, REJECTED
from browser_host_stub.sites.oa.organisation import members
from tests.unit.browser_host_stub.sites.reach import OA, Shop, open_shop

pytestmark = pytest.mark.asyncio(loop_scope="module")
BATCH = ["AP20260060", "AP20260059", "AP20260058"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop() -> AsyncIterator[Shop]:
    async with open_shop() as opened:
        yield opened


@pytest.mark.requirement("SITE-14")
async def test_every_page_stands_alone_with_its_libraries_and_without_an_error(shop: Shop, tmp_path: Path) -> None:
    async with shop.page(f"{OA}/") as page:
        for path in PAGES:
            await page.goto(OA + path + ("?id=AP20260060" if path.endswith("detail") else ""))
            await page.wait_for_load_state("networkidle")
            shot = await page.screenshot(path=tmp_path / f"{path.strip('/').replace('/', '-') or 'shell'}.png")
            assert len(shot) > 15_000
        assert shop.complaints == []


@pytest.mark.requirement("SITE-14")
async def test_the_shell_opens_each_page_once_in_an_iframe_tab(shop: Shop) -> None:
    async with shop.page(f"{OA}/") as page:
        for _ in range(2):
            await page.click('.side-menu [data-open="/approval/pending"]')
            await page.click('.oa-tabs li[lay-id="/home"]')
        assert await page.locator(".oa-tabs > .layui-tab-title > li").all_inner_texts() == ["首页", "待办审批"]
        await page.click('.oa-tabs li[lay-id="/approval/pending"]')
        inside = page.frame_locator('iframe[src="/approval/pending"]')
        await inside.locator(f'.item[data-id="{BATCH[0]}"] .detail-btn').click()
        detail = inside.frame_locator("iframe[src*=detail]")
        await detail.locator(".reject-btn").click()
        await detail.locator(".opinion-input").fill("请补充发票")
        await detail.locator(".confirm-dialog .ok-btn").click()
        await expect(inside.locator(".success-toast")).to_contain_text("已驳回")
        kept = shop.sites.oa.state.approval(BATCH[0])
        assert (kept.status, kept.steps[-1].opinion) == (REJECTED, "请补充发票")


@pytest.mark.requirement("SITE-14")
async def test_the_path_of_the_source_document_approves_one_item_with_an_opinion(shop: Shop) -> None:
    async with shop.page(f"{OA}/approval/pending") as page:
        await page.wait_for_selector(".approval-list .item")
        await page.click(f'.item[data-id="{BATCH[1]}"] .approve-btn')
        await page.wait_for_selector(".confirm-dialog")
        await page.fill(".opinion-input", "情况属实")
        await page.click(".confirm-dialog .ok-btn")
        await page.wait_for_selector(".success-toast")
        kept = shop.sites.oa.state.approval(BATCH[1])
        assert (kept.status, kept.steps[-1].opinion) == (APPROVED, "情况属实")


@pytest.mark.requirement("SITE-14")
async def test_a_batch_names_the_requests_that_were_refused(shop: Shop) -> None:
    async with shop.page(f"{OA}/approval/pending") as page:
        await page.wait_for_selector('.approval-list[data-state="ready"]')
        state = shop.sites.oa.state
        state.approval(BATCH[1]).decide(approve=True, opinion="同意", at="2026-04-15 08:00")
        for number in BATCH:
            await page.click(f'.item[data-id="{number}"] .layui-form-checkbox')
        await expect(page.locator(".picked-count")).to_have_text("已选 3 条")
        await page.click(".batch-approve")
        await page.click(".confirm-dialog .ok-btn")
        await expect(page.locator(".result-text")).to_contain_text(f"单据 {BATCH[1]} 已通过，不能重复审批")
        assert [state.approval(number).status for number in BATCH] == [APPROVED] * 3


@pytest.mark.requirement("SITE-14")
async def test_filters_and_pages_of_the_list_show_what_the_state_holds(shop: Shop) -> None:
    async with shop.page(f"{OA}/approval/pending") as page:
        await page.click(".filter-form .layui-select-title")
        await page.click('.filter-form dd[lay-value="采购申请"]')
        await page.click(".query-btn")
        waiting = [one.id for one in shop.sites.oa.state.approvals if (one.status, one.kind) == (PENDING, "采购申请")]
        await expect(page.locator(".approval-list .item")).to_have_count(len(waiting))
        assert await page.locator(".item-id").all_inner_texts() == waiting
        await page.click(".reset-btn")
        await expect(page.locator(".approval-list .item")).to_have_count(10)
        await page.click(".layui-laypage-next")
        await expect(page.locator(".item-id").first).to_have_text("AP20260050")


@pytest.mark.requirement("SITE-14")
async def test_a_room_is_booked_with_participants_from_the_tree(shop: Shop) -> None:
    async with shop.page(f"{OA}/meeting") as page:
        await page.click('tr[data-room="R502"] [data-slot="13:00"]')
        await page.fill(".book-subject", "预算沟通")
        await page.click(".people-input")
        await page.click('.people-tree .layui-tree-set:has-text("财务部") .layui-tree-iconClick')
        name = f"{members()[2].name}（{members()[2].position}）"
        await page.click(f'.people-tree .layui-tree-set[data-id="{members()[2].id}"] .layui-form-checkbox')
        await expect(page.locator(".people-input")).to_have_value(name.partition("（")[0])
        await page.click(".book-subject")
        await page.click(".book-submit")
        await page.wait_for_selector(".success-toast")
        kept = shop.sites.oa.state.bookings[-1]
        assert (kept.room, kept.start, kept.end, kept.participants) == ("R502", "13:00", "14:00", [members()[2].id])
        await expect(page.locator('[data-kind="mine"]')).to_contain_text("预算沟通")
        await page.click(".book-btn")
        await page.click(".book-submit")
        await expect(page.locator(".book-error")).to_have_text("请填写会议主题")


@pytest.mark.requirement("SITE-14")
async def test_a_notice_is_written_in_the_editor_and_a_seal_asked_for_with_a_file(shop: Shop) -> None:
    async with shop.page(f"{OA}/notice/new") as page:
        await page.fill(".notice-subject", "食堂开放时间调整")
        await page.click(".notice-kinds .layui-form-radio >> nth=2")
        await page.click(".rich-text")
        await page.click('.rich-tool[data-command="bold"]')
        await page.keyboard.type("周六照常开放")
        await page.click(".notice-submit")
        await page.wait_for_selector(".success-toast")
        kept = shop.sites.oa.state.notices[0]
        assert (kept.title, kept.kind, kept.html) == ("食堂开放时间调整", "活动通知", "<b>周六照常开放</b>")

        await page.goto(f"{OA}/seal")
        await page.click(".seal-form .layui-select-title >> nth=0")
        await page.click('.seal-form dd[lay-value="合同专用章"]')
        await page.fill(".seal-reason", "采购合同盖章")
        await page.fill(".paper-name", "采购合同")
        async with page.expect_file_chooser() as pending:
            await page.click(".upload-btn")
        await (await pending.value).set_files({"name": "合同.pdf", "mimeType": "application/pdf", "buffer": b"%PDF"})
        await expect(page.locator(".upload-list li")).to_contain_text("合同.pdf")
        await page.click(".seal-submit")
        await expect(page.locator(".layui-table-body").last).to_contain_text("YY00001")
        (sealed,) = shop.sites.oa.state.seals
        assert (sealed.seal, sealed.papers[0].name, sealed.files) == ("合同专用章", "采购合同", ["合同.pdf"])


@pytest.mark.requirement("SITE-06")
@pytest.mark.parametrize(
    ("kind", "said", "status"),
    [
        ("error_500", "服务器内部错误，操作未完成", PENDING),
        ("lost_response", "未收到服务器的答复", APPROVED),
        ("lying_toast", "已通过", PENDING),
    ],
)
async def test_what_a_person_reads_under_a_fault_and_what_is_true(
    shop: Shop, kind: str, said: str, status: str
) -> None:
    async with shop.page(f"{OA}/approval/pending") as page:
        shop.sites.control.shared.faults = [Fault(kind)]
        await page.click(f'.item[data-id="{BATCH[0]}"] .approve-btn')
        await page.click(".confirm-dialog .ok-btn")
        await expect(page.locator(".confirm-error, .success-toast").get_by_text(said).first).to_be_visible()
        assert shop.sites.oa.state.approval(BATCH[0]).status == status


@pytest.mark.requirement("SITE-06")
async def test_a_session_that_expires_at_a_write_leads_a_person_to_the_login(shop: Shop) -> None:
    async with shop.page(f"{OA}/approval/pending?fault=expired") as page:
        await page.click(f'.item[data-id="{BATCH[0]}"] .approve-btn')
        await page.click(".confirm-dialog .ok-btn")
        await page.wait_for_url(f"{OA}/login?next=%2Fapproval%2Fpending")
        assert shop.sites.oa.state.approval(BATCH[0]).status == PENDING
