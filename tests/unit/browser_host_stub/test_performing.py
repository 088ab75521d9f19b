"""What is checked around an act, on a browser that says what a test wants it to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from browser_host_stub.approvals import NobodyThere, visible
from browser_host_stub.driver import IMPLICIT_WAIT_S, ArtifactStore, JsonObject, Located, TargetFacts
from browser_host_stub.faults import Act
from browser_host_stub.memory.driver import MemoryArtifacts
from browser_host_stub.people import People
from browser_host_stub.performing import Performer
from sgclaw.errors import ActionError, NeedsApprovalError, PolicyDeniedError
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.protocol.messages import Command
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import PageInfo

ERP, OA, EVIL = "https://erp.example.com", "https://oa.example.com", "https://evil.example.net"


@dataclass
class SaidDriver:
    """A `Driver` whose pages, origin and target are what the test says."""

    folder: Path
    pages: dict[str, str] = field(default_factory=lambda: {"p1": f"{ERP}/", "p2": f"{EVIL}/secret", "p3": f"{OA}/"})
    origin: str | None = ERP
    target: TargetFacts | None = None
    data: JsonObject = field(default_factory=dict)
    performed: list[str] = field(default_factory=list)
    check: Callable[[str], str | None] = lambda _url: None

    @property
    def artifacts(self) -> ArtifactStore:
        return MemoryArtifacts(self.folder)

    @property
    def on_gone(self) -> asyncio.Event:
        return asyncio.Event()

    def confine(self, check: Callable[[str], str | None]) -> None:
        self.check = check

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        return Located(action, params, await self.page_info(page), self.origin, self.target, None)

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        self.performed.append(located.action)
        return self.data

    async def page_info(self, page: str | None) -> PageInfo:
        return PageInfo(id=page or "p1", url=self.pages[page or "p1"])

    async def default_page(self) -> PageInfo:
        return await self.page_info(None)

    async def close(self) -> None:
        return


@pytest.fixture
def driver(tmp_path: Path) -> SaidDriver:
    return SaidDriver(tmp_path)


async def _do(driver: SaidDriver, action: str, **params: object) -> JsonObject:
    policy = parse_policy(policy_document([ERP, OA]))
    performer = Performer(driver, policy, People(NobodyThere()), asyncio.Event())
    command = Command(seq=1, action=action, params=params, task_id="t1", deadline_ms=5_000, page="p1")
    return await performer.carry_out(Act(command, "erp.example.com", ""))


@pytest.mark.requirement("POLICY-14")
async def test_switching_to_a_page_outside_the_policy_is_refused_before_it_is_done(driver: SaidDriver) -> None:
    driver.data = {"url": f"{EVIL}/secret", "title": "机密", "status": None}
    with pytest.raises(PolicyDeniedError) as refused:
        await _do(driver, "switchPage", page="p2")
    assert (refused.value.facts, driver.performed) == ({"rule": "origin.unlisted"}, [])
    driver.data = {"url": f"{OA}/", "title": "", "status": None}
    assert (await _do(driver, "switchPage", page="p3"))["url"] == f"{OA}/"


@pytest.mark.requirement("POLICY-14")
@pytest.mark.parametrize(("page", "origin"), [("p1", ERP), ("p2", EVIL), ("p3", OA)])
async def test_any_page_may_be_closed_for_closing_tells_nothing(driver: SaidDriver, page: str, origin: str) -> None:
    driver.origin, driver.data = origin, {"closed": True}
    assert await _do(driver, "closePage", page=page) == {"closed": True}


@pytest.mark.requirement("POLICY-14")
@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("press", {"key": "Enter", "selector": "#a"}),
        ("scrollTo", {"selector": "#a"}),
        ("getAomSnapshot", {"selector": "#a"}),
        ("getText", {"selector": "#a"}),
        ("handleDialog", {"accept": True}),
        ("extractTable", {"selector": "#a"}),
        ("query", {"selector": "#a", "fact": "exists"}),
    ],
)
@pytest.mark.parametrize(("origin", "rule"), [(OA, "origin.mismatch"), (EVIL, "origin.unlisted"), (None, "url.scheme")])
async def test_the_origin_of_the_elements_frame_counts_and_an_unknown_one_is_on_no_list(
    driver: SaidDriver, action: str, params: dict[str, object], origin: str | None, rule: str
) -> None:
    driver.origin = origin
    with pytest.raises(PolicyDeniedError) as refused:
        await _do(driver, action, **params)
    assert (refused.value.facts["rule"], driver.performed) == (rule, [])


@pytest.mark.requirement("POLICY-14")
@pytest.mark.parametrize(
    ("kind", "message", "accept", "asks"),
    [
        ("confirm", "确定要删除吗？", True, True),
        ("confirm", "确定要删除吗？", False, False),
        ("prompt", "请输入付款密码", True, True),
        ("confirm", "要继续吗？", True, False),
        ("alert", "提交成功", True, False),
    ],
)
async def test_a_yes_to_a_dialog_asks_and_neither_a_no_nor_a_message_does(
    driver: SaidDriver, kind: str, message: str, accept: bool, asks: bool
) -> None:
    driver.target, driver.data = TargetFacts("dialog", label=message, type=kind), {"handled": True}
    if asks:
        with pytest.raises(NeedsApprovalError):
            await _do(driver, "handleDialog", accept=accept)
    else:
        assert (await _do(driver, "handleDialog", accept=accept))["handled"] is True


@pytest.mark.requirement("POLICY-15")
async def test_what_hides_in_a_label_or_a_parameter_is_spelt_out_to_the_person(driver: SaidDriver) -> None:
    driver.target = TargetFacts("button", label="批准 1,000,000 · OK\u202e)efas( tropxe\u200b", name="OK\u2066")
    with pytest.raises(NeedsApprovalError) as asked:
        await _do(driver, "click", selector="#b1[title='\u200b']")
    facts = asked.value.facts
    assert facts["label"] == "批准 1,000,000 · OK⟨U+202E⟩)efas( tropxe⟨U+200B⟩"
    assert facts["element"] == "OK⟨U+2066⟩"
    assert facts["params"] == {"selector": "#b1[title='⟨U+200B⟩']"}


@pytest.mark.requirement("POLICY-15")
def test_ordinary_text_is_shown_as_it_is() -> None:
    assert visible("审批 100 元，Approve — ok\n第二行\t列") == "审批 100 元，Approve — ok\n第二行\t列"
    assert visible("\U000e0041\x1b[31m\ud800") == "⟨U+E0041⟩⟨U+001B⟩[31m⟨U+D800⟩"


@pytest.mark.requirement("POLICY-16")
async def test_the_browser_is_told_where_its_pages_may_go(driver: SaidDriver) -> None:
    driver.data = {"pages": [], "withheld": 0}
    await _do(driver, "listPages")
    rules = {url: driver.check(url) for url in (f"{ERP}/a", f"{OA}/", EVIL, "http://erp.example.com/", "file:///x")}
    assert rules == {
        f"{ERP}/a": None,
        f"{OA}/": None,
        EVIL: "origin.unlisted",
        "http://erp.example.com/": "origin.unlisted",
        "file:///x": "url.scheme",
    }


@pytest.mark.requirement("POLICY-17")
@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("type", {"selector": "#a", "text": "%vault:erp.password%"}),
        ("select", {"selector": "#a", "value": "x %vault:erp.password%"}),
        ("navigate", {"url": f"{ERP}/?q=%vault:erp.password%"}),
    ],
)
async def test_a_reference_to_a_secret_is_never_typed_as_it_stands(
    driver: SaidDriver, action: str, params: dict[str, object]
) -> None:
    with pytest.raises(ActionError) as refused:
        await _do(driver, action, **params)
    assert (refused.value.code, driver.performed) == ("NOT_IMPLEMENTED", [])
