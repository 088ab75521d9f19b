"""What the outside may ask of the gateway, message by message. Handlers return at once: work goes through the queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from sgclaw.errors import BusyError
from sgclaw.gateway.execute import Executor
from sgclaw.gateway.queue import TaskQueue
from sgclaw.gateway.report import problem_of
from sgclaw.gateway.task import Task
from sgclaw.ports import Panel
from sgclaw.protocol.messages import CancelTask, Message, Pause, Resume, SubmitTask, Takeover, TaskCompleted

Handler = Callable[[Message], Awaitable[None]]


class Doors:
    """Submit, cancel, pause and resume, for every door alike."""

    def __init__(self, executor: Executor, panel: Panel) -> None:
        self._queue = TaskQueue(executor.execute, executor.crashed)
        self._panel = panel

    def handlers(self) -> Mapping[type[Message], Handler]:
        """Message type → handler, for the session."""
        return {
            SubmitTask: self._on_submit,
            CancelTask: self._on_cancel,
            Pause: self._on_pause,
            Takeover: self._on_pause,
            Resume: self._on_resume,
        }

    async def run(self) -> None:
        """Serve the queue until cancelled."""
        await self._queue.run()

    def submit(self, request: SubmitTask, source: str) -> Task:
        """Queue a task; raises `BUSY`."""
        return self._queue.submit(request, source)

    def cancel(self, task_id: str, by: str) -> None:
        """Stop a task; its end is reported by `task_completed`."""
        self._queue.cancel(task_id, by)

    async def _on_submit(self, message: Message) -> None:
        request = cast("SubmitTask", message)
        try:
            self.submit(request, "host")
        except BusyError as error:
            self._panel.tell(
                TaskCompleted(
                    task_id=request.task_id,
                    outcome="failed",
                    summary=f"{error.cause}。{error.next_step}",
                    error=problem_of(error),
                )
            )

    async def _on_cancel(self, message: Message) -> None:
        self.cancel(cast("CancelTask", message).task_id, "user")

    async def _on_pause(self, message: Message) -> None:
        """Pause and takeover: no further act starts; the one that runs finishes."""
        task = self._queue.get(cast("Pause | Takeover", message).task_id)
        if task is not None and task.cancelled_by is None:
            task.gate.clear()

    async def _on_resume(self, message: Message) -> None:
        task = self._queue.get(cast("Resume", message).task_id)
        if task is not None:
            task.gate.set()
