"""One FIFO queue for every door: bounded, one task on the browser at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sgclaw.errors import BusyError
from sgclaw.gateway.task import Task
from sgclaw.protocol.messages import SubmitTask

MAX_QUEUED = 32

Execute = Callable[[Task], Awaitable[None]]
Crashed = Callable[[Task, BaseException], Awaitable[None]]


class TaskQueue:
    """Runs submitted tasks in order of arrival.

    `execute` reports a task's end itself; what it lets out is a bug of ours, which `crashed` reports in its place.
    """

    def __init__(self, execute: Execute, crashed: Crashed) -> None:
        self._execute, self._crashed = execute, crashed
        self._tasks: dict[str, Task] = {}
        self._waiting: asyncio.Queue[Task] = asyncio.Queue(maxsize=MAX_QUEUED)

    def submit(self, request: SubmitTask, source: str) -> Task:
        """Queue a task; raises `BUSY` when the queue is full or the id is taken."""
        if request.task_id in self._tasks:
            raise BusyError("这个任务编号正在使用", facts={"task_id": request.task_id})
        if self._waiting.full():
            raise BusyError(f"排队的任务已达 {MAX_QUEUED} 个", facts={"task_id": request.task_id})
        task = Task(request, source)
        self._tasks[task.id] = task
        self._waiting.put_nowait(task)
        return task

    def get(self, task_id: str) -> Task | None:
        """A queued or running task."""
        return self._tasks.get(task_id)

    def cancel(self, task_id: str, by: str) -> None:
        """Stop a task; a queued one ends when its turn comes, without acting. Unknown ids are already over."""
        task = self._tasks.get(task_id)
        if task is not None and task.cancelled_by is None:
            task.cancelled_by = by
            task.gate.set()
            if task.work is not None:
                task.work.cancel()

    async def run(self) -> None:
        """Serve until cancelled; the running task is cancelled with it and reports its end first."""
        while True:
            task = await self._waiting.get()
            task.work = asyncio.ensure_future(self._execute(task))
            try:
                await asyncio.wait((task.work,))
                if not task.work.cancelled() and (bug := task.work.exception()) is not None:
                    await self._crashed(task, bug)
            except asyncio.CancelledError:
                self.cancel(task.id, "session")
                await asyncio.wait((task.work,))
                raise
            finally:
                self._tasks.pop(task.id, None)
