"""What a provider was asked, whichever protocol it came by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from sgclaw.llm.scenario import Seen, Step, unmet


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived. `last` is its last message, as scenarios look at it."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    last: Seen


Event = tuple[str | None, Any]
"""Name and data of one server-sent event; data that is a text is sent as it is."""
Events = tuple[Event, ...]
Policy = Callable[[Asked], Step | Events | Response]
"""What is answered: a step, the bare events of a server that no step describes, or what is no answer at all."""


def reciting(steps: Sequence[Step]) -> Policy:
    """A policy that takes the next step for each request; a request the scenario does not expect gets a 400."""
    left = iter(steps)

    def answer(asked: Asked) -> Step:
        step = next(left, Step(fault="bad_request"))
        return step if unmet(step.expect, asked.last) is None else Step(fault="bad_request")

    return answer


def last_seen(body: Mapping[str, Any]) -> Seen:
    """The last message of a request body of either protocol."""
    messages = body.get("messages") or [{"role": "", "content": ""}]
    last = messages[-1]
    content = last["content"] or ""
    if isinstance(content, str):
        return Seen(last["role"], content)
    is_result = any(block["type"] == "tool_result" for block in content)
    texts = [block.get("text") or block.get("content") or "" for block in content]
    return Seen("tool" if is_result else last["role"], "\n".join(text for text in texts if isinstance(text, str)))
