"""Workers that are killed, stopped or gone at the worst moment, and systems that start none: the pool goes on."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import psutil
import pytest

from sgclaw.errors import ConfigError, SandboxError
from sgclaw.ports import Act, SkillResult
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.load import load_script
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import Worker, start_worker
from tests.unit.sandbox.support import QUICK, Bench, in_act, until
from tests.unit.sandbox.watching import watching

FINE: Final = SkillResult(success=True)
EMPTY: Final = "return { success: true };"
UP: Final = "console.log('up'); await new Promise((go) => setTimeout(go, 1)); "
MOMENTS: Final = {
    "while it computes": UP + "for (;;) {}",
    "while it waits for a timer": UP + "await new Promise((go) => setTimeout(go, 20000));",
    "while it is deaf": UP + "new Array(2 ** 32 - 1).join('');",
}
SIGNALS: Final = {
    "killed": (signal.SIGKILL, "worker_died"),
    "terminated": (signal.SIGTERM, "worker_died"),
    "crashed": (signal.SIGSEGV, "worker_died"),
    "stopped": (signal.SIGSTOP, "wall_clock"),
}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def zombies() -> list[int]:
    return [child.pid for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE]


def descriptors() -> int:
    return psutil.Process().num_fds()


async def goes_on(sandbox: Bench) -> None:
    """The next run is fine, and a worker is ready for the one after it."""
    sandbox.browser.before = at_once
    assert await sandbox.run(EMPTY) == FINE
    await until(lambda: sandbox.started[-1].alive and len(sandbox.started) >= 3)
    assert [worker.alive for worker in sandbox.started[:-1]] == [False] * (len(sandbox.started) - 1)
    assert zombies() == []


async def at_once(_act: Act) -> None:
    return


@pytest.mark.requirement("SBX-32", "SBX-33")
@pytest.mark.parametrize("how", SIGNALS)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_worker_that_is_lost_in_a_run_ends_it_typed_and_the_next_run_is_fine(
    sandbox: Bench, moment: str, how: str
) -> None:
    sent, reason = SIGNALS[how]
    async with watching(sandbox.started) as watch:
        run = asyncio.create_task(sandbox.ended(MOMENTS[moment], budgets=replace(QUICK, wall_s=0.6, cpu_ms=5_000)))
        await until(lambda: bool(sandbox.log.named("console")))
        os.kill(sandbox.started[0].pid, sent)
        async with asyncio.timeout(3):
            ended = await run
        assert isinstance(ended, SandboxError)
        assert ended.facts["reason"] == reason
        await goes_on(sandbox)
    assert watch.longest_silence_s < 1.0
    assert [data["end"] for data in sandbox.log.named("run_ended")] == [reason, "returned"]


@pytest.mark.requirement("SBX-32", "SBX-33")
@pytest.mark.parametrize("how", SIGNALS)
async def test_a_worker_that_is_lost_in_the_middle_of_a_call_ends_the_run_when_the_act_is_over(
    sandbox: Bench, how: str
) -> None:
    sent, reason = SIGNALS[how]
    async with watching(sandbox.started) as watch:
        async with in_act(sandbox, EMPTY_CALL, replace(QUICK, wall_s=0.6)) as (run, go_on):
            os.kill(sandbox.started[0].pid, sent)
            go_on.set()
            with pytest.raises(SandboxError) as raised:
                async with asyncio.timeout(3):
                    await run
        assert raised.value.facts["reason"] == reason
        assert sandbox.browser.names == ["getText"]  # what was sent is known to have happened
        await goes_on(sandbox)
    assert watch.longest_silence_s < 1.0


EMPTY_CALL: Final = "await browserAction('getText', '#a'); return { success: true };"
LEAVES: Final = {
    "in the middle of a call": """w(b'{"type":"call","id":1,"action":"getText","args":"[]"}\\n'); os._exit(0)""",
    "with success and no word": "os._exit(0)",
    "after closing its output": "os.close(1); time.sleep(20)",
    "with its output in other hands": "os.close(0); os._exit(0)",
}


@pytest.mark.requirement("SBX-37")
@pytest.mark.parametrize("how", LEAVES)
async def test_a_worker_that_leaves_as_if_all_were_well_is_no_success(
    how: str, tmp_path: Path, hostile: Callable[[Path], Bench]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"import os, time\ndef w(b):\n os.write(1, b)\nos.read(0, 65536)\n{LEAVES[how]}\n")
    made = hostile(path)
    async with asyncio.timeout(5):
        assert await made.reason(EMPTY) == "worker_died"
    assert zombies() == []


def pool_of(failures: list[Exception]) -> AbstractAsyncContextManager[Bench]:
    """A bench whose first starts fail."""

    class Opened:
        async def __aenter__(self) -> Bench:
            started: list[Worker] = []

            async def start() -> Worker:
                if failures:
                    raise failures.pop(0)
                started.append(await start_worker(engine_folder()))
                return started[-1]

            self.bench = Bench(WorkerPool(start), started)
            return self.bench

        async def __aexit__(self, *_: object) -> None:
            await self.bench.pool.close()

    return Opened()


REFUSALS: Final = {
    "no process": OSError(11, "Resource temporarily unavailable"),
    "no memory": OSError(12, "Cannot allocate memory"),
    "no descriptor": OSError(24, "Too many open files"),
}


@pytest.mark.requirement("SBX-40")
@pytest.mark.parametrize("why", REFUSALS)
async def test_a_system_that_starts_no_process_is_a_typed_end_and_the_next_run_is_fine(why: str) -> None:
    async with pool_of([REFUSALS[why]]) as made:
        ended = await made.ended(EMPTY)
        assert isinstance(ended, SandboxError)
        assert ended.facts == {"reason": "no_worker", "skill": "probe", "detail": REFUSALS[why].strerror}
        assert await made.run(EMPTY) == FINE
        assert [data["end"] for data in made.log.named("run_ended")] == ["no_worker", "returned"]


@pytest.mark.requirement("SBX-40")
async def test_a_missing_engine_is_told_as_such_and_forgotten_once_it_is_there() -> None:
    async with pool_of([ConfigError("没有安装脚本引擎 quickjs-ng")]) as made:
        ended = await made.ended(EMPTY)
        assert (type(ended), str(ended)) == (ConfigError, "没有安装脚本引擎 quickjs-ng")
        assert await made.run(EMPTY) == FINE


@pytest.mark.requirement("SBX-40")
async def test_a_start_that_failed_in_the_background_is_not_held_against_a_later_run() -> None:
    async with pool_of([REFUSALS["no process"]]) as made:
        made.pool.warm()
        for _ in range(5):
            await asyncio.sleep(0)
        assert await made.run(EMPTY) == FINE


@pytest.mark.requirement("SBX-40")
async def test_a_background_start_that_fails_again_is_the_error_of_the_run() -> None:
    async with pool_of([*REFUSALS.values()]) as made:
        made.pool.warm()
        assert isinstance(await made.ended(EMPTY), SandboxError)
        assert isinstance(await made.ended(EMPTY), SandboxError)
        assert await made.run(EMPTY) == FINE


@contextmanager
def descriptors_left(number: int) -> Iterator[None]:
    """Let this process open only so many descriptors more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = [os.dup(0) for _ in range(number)]
    highest = os.dup(0)
    for fd in (*spare, highest):
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.requirement("SBX-40", "SBX-41")
@pytest.mark.parametrize("left", range(7))
async def test_a_process_that_may_open_no_more_is_told_so_and_loses_no_descriptor(left: int, sandbox: Bench) -> None:
    before, engine = descriptors(), engine_folder()
    with descriptors_left(left):
        ended = await sandbox.ended(EMPTY)
        with pytest.raises(SandboxError) as raised:
            await load_script(engine, "async function execute() {}", "custom/probe.js")
    assert isinstance(ended, SandboxError)
    assert (ended.facts["reason"], raised.value.facts["reason"]) == ("no_worker", "no_worker")
    await until(lambda: descriptors() == before)
    assert await sandbox.run(EMPTY) == FINE


