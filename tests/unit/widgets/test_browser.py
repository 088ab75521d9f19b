import pytest

from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.ports import Act
from sgclaw.widgets.browser import WidgetBrowser
from sgclaw.widgets.hands import Hands
from tests.unit.widgets.inner import Answer, Scripted, answering, refusal, switch

_NATIVE: dict[str, Answer] = {
    "select": {"value": "fin", "label": "财务部", "within": ["select#dept", "form", "body"]},
    "type": {"typed": True, "value": "2026-03-05", "within": ["input#date", "form", "body"]},
    "check": {"checked": True, "within": ["input#agree", "label.agree", "body"]},
    "click": {"clicked": True},
    "getText": {"text": "甲"},
}
_PARAMS: dict[str, dict[str, object]] = {
    "select": {"selector": "#dept", "value": "财务部"},
    "type": {"selector": "#date", "text": "2026-03-05"},
    "check": {"selector": "#agree"},
    "click": {"selector": "#go"},
    "getText": {"selector": "#title"},
}


@pytest.mark.requirement("WID-10")
@pytest.mark.parametrize("action", list(_NATIVE))
async def test_a_native_control_costs_no_act_more(action: str) -> None:
    inner = Scripted(answering(_NATIVE))
    act = Act(action, _PARAMS[action], page="p2", expected_domain="erp.example.com", observe="diff")
    observed = await WidgetBrowser(inner).act(act)
    assert inner.asked == [act]
    assert observed is inner.trail[0]


@pytest.mark.requirement("WID-11")
async def test_every_act_of_a_driver_goes_through_the_wrapped_browser_for_the_same_page_and_domain() -> None:
    inner = Scripted(switch())
    observed = await WidgetBrowser(inner).act(
        Act("check", {"selector": "#on"}, page="p2", expected_domain="erp.example.com")
    )
    assert (observed.action, observed.data, observed.value) == ("check", {"checked": True}, True)
    assert {(act.page, act.expected_domain) for act in inner.asked} == {("p2", "erp.example.com")}
    assert inner.actions().count("click") == 1


@pytest.mark.requirement("WID-12")
async def test_the_trail_holds_intents_and_not_what_a_driver_read_on_its_way() -> None:
    browser = WidgetBrowser(Scripted(switch()))
    await browser.act(Act("check", {"selector": "#on"}))
    assert [observed.action for observed in browser.trail] == ["check"]


@pytest.mark.requirement("WID-13")
async def test_a_component_nobody_knows_is_refused_with_the_cause_the_host_gave() -> None:
    error = refusal(ActionCode.UNSUPPORTED_WIDGET, within=["div.own-select", "body"])
    inner = Scripted(answering({"select": error}))
    with pytest.raises(ActionError) as caught:
        await WidgetBrowser(inner).act(Act("select", {"selector": "#x", "value": "甲"}))
    assert caught.value is error
    assert inner.actions() == ["select"]


@pytest.mark.requirement("WID-14")
async def test_a_skill_that_did_not_declare_the_basic_acts_is_told_which_declaration_is_missing() -> None:
    denied = PolicyDeniedError("技能 s 没有声明操作 click", facts={"rule": "skill.action"})

    def page(act: Act) -> Answer:
        return denied if act.action == "click" else switch()(act)

    with pytest.raises(PolicyDeniedError) as caught:
        await WidgetBrowser(Scripted(page)).act(Act("check", {"selector": "#on"}))
    assert caught.value.facts == {"rule": "skill.action", "widget": "Element Plus 开关"}
    assert "@actions" in caught.value.next_step


@pytest.mark.requirement("WID-15")
async def test_an_act_whose_outcome_is_unknown_ends_the_intent_and_is_not_sent_again() -> None:
    lost = refusal(ActionCode.UNKNOWN_OUTCOME)

    def page(act: Act) -> Answer:
        return lost if act.action == "click" else switch()(act)

    inner = Scripted(page)
    with pytest.raises(ActionError) as caught:
        await WidgetBrowser(inner).act(Act("check", {"selector": "#on"}))
    assert caught.value.code == "UNKNOWN_OUTCOME"
    assert inner.actions()[-1] == "click"
    assert inner.actions().count("click") == 1


