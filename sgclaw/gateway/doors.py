"""What the outside may ask of the gateway, message by message. Handlers return at once: work goes through the queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from sgclaw.errors import ActionCode, ActionError, AuditUnavailableError, BusyError, LedgerBrokenError
from sgclaw.gateway.ends import BY_HOST, BY_USER
from sgclaw.gateway.execute import Executor
from sgclaw.gateway.queue import TaskQueue
from sgclaw.gateway.report import problem_of
from sgclaw.gateway.task import Task
from sgclaw.ports import Panel
from sgclaw.protocol.messages import (
    CancelTask,
    Message,
    PanelRequest,
    PanelResult,
    Pause,
    Resume,
    Shutdown,
    SubmitTask,
    Takeover,
    TaskState,
)

Handler = Callable[[Message], Awaitable[None]]


class Doors:
    """Submit, cancel, pause and resume, for every door alike."""

    def __init__(self, executor: Executor, panel: Panel) -> None:
        self._queue = TaskQueue(executor)
        self._panel = panel

    def handlers(self) -> Mapping[type[Message], Handler]:
        """Message type → handler, for the session."""
        return {
            SubmitTask: self._on_submit,
            CancelTask: self._on_cancel,
            Pause: self._on_pause,
            Takeover: self._on_pause,
            Resume: self._on_resume,
            PanelRequest: self._on_panel_request,
            Shutdown: self._on_shutdown,
        }

    async def run(self) -> None:
        """Serve the queue until cancelled."""
        await self._queue.run()

    def submit(self, request: SubmitTask, source: str) -> Task:
        """Queue a task; raises `BUSY`, `BAD_STATE` (id used before) or why it cannot be recorded."""
        return self._queue.submit(request, source)

    def cancel(self, task_id: str, by: str) -> None:
        """Stop a task; its end is reported by `task_completed`."""
        self._queue.cancel(task_id, by)

    async def _on_submit(self, message: Message) -> None:
        """A task that is not taken is answered at once; a reused id is the host's fault and refused as a line."""
        request = cast("SubmitTask", message)
        try:
            self.submit(request, "host")
        except (BusyError, AuditUnavailableError, LedgerBrokenError) as error:
            self._queue.end(Task(request, "host"), error)

    async def _on_cancel(self, message: Message) -> None:
        self.cancel(cast("CancelTask", message).task_id, BY_USER)

    async def _on_shutdown(self, _message: Message) -> None:
        """Before the session ends by it: else a task hears of a lost connection or of a stop, as chance has it."""
        self._queue.cancel_all(BY_HOST)

    async def _on_pause(self, message: Message) -> None:
        """Pause and takeover: no further act starts; the one that runs finishes."""
        task = self._queue.get(cast("Pause | Takeover", message).task_id)
        if task is not None and task.pause():
            detail = "您已接管页面" if isinstance(message, Takeover) else "已暂停"
            self._panel.tell(TaskState(task_id=task.id, state=task.state, detail=detail))

    async def _on_resume(self, message: Message) -> None:
        task = self._queue.get(cast("Resume", message).task_id)
        if task is not None and task.resume():
            self._panel.tell(TaskState(task_id=task.id, state=task.state, detail="继续执行"))

    async def _on_panel_request(self, message: Message) -> None:
        request = cast("PanelRequest", message)
        cause = f"这个版本不回答侧边栏的请求 {request.method}"
        error = problem_of(ActionError(ActionCode.NOT_IMPLEMENTED, cause, next_step="请升级 sgclaw"))
        self._panel.tell(PanelResult(request_id=request.request_id, error=error))
