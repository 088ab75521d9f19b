"""Tools of other servers in the agent's hands: asked about, recorded, called once, believed in nothing."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sgclaw.agent.task import Foreign
from sgclaw.agent.tools.foreign import held_to
from sgclaw.agent.trace import read_trace
from sgclaw.context.chat import ToolSpec
from sgclaw.context.untrusted import Untrusted
from sgclaw.errors import ForeignToolError
from sgclaw.ports import ForeignTool, JsonObject
from tests.unit.agent.room import Answers, Room, act, call, done, given_up, step

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "to": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
SEND = ForeignTool("notes__send", "（外部工具）发送", SCHEMA, "notes", "d" * 64)
LOOK = step(call("read_page"))
ASKED = "要调用外部工具，是否允许？服务：notes，工具：send\n参数（发出的原文）："


def sends(text: str, **more: object) -> dict[str, object]:
    return step(call("notes__send", text=text, task_criterion="对方收到", **more))


@dataclass
class Box:
    """`Toolbox` with one tool that answers, fails, or never comes back."""

    says: str = "好的，编号 7788"
    fails: ForeignToolError | None = None
    hangs: asyncio.Event | None = None
    got: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    async def tools(self) -> Sequence[ForeignTool]:
        return (SEND,)

    async def call(self, name: str, arguments: Mapping[str, object]) -> str:
        self.got.append((name, arguments))
        if self.hangs is not None:
            self.hangs.set()
            await asyncio.Event().wait()
        if self.fails is not None:
            raise self.fails
        return Untrusted("tool", "mcp:notes", self.says).block()


def room(box: Box, *steps: Mapping[str, object], unasked: bool = False, **more: Any) -> Room:
    names = frozenset({SEND.name}) if unasked else frozenset[str]()
    return Room(steps, foreign=Foreign(box, (SEND,), names), **more)


def failure(reason: str, said: str = "") -> ForeignToolError:
    return ForeignToolError("外部工具服务 notes 的工具 send：没有成功", facts={"reason": reason}, said=said)


def told(made: Room, event: str) -> list[Mapping[str, object]]:
    return [record.data for record in made.ledger.records if record.event == event]


@pytest.mark.requirement("TOOL-16", "TOOL-18")
async def test_a_person_sees_a_call_whole_before_it_is_made_and_the_ledger_has_both_ends() -> None:
    box = Box()
    made = room(box, sends("三月已完成\u202e", to="财务"), given_up(), person=Answers(["允许"]))
    await made.run()
    assert [each.text for each in made.person.asked] == [
        f'{ASKED}{{"text": "三月已完成⟨U+202E⟩", "to": "财务"}}',
    ]
    assert box.got == [("notes__send", {"text": "三月已完成\u202e", "to": "财务"})]
    assert told(made, "foreign_tool_called") == [
        {"server": "notes", "tool": "send", "digest": "d" * 64, "arguments": box.got[0][1], "asked": True}
    ]
    (answer,) = told(made, "foreign_tool_answered")
    assert (answer["outcome"], answer["characters"]) == ("answered", 52)
    assert "<data kind=tool origin=mcp:notes>\n好的，编号 7788\n</data>" in made.told()


@pytest.mark.requirement("TOOL-16")
@pytest.mark.parametrize("answer", ["不允许", "随便", None])
async def test_without_a_persons_yes_nothing_is_sent_and_the_same_call_is_not_asked_twice(answer: str | None) -> None:
    box = Box()
    made = room(box, sends("完成"), sends("完成"), given_up(), person=Answers([answer, "允许"]))
    await made.run()
    assert (box.got, len(made.person.asked), told(made, "foreign_tool_called")) == ([], 1, [])
    assert told(made, "foreign_tool_refused") == [{"server": "notes", "tool": "send"}]
    assert "用户已经拒绝过这次调用" in made.told()


@pytest.mark.requirement("TOOL-16")
async def test_a_tool_that_the_settings_name_is_called_without_asking() -> None:
    box = Box()
    made = room(box, sends("完成"), given_up(), unasked=True)
    await made.run()
    assert (len(box.got), made.person.asked) == (1, [])
    assert told(made, "foreign_tool_called")[0]["asked"] is False


@pytest.mark.requirement("TOOL-16")
async def test_more_than_a_person_can_read_is_not_asked_about() -> None:
    box = Box()
    made = room(box, sends("字" * 4_001), given_up(), person=Answers(["允许"]))
    await made.run()
    assert (box.got, made.person.asked) == ([], [])
    assert "用户无法逐字核对" in made.told()


@pytest.mark.requirement("TOOL-17")
@pytest.mark.parametrize("unasked", [False, True])
@pytest.mark.parametrize("answer", ["允许", "不允许"])
async def test_what_was_read_on_a_page_is_named_before_it_goes_to_a_server(unasked: bool, answer: str) -> None:
    box = Box()
    made = room(box, LOOK, sends("合规报表 2026-03"), given_up(), unasked=unasked, person=Answers([answer]))
    await made.run()
    (question,) = made.person.asked
    assert "从 https://erp.example.com 读到的内容" in question.text
    assert "合规报表 2026-03" in question.text
    assert len(box.got) == (1 if answer == "允许" else 0)


@pytest.mark.requirement("TOOL-17")
@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "好", "2026-03 共 128 行": "x"},
        {"text": "03 共", "to": "128 行"},
        {"text": base64.b64encode("2026-03 共 128 行".encode()).decode()},
    ],
)
async def test_page_text_in_keys_in_pieces_or_encoded_is_still_page_text(arguments: dict[str, object]) -> None:
    tool = ForeignTool("notes__send", "", {"type": "object"}, "notes", "d" * 64)
    steps = (LOOK, step(call("notes__send", task_criterion="对方收到", **arguments)), given_up())
    made = Room(steps, foreign=Foreign(Box(), (tool,), frozenset({tool.name})))
    await made.run()
    assert len(made.person.asked) == 1


@pytest.mark.requirement("TOOL-17")
async def test_what_a_server_said_goes_to_a_page_only_after_a_person_saw_it() -> None:
    box = Box("内部代号 蓝鲸计划")
    steps = (LOOK, sends("问"), step(act("type", ref=2, text="蓝鲸计划")), given_up())
    made = room(box, *steps, unasked=True, person=Answers(["不允许"]))
    await made.run()
    assert "从 mcp:notes 读到的内容发给 https://erp.example.com" in made.person.asked[0].text
    assert [each.action for each in made.browser.acts if each.action == "type"] == []


@pytest.mark.requirement("TOOL-18")
async def test_words_of_a_server_may_be_repeated_and_prove_nothing() -> None:
    made = room(Box(), sends("问"), *[done("已发送，编号 7788。")] * 2, unasked=True)
    ended = await made.run()
    assert (ended.outcome, ended.summary) == ("unverified", "已发送，编号 7788。")


@pytest.mark.requirement("TOOL-19")
@pytest.mark.parametrize("reason", ["TIMEOUT", "GONE", "BAD_MESSAGE", "TOO_MUCH"])
async def test_after_an_unknown_outcome_nothing_more_is_changed_and_the_task_says_so(reason: str) -> None:
    box = Box(fails=failure(reason))
    click = step(act("click", ref=3))
    made = room(box, LOOK, sends("完成"), sends("完成"), click, done("已发送。"), done("已发送。"), unasked=True)
    ended = await made.run()
    assert ended.error is not None
    assert (len(box.got), ended.reason, ended.error.facts["reason"]) == (1, "UNKNOWN_OUTCOME", reason)
    assert [each.action for each in made.browser.acts if each.action == "click"] == []
    assert told(made, "foreign_tool_answered")[0]["outcome"] == "unknown"


@pytest.mark.requirement("TOOL-19")
async def test_a_tool_that_says_it_failed_is_a_result_and_no_doubt() -> None:
    box = Box(fails=failure("TOOL_FAILED", Untrusted("tool", "mcp:notes", "没有这个人").block()))
    made = room(box, sends("完成"), given_up(), unasked=True)
    ended = await made.run()
    assert "<data kind=tool origin=mcp:notes>\n没有这个人" in made.told()
    assert (ended.reason, told(made, "foreign_tool_answered")[0]["outcome"]) == ("NEEDS_HUMAN", "failed")


@pytest.mark.requirement("TOOL-19", "TOOL-18")
async def test_a_cancel_in_the_middle_of_a_call_is_in_the_ledger_as_unknown(tmp_path: Path) -> None:
    box = Box(hangs=asyncio.Event())
    made = room(box, sends("完成"), unasked=True, trace=tmp_path / "trace.jsonl")
    work = asyncio.create_task(made.run())
    assert box.hangs is not None
    await asyncio.wait_for(box.hangs.wait(), 20)
    work.cancel()
    await asyncio.wait({work}, timeout=20)
    assert told(made, "foreign_tool_answered") == [
        {"server": "notes", "tool": "send", "outcome": "unknown", "reason": "CANCELLED"}
    ]


@pytest.mark.requirement("TOOL-19")
async def test_a_call_that_was_begun_when_the_process_died_is_in_doubt(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    calls = [{"id": "1", "name": "notes__send", "arguments": "{}"}]
    message = {"role": "assistant", "text": "", "calls": calls, "results": [], "thoughts": [], "pictures": 0}
    trace.write_text(json.dumps({"kind": "began", "number": 1, "message": message}) + "\n")
    assert "不知道是否已经生效" in read_trace(trace).in_doubt


@pytest.mark.requirement("TOOL-18")
async def test_a_call_before_the_criterion_is_stated_is_sent_back() -> None:
    box = Box()
    made = room(box, step(call("notes__send", text="完成")), given_up(), unasked=True)
    await made.run()
    assert box.got == []
    assert "还没有说出任务的成功标准" in made.told()


@pytest.mark.requirement("TOOL-21")
@pytest.mark.parametrize(
    ("schema", "checked"),
    [
        (
            {
                "type": "object",
                "$ref": "https://evil.example/schema",
                "properties": {"a": {"type": "string", "pattern": "(x+x+)+y"}, "b": {"$ref": "#"}, "c": 7},
                "required": ["a", "z"],
                "patternProperties": {"(x+x+)+y": {}},
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {}, "c": {}},
                "required": ["a"],
                "additionalProperties": True,
            },
        ),
        ({"type": "object"}, {"type": "object", "properties": {}, "required": [], "additionalProperties": True}),
        (
            {"type": "object", "properties": [], "required": 3, "additionalProperties": False},
            {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        ),
    ],
)
def test_arguments_are_held_to_names_and_types_alone(schema: JsonObject, checked: JsonObject) -> None:
    assert held_to(ToolSpec("it__x", "", schema)) == checked
