"""A model that recites a scenario. It ships: demos run on it, and tests drive the agent with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from sgclaw.context.chat import ChatMessage
from sgclaw.errors import ModelError
from sgclaw.llm.failures import OVERLOADED, cut, garbled, of_status, unreachable
from sgclaw.llm.prices import Spent
from sgclaw.llm.scenario import STATUSES, Scenario, Seen, Step, unmet
from sgclaw.llm.wire import Draft, Request, Token


class Scripted:
    """`wire.Wire` of a scenario: every request takes the next step, a try after a failed one too.

    A request that is not what the step expects, and one after the last step, is a `MODEL_FAILED` that says so.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._steps: Sequence[Step] = scenario.steps
        self._taken = 0

    async def load(self) -> None:
        """See `wire.Wire.load`: everything is here."""

    async def answer(self, request: Request, spent: Spent) -> AsyncGenerator[Token, None]:
        """See `wire.Wire.answer`."""
        step = self._next(seen(request.messages))
        if (failure := _before_words(step)) is not None:
            raise failure
        if step.fault == "silent":
            await asyncio.Event().wait()
        spent.input, spent.cached = step.usage.input, step.usage.cached
        draft = Draft()
        if step.thinks:
            yield draft.think(step.thinks)
        if step.says:
            yield draft.say(step.says)
        spent.output = step.usage.output
        if step.fault == "stalls":
            await asyncio.Event().wait()
        if step.fault:
            raise of_status(OVERLOADED) if step.fault == "error_event" else cut()
        for number, call in enumerate(step.calls):
            place = draft.begin_call(f"call_{self._taken}_{number}", call.name)
            yield draft.argue(place, call.text)
        yield draft.finish(step.stop)

    def _next(self, last: Seen) -> Step:
        if self._taken == len(self._steps):
            raise ModelError("剧本已经演完，没有下一步", facts={"reason": "scenario_over", "steps": self._taken})
        step = self._steps[self._taken]
        self._taken += 1
        if (wrong := unmet(step.expect, last)) is not None:
            facts = {"reason": "scenario_unmet", "step": self._taken, "expected": wrong}
            raise ModelError(f"剧本第 {self._taken} 步等待的不是这条消息", facts=facts)
        return step


def _before_words(step: Step) -> ModelError | None:
    """The failure of a step that says nothing."""
    if step.fault is not None and step.fault in STATUSES:
        return of_status(STATUSES[step.fault], None if step.retry_after is None else str(step.retry_after))
    return {"unreachable": unreachable(), "garbled": garbled("scripted")}.get(step.fault or "")


def seen(messages: Sequence[ChatMessage]) -> Seen:
    """The last message as scenarios look at it."""
    if not messages:
        return Seen("", "")
    last = messages[-1]
    return Seen(last.role, "\n".join([last.text, *(result.content for result in last.results)]))
