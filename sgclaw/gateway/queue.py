"""One FIFO queue for every door: bounded, one task on the browser at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable
from typing import Protocol

from sgclaw.errors import BusyError, SgClawError, WireCode, WireError
from sgclaw.gateway.ends import BY_SESSION, stopped
from sgclaw.gateway.task import Task
from sgclaw.protocol.messages import SubmitTask

MAX_QUEUED = 32


class Work(Protocol):
    """What the queue does with tasks. Each of them reports the task's end itself."""

    def submitted(self, task: Task) -> None:
        """Record a task before it is queued; raises when it must not be."""
        ...

    def execute(self, task: Task) -> Awaitable[None]:
        """Run a task."""
        ...

    def give_up(self, task: Task, error: SgClawError) -> Awaitable[None]:
        """End a task that never ran."""
        ...

    def crashed(self, task: Task, bug: BaseException) -> Awaitable[None]:
        """End a task whose `execute` let a bug out."""
        ...


class TaskQueue:
    """Runs submitted tasks in order of arrival; every submitted task's end is reported exactly once."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._tasks: dict[str, Task] = {}
        self._used: set[str] = set()
        self._waiting: deque[Task] = deque()
        self._arrived = asyncio.Event()
        self._endings: set[asyncio.Future[None]] = set()

    def submit(self, request: SubmitTask, source: str) -> Task:
        """Queue a task.

        Raises `BAD_STATE` for an id that was used before (its task must not be mixed with this one), `BUSY` when the
        queue is full, `AUDIT_UNAVAILABLE` when it cannot be recorded.
        """
        if request.task_id in self._used:
            raise WireError(WireCode.BAD_STATE, "这个任务编号已经用过", facts={"task_id": request.task_id})
        if len(self._waiting) >= MAX_QUEUED:
            raise BusyError(f"排队的任务已达 {MAX_QUEUED} 个", facts={"task_id": request.task_id})
        task = Task(request, source)
        self._work.submitted(task)
        self._used.add(task.id)
        self._tasks[task.id] = task
        self._waiting.append(task)
        self._arrived.set()
        return task

    def get(self, task_id: str) -> Task | None:
        """A queued or running task."""
        return self._tasks.get(task_id)

    def cancel(self, task_id: str, by: str) -> None:
        """Stop a task; a queued one ends at once. Unknown ids are already over."""
        task = self._tasks.get(task_id)
        if task is None or task.cancelled_by is not None:
            return
        task.cancelled_by = by
        task.gate.set()
        if task.work is not None:
            task.work.cancel()
        else:
            self._waiting.remove(task)
            self.end(task, stopped(task))

    def cancel_all(self, by: str) -> None:
        """Stop every task."""
        for task_id in list(self._tasks):
            self.cancel(task_id, by)

    async def run(self) -> None:
        """Serve until cancelled; then the running task is cancelled and every task reports its end first."""
        try:
            while True:
                while not self._waiting:
                    self._arrived.clear()
                    await self._arrived.wait()
                await self._serve(self._waiting.popleft())
        finally:
            for task in list(self._waiting):
                self.cancel(task.id, BY_SESSION)
            if self._endings:
                await asyncio.wait(self._endings)

    async def _serve(self, task: Task) -> None:
        task.work = asyncio.ensure_future(self._work.execute(task))
        try:
            await asyncio.wait((task.work,))
            if not task.work.cancelled() and (bug := task.work.exception()) is not None:
                await self._work.crashed(task, bug)
        except asyncio.CancelledError:
            self.cancel(task.id, BY_SESSION)
            await asyncio.wait((task.work,))
            raise
        finally:
            self._tasks.pop(task.id, None)

    def end(self, task: Task, error: SgClawError) -> None:
        """Report the end of a task that never ran, without waiting for it here."""
        self._tasks.pop(task.id, None)
        ending = asyncio.ensure_future(self._work.give_up(task, error))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
