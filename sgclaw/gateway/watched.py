"""A `Browser` that tells the person what is being done and holds the task to its step limit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sgclaw.errors import ActionCode, BudgetExceededError, SgClawError
from sgclaw.gateway.report import plain
from sgclaw.gateway.task import Task
from sgclaw.ports import Act, Browser, JsonObject, Log, Observed, Panel
from sgclaw.protocol.actions import changes, describe
from sgclaw.protocol.messages import LogEntry


class WatchedBrowser:
    """Wraps the acting browser of one task; adds nothing to what an act may do."""

    def __init__(self, browser: Browser, task: Task, panel: Panel, log: Log) -> None:
        self._browser, self._task, self._panel, self._log = browser, task, panel, log
        self.unknown: SgClawError | None = None
        """The first act whose outcome is unknown: a skill may catch the error, the task's outcome may not forget it."""
        self.interrupted: str | None = None
        """What was being done when the task was stopped, if it may have changed something."""

    @property
    def trail(self) -> Sequence[Observed]:
        return self._browser.trail

    async def act(self, act: Act) -> Observed:
        if self._task.steps >= self._task.max_steps:
            raise BudgetExceededError(f"任务超过 {self._task.max_steps} 步", facts={"max_steps": self._task.max_steps})
        self._task.steps += 1
        what = describe(act.action, act.params)
        try:
            observed = await self._browser.act(act)
        except asyncio.CancelledError:
            self.interrupted = what if changes(act.action) else None
            raise
        except SgClawError as error:
            if error.code == ActionCode.UNKNOWN_OUTCOME and self.unknown is None:
                self.unknown = error
            await self._tell(act, f"{what}：{error.cause}", {"success": False, "code": error.code})
            raise
        await self._tell(act, what, {"success": True, "seq": observed.seq, "duration_ms": observed.duration_ms})
        return observed

    async def _tell(self, act: Act, text: str, facts: JsonObject) -> None:
        data: JsonObject = {"step": self._task.steps, **facts}
        self._log.event("gateway::task", "step_completed", {"task_id": self._task.id, "action": act.action, **data})
        await self._panel.send(
            LogEntry(
                task_id=self._task.id, level="info" if facts["success"] else "warning", text=plain(text), data=data
            )
        )
