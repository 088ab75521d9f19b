"""What servers send that imitate OpenAI's, each in its own way."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest

from sgclaw.context.chat import Thought, ToolCall
from sgclaw.context.history import cost
from sgclaw.errors import ModelError, ModelUnreachableError
from sgclaw.ports import ModelUsage
from sgclaw.tokens.counter import counter
from tests.provider.asked import Event
from tests.provider.server import serve
from tests.unit.llm.room import ASK, Pauses, model_at, reply_of


def chunk(delta: dict[str, Any], finish: str | None = None, **more: object) -> Event:
    frame = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return None, {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


DONE: Event = (None, "[DONE]")
OURS: Final = ModelUsage(cost(ASK, counter()), counter()("好"))
"""What the request of these tests and the answer 好 cost by our own count."""


def call(place: int | None, call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": place, "id": call_id, "function": {"name": name, "arguments": arguments}}]}


@pytest.mark.requirement("LLM-01")
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_thoughts_come_in_either_field(field: str) -> None:
    events = (
        chunk({field: "先想"}),
        chunk({field: "再说", "content": None}),
        chunk({"content": "好"}),
        chunk({}, "stop"),
        DONE,
    )
    async with serve(lambda _: events) as provider:
        message = (await reply_of(model_at(provider, "openai"))).message
    assert (message.thoughts, message.text) == ((Thought("先想再说"),), "好")


@pytest.mark.requirement("LLM-02")
async def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    events = (
        chunk(call(0, "a", "f", '{"x":')),
        chunk(call(0, "a", None, "1}")),
        chunk(call(0, "b", "g", "{}")),
        chunk({}, "stop"),
        DONE,
    )
    async with serve(lambda _: events) as provider:
        reply = await reply_of(model_at(provider, "openai"))
    assert reply.message.calls == (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", "{}"))
    assert reply.stop == "tools"


@pytest.mark.requirement("LLM-02")
async def test_calls_without_ids_of_their_own_get_ids_that_no_other_answer_has() -> None:
    pieces = (call(0, None, "f", "{}"), call(1, "", "g", ""), call(2, "a", "h", "{}"), call(3, "a", "i", "{}"))
    events = (*map(chunk, pieces), chunk({}, "tool_calls"), DONE)
    async with serve(lambda _: events) as provider:
        model = model_at(provider, "openai")
        messages = [(await reply_of(model)).message for _ in range(2)]
    for message in messages:
        assert [(each.name, each.arguments) for each in message.calls] == [(name, "{}") for name in "fghi"]
        assert message.calls[2].id == "a"
    ids = {each.id for message in messages for each in message.calls}
    assert len(ids) == 7


@pytest.mark.requirement("LLM-13")
async def test_deepseeks_count_of_cached_tokens_is_read_and_without_a_count_ours_is_taken() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, "prompt_cache_hit_tokens": 5}
    answers = iter(
        [(chunk({"content": "好"}, "stop", usage=usage), DONE), (chunk({"content": "好"}, "stop"), DONE)],
    )
    async with serve(lambda _: next(answers)) as provider:
        assert (await reply_of(model_at(provider, "openai"))).usage == ModelUsage(9, 2, 5)
        assert (await reply_of(model_at(provider, "openai"))).usage == OURS


@pytest.mark.requirement("LLM-07")
async def test_a_stream_that_ends_without_a_reason_broke_off() -> None:
    pauses = Pauses()
    async with serve(lambda _: (chunk({"content": "我先"}), DONE)) as provider:
        with pytest.raises(ModelUnreachableError) as failed:
            await reply_of(model_at(provider, "openai", pauses))
    assert (failed.value.facts["reason"], pauses.taken) == ("cut", [1, 2, 4])
    assert cast("dict[str, int]", failed.value.facts["usage"])["input_tokens"] == 4 * OURS.input_tokens


@pytest.mark.requirement("LLM-04")
@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"message": "x", "type": "invalid_request_error", "code": "context_length_exceeded"}, 400),
        ({"message": "x", "type": "error", "code": 401}, 401),
        ({"message": "x", "type": "insufficient_quota", "code": None}, 402),
    ],
)
async def test_a_refusal_inside_the_stream_is_told_at_once(error: dict[str, Any], status: int) -> None:
    async with serve(lambda _: ((None, {"error": error}),)) as provider:
        with pytest.raises(ModelError) as failed:
            await reply_of(model_at(provider, "openai"))
    assert failed.value.facts["status"] == status


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize("dialect", ["claude", "openai"])
@pytest.mark.parametrize(
    "data", ["[1, 2]", '"text"', "7", "null", '{"type": "content_block_delta"}', '{"choices": [7]}']
)
async def test_events_of_any_other_shape_are_refused(dialect: str, data: str) -> None:
    events: tuple[Event, ...] = (("content_block_delta" if dialect == "claude" else None, data),)
    async with serve(lambda _: events) as provider:
        with pytest.raises(ModelError):
            await reply_of(model_at(provider, dialect))
