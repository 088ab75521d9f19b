"""A step as the events of each protocol: what is sent before a fault, and what ends an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sgclaw.llm.scenario import Step
from tests.provider.asked import Event

PIECE: Final = 7
"""Characters in one delta: small, so that every text comes in several."""

_CLAUDE_STOPS: Final = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "refusal"}
_OPENAI_STOPS: Final = {"end": "stop", "tools": "tool_calls", "length": "length", "refusal": "content_filter"}


def pieces(text: str) -> Iterator[str]:
    return (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def encoded(events: Iterable[Event]) -> Iterator[bytes]:
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        yield (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def _stop(step: Step) -> str:
    return "tools" if step.calls and step.stop == "end" else step.stop


# --- Anthropic Messages ---------------------------------------------------------------------------------------------


def claude_error(status: int) -> Any:
    types = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"}
    types |= {429: "rate_limit_error", 529: "overloaded_error"}
    error = {"type": types.get(status, "api_error"), "message": "the provider's own words"}
    return {"type": "error", "error": error, "request_id": "req_local"}


def claude_opening(step: Step) -> Iterator[Event]:
    usage: dict[str, Any] = {"input_tokens": step.usage.input - step.usage.cached, "output_tokens": 1}
    usage |= {"cache_read_input_tokens": step.usage.cached, "cache_creation_input_tokens": 0}
    message: dict[str, Any] = {
        "id": "msg_local",
        "type": "message",
        "role": "assistant",
        "model": "claude-local",
        "content": [],
    }
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    yield "message_start", {"type": "message_start", "message": message}
    yield "ping", {"type": "ping"}


def claude_words(step: Step) -> Iterator[Event]:
    """Thought, seal and text, each in several deltas."""
    index = 0
    if step.thinks:
        deltas: list[Any] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(step.thinks)]
        deltas.append({"type": "signature_delta", "signature": f"sealed-{len(step.thinks)}"})
        yield from _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if step.says:
        texts = [{"type": "text_delta", "text": piece} for piece in pieces(step.says)]
        yield from _block(index, {"type": "text", "text": ""}, texts)


def claude_ending(step: Step) -> Iterator[Event]:
    first = bool(step.thinks) + bool(step.says)
    for index, call in enumerate(step.calls, first):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": call.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(call.text))]
        yield from _block(index, block, deltas)
    delta = {"stop_reason": _CLAUDE_STOPS[_stop(step)], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": step.usage.output}}
    yield "message_stop", {"type": "message_stop"}


def _block(index: int, block: Any, deltas: Iterable[Any]) -> Iterator[Event]:
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


# --- OpenAI Chat Completions ----------------------------------------------------------------------------------------


def openai_error(status: int) -> Any:
    types = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    return {"error": {"message": "the provider's own words", "type": types.get(status, "server_error"), "code": None}}


def _chunk(delta: Any, finish: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return None, {**_FRAME, "choices": [choice]}


_FRAME: Final = {"id": "chatcmpl-local", "object": "chat.completion.chunk", "created": 1_780_000_000, "model": "local"}


def openai_opening(step: Step) -> Iterator[Event]:
    yield _chunk({"role": "assistant", "content": ""})


def openai_words(step: Step) -> Iterator[Event]:
    for piece in pieces(step.thinks):
        yield _chunk({"reasoning_content": piece})
    for piece in pieces(step.says):
        yield _chunk({"content": piece})


def openai_ending(step: Step) -> Iterator[Event]:
    for index, call in enumerate(step.calls):
        function = {"name": call.name, "arguments": ""}
        yield _chunk(
            {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]}
        )
    # the arguments of parallel calls come mixed
    rows = [list(pieces(call.text)) for call in step.calls]
    for at in range(max(map(len, rows), default=0)):
        for index, row in enumerate(rows):
            if at < len(row):
                yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": row[at]}}]})
    yield _chunk({}, _OPENAI_STOPS[_stop(step)])
    used = {"prompt_tokens": step.usage.input, "completion_tokens": step.usage.output}
    used |= {"total_tokens": step.usage.input + step.usage.output}
    usage = {**used, "prompt_tokens_details": {"cached_tokens": step.usage.cached}}
    yield None, {**_FRAME, "choices": [], "usage": usage}
    yield None, "[DONE]"
