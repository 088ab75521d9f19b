"""Answers of both protocols, by the real packages from a provider on loopback."""

from __future__ import annotations

import base64
from dataclasses import replace
from decimal import Decimal

import pytest

from sgclaw.context.chat import ChatMessage, Picture, Thought, ToolCall, ToolResult, ToolSpec
from sgclaw.llm.scenario import ScriptedCall, ScriptedUsage, Step
from sgclaw.llm.settings import Price
from sgclaw.ports import CallLimits, ModelUsage, Reply, TextDelta, ThoughtDelta
from tests.provider.asked import reciting
from tests.provider.server import serve
from tests.unit.llm.room import ASK, DIALECTS, events_of, model_at, reply_of, settings_for

CLICK = ScriptedCall(name="browser_action", arguments={"action": "click"})
TOOL = ToolSpec("browser_action", "在浏览器中执行操作", {"type": "object"})


@pytest.mark.requirement("LLM-01")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_deltas_come_before_the_one_reply_that_holds_all_of_them(dialect: str) -> None:
    step = Step(
        thinks="先找到菜单，再点导出按钮", says="我来打开报表页", usage=ScriptedUsage(input=90, output=12, cached=30)
    )
    async with serve(reciting([step])) as provider:
        events = await events_of(model_at(provider, dialect))
    *deltas, reply = events
    assert "".join(event.text for event in deltas if isinstance(event, ThoughtDelta)) == step.thinks
    assert "".join(event.text for event in deltas if isinstance(event, TextDelta)) == step.says
    assert len(deltas) == 3
    seal = "sealed-12" if dialect == "claude" else ""
    message = ChatMessage("assistant", step.says, thoughts=(Thought(step.thinks, seal),))
    assert reply == Reply(message, ModelUsage(90, 12, 30), "end")


@pytest.mark.requirement("LLM-01")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("stop", ["length", "refusal"])
async def test_the_reason_for_stopping_is_told(dialect: str, stop: str) -> None:
    async with serve(reciting([Step.model_validate({"says": "半", "stop": stop})])) as provider:
        assert (await reply_of(model_at(provider, dialect))).stop == stop


@pytest.mark.requirement("LLM-02")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_parallel_calls_come_out_apart_and_as_the_model_wrote_them(dialect: str) -> None:
    calls = (CLICK, ScriptedCall(name="no_such_tool", arguments='{"a": [1, 2'), ScriptedCall(name="finish"))
    async with serve(reciting([Step(calls=calls)])) as provider:
        reply = await reply_of(model_at(provider, dialect), tools=[TOOL])
    assert reply.stop == "tools"
    assert [(call.name, call.arguments) for call in reply.message.calls] == [(call.name, call.text) for call in calls]
    assert len({call.id for call in reply.message.calls}) == 3


@pytest.mark.requirement("LLM-15")
async def test_claude_gets_seals_results_and_cache_marks_in_its_own_form() -> None:
    history = [
        ChatMessage("system", "规则", keeps=True),
        ChatMessage("user", "导出", keeps=True),
        ChatMessage(
            "assistant",
            calls=(ToolCall("c1", "browser_action", '{"a": 1}'), ToolCall("c2", "x", "{bad")),
            thoughts=(Thought("想", "seal"), Thought("", "redacted:blob"), Thought("别家的")),
        ),
        ChatMessage("tool", results=(ToolResult("c1", "好"), ToolResult("c2", "参数不对", failed=True)), keeps=True),
        ChatMessage("system", "重申规则"),
    ]
    mark = {"cache_control": {"type": "ephemeral"}}
    async with serve(reciting([Step(says="好")])) as provider:
        settings = replace(settings_for(provider, "claude"), thinking=2048)
        await reply_of(model_at(provider, "claude", settings=settings), history, [TOOL], CallLimits(100))
    body = provider.asked[0].body
    assert body == {
        "model": "m-1",
        "max_tokens": 2148,
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "tools": [{"name": TOOL.name, "description": TOOL.description, "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": "规则", **mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "导出", **mark}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "想", "signature": "seal"},
                    {"type": "redacted_thinking", "data": "blob"},
                    {"type": "tool_use", "id": "c1", "name": "browser_action", "input": {"a": 1}},
                    {"type": "tool_use", "id": "c2", "name": "x", "input": {"malformed": "{bad"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "好", "is_error": False},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "参数不对", "is_error": True, **mark},
                    {"type": "text", "text": "重申规则"},
                ],
            },
        ],
    }


@pytest.mark.requirement("LLM-15")
async def test_at_most_four_places_are_marked_for_the_cache_and_they_are_the_last_ones() -> None:
    history = [ChatMessage("user", f"第 {number} 条", keeps=True) for number in range(6)]
    async with serve(reciting([Step(says="好")])) as provider:
        await reply_of(model_at(provider, "claude"), history)
    (turn,) = provider.asked[0].body["messages"]
    marked = ["cache_control" in block for block in turn["content"]]
    assert marked == [False, False, True, True, True, True]


@pytest.mark.requirement("LLM-01")
async def test_a_server_like_openais_gets_results_as_messages_and_pictures_as_addresses() -> None:
    history = [
        ChatMessage("user", "看图", pictures=(Picture(b"png"),)),
        ChatMessage("assistant", calls=(ToolCall("c1", "f", "{}"),), thoughts=(Thought("想", "seal"),)),
        ChatMessage("tool", results=(ToolResult("c1", "好"),)),
    ]
    async with serve(reciting([Step(says="好")])) as provider:
        settings = replace(settings_for(provider, "openai"), pictures=True)
        await reply_of(model_at(provider, "openai", settings=settings), history, [TOOL])
    image = "data:image/png;base64," + base64.b64encode(b"png").decode()
    function = {"name": TOOL.name, "description": TOOL.description, "parameters": {"type": "object"}}
    assert provider.asked[0].body == {
        "model": "m-1",
        "max_tokens": 4096,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "看图"}, {"type": "image_url", "image_url": {"url": image}}],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "好"},
        ],
    }


@pytest.mark.requirement("LLM-18")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_schema_is_asked_for_in_the_providers_own_way(dialect: str) -> None:
    schema: dict[str, object] = {"type": "object", "properties": {"action": {"type": "string"}}}
    async with serve(reciting([Step(says="{}")])) as provider:
        await reply_of(model_at(provider, dialect), limits=CallLimits(schema=schema))
    body = provider.asked[0].body
    if dialect == "claude":
        assert body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    else:
        shape = {"name": "answer", "schema": schema, "strict": True}
        assert body["response_format"] == {"type": "json_schema", "json_schema": shape}


@pytest.mark.requirement("LLM-13")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_call_costs_what_the_price_table_says(dialect: str) -> None:
    price = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal(3), "USD")
    step = Step(says="好", usage=ScriptedUsage(input=1_000_000, output=100_000, cached=500_000))
    async with serve(reciting([step])) as provider:
        settings = replace(settings_for(provider, dialect), prices={"m-1": price})
        reply = await reply_of(model_at(provider, dialect, settings=settings), ASK)
    assert reply.usage == ModelUsage(1_000_000, 100_000, 500_000, Decimal("3.15"), "USD")
