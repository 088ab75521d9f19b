"""Conversations that began with another model, or hold what a provider refuses, as they are sent on."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from sgclaw.context.assemble import assemble
from sgclaw.context.chat import ChatMessage, Picture, Thought, ToolCall, ToolResult, ToolSpec
from sgclaw.context.history import Step as Past
from sgclaw.context.parts import L2Parts, TaskContext
from sgclaw.context.request import compose
from sgclaw.llm.scenario import Step
from tests.provider.asked import reciting
from tests.provider.server import serve
from tests.unit.llm.room import DIALECTS, KEY, model_at, reply_of, settings_for

TOOL = ToolSpec("browser_action", f"点击；{KEY}", {"type": "object", "properties": {"password": {"type": "string"}}})


async def sent(
    dialect: str, history: list[ChatMessage], offered: tuple[ToolSpec, ...] = (TOOL,), **settings: object
) -> dict[str, Any]:
    """The body that reaches the provider."""
    async with serve(reciting([Step(says="好")])) as provider:
        wanted = replace(settings_for(provider, dialect), **settings)  # type: ignore[arg-type] # checked by replace
        await reply_of(model_at(provider, dialect, settings=wanted), history, offered)
    return dict(provider.asked[0].body)


def said(turn: dict[str, Any]) -> str:
    content = turn["content"]
    return content if isinstance(content, str) else "\n\n".join(block.get("text", "") for block in content)


@pytest.mark.requirement("LLM-20")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_each_side_speaks_once_in_a_turn_and_the_system_once_and_first(dialect: str) -> None:
    history = [
        ChatMessage("system", "规则", keeps=True),
        ChatMessage("system", "角色"),
        ChatMessage("user", "资料"),
        ChatMessage("user", "导出", keeps=True),
        ChatMessage("assistant", "先看"),
        ChatMessage("assistant", "再点", calls=(ToolCall("c1", "f", "{}"),)),
        ChatMessage("tool", results=(ToolResult("c1", "好"),)),
        ChatMessage("user", "继续"),
        ChatMessage("system", "重申"),
    ]
    body = await sent(dialect, history)
    turns = body["messages"]
    if dialect == "claude":
        mark = {"cache_control": {"type": "ephemeral"}}
        assert body["system"] == [{"type": "text", "text": "规则", **mark}, {"type": "text", "text": "角色"}]
        assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
        assert turns[0]["content"][1] == {"type": "text", "text": "导出", **mark}
        assert [block["type"] for block in turns[2]["content"]] == ["tool_result", "text", "text"]
    else:
        assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "tool", "user"]
        assert turns[0] == {"role": "system", "content": "规则\n\n角色"}
        assert turns[2]["tool_calls"][0]["id"] == "c1"
    assert said(turns[-1]).strip() == "继续\n\n重申"


@pytest.mark.requirement("LLM-20")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_composed_request_alternates_on_the_wire(dialect: str) -> None:
    parts = L2Parts(TaskContext("导出三月合规报表"), background=("报表在 ERP",))
    assembled = assemble("executor", parts, "sgclaw-20260401-00000000")
    steps = [
        Past(
            number,
            (
                ChatMessage("assistant", calls=(ToolCall(f"c{number}", "f", "{}"),)),
                ChatMessage("tool", results=(ToolResult(f"c{number}", "好"),)),
                ChatMessage("user", "再核对一次"),
            ),
        )
        for number in range(1, 9)
    ]
    body = await sent(dialect, list(compose(assembled, steps, (TOOL,), 100_000, len).messages))
    roles = [turn["role"] for turn in body["messages"]]
    assert not [pair for pair in pairwise(roles) if pair[0] == pair[1]]
    assert roles.count("system") == (dialect == "openai")
    assert "导出三月合规报表" in said(body["messages"][dialect == "openai"])


@pytest.mark.requirement("LLM-21")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_another_model_wrote_is_sent_in_a_form_that_every_provider_takes(dialect: str) -> None:
    calls = (
        ToolCall("functions.click:0", "browser action", "{bad"),
        ToolCall("call_0", "", '{"x": NaN}'),
        ToolCall("", "f" * 90, '{"half": "\\ud800"}'),
        ToolCall("ok", "点击", "[1]"),
    )
    again = (ToolCall("call_0", "f", '{"n": 1}'),)
    history = [
        ChatMessage("user", "导出\ud800"),
        ChatMessage("assistant", calls=calls),
        ChatMessage("tool", results=tuple(ToolResult(call.id, f"第 {n} 个") for n, call in enumerate(calls))),
        ChatMessage("assistant", calls=again),
        ChatMessage("tool", results=(ToolResult("call_0", "又一个"),)),
    ]
    body = await sent(dialect, history)
    if dialect == "claude":
        blocks = [block for turn in body["messages"] for block in turn["content"]]
        made = [(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]
        results = [(b["tool_use_id"], b["content"]) for b in blocks if b["type"] == "tool_result"]
    else:
        written = [call for turn in body["messages"] for call in turn.get("tool_calls", ())]
        made = [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in written]
        results = [(t["tool_call_id"], t["content"]) for t in body["messages"] if t["role"] == "tool"]
    assert made == [
        ("functions_click_0", "browser_action", {"malformed": "{bad"}),
        ("call_0", "unnamed", {"malformed": '{"x": NaN}'}),
        ("call", "f" * 64, {"malformed": '{"half": "\\ud800"}'}),
        ("ok", "__", {"malformed": "[1]"}),
        ("call_0_2", "f", {"n": 1}),
    ]
    assert results == [*((made[n][0], f"第 {n} 个") for n in range(4)), ("call_0_2", "又一个")]


@pytest.mark.requirement("LLM-21")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("calls_tools", [True, False])
async def test_without_tools_calls_and_results_are_told_as_text(dialect: str, *, calls_tools: bool) -> None:
    history = [
        ChatMessage("user", "导出"),
        ChatMessage("assistant", "点", calls=(ToolCall("c1", "f", '{"ref": "e1"}'),)),
        ChatMessage("tool", results=(ToolResult("c1", "没有这个按钮", failed=True),)),
    ]
    body = await sent(dialect, history, () if calls_tools else (TOOL,), tools=calls_tools)
    assert "tools" not in body
    assert [(turn["role"], said(turn)) for turn in body["messages"]] == [
        ("user", "导出"),
        ("assistant", '点\n\n调用 f：{"ref": "e1"}'),
        ("user", "失败：没有这个按钮"),
    ]


@pytest.mark.requirement("LLM-21")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_model_that_sees_no_pictures_is_told_that_there_were_some(dialect: str) -> None:
    body = await sent(dialect, [ChatMessage("user", "看图", pictures=(Picture(b"png"),))])
    assert [said(turn) for turn in body["messages"]] == ["看图\n\n（这里有 1 张图片，这个模型看不了图）"]


@pytest.mark.requirement("LLM-15")
@pytest.mark.parametrize(
    ("thought", "thinks"), [(Thought("想", "seal"), True), (Thought("密码：Xk9#mT2vLq", "s"), False)]
)
async def test_claude_is_not_asked_to_think_where_the_thought_before_a_call_is_missing(
    thought: Thought, *, thinks: bool
) -> None:
    call = (ToolCall("c1", "f", "{}"),)
    history = [
        ChatMessage("user", "导出"),
        ChatMessage("assistant", calls=call, thoughts=(thought,)),
        ChatMessage("tool", results=(ToolResult("c1", "好"),)),
    ]
    body = await sent("claude", history, thinking=2048)
    assert ("thinking" in body, body["max_tokens"]) == (thinks, 6144 if thinks else 4096)


@pytest.mark.requirement("LLM-09")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_descriptions_of_tools_carry_no_secret_and_schemas_stay_whole(dialect: str) -> None:
    body = await sent(dialect, [ChatMessage("user", "导出")])
    (tool,) = body["tools"]
    told = tool if dialect == "claude" else tool["function"]
    assert KEY not in json.dumps(body)
    assert told.get("input_schema", told.get("parameters")) == TOOL.schema
