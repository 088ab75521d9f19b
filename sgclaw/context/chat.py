"""What is said between the agent and a model, in the terms of no provider. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a model asks for. `arguments` is the text it wrote: JSON when the model kept to the schema."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to the call of that id."""

    call_id: str
    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """What a model thought. `seal` is opaque data of the provider, sent back unchanged."""

    text: str
    seal: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture shown to a model."""

    data: bytes
    mime: str = "image/png"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. Calls and thoughts stand in messages of the assistant, results in those of `tool`.

    `keeps` marks the end of what stays the same in later requests: providers that cache prompts do so up to here.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    pictures: tuple[Picture, ...] = ()
    keeps: bool = False
