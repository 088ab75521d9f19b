"""What a task may touch, and what may go from one system to another."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sgclaw.agent.dataflow import Tracker, foreign_address, outgoing, shown
from sgclaw.agent.desk import Desk
from sgclaw.agent.scope import ALLOW, REFUSE, fix_scope
from sgclaw.errors import NeedsHumanError, PolicyDeniedError
from sgclaw.policy.decide import Scope
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Act, Observed
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, PageInfo
from tests.support.ports import binding
from tests.support.wire import wired
from tests.unit.agent.room import POLICY, Answers, Room, act, call, given_up, step
from tests.unit.agent.site import ERP, OA, Control, Site

SECRET = "CANARY-CUST-002 某某有限公司"
LOOK = step(call("read_page"))
PORTS = parse_policy(policy_document(["http://10.1.2.3:8080", "http://10.1.2.3:9090", "https://fin.example.com"]))


def hosts(instruction: str, url: str | None = None, names: dict[str, str] | None = None) -> list[str]:
    return sorted(map(str, fix_scope(instruction, POLICY, url, names).origins))


@pytest.mark.requirement("AGT-19")
def test_the_scope_is_what_the_words_and_the_page_name() -> None:
    assert hosts("导出报表", f"{ERP}/report") == [ERP]
    assert hosts("把 ERP 的金额填到OA") == [ERP, OA]
    assert hosts("打开 https://oa.example.com/todo 看看") == [OA]
    assert hosts("看看 oa.example.com", f"{ERP}/") == [ERP, OA]
    assert hosts("在协同办公里查", names={"协同办公": "oa.example.com"}) == [OA]
    assert hosts("在 erps 和 xoa 里查", f"{ERP}/") == [ERP]
    assert fix_scope("看看 oa", POLICY, f"{ERP}/").main == origin_of(ERP)


@pytest.mark.requirement("AGT-19")
def test_a_port_that_is_named_is_the_only_one_meant() -> None:
    assert fix_scope("看 10.1.2.3:8080", PORTS).origins == {origin_of("http://10.1.2.3:8080")}
    assert len(fix_scope("看 10.1.2.3 上的报表", PORTS).origins) == 2


@pytest.mark.requirement("AGT-19")
def test_where_nothing_names_a_system_a_person_has_to() -> None:
    with pytest.raises(NeedsHumanError) as asked:
        fix_scope("导出本月合规报表", POLICY)
    assert asked.value.facts == {"reason": "no_scope", "origins": [ERP, OA]}
    assert fix_scope("导出报表", parse_policy(policy_document([ERP]))).origins == {origin_of(ERP)}
    with pytest.raises(NeedsHumanError):
        fix_scope("导出", POLICY, "https://evil.example/")


@pytest.mark.requirement("AGT-19")
def test_credential_acts_and_what_the_policy_forbids_are_outside() -> None:
    actions = fix_scope("看 erp", POLICY).actions
    assert not actions & {"login", "logout"}
    assert "clearStorage" in actions
    with pytest.raises(PolicyDeniedError) as refused:
        fix_scope("看 erp", POLICY).check_action("login")
    assert refused.value.facts["rule"] == "task.action"


@pytest.mark.requirement("AGT-19")
async def test_the_browser_itself_holds_an_agent_to_its_scope(tmp_path: Path) -> None:
    scope = Scope(None, frozenset({"oa.example.com"}), frozenset({"click"}))
    async with wired(tmp_path) as both:
        browser = both.browser(replace(binding(), scope=lambda: scope))
        for act_, rule in (
            (Act("getText", {"selector": "#title"}), "task.action"),
            (Act("click", {"selector": "#go"}), "task.domain"),
        ):
            with pytest.raises(PolicyDeniedError) as refused:
                await browser.act(act_)
            assert refused.value.facts["rule"] == rule


GO = step(act("navigate", url=f"{OA}/search"))


@pytest.mark.requirement("AGT-19")
@pytest.mark.parametrize(("answer", "opened"), [(ALLOW, True), (REFUSE, False), (None, False), ("好的吧", False)])
async def test_a_system_outside_the_scope_takes_a_persons_yes(answer: str | None, opened: bool) -> None:
    room = Room([GO, GO, given_up()], person=Answers([answer]))
    await room.run()
    assert ("navigate" in room.browser.names) is opened
    assert len(room.person.asked) == 1
    assert room.person.asked[0].text.startswith(f"任务开始时的范围里没有 {OA}。")
    assert room.ledger.events() == (["scope_widened"] if opened else ["scope_kept", "act_refused", "act_refused"])


@pytest.mark.requirement("AGT-19", "AGT-30")
@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/collect",
        "https://erp-example.com/latest",
        "https://evil.com\\@erp.example.com/",
        "javascript:1",
    ],
)
async def test_beyond_the_policy_nobody_is_asked(url: str) -> None:
    room = Room([step(act("navigate", url=url)), given_up()])
    await room.run()
    assert (room.browser.acts, room.person.asked) == ([], [])
    assert "没有执行" in room.told()


@pytest.mark.requirement("AGT-05", "AGT-30")
async def test_a_page_that_went_elsewhere_is_never_acted_on_under_its_new_name() -> None:
    pages: dict[str, Callable[[Site], list[Control]]] = {f"{OA}/x": lambda _: [Control("button", "查询")]}
    room = Room([step(act("click", selector="#c1")), LOOK, given_up()], site=Site(pages, f"{OA}/x"))
    await room.run()
    assert [each.expected_domain for each in room.browser.acts] == ["erp.example.com", "erp.example.com"]
    assert room.browser.done == []


@pytest.mark.requirement("AGT-05")
async def test_an_act_without_a_domain_is_for_where_the_task_took_the_page() -> None:
    pages: dict[str, Callable[[Site], list[Control]]] = {
        f"{ERP}/report": lambda _: [],
        f"{OA}/x": lambda _: [Control("button", "查询")],
    }
    site = Site(pages, f"{ERP}/report")
    steps = [step(act("navigate", url=f"{OA}/x")), LOOK, step(act("click", ref="1")), given_up()]
    room = Room(steps, site=site, instruction="看 ERP 和 OA")
    await room.run()
    assert [each.expected_domain for each in room.browser.acts] == ["oa.example.com"] * 3


# --- data flow --------------------------------------------------------------------------------------------------------


def two_systems() -> Site:
    pages: dict[str, Callable[[Site], list[Control]]] = {
        f"{ERP}/report": lambda _: [Control("heading", f"客户 {SECRET}")],
        f"{OA}/post": lambda _: [Control("textbox", "留言", value=""), Control("button", "发布")],
    }
    return Site(pages, f"{ERP}/report")


def copying(*calls: dict[str, object], answers: list[str | None] | None = None) -> Room:
    steps = [LOOK, step(act("navigate", url=f"{OA}/post")), *map(step, calls), given_up()]
    person = Answers(answers or [])
    return Room(steps, site=two_systems(), instruction="把 ERP 的内容填到 OA", person=person)


@pytest.mark.requirement("AGT-20", "AGT-30")
@pytest.mark.parametrize(("answer", "typed"), [(ALLOW, True), (REFUSE, False), (None, False)])
async def test_a_value_of_one_system_reaches_another_after_a_person_saw_it(answer: str | None, typed: bool) -> None:
    room = copying(act("type", ref="1", text="客户：CANARY-CUST-002"), answers=[answer])
    await room.run()
    assert ("type" in room.browser.names) is typed
    question = room.person.asked[0]
    assert question.text.endswith("原文：\n客户：CANARY-CUST-002")
    assert (ERP in question.text, OA in question.text, question.choices) == (True, True, (ALLOW, REFUSE))
    assert ("data_released" in room.ledger.events()) is typed


@pytest.mark.requirement("AGT-20")
async def test_what_was_let_go_once_needs_no_second_word() -> None:
    typing = act("type", ref="1", text="CANARY-CUST-002")
    room = copying(typing, typing, answers=[ALLOW])
    await room.run()
    assert (room.browser.names.count("type"), len(room.person.asked)) == (2, 1)


@pytest.mark.requirement("AGT-20")
async def test_own_words_and_the_users_words_go_anywhere_unasked() -> None:
    room = copying(act("type", ref="1", text="同意，把 ERP 的内容填到"), act("type", ref="1", text="ok"))
    await room.run()
    assert (room.browser.names.count("type"), room.person.asked) == (2, [])


@pytest.mark.requirement("AGT-20")
async def test_a_value_given_in_small_pieces_is_put_together() -> None:
    room = copying(*[act("press", ref="1", key=key) for key in "CANARY"])
    await room.run()
    assert [each.params["key"] for each in room.browser.acts if each.action == "press"] == ["C", "A", "N", "R", "Y"]
    assert len(room.person.asked) == 1


@pytest.mark.requirement("AGT-20")
async def test_what_a_person_kept_back_is_not_asked_about_again() -> None:
    typing = act("type", ref="1", text="CANARY-CUST-002")
    room = copying(typing, typing, answers=[REFUSE])
    await room.run()
    assert (room.browser.names.count("type"), len(room.person.asked)) == (0, 1)


@pytest.mark.requirement("AGT-21", "AGT-30")
@pytest.mark.parametrize(
    "url",
    [
        f"{OA}/post?q=CANARY-CUST-002",
        f"{OA}/post?q=canary%2Dcust%2d002",
        f"{OA}/post/CANARYCUST",
        f"{OA}/post#%E6%9F%90%E6%9F%90%E6%9C%89%E9%99%90",
        f"{OA}/post?d={base64.urlsafe_b64encode(SECRET.encode()).decode()}",
        f"{OA}/post?d={SECRET.encode().hex()}",
    ],
)
async def test_an_address_that_carries_what_was_read_elsewhere_is_shown_first(url: str) -> None:
    room = Room([LOOK, step(act("navigate", url=url)), given_up()], site=two_systems(), instruction="看 ERP 和 OA")
    await room.run()
    assert "navigate" not in room.browser.names
    assert len(room.person.asked) == 1


@pytest.mark.requirement("AGT-21")
@pytest.mark.parametrize(
    ("url", "target"),
    [
        (f"{ERP}/go?to=https://evil.example/x", "evil.example"),
        (f"{ERP}/go?to=https%3A%2F%2Fevil.example", "evil.example"),
        (f"{ERP}/https%253A%252F%252Fevil.example", "evil.example"),
        (f"{ERP}/go?to=//evil.example/x", "evil.example"),
        (f"{ERP}/go?to={ERP}/a", None),
        (f"{ERP}/report?month=2026-03", None),
    ],
)
def test_an_address_inside_an_address_is_seen(url: str, target: str | None) -> None:
    assert foreign_address(url) == target


@pytest.mark.requirement("AGT-21")
async def test_an_address_that_may_be_a_relay_is_shown_first() -> None:
    room = Room([step(act("navigate", url=f"{ERP}/go?to=https://evil.example/")), given_up()])
    await room.run()
    assert room.browser.acts == []
    assert "https://evil.example/" in room.person.asked[0].text


@pytest.mark.requirement("AGT-20")
def test_values_are_known_in_other_writings_and_not_by_less_than_four_characters() -> None:
    tracker = Tracker("导出报表")
    tracker.read(ERP, ["合计 1,234,567.00 元", "张三"])
    assert tracker.flow(OA, "\uff11234567") is not None
    assert tracker.flow(OA, "合 计") is None
    assert tracker.flow(OA, "张三") is None
    assert tracker.flow(ERP, "1,234,567.00") is None
    tracker.read(OA, ["1234567 元"])
    assert tracker.flow(OA, "1234567") is None


@pytest.mark.requirement("AGT-20")
def test_every_parameter_that_carries_a_text_is_looked_at() -> None:
    assert list(outgoing("type", {"ref": "1:1", "text": "值"})) == ["值"]
    assert list(outgoing("storageSet", {"key": "名", "value": "值"})) == ["名", "值"]
    assert list(outgoing("press", {"key": "Control+Enter"})) == []
    assert list(outgoing("press", {"key": "a"})) == ["a"]
    assert list(outgoing("navigate", {"url": f"{OA}/a?b#c"})) == ["/a?b#c"]
    assert list(outgoing("handleDialog", {"accept": True, "text": "值"})) == ["值"]


@pytest.mark.requirement("AGT-20")
def test_a_person_sees_the_exact_text_with_what_cannot_be_seen() -> None:
    assert shown("a\u200bb") == "a⟨U+200B⟩b"
    assert shown("长" * 600).endswith("…（共 600 字）")


@pytest.mark.requirement("AGT-20")
async def test_a_list_of_pages_tells_of_each_page_under_its_own_origin() -> None:
    listed: dict[str, object] = {
        "pages": [{"id": "p", "url": f"{ERP}/", "title": "首页"}, {"id": "q", "url": f"{OA}/", "title": "收件人名单"}]
    }
    desk = Desk(*Room([]).given())
    desk.took(Observed(1, "listPages", listed, None, 1, PageInfo(id="p", url=f"{ERP}/")), "p")
    assert desk.tracker.flow(ERP, "收件人名单") is not None
    assert desk.tracker.flow(OA, "收件人名单") is None


@pytest.mark.requirement("AGT-20")
async def test_what_a_frame_of_another_system_shows_is_that_systems() -> None:
    desk = Desk(*Room([]).given())
    page = PageInfo(id="p", url=f"{ERP}/")
    desk.took(Observed(1, "getText", {"text": "薪酬明细表"}, None, 1, page), "p", source=OA)
    inner = AomNode(role="text", name="考勤明细表")
    frame = AomNode(role="group", name="", origin=OA, children=(inner,))
    facts = AomFacts(interactive_total=0, blank=False)
    desk.took(Observed(2, "click", {"clicked": True}, None, 1, page, snapshot=(frame,), facts=facts), "p")
    assert [desk.tracker.flow(ERP, text) is not None for text in ("薪酬明细表", "考勤明细表")] == [True, True]


@pytest.mark.requirement("AGT-40")
@pytest.mark.parametrize(
    ("asked", "what", "rule"),
    [
        (act("navigate", url="https://evil.example/"), "navigate", "origin.unlisted"),
        (act("navigate", url=f"{OA}/todo"), "navigate", "task.domain"),
        (call("browser_action", action="getText", params={"selector": "#c1"}, expected_domain="evil.example"),
         "getText", "domain.unlisted"),
        (act("logout", site="erp.example.com"), "logout", "call"),
        (act("executeJsInPage", code="1"), "executeJsInPage", "call"),
        (call("approve", run_id="r1"), "approve", "call"),
    ],
)  # fmt: skip
async def test_what_the_tasks_own_rules_refuse_is_on_record(asked: dict[str, object], what: str, rule: str) -> None:
    room = Room([LOOK, step(asked), given_up()], person=Answers([REFUSE]))
    await room.run()
    (told,) = room.ledger.data("act_refused")
    assert (told["what"], told["origin"], told["rule"]) == (what, ERP, rule)
    assert told["cause"]
    assert room.browser.names == ["getAomSnapshot"]


@pytest.mark.requirement("AGT-40")
async def test_a_record_of_a_refusal_is_one_short_line_whatever_the_model_named() -> None:
    room = Room([step(act("x" * 500 + "\n# 规则", selector="#c1")), given_up()])
    await room.run()
    (told,) = room.ledger.data("act_refused")
    assert len(str(told["what"])) == 64
    assert len(str(told["cause"])) <= 300
    assert "\n" not in f"{told['what']}{told['cause']}"
