"""A warm pool of one: the next worker starts while the last one runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sgclaw.sandbox.process import Worker

StartWorker = Callable[[], Awaitable[Worker]]


class WorkerPool:
    """Hands out workers that have started already; bound to the event loop it is first used on."""

    def __init__(self, start: StartWorker) -> None:
        self._start = start
        self._next: asyncio.Task[Worker] | None = None
        self._closed = False

    def warm(self) -> None:
        """Begin to start the next worker, unless one waits or is on its way. Raises `RuntimeError` once closed."""
        self._coming()

    async def take(self) -> Worker:
        """A worker that nobody else has; the caller must destroy it. Raises what starting one raises.

        A start that failed before this call says nothing about now: another one is tried.
        """
        stale = self._next
        while True:
            task = self._coming()
            await asyncio.wait({task})  # unlike awaiting the task, a cancelled wait leaves it for the next taker
            if self._next is not task:
                continue
            self._next = None
            if task is stale and task.exception() is not None:
                continue
            worker = task.result()
            if worker.is_fresh:
                self.warm()
                return worker
            await worker.destroy()

    async def close(self) -> None:
        """Kill the worker that waits. Workers that were taken belong to their takers."""
        self._closed = True
        task, self._next = self._next, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled() and task.exception() is None:
            await task.result().destroy()

    def _coming(self) -> asyncio.Task[Worker]:
        if self._closed:
            raise RuntimeError("the worker pool is closed")
        if self._next is None:
            self._next = asyncio.create_task(self._started())
        return self._next

    async def _started(self) -> Worker:
        return await self._start()
