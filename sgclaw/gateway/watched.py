"""A `Browser` that tells the person what is being done and holds the task to its step limit."""

from __future__ import annotations

from collections.abc import Sequence

from sgclaw.errors import ActionCode, BudgetExceededError, SgClawError
from sgclaw.gateway.narrate import describe
from sgclaw.gateway.task import Task
from sgclaw.ports import Act, Browser, Observed, Panel
from sgclaw.protocol.messages import LogEntry


class WatchedBrowser:
    """Wraps the acting browser of one task; adds nothing to what an act may do."""

    def __init__(self, browser: Browser, task: Task, panel: Panel) -> None:
        self._browser, self._task, self._panel = browser, task, panel
        self.unknown: SgClawError | None = None
        """The first act whose outcome is unknown. A skill may catch that error; the task's outcome may not forget
        it."""

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
        except SgClawError as error:
            if error.code == ActionCode.UNKNOWN_OUTCOME and self.unknown is None:
                self.unknown = error
            await self._tell(f"{what}：{error.cause}", {"ok": False, "code": error.code}, failed=True)
            raise
        await self._tell(what, {"ok": True, "seq": observed.seq, "duration_ms": observed.duration_ms})
        return observed

    async def _tell(self, text: str, data: dict[str, object], *, failed: bool = False) -> None:
        entry = LogEntry(
            task_id=self._task.id,
            level="warning" if failed else "info",
            text=text,
            data={"step": self._task.steps, **data},
        )
        await self._panel.send(entry)
