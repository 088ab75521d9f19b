"""Servers that are no providers: bodies without end, bombs, pages, values of other types."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.responses import HTMLResponse, Response, StreamingResponse

from sgclaw.context.chat import ChatMessage
from sgclaw.errors import ConfigError, ModelError
from sgclaw.llm.careful import Care
from sgclaw.llm.providers import make_model
from sgclaw.llm.scenario import Step
from sgclaw.llm.settings import ModelSettings
from sgclaw.llm.transport import MOST_BYTES
from tests.provider.asked import Asked, Event, Policy, reciting
from tests.provider.server import serve
from tests.support.ports import LoopClock
from tests.unit.llm.room import DIALECTS, KEY, Pauses, model_at, reply_of
from tests.unit.llm.test_other_servers import DONE, OURS, chunk

STREAM = "text/event-stream"
MB = 1024 * 1024


async def failure(dialect: str, policy: Policy) -> ModelError:
    """How a call ends, which was tried once."""
    pauses = Pauses()
    async with serve(policy) as provider:
        with pytest.raises(ModelError) as failed:
            await reply_of(model_at(provider, dialect, pauses))
    assert pauses.taken == []
    return failed.value


async def endless(piece: bytes) -> AsyncIterator[bytes]:
    for _ in range(2 * MOST_BYTES // len(piece)):
        yield piece


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "piece", [b"x" * MB, b"data: x\n" * 100_000, b"data: x\r" * 100_000, (b": " + b"x" * 10_000 + b"\n\n") * 100]
)
async def test_a_body_without_end_is_cut_off_before_it_fills_the_memory(
    dialect: str, status: int, piece: bytes
) -> None:
    error = await failure(dialect, lambda _: StreamingResponse(endless(piece), status, media_type=STREAM))
    assert error.facts == ({"reason": "too_long"} if status == 200 else {"status": 400})


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("status", [200, 400])
async def test_a_compressed_body_is_not_unpacked(dialect: str, status: int) -> None:
    bomb = gzip.compress(b"data: " + b"0" * (100 * MB), 1)
    headers = {"content-encoding": "gzip"}

    def answer(asked: Asked) -> Response:
        assert asked.headers["accept-encoding"] == "identity"
        return Response(bomb, status, headers, STREAM)

    async with serve(reciting([Step(says="好")])) as provider:
        await reply_of(model_at(provider, dialect))  # loads the package
    tracemalloc.start()
    try:
        error = await failure(dialect, answer)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error.facts == ({"reason": "encoding"} if status == 200 else {"status": 400})
    assert peak < 30 * MB


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_page_of_a_gateway_is_no_answer(dialect: str) -> None:
    assert (await failure(dialect, lambda _: HTMLResponse("<h1>登录</h1>"))).facts == {"reason": "page"}


def claude_events(*events: dict[str, Any]) -> tuple[Event, ...]:
    return tuple((str(event["type"]), event) for event in events)


STOP: dict[str, Any] = {"type": "message_stop"}
TOO_DEEP = "[" * 100_000
OTHER_TYPES: list[tuple[str, tuple[Event, ...]]] = [
    ("claude", (("content_block_delta", TOO_DEEP),)),
    ("openai", ((None, TOO_DEEP),)),
    ("claude", claude_events({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}})),
    ("claude", claude_events({"type": "content_block_delta", "index": [], "delta": {"type": "text_delta"}})),
    ("claude", claude_events({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}})),
    (
        "claude",
        claude_events(
            {"type": "message_delta", "delta": {"stop_reason": ["end"]}, "usage": {}}, {"type": "message_stop"}
        ),
    ),
    ("openai", (chunk({"content": ["好"]}),)),
    ("openai", (chunk({"content": {"text": "好"}}),)),
    ("openai", (chunk({"tool_calls": [{"index": [], "id": "a", "function": {"name": "f"}}]}),)),
    ("openai", (chunk({"tool_calls": [{"index": 0, "id": 7, "function": {"name": "f"}}]}),)),
    ("openai", (chunk({"content": "好"}, ["stop"]), DONE)),  # type: ignore[arg-type] # what no provider sends
]


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize(("dialect", "events"), OTHER_TYPES)
async def test_values_of_other_types_are_no_answer(dialect: str, events: tuple[Event, ...]) -> None:
    assert (await failure(dialect, lambda _: events)).facts["reason"] == "event"


@pytest.mark.requirement("LLM-13")
@pytest.mark.parametrize("count", [None, "9", -1, 1e300, 10**30, True, [], {}])
async def test_a_count_that_is_none_costs_no_answer_and_ours_is_taken(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count, "prompt_tokens_details": {"cached_tokens": count}}
    events = (chunk({"content": "好"}, "stop", usage=usage), DONE)
    async with serve(lambda _: events) as provider:
        reply = await reply_of(model_at(provider, "openai"))
    assert (reply.message.text, reply.usage) == ("好", OURS)


@pytest.mark.requirement("LLM-13")
async def test_claudes_counts_are_read_with_the_same_doubt() -> None:
    message = {"role": "assistant", "content": [], "usage": {"input_tokens": "many", "output_tokens": None}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "好"}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": -3}}
    events = claude_events({"type": "message_start", "message": message}, block, delta, end, {"type": "message_stop"})
    async with serve(lambda _: events) as provider:
        reply = await reply_of(model_at(provider, "claude"))
    assert (reply.message, reply.usage) == (ChatMessage("assistant", "好"), OURS)


@pytest.mark.requirement("LLM-19")
async def test_a_character_in_two_pieces_is_one_and_half_a_character_is_a_mark() -> None:
    events = (
        (None, json.dumps(chunk({"content": "\ud83d"})[1])),
        (None, json.dumps(chunk({"content": "\ude00 \ud800"}, "stop")[1])),
        DONE,
    )
    async with serve(lambda _: events) as provider:
        reply = await reply_of(model_at(provider, "openai"))
    assert reply.message.text == "😀 �"


@pytest.mark.requirement("LLM-11")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_no_variable_names_another_host_in_a_request(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("ANTHROPIC", "OPENAI"):
        headers = "Host: evil.example\nAccept-Encoding: gzip\nUser-Agent: spy\nAnthropic-Version: 1999-01-01"
        monkeypatch.setenv(f"{package}_CUSTOM_HEADERS", headers)
    async with serve(reciting([Step(says="好")])) as provider:
        await reply_of(model_at(provider, dialect))
        port = provider.port
    sent = provider.asked[0].headers
    named = ("host", "user-agent", "accept-encoding")
    assert [sent[name] for name in named] == [f"127.0.0.1:{port}", "sgclaw", "identity"]
    assert sent.get("anthropic-version") == ("2023-06-01" if dialect == "claude" else None)


@pytest.mark.requirement("LLM-12")
def test_an_address_that_holds_a_key_is_not_repeated() -> None:
    settings = ModelSettings("openai", "m", f"https://user:{KEY}@api.openai.com/v1")
    with pytest.raises(ConfigError) as failed:
        make_model(settings, Care(LoopClock()), KEY)
    assert KEY not in str(failed.value.as_dict())