@pytest.mark.requirement("SBX-41")
async def test_two_hundred_runs_ten_at_a_time_leave_no_descriptor_and_no_zombie(sandbox: Bench) -> None:
    assert await sandbox.run(EMPTY_CALL) == FINE
    await until(lambda: len(sandbox.started) == 2)
    before = descriptors()
    async with watching(sandbox.started) as watch:
        for _ in range(20):
            assert await asyncio.gather(*(sandbox.run(EMPTY_CALL) for _ in range(10))) == [FINE] * 10
    await until(lambda: sandbox.started[-1].alive and descriptors() == before)
    assert zombies() == []
    assert len({worker.pid for worker in sandbox.started}) == 202
    assert len(sandbox.log.named("run_ended")) == 201
    assert watch.longest_silence_s < 1.0


PHASES: Final[dict[str, Callable[[Bench], Awaitable[object]]]] = {
    "before it begins": lambda sandbox: asyncio.sleep(0),
    "while a worker starts": lambda sandbox: asyncio.sleep(0.005),
    "while the script computes": lambda sandbox: until(lambda: "up" in str(sandbox.log.named("console"))),
    "while an act is under way": lambda sandbox: until(lambda: bool(sandbox.browser.acts)),
}


@pytest.mark.requirement("SBX-34")
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("body", MOMENTS.values(), ids=MOMENTS)
async def test_a_run_can_be_cancelled_in_every_phase(sandbox: Bench, body: str, phase: str) -> None:
    before = descriptors()
    run = asyncio.create_task(sandbox.run("await browserAction('getText', '#a'); " + body))
    await PHASES[phase](sandbox)
    run.cancel()
    async with asyncio.timeout(1):
        assert isinstance((await asyncio.gather(run, return_exceptions=True))[0], asyncio.CancelledError)
    await sandbox.pool.close()
    assert [worker.pid for worker in sandbox.started if worker.alive] == []
    await until(lambda: descriptors() == before)
    assert zombies() == []


@pytest.mark.requirement("SBX-41")
@pytest.mark.parametrize("turns", range(6))
async def test_a_start_that_is_cancelled_leaves_nothing(turns: int) -> None:
    before = descriptors()
    starting = asyncio.create_task(start_worker(engine_folder()))
    for _ in range(turns):
        await asyncio.sleep(0)
    starting.cancel()
    (worker,) = await asyncio.gather(starting, return_exceptions=True)
    if isinstance(worker, Worker):
        await worker.destroy()
    await until(lambda: descriptors() <= before and psutil.Process().children() == [])
