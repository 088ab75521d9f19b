"""What is checked around an act, on a browser that says what a test wants it to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from browser_host_stub.approvals import NobodyThere, visible
from browser_host_stub.driver import IMPLICIT_WAIT_S, Around, ArtifactStore, JsonObject, Located, TargetFacts
from browser_host_stub.faults import Act
from browser_host_stub.memory.driver import MemoryArtifacts
from browser_host_stub.people import MAX_ASKED_A_TASK, Asking, People
from browser_host_stub.performing import Performer
from sgclaw.errors import ActionCode, ActionError, NeedsApprovalError, PolicyDeniedError
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
    around: Around = field(default_factory=Around)
    repeats: bool = False

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
        info = await self.page_info(page)
        return Located(action, params, info, self.origin, self.target, None, self.repeats, self._look)

    async def _look(self) -> Around:
        return self.around

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        self.performed.append(located.action)
        return self.data

    async def page_info(self, page: str | None) -> PageInfo:
        if (page or "p1") not in self.pages:
            raise ActionError(ActionCode.PAGE_GONE, "页面已经关闭")
        return PageInfo(id=page or "p1", url=self.pages[page or "p1"])

    async def default_page(self) -> PageInfo:
        self.pages.setdefault("p1", f"{ERP}/")
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
    assert visible("提交\u115f\u3164\u2800") == "提交⟨U+115F⟩⟨U+3164⟩⟨U+2800⟩"
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


class Session:
    """The acts of one session, with the word of a person for each that asks."""

    def __init__(self, driver: SaidDriver) -> None:
        policy = parse_policy(policy_document([ERP, OA]))
        self.performer = Performer(driver, policy, People(NobodyThere()), asyncio.Event())

    async def do(
        self, action: str, approval: str | None = None, page: str | None = "p1", **params: object
    ) -> JsonObject:
        command = Command(
            seq=1, action=action, params=params, task_id="t1", deadline_ms=5_000, page=page, approval_id=approval
        )
        return await self.performer.carry_out(Act(command, "erp.example.com", ""))

    async def approved(self, action: str, **params: object) -> tuple[str, dict[str, object]]:
        """The id of a yes to this act, and what the person saw."""
        with pytest.raises(NeedsApprovalError) as asked:
            await self.do(action, **params)  # type: ignore[arg-type]
        number = str(asked.value.facts["approval_id"])
        self.performer.held.decide(number, True)
        return number, dict(asked.value.facts)

    async def rule(self, action: str, approval: str, **params: object) -> object:
        with pytest.raises(PolicyDeniedError) as refused:
            await self.do(action, approval, **params)  # type: ignore[arg-type]
        return refused.value.facts["rule"]


@pytest.fixture
def session(driver: SaidDriver) -> Session:
    driver.target, driver.data = TargetFacts("button", label="删除", href=f"{ERP}/d"), {"clicked": True}
    driver.around = Around("7", "s", "张三 | 100\u3164")
    return Session(driver)


@pytest.mark.requirement("POLICY-15")
async def test_a_yes_lets_exactly_the_act_be_done_that_was_asked_for(driver: SaidDriver, session: Session) -> None:
    number, facts = await session.approved("click", selector="#b")
    assert (facts["context"], facts["href"]) == ("张三 | 100⟨U+3164⟩", f"{ERP}/d")
    assert (await session.do("click", number, selector="#b"))["clicked"] is True
    assert await session.rule("click", number, selector="#b") == "approval.unknown"


@pytest.mark.requirement("POLICY-15")
@pytest.mark.parametrize("around", [Around("8", "s"), Around("7", "t")])
async def test_a_yes_counts_neither_for_a_twin_nor_for_another_state(
    driver: SaidDriver, session: Session, around: Around
) -> None:
    number, _ = await session.approved("click", selector="#b")
    driver.around = around
    assert await session.rule("click", number, selector="#b") == "approval.other_act"
    assert driver.performed == []


@pytest.mark.requirement("POLICY-15")
@pytest.mark.parametrize(
    ("action", "page", "rule"),
    [("type", "p1", "approval.unknown"), ("hover", "p1", "approval.unknown"), ("getText", "p1", None)],
)
async def test_another_act_on_the_page_takes_every_yes_about_it_back(
    driver: SaidDriver, session: Session, action: str, page: str, rule: str | None
) -> None:
    number, _ = await session.approved("click", selector="#b")
    label, driver.target = driver.target, TargetFacts("input")
    driver.data = {"typed": True} if action == "type" else {"hovered": True} if action == "hover" else {"text": ""}
    await session.do(action, None, page, selector="#f", **({"text": "x"} if action == "type" else {}))
    driver.target, driver.data = label, {"clicked": True}
    if rule is None:
        assert (await session.do("click", number, selector="#b"))["clicked"] is True
    else:
        assert await session.rule("click", number, selector="#b") == rule


@pytest.mark.requirement("POLICY-15")
async def test_sending_a_form_again_by_loading_its_answer_asks(driver: SaidDriver) -> None:
    driver.repeats, driver.data = True, {"url": f"{ERP}/", "title": "", "status": 200}
    session = Session(driver)
    number, facts = await session.approved("reload")
    assert facts["rule"] == "approval.repeats"
    assert (await session.do("reload", number))["status"] == 200


@pytest.mark.requirement("CHR-72")
async def test_the_loss_of_the_page_is_told_once(driver: SaidDriver) -> None:
    session = Session(driver)
    del driver.pages["p1"]
    driver.data = {"text": "白"}
    with pytest.raises(ActionError) as gone:
        await session.do("getText", page=None, selector="body")
    assert gone.value.code == ActionCode.PAGE_GONE
    assert (await session.do("getText", page=None, selector="body"))["text"] == "白"


@pytest.mark.requirement("STUB-23")
@pytest.mark.parametrize("kind", Asking)
def test_a_task_of_the_hosts_own_has_its_own_count_and_all_others_have_one_together(kind: Asking) -> None:
    people = People(NobodyThere())
    people.submitted("t1")
    people.submitted("t2")
    asked = [people.admit(kind, f"made-up-{number}") for number in range(MAX_ASKED_A_TASK + 3)]
    assert asked == [True] * MAX_ASKED_A_TASK + [False] * 3
    assert [people.has_room(kind, task) for task in ("t1", "t2", "again")] == [True, True, False]