@pytest.mark.requirement("WID-15")
async def test_a_native_act_that_was_sent_and_failed_is_not_tried_another_way() -> None:
    inner = Scripted(answering({"check": refusal(ActionCode.ACTION_FAILED, within=["input", "label.el-checkbox"])}))
    with pytest.raises(ActionError):
        await WidgetBrowser(inner).act(Act("check", {"selector": "#x"}))
    assert inner.actions() == ["check"]


@pytest.mark.requirement("WID-16")
async def test_an_intent_whose_time_is_up_says_so_instead_of_acting_on() -> None:
    inner = Scripted(answering({"query": {"value": False}}))
    hands = Hands(inner, Act("select", {}), limit_s=0.0)
    with pytest.raises(ActionError) as caught:
        await hands.exists("#x")
    assert caught.value.code == "TIMEOUT"
    assert inner.asked == []


@pytest.mark.requirement("WID-16")
async def test_a_list_that_nobody_named_is_not_scrolled_for_an_element_that_is_missing() -> None:
    inner = Scripted(answering({"click": refusal(ActionCode.NOT_FOUND), "query": {"value": 0}}))
    with pytest.raises(ActionError) as caught:
        await WidgetBrowser(inner).act(Act("click", {"selector": "#gone"}))
    assert caught.value.code == "NOT_FOUND"
    assert inner.actions() == ["click"]


@pytest.mark.requirement("WID-14")
async def test_a_field_that_was_emptied_stays_a_success_for_a_skill_that_may_not_look_at_it() -> None:
    denied = PolicyDeniedError("技能 s 没有声明操作 query", facts={"rule": "skill.action"})
    inner = Scripted(answering({"clear": {"cleared": True}, "query": denied}))
    observed = await WidgetBrowser(inner).act(Act("clear", {"selector": "#text"}))
    assert observed.data == {"cleared": True}
    assert inner.actions() == ["clear", "query"]


def _anew(action: str, code: ActionCode, times: int) -> Scripted:
    """A page that renders an element anew so many times while it is looked at."""
    answers: dict[str, Answer] = {
        **_NATIVE,
        "query": {"value": True},
        "waitForSelector": {"found": True},
        "press": {"pressed": True},
    }
    left = times

    def answer(act: Act) -> Answer:
        nonlocal left
        if act.action == action and left:
            left -= 1
            return refusal(code)
        return answers[act.action]

    return Scripted(answer)


@pytest.mark.requirement("WID-17")
@pytest.mark.parametrize("code", [ActionCode.DETACHED_TARGET, ActionCode.STALE_REF])
@pytest.mark.parametrize("action", ["click", "getText", "query", "waitForSelector"])
async def test_what_a_component_renders_anew_is_clicked_and_read_again(action: str, code: ActionCode) -> None:
    inner = _anew(action, code, times=2)
    await Hands(inner, Act("select", {})).do(action, selector="#x")
    assert inner.actions() == [action] * 3


@pytest.mark.requirement("WID-17")
async def test_what_is_rendered_anew_for_ever_is_told_after_three_acts() -> None:
    inner = _anew("query", ActionCode.DETACHED_TARGET, times=100)
    with pytest.raises(ActionError) as caught:
        await Hands(inner, Act("select", {})).value("#x")
    assert (caught.value.code, len(inner.asked)) == ("DETACHED_TARGET", 3)


@pytest.mark.requirement("WID-15")
@pytest.mark.parametrize("action", ["type", "press", "select", "check"])
async def test_what_writes_is_given_once_even_where_the_element_was_rendered_anew(action: str) -> None:
    inner = _anew(action, ActionCode.DETACHED_TARGET, times=1)
    with pytest.raises(ActionError) as caught:
        await Hands(inner, Act("select", {})).do(action, selector="#x")
    assert (caught.value.code, inner.actions()) == ("DETACHED_TARGET", [action])


@pytest.mark.requirement("WID-15")
async def test_a_click_that_may_have_arrived_is_not_given_again() -> None:
    inner = _anew("click", ActionCode.UNKNOWN_OUTCOME, times=1)
    with pytest.raises(ActionError) as caught:
        await Hands(inner, Act("select", {})).click("#x")
    assert (caught.value.code, inner.actions()) == ("UNKNOWN_OUTCOME", ["click"])
