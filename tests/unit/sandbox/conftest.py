from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import Worker, start_worker
from tests.unit.sandbox.support import Bench, bench


@pytest.fixture
async def sandbox() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made


@pytest.fixture
async def hostile() -> AsyncIterator[Callable[[Path], Bench]]:
    """Makes a bench whose workers are another program."""
    made: list[Bench] = []

    def make(program: Path) -> Bench:
        started: list[Worker] = []

        async def start() -> Worker:
            started.append(await start_worker(engine_folder(), program))
            return started[-1]

        made.append(Bench(WorkerPool(start), started))
        return made[-1]

    yield make
    for one in made:
        await one.pool.close()
