"""The loop: think, act, observe, until it is left. Leaving is an exception that carries the last messages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from sgclaw.agent.desk import Desk
from sgclaw.agent.ending import AgentResult, Ending, LeaveLoopError, result_of
from sgclaw.agent.hands import Hands
from sgclaw.agent.mind import Mind
from sgclaw.agent.task import AgentTask, Equipment
from sgclaw.agent.tools.model import ToolOutcome
from sgclaw.agent.tools.table import tools_of
from sgclaw.agent.trace import Resumed, Trace, resume
from sgclaw.context.chat import ChatMessage, Picture, ToolCall, ToolResult
from sgclaw.context.history import Step
from sgclaw.errors import ActionCode, ActionError, CancelledTaskError, SgClawError
from sgclaw.protocol.parts import Outcome, State

_ENDS: Final[Mapping[Outcome, State]] = {
    "completed": State.COMPLETED,
    "failed": State.FAILED,
    "aborted": State.ABORTED,
    "unverified": State.UNVERIFIED,
}
_SKIPPED: Final = "没有执行：前一个调用失败了，或页面已经不是原来的样子。看清结果之后再决定。"
_STOPPED: Final = "没有执行：任务已停止。"
_CUT_OFF: Final = "没有结果：任务在这个调用进行时停止了，它可能已经生效。"
_TAKEN_OVER: Final = "任务暂停过，期间用户可能操作了页面。先用 read_page 看清现在的样子，再继续。"
_GOES_ON: Final = "任务从这里继续。页面可能已经变了，先用 read_page 看清现在的样子。"


class Agent:
    """One run of one task. `result` is there when the run has ended, also by a cancel, which `run` passes on."""

    def __init__(self, task: AgentTask, equipment: Equipment, was: Resumed | None = None) -> None:
        was = was or Resumed()
        self.desk = self._desk = Desk(task, equipment, was.spent)
        resume(self._desk, was)
        tools = tools_of(self._desk)
        self._mind, self._hands = Mind(self._desk, list(tools.values())), Hands(self._desk, tools)
        self._trace = Trace(equipment.trace, self._desk)
        self._steps: list[Step] = list(was.steps)
        self._messages: list[ChatMessage] = [ChatMessage("user", _GOES_ON)] if was.steps else []
        self._notes: list[str] = []
        self.result: AgentResult | None = None

    async def run(self) -> AgentResult:
        """Work until the run has ended, whatever ends it. Raises only when it is cancelled, or for a bug of ours."""
        self._desk.machine.move(State.PLANNING)
        while self.result is None:
            await self._turn()
        return self.result

    async def _turn(self) -> None:
        """One step with whatever it ends in; the trace has it before anything else happens."""
        number, ending = self._desk.meter.begin_step(), None
        try:
            await self.step(number)
        except LeaveLoopError as leaving:
            self._messages += leaving.messages
            ending = leaving.ending
        except SgClawError as error:
            ending = Ending("", error)
        except asyncio.CancelledError:
            ending = Ending("", CancelledTaskError("任务已停止"))
            raise
        finally:
            self._close(number, ending)

    async def step(self, number: int) -> None:
        """Think once and carry out what came of it."""
        if await self._desk.go_on():
            self._messages.append(ChatMessage("user", _TAKEN_OVER))
        message = await self.query(number)
        self._trace.began(number, message)
        await self.act(message)

    async def query(self, number: int) -> ChatMessage:
        """The model's next message, with calls that can be read; limits are checked before it is asked."""
        message = await self._mind.answer(self._steps, self._messages, number)
        self._messages.append(message)
        return message

    async def act(self, message: ChatMessage) -> None:
        """Carry out the calls in order, to the first that fails or finds another page; every call gets its result."""
        results: list[ToolResult] = []
        nudges: list[str] = []
        pictures: list[Picture] = []
        skipped, begun = "", 0
        try:
            for call in message.calls:
                begun += 1
                if skipped:
                    results.append(ToolResult(call.id, skipped, failed=True))
                    continue
                outcome, nudge = await self._hands.carry_out(call)
                results.append(_result(call, outcome))
                self._notes += [noted] if (noted := _noted(outcome)) else []
                nudges += [nudge] if nudge else []
                pictures += outcome.pictures
                if outcome.ends is not None:
                    raise LeaveLoopError(outcome.ends)
                skipped = _SKIPPED if outcome.failed or outcome.surprise else ""
        finally:
            cut_off = [ToolResult(call.id, _CUT_OFF, failed=True) for call in message.calls[len(results) : begun]]
            results += [*cut_off, *(ToolResult(call.id, _STOPPED, failed=True) for call in message.calls[begun:])]
            self._messages.append(ChatMessage("tool", results=tuple(results)))
            if nudges or pictures:
                self._messages.append(ChatMessage("user", "\n".join(nudges), pictures=tuple(pictures)))

    def _close(self, number: int, ending: Ending | None) -> None:
        step = Step(number, tuple(self._messages), "；".join(self._notes))
        self._messages, self._notes = [], []
        if step.messages:
            self._steps.append(step)
        if ending is not None:
            self._end(ending)
        try:
            self._trace.save(step, ending)
        except SgClawError as error:
            self._end(ending or Ending("", error))

    def _end(self, ending: Ending) -> None:
        """The result. What is in doubt outranks every other end but a person's stop."""
        if self.result is not None:
            return
        desk = self._desk
        doubt, error = desk.in_doubt, ending.error
        if doubt is not None and not isinstance(error, CancelledTaskError):
            because = error.code if error else "completed"
            error = ActionError(ActionCode.UNKNOWN_OUTCOME, doubt.cause, facts={**doubt.facts, "because": because})
        told = Ending(ending.summary, error, ending.data, ending.evidence)
        self.result = result_of(told, desk.meter.spent, desk.proofs)
        desk.machine.move(_ENDS[self.result.outcome])


def _noted(outcome: ToolOutcome) -> str:
    """What is left of a call when its step is compressed: the number stays, for evidence is named by it."""
    number = f"操作编号 {outcome.observed.seq}" if outcome.observed is not None else ""
    return f"{number} {outcome.note}".strip()


def _result(call: ToolCall, outcome: ToolOutcome) -> ToolResult:
    """The result with the number that evidence names it by."""
    head = f"[操作编号 {outcome.observed.seq}] " if outcome.observed is not None else ""
    return ToolResult(call.id, f"{head}{outcome.text}", outcome.failed)
