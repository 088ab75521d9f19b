"""Claude over the package `anthropic`: thinking, tools, prompt caching."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import orjson

from sgclaw.context.chat import ChatMessage, Picture, Thought, ToolCall, ToolSpec
from sgclaw.llm.failures import MISSHAPEN, cut, garbled, status_of_words, timed_out, unreachable
from sgclaw.llm.prices import Spent, counted
from sgclaw.llm.transport import Endpoint, client_for, load, refused
from sgclaw.llm.wire import BEAT, Draft, Request, Stop, Token
from sgclaw.ports import JsonObject

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import RawMessageStreamEvent

_STOPS: Final[Mapping[str, Stop]] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "pause_turn": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_REDACTED: Final = "redacted:"
"""Begins the seal of a thought that Claude gave only in encrypted form."""
_CACHE: Final[JsonObject] = {"type": "ephemeral"}
_MOST_CACHE_MARKS: Final = 4  # more are refused
VERSION: Final = "2023-06-01"
"""Of the protocol that is spoken here, sent with each request."""
ADAPTIVE: Final = 8_192
"""Tokens kept for thoughts whose number Claude decides itself."""


@dataclass(frozen=True, slots=True)
class Claude:
    """`wire.Wire` for Anthropic's Messages API. `thinking` is a budget of tokens, 0 for none, or adaptive."""

    model: str
    endpoint: Endpoint
    thinking: int | Literal["adaptive"] = 0

    async def load(self) -> None:
        """See `wire.Wire.load`."""
        await load("anthropic")

    async def answer(self, request: Request, spent: Spent) -> AsyncGenerator[Token, None]:
        """See `wire.Wire.answer`."""
        import anthropic  # noqa: PLC0415
        import httpx2  # noqa: PLC0415

        body, begun = self._body(request), False
        async with client_for(self.endpoint) as http:
            try:
                client = anthropic.AsyncAnthropic(
                    api_key=self.endpoint.secret_headers.get("x-api-key", ""),
                    base_url=self.endpoint.url,
                    http_client=http,
                    timeout=http.timeout,
                    max_retries=0,
                    open_telemetry=False,
                )
                async with aclosing(_tokens(client, body, spent)) as tokens:
                    async for token in tokens:
                        begun = True
                        yield token
            except anthropic.APIStatusError as error:
                status = error.status_code if error.status_code != 200 else status_of_words(error.type)
                raise refused(error.response, status) from None
            except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
                if isinstance(error.__cause__, httpx2.ConnectTimeout):
                    raise timed_out("connect", self.endpoint.connect_s) from None
                raise (cut() if begun else unreachable()) from None
            except (anthropic.AnthropicError, *MISSHAPEN):
                raise garbled("event") from None

    def _body(self, request: Request) -> dict[str, Any]:
        limits = request.limits
        system, messages = _conversation(request.messages)
        body: dict[str, Any] = {"model": self.model, "max_tokens": limits.output_tokens, "messages": messages}
        if system:
            body["system"] = system
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if limits.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": limits.schema}}
        if self.thinking == "adaptive":
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
            body["max_tokens"] += ADAPTIVE  # thoughts count as output
        elif self.thinking and _may_think(messages):
            body["thinking"] = {"type": "enabled", "budget_tokens": self.thinking}
            body["max_tokens"] += self.thinking
        return body


# --- to the provider ------------------------------------------------------------------------------------------------


def _tool(tool: ToolSpec) -> JsonObject:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


def _conversation(messages: Iterable[ChatMessage]) -> tuple[list[JsonObject], list[JsonObject]]:
    """The system blocks, which open the conversation, and the turns; a later system message speaks as the user.

    What one side says in several messages is one turn: Claude wants results first in the turn after their calls.
    """
    system: list[JsonObject] = []
    turns: list[JsonObject] = []
    marks: list[JsonObject] = []
    for message in messages:
        blocks = _blocks(message)
        if not blocks:
            continue
        if message.keeps:
            marks.extend([block for block in blocks if "thinking" not in str(block["type"])][-1:])
        role = "assistant" if message.role == "assistant" else "user"
        if message.role == "system" and not turns:
            system.extend(blocks)
        elif turns and turns[-1]["role"] == role:
            cast("list[JsonObject]", turns[-1]["content"]).extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    for block in marks[-_MOST_CACHE_MARKS:]:
        block["cache_control"] = _CACHE
    return system, turns


