"""What is checked before anything is carried out, and what stops a run that goes nowhere."""

from __future__ import annotations

import json

import pytest

from sgclaw.agent.breaker import Breaker, Position
from sgclaw.agent.checks import nearest
from sgclaw.agent.limits import Limits, Meter, Spent, objection
from sgclaw.agent.recovery import PAUSES, may_try_again
from sgclaw.agent.text_mode import calls_in, objects_in, read_object
from sgclaw.context.chat import ToolSpec
from sgclaw.errors import ActionCode, ActionError, ModelError, SgClawError
from tests.unit.agent.room import Clock, Room, act, call, given_up, step
from tests.unit.agent.site import ERP, Control, Site

LOOK = step(call("read_page"))


@pytest.mark.requirement("AGT-04")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (call("browser_acton", action="click"), "是不是 browser_action？"),
        (call("click", ref="1"), "它是一个操作，用 browser_action，action 写 click"),
        (call("hack"), "没有工具 hack。可用的工具：browser_action、read_page"),
        (call("browser_action", action="clik"), "action 没有这个值，是不是 click"),
        (call("browser_action", action="eval", params={"code": "1"}), "action 没有这个值"),
        (call("browser_action", action="login"), "login 由用户自己完成：用 ask_user"),
        (call("browser_action", params={}), "参数 缺少 action"),
        (call("browser_action", action="click", confirmed=True), "参数 不认识 confirmed，可用：action"),
        (act("click", ref="1", skip_confirm=True), "click 的参数不对"),
        (act("type", ref="2"), "click 的参数不对".replace("click", "type")),
        (act("click"), "click 的参数不对"),
        (act("getAomSnapshot", ref="1"), "用 read_page 的 scope"),
        (call("read_page", mode="all"), "mode 没有这个值，可用：page、find、scope、diff"),
        (call("read_page", number=0), "number 应符合 minimum 1"),
        (call("finish", outcome="ok", summary="好"), "outcome 没有这个值"),
    ],
)
async def test_a_call_that_does_not_fit_goes_back_with_what_is_wrong(wrong: dict[str, object], told: str) -> None:
    room = Room([LOOK, step(wrong), given_up()])
    await room.run()
    assert told in room.told()
    assert room.browser.names == ["getAomSnapshot"]


@pytest.mark.requirement("AGT-04")
def test_the_nearest_names_are_found_across_ways_of_writing() -> None:
    assert nearest("wait_for_selector", ["waitForSelector", "click"]) == ["waitForSelector"]
    assert nearest("executeJsInPage", ["click", "type"]) == []


@pytest.mark.requirement("AGT-13")
async def test_nothing_is_changed_before_the_success_criterion_was_stated() -> None:
    press = act("click", criterion=None, ref="4")
    room = Room([LOOK, step(press), step(act("click", ref="4")), step(press), given_up()])
    await room.run()
    assert room.browser.names == ["getAomSnapshot", "click", "click"]
    assert "还没有说出任务的成功标准" in room.told(2)


@pytest.mark.requirement("AGT-13")
def test_reading_needs_no_criterion_and_changing_needs_a_task_too() -> None:
    assert objection("", "", changes=False) is None
    assert "没有指令" in str(objection(" ", "看到结果", changes=True))


@pytest.mark.requirement("AGT-14")
def test_usage_an_error_tells_wrongly_counts_for_nothing() -> None:
    meter = Meter(Limits(), Clock(), Spent())
    meter.add_failed(ModelError("失败", facts={"usage": {"input_tokens": "7", "output_tokens": 3, "cost": "viel"}}))
    meter.add_failed(ModelError("失败", facts={"usage": None}))
    assert (meter.spent.llm_calls, meter.spent.tokens, meter.spent.cost) == (2, 3, None)


@pytest.mark.requirement("AGT-26")
async def test_the_schema_offers_what_the_table_has_but_not_what_people_do_themselves() -> None:
    room = Room([given_up()])
    await room.run()
    schema = dict(room.recited.requests[0].tools[0].schema)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    offered = properties["action"]["enum"]
    assert {"click", "navigate", "extractTable"} <= set(offered)
    assert not {"login", "logout", "eval", "executeJsInPage"} & set(offered)
    assert [tool.name for tool in room.recited.requests[0].tools] == [
        "browser_action",
        "read_page",
        "recall",
        "ask_user",
        "finish",
    ]


# --- going nowhere ----------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AGT-08")
async def test_the_same_call_with_the_same_result_is_warned_of_at_three_and_stopped_at_five() -> None:
    find = step(call("read_page", mode="find", query="没有"))
    room = Room([find] * 6)
    result = await room.run()
    assert (result.outcome, result.reason) == ("failed", "NEEDS_HUMAN")
    assert result.error is not None
    assert (result.error.facts["reason"], result.error.facts["times"]) == ("repeats", 5)
    assert "已经做了 3 次" in room.messages(3)[-1].text
    assert len(room.recited.requests) == 5


@pytest.mark.requirement("AGT-08")
async def test_a_repeated_call_with_new_results_is_no_repeat() -> None:
    def further(site: Site) -> None:
        site.notes["n"] = str(int(site.notes.get("n", "1")) + 1)
        site.controls[1].name = f"第 {site.notes['n']} 页"

    site = Site(
        {f"{ERP}/report": lambda _: [Control("button", "下一页", click=further), Control("heading", "第 1 页")]},
        f"{ERP}/report",
    )
    room = Room([LOOK, *[step(act("click", ref="1"))] * 8, given_up()], site=site)
    assert (await room.run()).usage.steps == 10


