"""Background work that must neither be lost nor outlive the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Tasks:
    """Starts tasks and holds them; `close` cancels what is left and waits for it."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[object, object, T]) -> asyncio.Task[T]:
        """Run in the background; the work handles its own errors."""
        return self.adopt(asyncio.get_running_loop().create_task(work))

    def adopt(self, task: asyncio.Task[T]) -> asyncio.Task[T]:
        """Take over a task whose answer is no longer awaited; its error, if any, has no reader and is dropped."""
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    async def close(self) -> None:
        """Cancel and await everything still running."""
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def race(work: Coroutine[object, object, T], deadline_s: float, *enough: asyncio.Event) -> asyncio.Task[T]:
    """Start the work and return its task when it is done, when an event is set, or when the time is up.

    The caller looks which it was; an unfinished task is still running and is the caller's. Cancelling the race cancels
    the work.
    """
    task = asyncio.get_running_loop().create_task(work)
    watchers = [asyncio.ensure_future(event.wait()) for event in enough]
    try:
        await asyncio.wait({task, *watchers}, timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        await drop(task)
        raise
    finally:
        for watcher in watchers:
            watcher.cancel()
    return task


async def drop(task: asyncio.Task[T]) -> None:
    """Cancel a task whose outcome nobody needs any more, and wait for its end."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