def _blocks(message: ChatMessage) -> list[JsonObject]:
    """Thoughts first, results before words: the order Claude insists on. Blank texts are refused, so left out."""
    blocks: list[JsonObject] = [_thought(thought) for thought in message.thoughts if thought.seal]
    for item in message.results:
        result = {"type": "tool_result", "tool_use_id": item.call_id, "content": item.content}
        blocks.append({**result, "is_error": item.failed})
    if message.text.strip():
        blocks.append({"type": "text", "text": message.text})
    blocks.extend(map(_picture, message.pictures))
    blocks.extend(map(_call, message.calls))
    return blocks


def _thought(thought: Thought) -> JsonObject:
    if thought.seal.startswith(_REDACTED):
        return {"type": "redacted_thinking", "data": thought.seal.removeprefix(_REDACTED)}
    return {"type": "thinking", "thinking": thought.text, "signature": thought.seal}


def _picture(picture: Picture) -> JsonObject:
    data = base64.b64encode(picture.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": picture.mime, "data": data}}


def _call(call: ToolCall) -> JsonObject:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": orjson.loads(call.arguments)}


def _may_think(turns: Sequence[JsonObject]) -> bool:
    """With a budget of thoughts, Claude refuses calls whose thought does not stand before them.

    It is missing where another model made the calls, and where it held a secret.
    """
    last = next((turn["content"] for turn in reversed(turns) if turn["role"] == "assistant"), [])
    types = [str(block["type"]) for block in cast("list[JsonObject]", last)]
    return "tool_use" not in types or "thinking" in types[0]


# --- from the provider ----------------------------------------------------------------------------------------------


async def _tokens(client: AsyncAnthropic, body: dict[str, Any], spent: Spent) -> AsyncGenerator[Token, None]:
    stream: AsyncStream[RawMessageStreamEvent] = await client.messages.create(**body, stream=True)
    draft, calls, stop = Draft(), dict[int, int](), None
    async with stream:
        async for event in stream:
            if event.type == "message_start":
                _count(event.message.usage, spent)
            elif event.type == "content_block_start":
                _begin(event.index, event.content_block, draft, calls)
                yield BEAT
            elif event.type == "content_block_delta":
                yield _delta(event.index, event.delta, draft, calls)
            elif event.type == "message_delta":
                _count(event.usage, spent)
                stop = event.delta.stop_reason
            elif event.type == "message_stop":
                yield draft.finish(_STOPS.get(stop or "", "end"))
                return
    raise cut()


def _begin(index: int, block: Any, draft: Draft, calls: dict[int, int]) -> None:  # noqa: ANN401 - many shapes
    draft.end_thought()
    if block.type == "tool_use":
        calls[index] = draft.begin_call(block.id, block.name)
    elif block.type == "redacted_thinking":
        draft.end_thought(_REDACTED + block.data)


def _delta(index: int, delta: Any, draft: Draft, calls: dict[int, int]) -> Token:  # noqa: ANN401 - many shapes
    if delta.type == "text_delta":
        return draft.say(delta.text)
    if delta.type == "thinking_delta":
        return draft.think(delta.thinking)
    if delta.type == "signature_delta":
        draft.end_thought(delta.signature)
    elif delta.type == "input_json_delta" and index in calls:
        return draft.argue(calls[index], delta.partial_json)
    return BEAT


def _count(usage: Any, spent: Spent) -> None:  # noqa: ANN401 - two types with the same fields
    """Counts are cumulative; the last event repeats only some of them."""
    if usage.input_tokens is not None:
        spent.cached = counted(usage.cache_read_input_tokens)
        spent.written = counted(usage.cache_creation_input_tokens)
        spent.input = counted(usage.input_tokens) + spent.cached + spent.written
    spent.output = counted(usage.output_tokens)
