import subprocess
import sys
import time
from datetime import date
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.gateway.router import (
    Answered,
    AskInput,
    AskWhich,
    NoRoute,
    Route,
    Router,
    RouteRequest,
    RunSkill,
    Understood,
)
from tests.unit.gateway import quiet, sentences
from tests.unit.gateway.skills import CATALOGUE, MONTH, REPORT, skill

ROOT: Final = Path(__file__).parents[3]
TODAY: Final = date(2026, 3, 15)
ROUTER: Final = Router(CATALOGUE)
_VERBS: Final = "导出 查询 新增 删除 审批 提交 撤回 打印 归档 同步"
_OBJECTS: Final = """
采购订单 销售合同 库存盘点 固定资产 差旅报销 费用申请 客户档案 员工档案 培训计划 绩效考核 招聘需求
发票台账 税务申报表 银行账户 付款申请 收款记录 物料清单 生产计划 质检报告 设备维修 车辆使用 印章使用
公文收文 公文发文 会议纪要 项目进度 项目预算 工时填报 加班申请 请假单 出差申请 考勤异常 薪资条
公积金缴存 劳动合同 离职手续 入职手续 法律诉讼 知识产权 合规培训 风险事件 审计底稿 内控缺陷 信息系统权限
数据质量 服务器巡检 网络故障 办公用品 低值易耗品 食堂订餐
"""
CROWD: Final = (
    *CATALOGUE,
    *(
        skill(f"d{n}-x", f"{v}{o}数据。", (f"{v}{o}",))
        for n, (o, v) in enumerate(product(_OBJECTS.split(), _VERBS.split()))
    ),
)


def ask(text: str, router: Router = ROUTER) -> Route:
    return router.route(RouteRequest(text, TODAY))


def follow(text: str, *replies: str, skill: str | None = None, router: Router = ROUTER) -> Route:
    """The route after a conversation: every reply answers the question before it."""
    answers: tuple[Answered, ...] = ()
    route = router.route(RouteRequest(text, TODAY, skill=skill))
    for reply in replies:
        assert isinstance(route, AskInput | AskWhich), route
        answers = (*answers, Answered(route, reply))
        route = router.route(RouteRequest(text, TODAY, skill=skill, answers=answers))
    return route


def ran(route: Route) -> tuple[str, dict[str, object]]:
    assert isinstance(route, RunSkill), route
    return route.name, dict(route.inputs)


# --- the table ------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-01")
@pytest.mark.parametrize(("text", "name", "inputs"), sentences.RUN)
def test_a_clear_order_runs_with_its_inputs(text: str, name: str, inputs: dict[str, object]) -> None:
    assert ran(ask(text)) == (name, inputs)


@pytest.mark.requirement("ROUTE-01")
@pytest.mark.parametrize(("text", "name"), sentences.PARAPHRASES)
def test_other_words_for_the_same_order_run_the_same_skill(text: str, name: str) -> None:
    assert ran(ask(text))[0] == name


@pytest.mark.requirement("ROUTE-02")
@pytest.mark.parametrize(("text", "name", "field"), sentences.ASK)
def test_what_is_missing_or_unclear_is_asked_for(text: str, name: str, field: str) -> None:
    route = ask(text)
    assert isinstance(route, AskInput)
    assert (route.name, route.field) == (name, field)


@pytest.mark.requirement("ROUTE-03")
@pytest.mark.parametrize(("text", "names"), sentences.WHICH)
def test_a_sentence_that_a_skill_does_not_fully_explain_is_asked_about(text: str, names: frozenset[str]) -> None:
    route = ask(text)
    assert isinstance(route, AskWhich)
    assert frozenset(route.names) == names


@pytest.mark.requirement("ROUTE-04")
@pytest.mark.parametrize("text", quiet.NONE)
def test_no_order_and_no_skill_means_nothing_runs(text: str) -> None:
    assert isinstance(ask(text), NoRoute)


@pytest.mark.requirement("ROUTE-03")
@pytest.mark.parametrize("text", quiet.NEVER)
def test_a_sentence_that_is_no_plain_order_never_runs(text: str) -> None:
    assert not isinstance(ask(text), RunSkill)


@pytest.mark.requirement("ROUTE-09")
def test_five_hundred_other_skills_change_no_run_and_add_none() -> None:
    router = Router(CROWD)
    assert len(CROWD) > 500
    rows = [text for text, _, _ in (*sentences.RUN, *sentences.ASK)]
    assert [ask(text, router) for text in rows] == [ask(text) for text in rows]
    others = [*(text for text, _ in sentences.WHICH), *quiet.NONE, *quiet.NEVER]
    assert [text for text in others if isinstance(ask(text, router), RunSkill)] == []


@pytest.mark.requirement("ROUTE-09")
def test_routing_among_five_hundred_skills_takes_less_than_50_ms() -> None:
    router = Router(CROWD)
    ask("导出月度报表", router)
    texts = [text for text, _, _ in sentences.RUN]
    started = time.perf_counter()
    for text in texts:
        ask(text, router)
    assert (time.perf_counter() - started) / len(texts) < 0.05


