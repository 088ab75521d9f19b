"""A `Browser` and a `Toolbox` that tell the person what is being done, hold the task to its step limit, and know what
is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sgclaw.errors import ActionCode, BudgetExceededError, ForeignToolError, SgClawError
from sgclaw.gateway.report import plain
from sgclaw.gateway.task import Task
from sgclaw.ports import Act, Browser, ForeignTool, JsonObject, Log, Observed, Panel, Toolbox
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

    def settle(self, error: SgClawError) -> None:
        """A person says that what this error left in doubt has come about."""
        self._unknown = [doubt for doubt in self._unknown if doubt.error is not error]

    def on_person(self, begins: bool) -> None:
        """A wait for a person's word on an act of the calling asyncio task begins or ends."""
        by = asyncio.current_task()
        stopping = by is not None and by.cancelling() > 0  # then the wait ends without a word, and nothing is sent
        for item in reversed(self._open):
            if item.by is by:
                item.held = begins or stopping
                return

    async def act(self, act: Act) -> Observed:
        count_step(self._task)
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


class WatchedToolbox:
    """Wraps the toolbox of one task. A call counts as open from its start to its answer."""

    def __init__(self, toolbox: Toolbox, task: Task, panel: Panel, log: Log) -> None:
        self._toolbox, self._task, self._panel, self._log = toolbox, task, panel, log
        self._unknown: list[Doubt] = []

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Every call whose effect is not known, in order."""
        return tuple(self._unknown)

    def settle(self, error: SgClawError) -> None:
        """See `WatchedBrowser.settle`."""
        self._unknown = [doubt for doubt in self._unknown if doubt.error is not error]

    async def tools(self) -> Sequence[ForeignTool]:
        """See `ports.Toolbox`."""
        return await self._toolbox.tools()

    async def call(self, name: str, arguments: Mapping[str, object]) -> str:
        """See `ports.Toolbox`; raises `BUDGET_EXCEEDED` at the task's step limit."""
        count_step(self._task)
        await self._task.gate.wait()
        what = f"调用外部工具 {name}"
        opened = Doubt(what)
        self._unknown.append(opened)
        try:
            text = await self._toolbox.call(name, arguments)
        except SgClawError as error:
            self._unknown.remove(opened)
            if isinstance(error, ForeignToolError) and error.outcome_unknown:
                self._unknown.append(Doubt(what, error))
            await self._tell(name, f"{what}：{error.cause}", {"success": False, "code": error.code})
            raise
        self._unknown.remove(opened)
        await self._tell(name, what, {"success": True})
        return text

    async def _tell(self, name: str, text: str, facts: JsonObject) -> None:
        data: JsonObject = {"step": self._task.steps, **facts}
        self._log.event("gateway::task", "step_completed", {"task_id": self._task.id, "tool": name, **data})
        level: Literal["info", "warning"] = "info" if facts["success"] else "warning"
        await self._panel.send(LogEntry(task_id=self._task.id, level=level, text=plain(text), data=data))


def count_step(task: Task) -> None:
    """One more step of the task; raises `BUDGET_EXCEEDED` where it has no more."""
    if task.steps >= task.max_steps:
        raise BudgetExceededError(f"任务超过 {task.max_steps} 步", facts={"max_steps": task.max_steps})
    task.steps += 1
