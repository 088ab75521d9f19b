from datetime import date
from typing import Final

import pytest

from sgclaw.gateway.router import Answered, AskInput, AskWhich, NoRoute, Route, Router, RouteRequest, RunSkill
from tests.unit.gateway import talks
from tests.unit.gateway.skills import CATALOGUE, MONTH, skill

TODAY: Final = date(2026, 11, 30)
ROUTER: Final = Router((*CATALOGUE, talks.TWO))
REPORT: Final = "erp-monthly-report"


def talk(text: str, *replies: str, router: Router = ROUTER) -> Route:
    answers: tuple[Answered, ...] = ()
    route = router.route(RouteRequest(text, TODAY))
    for reply in replies:
        assert isinstance(route, AskInput | AskWhich), route
        answers = (*answers, Answered(route, reply))
        route = router.route(RouteRequest(text, TODAY, answers=answers))
    return route


def ran(route: Route) -> tuple[str, dict[str, object]]:
    assert isinstance(route, RunSkill), route
    return route.name, dict(route.inputs)


@pytest.mark.requirement("ROUTE-15")
@pytest.mark.parametrize(("said", "month"), talks.YEARS)
def test_an_answer_means_a_month_of_the_period_the_order_spoke_of(said: tuple[str, ...], month: str) -> None:
    assert ran(talk(*said)) == (REPORT, {"month": month})


@pytest.mark.requirement("ROUTE-16")
@pytest.mark.parametrize(("said", "inputs"), talks.ALL_TAKEN)
def test_everything_an_answer_says_is_taken(said: tuple[str, ...], inputs: dict[str, object]) -> None:
    assert ran(talk(*said)) == (REPORT, inputs)


@pytest.mark.requirement("ROUTE-16")
@pytest.mark.parametrize(("text", "reply"), talks.ASKED_AGAIN)
def test_an_answer_that_is_not_understood_to_the_last_word_is_asked_again(text: str, reply: str) -> None:
    first, second = talk(text), talk(text, reply)
    assert isinstance(first, AskInput)
    assert isinstance(second, AskInput)
    assert (second.name, second.field, second.within) == (first.name, first.field, first.within)


@pytest.mark.requirement("ROUTE-16")
def test_an_answer_changes_no_explicit_input() -> None:
    request = RouteRequest("导出月度报表", TODAY, inputs={"department": "法务部"})
    first = ROUTER.route(request)
    assert isinstance(first, AskInput)
    answered = RouteRequest(
        request.instruction, TODAY, inputs=request.inputs, answers=(Answered(first, "上个月财务部"),)
    )
    assert ran(ROUTER.route(answered)) == (REPORT, {"month": "2026-10", "department": "法务部"})


@pytest.mark.requirement("ROUTE-18")
@pytest.mark.parametrize("text", talks.PARTIES)
def test_who_asks_or_gets_or_is_left_out_is_confirmed(text: str) -> None:
    assert isinstance(talk(text), AskWhich)


@pytest.mark.requirement("ROUTE-18")
def test_what_is_done_for_a_department_is_about_it() -> None:
    assert ran(talk("给行政部申报10月份社保")) == ("hr-social-insurance", {"month": "2026-10", "department": "行政部"})
    assert ran(talk("导出无锡分公司上个月的月报"))[1] == {"month": "2026-10", "department": "无锡分公司"}


@pytest.mark.requirement("ROUTE-19")
def test_a_confirmation_shows_what_a_yes_would_run_and_that_is_what_runs() -> None:
    route = talk("导出财务和人力的月度报表，csv，3月")
    assert isinstance(route, AskWhich)
    assert route.question.text == (
        "没有完全理解“人力”，您是要执行「导出月度报表」（erp-monthly-report）吗？将导出：2026-03，全部部门，csv"
    )
    assert ran(talk("导出财务和人力的月度报表，csv，3月", "是")) == (REPORT, {"month": "2026-03", "format": "csv"})


@pytest.mark.requirement("ROUTE-19")
def test_a_confirmation_says_what_is_still_open() -> None:
    route = talk("打印月度报表")
    assert isinstance(route, AskWhich)
    assert route.question.text.endswith("吗？将导出：报表月份待确认，全部部门，xlsx")


@pytest.mark.requirement("ROUTE-20")
@pytest.mark.parametrize("text", talks.LIGHT)
def test_everyday_ways_to_ask_need_no_question(text: str) -> None:
    name, inputs = ran(talk(text))
    assert (name, inputs["month"]) == (REPORT, "2026-10")


@pytest.mark.requirement("ROUTE-17")
@pytest.mark.parametrize("text", ["导出两个部门的报表", "两部门报表", "请帮我导出两个部门的报表，谢谢"])
def test_a_trigger_that_counts_departments_is_found_beside_other_reports(text: str) -> None:
    assert ran(talk(text, "财务部", "销售部")) == ("two-departments", {"first": "财务部", "second": "销售部"})


@pytest.mark.requirement("ROUTE-17")
@pytest.mark.parametrize(("trigger", "description"), talks.TRIGGERS)
def test_a_trigger_typed_exactly_runs_alone_and_among_others(trigger: str, description: str) -> None:
    own = skill("own-skill", description, (trigger,))
    for router in (Router([own]), Router((*CATALOGUE, own))):
        assert ran(talk(trigger, router=router)) == ("own-skill", {})
        assert ran(talk(f"请{trigger}，谢谢", router=router)) == ("own-skill", {})
        assert isinstance(talk(f"不要{trigger}", router=router), NoRoute)
        assert isinstance(talk(f"{trigger}了吗", router=router), NoRoute)
        assert not isinstance(talk(f"{trigger}的模板", router=router), RunSkill)
        assert not isinstance(talk(f"{trigger}，不要财务部的", router=router), RunSkill)


@pytest.mark.requirement("ROUTE-17")
def test_a_date_inside_a_trigger_fills_the_input_it_settles_and_what_stands_outside_wins() -> None:
    own = Router([skill("own-skill", "导出凭证。", ("导出本月凭证",), {"month": MONTH}, ("month",))])
    assert ran(talk("导出本月凭证", router=own)) == ("own-skill", {"month": "2026-11"})
    assert not isinstance(talk("导出本月凭证，去年", router=own), RunSkill)


@pytest.mark.requirement("ROUTE-17")
def test_two_skills_of_one_trigger_with_a_date_are_asked_about() -> None:
    twins = Router([skill(name, "统计凭证数。", ("本月凭证数",)) for name in ("a-x", "b-x")])
    route = talk("本月凭证数", router=twins)
    assert isinstance(route, AskWhich)
    assert route.names == ("a-x", "b-x")