# --- what a person sees ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-01")
def test_a_run_says_which_words_each_input_came_from() -> None:
    assert ask("导出上个月财务部的月度报表") == RunSkill(
        "erp-monthly-report",
        {"month": "2026-02", "department": "财务部"},
        (Understood("month", "2026-02", "上个月", "date"), Understood("department", "财务部", "财务部", "department")),
    )


@pytest.mark.requirement("ROUTE-02")
def test_the_question_for_a_month_is_natural_chinese() -> None:
    route = ask("导出月度报表")
    assert isinstance(route, AskInput)
    assert route.question.text == "要导出哪个月的月度报表？例如：2026-03、本月、上月"


@pytest.mark.requirement("ROUTE-02")
def test_a_schema_can_word_its_own_question() -> None:
    own = skill(
        "a-b", "导出日报。", ("导出日报",), {"m": {**MONTH, "x-ask": "哪个月？", "x-examples": ["三月"]}}, ("m",)
    )
    route = ask("导出日报", Router([own]))
    assert isinstance(route, AskInput)
    assert route.question.text == "哪个月？例如：三月"


@pytest.mark.requirement("ROUTE-04")
def test_no_route_says_what_would_help() -> None:
    route = ask("帮我订机票", Router([REPORT]))
    assert route == NoRoute("没有找到能完成这个任务的技能", ("导出月度报表",))


@pytest.mark.requirement("ROUTE-03")
def test_a_confirmation_says_what_was_not_understood() -> None:
    route = ask("打印2月月度报表", Router([REPORT]))
    assert isinstance(route, AskWhich)
    assert route.question.text == (
        "没有完全理解“打印”，您是要执行「导出月度报表」（erp-monthly-report）吗？将导出：2026-02，全部部门，xlsx"
    )
    assert route.question.choices == ("是", "不是")


# --- answers --------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-08")
@pytest.mark.parametrize(
    ("text", "replies", "inputs"),
    [
        ("导出月度报表", ("上月",), {"month": "2026-02"}),
        ("导出月度报表", ("2026年1月吧",), {"month": "2026-01"}),
        ("导出一季度的月度报表", ("第2个",), {"month": "2026-02"}),
        ("导出一季度的月度报表", ("2026-03",), {"month": "2026-03"}),
        ("导出一季度的月度报表", ("3月",), {"month": "2026-03"}),
        ("导出月度报表", ("一季度", "2月"), {"month": "2026-02"}),
        ("导出2月财务部和销售部的月度报表", ("销售部",), {"month": "2026-02", "department": "销售部"}),
        ("导出2月财务部和销售部的月度报表", ("第一个",), {"month": "2026-02", "department": "财务部"}),
        ("导出月渡报表", ("是", "上月"), {"month": "2026-02"}),
        ("打印2月月度报表", ("对",), {"month": "2026-02"}),
    ],
)
def test_an_answer_is_taken_in_words_numbers_or_the_choice_itself(
    text: str, replies: tuple[str, ...], inputs: dict[str, object]
) -> None:
    assert ran(follow(text, *replies)) == ("erp-monthly-report", inputs)


@pytest.mark.requirement("ROUTE-08")
def test_choosing_an_action_can_make_another_input_necessary() -> None:
    assert ran(follow("OA审批", "驳回", "A-1002")) == ("oa-approval", {"action": "reject", "item_id": "A-1002"})


@pytest.mark.requirement("ROUTE-08")
@pytest.mark.parametrize("reply", ["第1个", "1", "erp-monthly-report", "导出月度报表"])
def test_one_of_several_skills_is_picked(reply: str) -> None:
    route = ask("导出2月月度报表并检查异常交易")
    assert isinstance(route, AskWhich)
    place = str(route.names.index("erp-monthly-report") + 1)
    picked = follow("导出2月月度报表并检查异常交易", reply.replace("1", place))
    assert ran(picked) == ("erp-monthly-report", {"month": "2026-02"})


@pytest.mark.requirement("ROUTE-08")
@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("导出月度报表", "算了"),
        ("导出月度报表", "取消"),
        ("导出月渡报表", "不是"),
        ("供应商", "都不是"),
        ("打印2月月度报表", "不"),
    ],
)
def test_a_person_can_back_out_of_a_question(text: str, reply: str) -> None:
    assert isinstance(follow(text, reply), NoRoute)


@pytest.mark.requirement("ROUTE-08")
@pytest.mark.parametrize(
    ("text", "reply"), [("导出月度报表", "随便"), ("导出月渡报表", "什么"), ("供应商", "第9个"), ("OA审批", "看着办")]
)
def test_an_answer_nobody_understands_is_asked_again(text: str, reply: str) -> None:
    first, second, third = ask(text), follow(text, reply), follow(text, reply, reply)
    assert isinstance(first, AskInput | AskWhich)
    assert isinstance(second, AskInput | AskWhich)
    assert second.question.text == f"没有听懂“{reply}”。{first.question.text}"
    assert third == second


# --- explicit skill and inputs --------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-10")
def test_an_explicit_skill_skips_the_choice() -> None:
    route = ROUTER.route(RouteRequest("上个月的", TODAY, skill="finance-reconciliation"))
    assert ran(route) == ("finance-reconciliation", {"month": "2026-02"})


