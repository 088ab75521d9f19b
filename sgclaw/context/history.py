"""The history of a task inside its room: the last steps whole, older ones a line each, the oldest only counted.

The rule, in order (a step is a model's message with its calls, the results, and what was said about them):

1. The last `RECENT_STEPS` steps stay whole; while they take more than `FULL` of the room, one fewer, down to
   `FEWEST_STEPS`.
2. Older steps become one line each, made without a model. Lines that do not fit are dropped, the oldest first, and
   counted.
3. Where even the fewest whole steps are over the room, texts of their results are cut, the older step's first; then
   whole steps become lines too. A call and its result stay together throughout.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from sgclaw.context.budgets import FEWEST_STEPS, FULL, PER_MESSAGE, PICTURE, RECENT_STEPS
from sgclaw.context.chat import ChatMessage, ToolCall, ToolResult
from sgclaw.context.untrusted import one_line
from sgclaw.tokens.counter import Count

_HEAD: Final = "较早的步骤（已压缩）："
_LINE: Final = 160
"""Characters of a compressed step."""
_ARGUMENTS: Final = 60
_CUT_TO: Final = 400
"""Characters that are left of a result when results must be cut."""
_MARK: Final = "\n…（此处已截断，可以重新读取）"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop, numbered from 1. `note` is what to remember of it when it is compressed, in plain words."""

    number: int
    messages: tuple[ChatMessage, ...]
    note: str = ""

    def line(self) -> str:
        """The step in one line: what was called, whether it worked, and the note. Words of pages are not in it."""
        failed = {result.call_id for message in self.messages for result in message.results if result.failed}
        calls = [call for message in self.messages for call in message.calls]
        done = "；".join(f"{_called(call)} {'失败' if call.id in failed else '成功'}" for call in calls)
        note = f"（{self.note}）" if self.note else ""
        told = one_line(f"{done or '只有文字'}{note}", _LINE)
        return f"{self.number}. {told}"


@dataclass(frozen=True, slots=True)
class History:
    """What of the steps goes into a request, and how it was made to fit."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    whole: int
    """Steps that are there with all their messages."""
    compressed: int
    dropped: int


def cost(messages: Sequence[ChatMessage], count: Count) -> int:
    """Tokens of messages, at the most: texts, calls, results, thoughts, pictures and what frames them."""
    return sum(_cost(message, count) for message in messages)


def fit_history(steps: Sequence[Step], room: int, count: Count) -> History:
    """The steps within `room` tokens by the rule of this file; with no room for a single line, nothing."""
    whole = min(RECENT_STEPS, len(steps))
    costs = [cost(step.messages, count) for step in steps[len(steps) - whole :]]
    while whole > FEWEST_STEPS and sum(costs[len(costs) - whole :]) > room * FULL:
        whole -= 1
    recent = _cut_results(list(steps[len(steps) - whole :]), room, count)
    while recent and _spent(recent, count) > room:
        recent = recent[1:]
    older = steps[: len(steps) - len(recent)]
    summary, listed = _summary(older, room - _spent(recent, count), count)
    untouched = not older and recent == list(steps) and len(steps) < RECENT_STEPS
    messages = (*summary, *_messages(recent, keeps=untouched))
    return History(messages, cost(messages, count), len(recent), listed, len(older) - listed)


def _cut_results(recent: list[Step], room: int, count: Count) -> list[Step]:
    """The older step's results first; the newest is cut only when that was not enough."""
    for index, step in enumerate(recent):
        if _spent(recent, count) <= room:
            break
        recent[index] = replace(step, messages=tuple(_shortened(message) for message in step.messages))
    return recent


def _shortened(message: ChatMessage) -> ChatMessage:
    results = tuple(_shorter(result) for result in message.results)
    return replace(message, results=results, pictures=())


def _shorter(result: ToolResult) -> ToolResult:
    """A cut block is closed again, so that what follows it is not taken for a part of the page."""
    text = result.content
    if len(text) <= _CUT_TO:
        return result
    kept, last = text[:_CUT_TO].rstrip(), text.rstrip().rpartition("\n")[2]
    closing = f"\n{last}" if last.startswith("</") and len(last) < 20 else ""
    return replace(result, content=f"{kept}{_MARK}{closing}")


def _summary(older: Sequence[Step], room: int, count: Count) -> tuple[tuple[ChatMessage, ...], int]:
    """The message of lines for older steps, and how many have a line: as many of the newest as fit."""
    if not older:
        return (), 0
    lines = [step.line() for step in older]
    low, high = 0, len(lines) if cost((_told(lines, 0),), count) > room else 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if cost((_told(lines, middle),), count) <= room else (middle + 1, high)
    message = _told(lines, low)
    return ((message,), len(lines) - low) if cost((message,), count) <= room else ((), 0)


def _told(lines: Sequence[str], dropped: int) -> ChatMessage:
    gone = (f"（更早的 {dropped} 步已略去）",) if dropped else ()
    return ChatMessage("user", "\n".join((_HEAD, *gone, *lines[dropped:])))


def _messages(steps: Sequence[Step], *, keeps: bool) -> tuple[ChatMessage, ...]:
    """Marked at the end while the next request will begin with the very same messages."""
    messages = [message for step in steps for message in step.messages]
    if keeps and messages:
        messages[-1] = replace(messages[-1], keeps=True)
    return tuple(messages)


def _spent(steps: Sequence[Step], count: Count) -> int:
    return sum(cost(step.messages, count) for step in steps)


def _cost(message: ChatMessage, count: Count) -> int:
    texts = [message.text, *(text for call in message.calls for text in (call.id, call.name, call.arguments))]
    texts += [text for result in message.results for text in (result.call_id, result.content)]
    framed = 1 + len(message.calls) + len(message.results) + len(message.thoughts)
    thoughts = sum(max(count(thought.text), len(thought.seal) // 3) for thought in message.thoughts)
    return sum(map(count, texts)) + thoughts + framed * PER_MESSAGE + len(message.pictures) * PICTURE


@lru_cache(maxsize=512)
def _called(call: ToolCall) -> str:
    """`browser_action click #export`: the values of the arguments in their order, without their structure."""
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        given = None
    values = one_line(" ".join(_values(given)), _ARGUMENTS)
    return f"{call.name} {values}".rstrip()


def _values(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _values(each, depth + 1)] if depth < 3 else []
    return [str(value)] if isinstance(value, str | int | float) else []
