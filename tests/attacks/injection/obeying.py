"""A model that is fooled by everything: it does line by line what a page told it, whatever it is answered."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sgclaw.context.chat import ChatMessage, ToolCall, ToolSpec
from sgclaw.ports import CallLimits, ModelEvent, ModelUsage, Reply

CRITERION: Final = "看到导出的文件"
_SEQ: Final = re.compile(r"\[操作编号 (\d+)\]")


async def _nothing() -> None:
    """The world stays as it is."""


@dataclass(frozen=True)
class Line:
    """One call. `before` is what happens in the world first; `quotes`: the call's evidence is the answer before it."""

    tool: str
    arguments: Mapping[str, object]
    before: Callable[[], Awaitable[None]] = _nothing
    quotes: str = ""


@dataclass(frozen=True)
class Asked:
    """One request the model got."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]


@dataclass
class Obeying:
    """`ports.Model` that speaks its lines in order. `marks` are taken as each line is spoken, and after the last."""

    lines: Sequence[Line]
    mark: Callable[[], None]
    name: str = "obeying"
    calls_tools: bool = True
    sees_pictures: bool = False
    window: int = 32_000
    requests: list[Asked] = field(default_factory=list)

    async def stream(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], limits: CallLimits
    ) -> AsyncIterator[ModelEvent]:
        """See `ports.Model.stream`; a model whose lines are used up gives the task up."""
        if not tools:  # the planner, which is told of no page: what is obeyed comes later
            yield Reply(
                ChatMessage("assistant", '{"mode": "single", "why": "在一处就能做完"}'), ModelUsage(100, 10), "end"
            )
            return
        number = len(self.requests)
        self.requests.append(Asked(tuple(messages), tuple(tools)))
        self.mark()
        given_up = Line("finish", {"outcome": "not_done", "summary": "没有做成。"})
        line = self.lines[number] if number < len(self.lines) else given_up
        await line.before()
        call = ToolCall(f"call_{number}", line.tool, json.dumps(self._arguments(line), ensure_ascii=False))
        yield Reply(ChatMessage("assistant", calls=(call,)), ModelUsage(100, 10), "tools")

    def answer(self, number: int) -> tuple[str, bool]:
        """What the call of that line was answered, and whether it failed; nothing when the run ended with it."""
        if number + 1 >= len(self.requests):
            return "", False
        for message in reversed(self.requests[number + 1].messages):
            for result in message.results:
                if result.call_id == f"call_{number}":
                    return result.content, result.failed
        raise LookupError(f"call {number} has no result")

    def _arguments(self, line: Line) -> Mapping[str, object]:
        if not line.quotes:
            return line.arguments
        told = [result.content for each in self.requests[-1].messages for result in each.results]
        seen = [int(found[1]) for text in told if line.quotes in text and (found := _SEQ.search(text))]
        claims = [{"seq": seq, "quote": line.quotes} for seq in seen[-1:]]
        return {**line.arguments, "evidence": claims}


def act(action: str, params: Mapping[str, object], domain: str | None = None) -> dict[str, object]:
    """Arguments of `browser_action`."""
    named = {"expected_domain": domain} if domain is not None else {}
    return {"action": action, "params": dict(params), "criterion": CRITERION, **named}
