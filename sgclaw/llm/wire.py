"""What every translator of a provider's protocol shares: the request it gets and the answer it puts together."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from sgclaw.context.chat import ChatMessage, Thought, ToolCall, ToolSpec
from sgclaw.llm.failures import garbled
from sgclaw.llm.prices import Spent
from sgclaw.ports import CallLimits, TextDelta, ThoughtDelta

MOST_CHARACTERS: Final = 2_000_000
"""Of one answer. No answer of a model is that long: whoever sends more is no model, and would fill the memory."""
MOST_CALLS: Final = 256

Stop = Literal["end", "tools", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Request:
    """One call, redacted and ready to be sent."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    limits: CallLimits


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer."""

    message: ChatMessage
    stop: Stop


def unbroken(text: str) -> str:
    """The text as it can be encoded: halves of a character are joined where they meet, else replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Beat:
    """A token that is not shown, such as a piece of a call's arguments: the provider is alive."""


BEAT: Final = Beat()
Token = TextDelta | ThoughtDelta | Beat | Answer


class Wire(Protocol):
    """One provider's protocol, once, after `load`: no retries, no limits of time beyond connecting."""

    async def load(self) -> None:
        """Load what the first answer needs. It may take seconds, and belongs to none of the limits of time."""
        ...

    def answer(self, request: Request, spent: Spent) -> AsyncGenerator[Token, None]:
        """The tokens of the answer, `Answer` last. Fills in `spent` as counts arrive. Raises `ModelError` kinds.

        Closing the generator closes the connection.
        """
        ...


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    arguments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """An answer while it comes, in pieces, several calls side by side."""

    _text: list[str] = field(default_factory=list)
    _thoughts: list[Thought] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)
    _calls: list[_Call] = field(default_factory=list)
    _size: int = 0

    def say(self, text: str) -> TextDelta:
        self._text.append(self._counted(text))
        return TextDelta(unbroken(text))

    def think(self, text: str) -> ThoughtDelta:
        self._thinking.append(self._counted(text))
        return ThoughtDelta(unbroken(text))

    def end_thought(self, seal: str = "") -> None:
        """Close the thought at hand, if there is one."""
        text = unbroken("".join(self._thinking))
        self._thinking.clear()
        if text or seal:
            self._thoughts.append(Thought(text, self._counted(seal)))

    def begin_call(self, call_id: str, name: str) -> int:
        """Its place, for `argue`. A call without an id, and a second one of the same id, get an id of ours."""
        if len(self._calls) >= MOST_CALLS:
            raise garbled("too_many_calls")
        self._counted(call_id)
        if not call_id or any(call.id == call_id for call in self._calls):
            call_id = f"call_{secrets.token_hex(8)}"  # no other answer of the task may have it either
        self._calls.append(_Call(unbroken(call_id), unbroken(self._counted(name))))
        return len(self._calls) - 1

    def argue(self, place: int, text: str) -> Beat:
        self._calls[place].arguments.append(self._counted(text))
        return BEAT

    def finish(self, stop: Stop) -> Answer:
        self.end_thought()
        calls = tuple(ToolCall(call.id, call.name, unbroken("".join(call.arguments)) or "{}") for call in self._calls)
        stop = "tools" if calls and stop == "end" else stop
        text = unbroken("".join(self._text))
        message = ChatMessage("assistant", text, calls=calls, thoughts=tuple(self._thoughts))
        return Answer(message, stop)

    def _counted(self, text: object) -> str:
        if not isinstance(text, str):  # the packages hand on what comes, whatever their types say
            raise garbled("event")
        self._size += len(text)
        if self._size > MOST_CHARACTERS:
            raise garbled("too_long")
        return text
