"""What a bystander in the parent process notices of a run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psutil

from sgclaw.sandbox.process import Worker


@dataclass
class Watch:
    """The longest silence of the event loop, and the largest size of any worker."""

    started: Iterable[Worker]
    longest_silence_s: float = 0.0
    largest_rss: int = 0

    async def keep(self) -> None:
        """Look every 10 ms."""
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.01)
            now = time.perf_counter()
            self.longest_silence_s = max(self.longest_silence_s, now - last)
            last = now
            for worker in self.started:
                if worker.alive:
                    self._weigh(worker.pid)

    def _weigh(self, pid: int) -> None:
        try:
            self.largest_rss = max(self.largest_rss, psutil.Process(pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return


@asynccontextmanager
async def watching(started: Iterable[Worker]) -> AsyncIterator[Watch]:
    """Watch the loop and the workers; `started` may grow meanwhile."""
    watch = Watch(started)
    task = asyncio.create_task(watch.keep())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.wait({task})
