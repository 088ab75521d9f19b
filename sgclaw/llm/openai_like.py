"""Everything that speaks OpenAI's Chat Completions, over the package `openai`: OpenAI, DeepSeek, Qwen, Ollama, vLLM."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from sgclaw.context.chat import ChatMessage, Picture, ToolCall, ToolSpec
from sgclaw.llm.failures import MISSHAPEN, cut, garbled, of_status, status_of_words, timed_out, unreachable
from sgclaw.llm.prices import Spent, counted
from sgclaw.llm.transport import Endpoint, client_for, load, refused
from sgclaw.llm.wire import Draft, Request, Stop, Token
from sgclaw.ports import JsonObject

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

_STOPS: Final[Mapping[str, Stop]] = {"tool_calls": "tools", "length": "length", "content_filter": "refusal"}
_THOUGHT_FIELDS: Final = ("reasoning_content", "reasoning")
"""DeepSeek, Qwen and llama.cpp use the first, vLLM and Ollama the second; OpenAI itself shows no thoughts here."""
_NO_KEY: Final = "none"  # the package insists on one; servers of the own network need none


@dataclass(frozen=True, slots=True)
class OpenAiLike:
    """`wire.Wire` for Chat Completions at any address."""

    model: str
    endpoint: Endpoint

    async def load(self) -> None:
        """See `wire.Wire.load`."""
        await load("openai")

    async def answer(self, request: Request, spent: Spent) -> AsyncGenerator[Token, None]:
        """See `wire.Wire.answer`."""
        import httpx2  # noqa: PLC0415
        import openai  # noqa: PLC0415

        body, begun = self._body(request), False
        async with client_for(self.endpoint) as http:
            try:
                client = openai.AsyncOpenAI(
                    api_key=_NO_KEY,  # the real one is in the endpoint's headers
                    base_url=self.endpoint.url,
                    http_client=http,
                    timeout=http.timeout,
                    max_retries=0,
                )
                async with aclosing(_tokens(client, body, spent)) as tokens:
                    async for token in tokens:
                        begun = True
                        yield token
            except openai.APIStatusError as error:
                raise refused(error.response, error.status_code) from None
            except (openai.APIConnectionError, httpx2.HTTPError) as error:
                if isinstance(error.__cause__, httpx2.ConnectTimeout):
                    raise timed_out("connect", self.endpoint.connect_s) from None
                raise (cut() if begun else unreachable()) from None
            except openai.APIError as error:  # an error event inside the stream
                said = error.body if isinstance(error.body, dict) else {}
                raise of_status(status_of_words(said.get("code"), said.get("type"))) from None
            except (openai.OpenAIError, *MISSHAPEN):
                raise garbled("event") from None

    def _body(self, request: Request) -> dict[str, Any]:
        limits = request.limits
        # OpenAI renamed the limit; the servers that imitate it know the old name.
        cap = "max_completion_tokens" if urlsplit(self.endpoint.url).hostname == "api.openai.com" else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            cap: limits.output_tokens,
            "messages": _conversation(request.messages),
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if limits.schema is not None:
            shape = {"name": "answer", "schema": limits.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body


# --- to the provider ------------------------------------------------------------------------------------------------


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": function}


def _conversation(messages: Iterable[ChatMessage]) -> list[JsonObject]:
    """What is sent of the messages: one system message, first, then the sides by turns. No thoughts.

    Templates of many models refuse a second system message, one that is not the first, and a side that speaks twice.
    """
    turns: list[JsonObject] = []
    for message in messages:
        for turn in _turns(message, begun=any(turn["role"] != "system" for turn in turns)):
            if turns and turns[-1]["role"] == turn["role"] != "tool":
                _join(turns[-1], turn)
            else:
                turns.append(turn)
    return turns


def _turns(message: ChatMessage, *, begun: bool) -> Iterator[JsonObject]:
    """Results are messages of their own; what else stands in a message of `tool` is said by the user."""
    for result in message.results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": result.content}
    role = "user" if message.role == "tool" or (message.role == "system" and begun) else message.role
    if message.calls:
        yield {"role": role, "content": message.text or None, "tool_calls": [*map(_call_sent, message.calls)]}
    elif message.pictures:
        words = [_words(message.text)] if message.text else []
        yield {"role": role, "content": [*words, *map(_picture, message.pictures)]}
    elif message.text:
        yield {"role": role, "content": message.text}


def _join(turn: JsonObject, more: JsonObject) -> None:
    contents = [each for each in (turn["content"], more["content"]) if each]
    texts = [each for each in contents if isinstance(each, str)]
    if len(texts) == len(contents):
        turn["content"] = "\n\n".join(texts) or None
    else:
        turn["content"] = [part for each in contents for part in (each if isinstance(each, list) else [_words(each)])]
    if "tool_calls" in more:
        turn["tool_calls"] = [
            *cast("list[object]", turn.get("tool_calls", [])),
            *cast("list[object]", more["tool_calls"]),
        ]


def _words(text: object) -> JsonObject:
    return {"type": "text", "text": text}


def _call_sent(call: ToolCall) -> JsonObject:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _picture(picture: Picture) -> JsonObject:
    data = base64.b64encode(picture.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{picture.mime};base64,{data}"}}


# --- from the provider ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Calls:
    """The calls of one answer: pieces name them by index; some servers give all of them index 0 and only ids differ."""

    draft: Draft
    places: dict[int, tuple[str, int]] = field(default_factory=dict)

    def take(self, piece: Any) -> Token:  # noqa: ANN401 - also what servers send beside the declared type
        known, function = self.places.get(piece.index), piece.function
        if known is None or (piece.id and piece.id != known[0]):
            place = self.draft.begin_call(piece.id or "", (function.name if function else None) or "")
            known = self.places[piece.index] = (piece.id or "", place)
        return self.draft.argue(known[1], (function.arguments if function else None) or "")


async def _tokens(client: AsyncOpenAI, body: dict[str, Any], spent: Spent) -> AsyncGenerator[Token, None]:
    stream: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(**body, stream=True)
    draft, stop = Draft(), None
    calls = _Calls(draft)
    async with stream:
        async for chunk in stream:
            if chunk.usage is not None:
                _count(chunk.usage, spent)
            for choice in (chunk.choices or ())[:1]:
                for token in _pieces(choice.delta, draft, calls):
                    yield token
                stop = choice.finish_reason or stop
    if stop is None:  # the connection ended, the answer did not
        raise cut()
    yield draft.finish(_STOPS.get(stop, "end"))


def _pieces(delta: Any, draft: Draft, calls: _Calls) -> Iterator[Token]:  # noqa: ANN401 - fields beyond the type
    thought = next((text for name in _THOUGHT_FIELDS if (text := getattr(delta, name, None))), None)
    if thought:
        yield draft.think(thought)
    if text := (delta.content or delta.refusal):
        yield draft.say(text)
    for piece in delta.tool_calls or ():
        yield calls.take(piece)


def _count(usage: Any, spent: Spent) -> None:  # noqa: ANN401 - DeepSeek counts cached tokens in a field of its own
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or getattr(usage, "prompt_cache_hit_tokens", None)
    spent.input = counted(getattr(usage, "prompt_tokens", None))
    spent.output = counted(getattr(usage, "completion_tokens", None))
    spent.cached = min(counted(cached), spent.input)