@pytest.mark.requirement("AGT-08")
async def test_three_acts_that_change_nothing_are_told() -> None:
    clicks = [step(act("click", ref=ref)) for ref in ("1", "2", "3")]
    room = Room([LOOK, *clicks, given_up()])
    await room.run()
    assert "连续 3 次操作之后页面都没有变化" in room.messages(4)[-1].text


@pytest.mark.requirement("AGT-09")
async def test_three_failures_in_a_row_pause_the_run_and_one_more_ends_it() -> None:
    clicks = [step(act("click", selector=f"#x{n}")) for n in range(4)]
    room = Room([LOOK, *clicks])
    result = await room.run()
    assert (result.outcome, result.reason, room.clock.slept) == ("failed", "ACTION_FAILED", [30.0])
    assert result.error is not None
    assert (result.error.facts["reason"], result.error.facts["because"]) == ("breaker", "NOT_FOUND")


@pytest.mark.requirement("AGT-09")
async def test_a_try_that_works_after_the_pause_closes_the_breaker() -> None:
    clicks = [step(act("click", selector=f"#x{n}")) for n in range(3)]
    room = Room([LOOK, *clicks, step(act("click", ref="4")), *clicks[:2], given_up()])
    assert (await room.run()).reason == "NEEDS_HUMAN"
    assert room.clock.slept == [30.0]


@pytest.mark.requirement("AGT-09")
def test_the_breaker_opens_for_thirty_seconds() -> None:
    clock, error = Clock(), ActionError(ActionCode.NOT_FOUND, "找不到")
    breaker = Breaker(clock)
    for _ in range(3):
        assert breaker.pause() == 0
        breaker.failed(error)
    assert breaker.pause() == 30
    clock.seconds += 12
    assert breaker.pause() == 18
    clock.seconds += 18
    assert (breaker.pause(), breaker.position) == (0, Position.HALF_OPEN)
    breaker.succeeded()
    assert breaker.position is Position.CLOSED


@pytest.mark.requirement("AGT-10")
@pytest.mark.parametrize(
    ("action", "code", "again"),
    [
        ("getText", ActionCode.TIMEOUT, True),
        ("getText", ActionCode.NOT_FOUND, False),
        ("click", ActionCode.DETACHED_TARGET, True),
        ("click", ActionCode.TIMEOUT, False),
        ("click", ActionCode.UNKNOWN_OUTCOME, False),
        ("clearStorage", ActionCode.DETACHED_TARGET, False),
        ("getText", ActionCode.UNKNOWN_OUTCOME, False),
    ],
)
def test_only_what_was_surely_not_done_may_be_tried_again(action: str, code: ActionCode, again: bool) -> None:
    assert may_try_again(action, ActionError(code, "失败")) is again


@pytest.mark.requirement("AGT-10")
@pytest.mark.parametrize(("times", "failed"), [(3, False), (4, True)])
async def test_a_read_is_tried_again_three_times(times: int, failed: bool) -> None:
    room = Room([LOOK, given_up()])
    late: list[SgClawError] = [ActionError(ActionCode.TIMEOUT, "超时") for _ in range(times)]
    room.browser.faults["getAomSnapshot"] = late
    await room.run()
    assert room.clock.slept == list(PAUSES)
    assert ("没有执行：超时" in room.told()) is failed


# --- text -------------------------------------------------------------------------------------------------------------

TOOLS = (ToolSpec("read_page", "读", {}), ToolSpec("browser_action", "做", {}), ToolSpec("finish", "完", {}))


@pytest.mark.requirement("AGT-07")
@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('{"tool":"read_page","arguments":{"mode":"page"}}', "read_page", {"mode": "page"}),
        ('好的。\n```json\n{"name": "read_page", "arguments": {}}\n```\n完', "read_page", {}),
        ('<think>{"tool":"finish"}</think>{"tool":"read_page","args":{}}', "read_page", {}),
        (
            '<tool_call>{"name":"read_page","arguments":"{\\"mode\\":\\"diff\\"}"}</tool_call>',
            "read_page",
            {"mode": "diff"},
        ),
        ("{'tool': 'read_page', 'arguments': {'mode': 'page',}}", "read_page", {"mode": "page"}),
        ("｛“tool”：“read_page”，“arguments”：｛｝｝", "read_page", {}),
        ('{"function":{"name":"read_page","arguments":{}}}', "read_page", {}),
        ('{"action":"click","params":{"ref":"3"}}', "browser_action", {"action": "click", "params": {"ref": "3"}}),
        ('{"tool":"click","arguments":{"ref":"3"}}', "browser_action", {"action": "click", "params": {"ref": "3"}}),
        ('{"tool":"read_page","mode":"find","query":"导出{x}"}', "read_page", {"mode": "find", "query": "导出{x}"}),
    ],
)
def test_calls_are_found_in_what_small_models_write(text: str, name: str, arguments: dict[str, object]) -> None:
    (found,) = calls_in(text, TOOLS, "t")
    assert (found.name, json.loads(found.arguments)) == (name, arguments)


@pytest.mark.requirement("AGT-07")
@pytest.mark.parametrize("text", ["", "没有调用", "{", '{"tool": "read_page", "argum', "{}", "[1, 2]", "{" * 5_000])
def test_a_text_without_a_whole_call_has_none(text: str) -> None:
    assert calls_in(text, TOOLS, "t") == ()


@pytest.mark.requirement("AGT-07")
def test_several_objects_are_several_calls() -> None:
    text = '{"tool":"read_page","arguments":{}}\n{"tool":"finish","arguments":{}}'
    assert [each.name for each in calls_in(text, TOOLS, "t")] == ["read_page", "finish"]
    assert objects_in('{"a": "}"} {"b": "{"}') == [{"a": "}"}, {"b": "{"}]
    assert read_object('{"a": __import__("os")}') is None
