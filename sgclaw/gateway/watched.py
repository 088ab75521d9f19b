"""A `Browser` that tells the person what is being done, holds the task to its step limit, and knows what is open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sgclaw.errors import ActionCode, BudgetExceededError, SgClawError
from sgclaw.gateway.report import plain
from sgclaw.gateway.task import Task
from sgclaw.ports import Act, Browser, JsonObject, Log, Observed, Panel
from sgclaw.protocol.actions import changes, describe, told
from sgclaw.protocol.messages import LogEntry


@dataclass(frozen=True, slots=True)
class Doubt:
    """A changing act nobody knows the effect of; `error` is how it was answered, None when it never was."""

    what: str
    error: SgClawError | None = None


@dataclass(eq=False, slots=True)
class _Open:
    """A changing act that is under way. `held`: the host keeps it back until a person has decided."""

    what: str
    by: asyncio.Task[object] | None
    held: bool = False


class WatchedBrowser:
    """Wraps the acting browser of one task; adds nothing to what an act may do."""

    def __init__(self, browser: Browser, task: Task, panel: Panel, log: Log) -> None:
        self._browser, self._task, self._panel, self._log = browser, task, panel, log
        self._unknown: list[Doubt] = []
        self._open: list[_Open] = []

    @property
    def trail(self) -> Sequence[Observed]:
        return self._browser.trail

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Every changing act whose effect is not known, those that are still open included, in order.

        A skill may catch the error of an act, or end while one is open: the end of the task may not forget it.
        """
        return (*self._unknown, *(Doubt(item.what) for item in self._open if not item.held))

    def on_person(self, begins: bool) -> None:
        """A wait for a person's word on an act of the calling asyncio task begins or ends."""
        by = asyncio.current_task()
        stopping = by is not None and by.cancelling() > 0  # then the wait ends without a word, and nothing is sent
        for item in reversed(self._open):
            if item.by is by:
                item.held = begins or stopping
                return

    async def act(self, act: Act) -> Observed:
        if self._task.steps >= self._task.max_steps:
            raise BudgetExceededError(f"任务超过 {self._task.max_steps} 步", facts={"max_steps": self._task.max_steps})
        self._task.steps += 1
        await self._task.gate.wait()  # an act that waits here is not under way
        what = describe(act.action, act.params)
        try:
            observed = await self._answered(act)
        except SgClawError as error:
            await self._tell(act, f"{what}：{error.cause}", {"success": False, "code": error.code})
            raise
        await self._tell(act, what, {"success": True, "seq": observed.seq, "duration_ms": observed.duration_ms})
        return observed

    async def _answered(self, act: Act) -> Observed:
        """The act; while no answer to it came, and after anything else ended the wait, it counts as open."""
        opened = _Open(told(act.action, act.params), asyncio.current_task())
        if changes(act.action):
            self._open.append(opened)
        try:
            observed = await self._browser.act(act)
        except SgClawError as error:
            if error.code == ActionCode.UNKNOWN_OUTCOME:
                self._unknown.append(Doubt(opened.what, error))
            self._close(opened)
            raise
        self._close(opened)
        return observed

    def _close(self, opened: _Open) -> None:
        self._open = [item for item in self._open if item is not opened]

    async def _tell(self, act: Act, text: str, facts: JsonObject) -> None:
        data: JsonObject = {"step": self._task.steps, **facts}
        self._log.event("gateway::task", "step_completed", {"task_id": self._task.id, "action": act.action, **data})
        await self._panel.send(
            LogEntry(
                task_id=self._task.id, level="info" if facts["success"] else "warning", text=plain(text), data=data
            )
        )
