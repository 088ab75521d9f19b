"""What leaves this machine for a model: every text of every message, without credentials and personal numbers, in a
form that every provider takes.

A conversation outlives the model that began it, and holds what models wrote: names with blanks in them, arguments that
are no JSON, ids that another provider refuses, the same id twice. One such thing would have each later request refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import orjson

from sgclaw.context.chat import ChatMessage, Thought, ToolCall, ToolResult, ToolSpec
from sgclaw.llm.wire import unbroken
from sgclaw.redact import redact, redact_text

_STRANGE: Final = re.compile(r"[^A-Za-z0-9_-]")
_NAME_LENGTH: Final = 64
"""Characters of a name or id that every provider takes."""
_NO_PICTURES: Final = "（这里有 {} 张图片，这个模型看不了图）"


@dataclass(frozen=True, slots=True)
class Powers:
    """What the model of a request can take: `tools` False also where the request offers none."""

    tools: bool
    pictures: bool


def outgoing(messages: Iterable[ChatMessage], powers: Powers) -> tuple[ChatMessage, ...]:
    """The messages as they may be sent. Pictures stay as they are: nobody can redact them.

    To a model without tools, calls and results are told as text. Thoughts that hold a secret are left out.
    """
    ids = _Ids()
    shown = (_redacted(message, ids) for message in messages)
    return tuple(_within(message, powers) for message in shown)


def outgoing_tools(tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools as they may be sent. Schemas stay: names of parameters are no secrets, and would be taken for some."""
    return tuple(replace(tool, description=_clean(tool.description)) for tool in tools)


@dataclass(slots=True)
class _Ids:
    """Ids of calls as they are sent: plain, and each once in a conversation. Results follow the latest call."""

    sent: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def of_call(self, call_id: str) -> str:
        plain = _plain(call_id, "call")
        known, number = plain, 1
        while known in self.used:
            number += 1
            known = f"{plain[: _NAME_LENGTH - 8]}_{number}"
        self.used.add(known)
        self.sent[call_id] = known
        return known

    def of_result(self, call_id: str) -> str:
        return self.sent.get(call_id) or _plain(call_id, "call")


def _redacted(message: ChatMessage, ids: _Ids) -> ChatMessage:
    return replace(
        message,
        text=_clean(message.text),
        calls=tuple(_call(call, ids) for call in message.calls),
        results=tuple(
            ToolResult(ids.of_result(item.call_id), _clean(item.content), item.failed) for item in message.results
        ),
        thoughts=tuple(thought for thought in message.thoughts if _may_go(thought)),
    )


@lru_cache(maxsize=512)
def _clean(text: str) -> str:
    """Cached: every request repeats nearly all of the one before."""
    return redact_text(unbroken(text))


def _may_go(thought: Thought) -> bool:
    """A sealed thought goes back unchanged or not at all: the provider checks that nobody rewrote it."""
    return _clean(thought.text) == thought.text


def _call(call: ToolCall, ids: _Ids) -> ToolCall:
    return ToolCall(ids.of_call(call.id), _plain(redact_text(call.name), "unnamed"), _arguments(call.arguments))


def _plain(name: str, otherwise: str) -> str:
    return _STRANGE.sub("_", name)[:_NAME_LENGTH] or otherwise


@lru_cache(maxsize=512)
def _arguments(written: str) -> str:
    """A JSON object in any case: what the model wrote malformed goes back as a text inside one."""
    try:
        value = orjson.loads(unbroken(written))  # refuses NaN and halves of characters, which could not be sent
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return orjson.dumps({"malformed": _clean(written)}).decode()
    hidden = redact(value)
    return written if hidden == value else orjson.dumps(hidden).decode()


def _within(message: ChatMessage, powers: Powers) -> ChatMessage:
    texts, pictures = [message.text], message.pictures
    if pictures and not powers.pictures:
        texts.append(_NO_PICTURES.format(len(pictures)))
        pictures = ()
    if powers.tools or not (message.calls or message.results):
        return replace(message, text="\n\n".join(filter(None, texts)), pictures=pictures)
    texts += [f"调用 {call.name}：{call.arguments}" for call in message.calls]
    texts += [f"{'失败' if result.failed else '结果'}：{result.content}" for result in message.results]
    role = "user" if message.role == "tool" else message.role
    text = "\n\n".join(filter(None, texts))
    return replace(message, role=role, text=text, calls=(), results=(), pictures=pictures)