@pytest.mark.requirement("ROUTE-10")
def test_explicit_inputs_win_over_the_text() -> None:
    request = RouteRequest("导出一季度财务部的月度报表", TODAY, inputs={"month": "2026-05", "department": "法务部"})
    assert ran(ROUTER.route(request)) == ("erp-monthly-report", {"month": "2026-05", "department": "法务部"})


@pytest.mark.requirement("ROUTE-10")
def test_a_no_stops_even_an_explicit_skill() -> None:
    route = ROUTER.route(RouteRequest("不要导出", TODAY, skill="erp-monthly-report", inputs={"month": "2026-05"}))
    assert isinstance(route, NoRoute)


@pytest.mark.requirement("ROUTE-10")
def test_an_unknown_explicit_skill_is_no_route() -> None:
    assert isinstance(ROUTER.route(RouteRequest("导出", TODAY, skill="nothing")), NoRoute)


# --- opposites, ties, empty catalogues ------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-11")
@pytest.mark.parametrize(
    ("does", "asked"),
    [
        ("通过", "驳回"),
        ("同意", "拒绝"),
        ("新增", "删除"),
        ("启用", "停用"),
        ("导出", "导入"),
        ("提交", "撤回"),
        ("锁定", "解锁"),
        ("上传", "下载"),
        ("预约", "取消"),
    ],
)
def test_the_opposite_of_what_a_skill_does_never_reaches_it(does: str, asked: str) -> None:
    for left, right in ((does, asked), (asked, does)):
        only = Router([skill("x-y", f"{left}供应商档案。", (f"{left}供应商档案", "供应商档案"))])
        assert ran(ask(f"{left}供应商档案", only)) == ("x-y", {})
        assert isinstance(ask(f"{right}供应商档案", only), NoRoute)


@pytest.mark.requirement("ROUTE-03")
def test_two_skills_of_one_trigger_are_asked_about() -> None:
    twins = Router([skill("a-x", "导出台账。", ("导出台账",)), skill("b-x", "导出台账。", ("导出台账",))])
    route = ask("导出台账", twins)
    assert isinstance(route, AskWhich)
    assert route.names == ("a-x", "b-x")
    assert len(route.question.choices) == 3


@pytest.mark.requirement("ROUTE-03")
def test_a_bare_noun_starts_nothing_that_changes_something() -> None:
    only = Router([skill("x-y", "删除供应商档案。", ("供应商档案", "删除供应商档案"))])
    assert isinstance(ask("供应商档案", only), AskWhich)


@pytest.mark.requirement("ROUTE-01")
def test_a_skill_without_triggers_is_known_by_its_description() -> None:
    silent = Router([REPORT.model_copy(update={"triggers": ()})])
    assert ran(ask("导出2026年3月财务部的月度报表", silent)) == (
        "erp-monthly-report",
        {"month": "2026-03", "department": "财务部"},
    )


def test_an_empty_catalogue_routes_nothing() -> None:
    assert ask("导出月度报表", Router([])) == NoRoute("没有找到能完成这个任务的技能", ())


@pytest.mark.requirement("ROUTE-12")
def test_nothing_is_loaded_before_the_first_instruction() -> None:
    code = (
        "import sys; from sgclaw.gateway.router import Router; Router([]); "
        "sys.exit(any(name in sys.modules for name in ('rjieba', 'jsonschema', 'sgclaw.gateway.routing')))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=30).returncode == 0


# --- any text -------------------------------------------------------------------------------------------------------

_PIECES: Final = """
导出 月度报表 不要 别 上个月 3月 2月30日 第一季度 财务部 的 全部 通过 驳回 A-1002 “ ” 《 》 : 意见 为 三百
万 条 到 - 、 ， 。 ？ 吗 删除供应商 停用账号 检查异常交易 预约会议 下午3点 � excel 2026 / . 年 月 日
号 前 后 含明细 除了 所有部门 同步
"""
_TEXTS: Final = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*_PIECES.split(), *"\u200b\ud83d\uff11\uff12 "]), max_size=14).map("".join),
)


def required(name: str) -> set[str]:
    names = next(manifest for manifest in CATALOGUE if manifest.name == name).params["required"]
    assert isinstance(names, list)
    return set(names)


@pytest.mark.requirement("ROUTE-13")
@settings(max_examples=400, deadline=None)
@given(text=_TEXTS, reply=_TEXTS, day=st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_any_text_gives_a_route_and_no_run_lacks_a_required_input(text: str, reply: str, day: date) -> None:
    route = ROUTER.route(RouteRequest(text, day))
    assert route == ROUTER.route(RouteRequest(text, day))
    answers: tuple[Answered, ...] = ()
    for _ in range(3):
        if not isinstance(route, AskInput | AskWhich):
            break
        answers = (*answers, Answered(route, reply))
        route = ROUTER.route(RouteRequest(text, day, answers=answers))
    if isinstance(route, RunSkill):
        assert required(route.name) <= set(route.inputs)
