"""Processes that die at random moments: nothing is left running, half-written or misreported."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from sgclaw.audit.records import story
from sgclaw.audit.verify import verify
from sgclaw.errors import HostGoneError
from tests.support.agent import TRACE, Home, running, skill
from tests.support.ports import eventually

SLOW = """
  for (let i = 0; i < 40; i++) { await browserAction('getText', '#title'); }
  const file = await browserAction('download', '#file');
  return { success: true, data: { sha256: file.sha256 } };"""
WAITS = """
  await new Promise((resolve) => setTimeout(resolve, 20000));
  return { success: true, data: {} };"""
LOOPS = """
  await browserAction('getText', '#title');
  while (true) {}"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("slow", skill("slow", SLOW))
    home.add("waits", skill("waits", WAITS))
    home.add("loops", skill("loops", LOOPS))
    return home


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@contextlib.contextmanager
def no_orphans() -> Iterator[None]:
    """Every child process that is there when the block ends is gone within 4 s."""
    before = {process.pid for process in children()}
    yield
    started = [process for process in children() if process.pid not in before]
    _, alive = psutil.wait_procs(started, timeout=4)
    assert [process.cmdline() for process in alive] == []


def ended(process: psutil.Process) -> bool:
    """Gone, or dead and not yet collected by its parent (waiting for it here would take that from the parent)."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


async def gone(family: list[psutil.Process]) -> None:
    await eventually(lambda: all(ended(process) for process in family))


def workers_of(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return [child for child in psutil.Process(pid).children() if "worker.py" in " ".join(child.cmdline())]
    return []


def agent_pid() -> int:
    return next(child.pid for child in children() if "pipe" in child.cmdline())


@pytest.mark.requirement("CRASH-01")
@pytest.mark.parametrize("seed", range(4))
async def test_killing_sgclaw_at_a_random_moment_leaves_no_process_and_a_ledger_that_verifies(
    seed: int, home: Home
) -> None:
    moment = random.Random(seed).uniform(0.0, 0.25)  # noqa: S311 - any moment will do
    with no_orphans():
        async with running(home) as run:
            working = asyncio.create_task(run.hosted.run("慢任务", skill="slow"))
            await eventually(lambda: "command" in [message.type for message in run.seen])
            await asyncio.sleep(moment)
            pid = agent_pid()
            family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
            os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(HostGoneError):
                await working
            await gone(family)
    assert not list(home.path.glob("files/.*"))
    async with running(home, trace_id="sgclaw-20260402-00000002") as run:
        assert (await run.hosted.run("慢任务", skill="slow")).outcome == "completed"
    assert verify(home.audit).count > 0


@pytest.mark.requirement("CRASH-02")
@pytest.mark.parametrize("name", ["waits", "slow", "loops"])
async def test_killing_the_sandbox_worker_fails_the_task_and_the_next_one_runs(name: str, home: Home) -> None:
    with no_orphans():
        async with running(home) as run:
            run.driver.knobs.delay_s = 0.02
            working = asyncio.create_task(run.hosted.run("任务", skill=name))
            await eventually(lambda: "executing" in [getattr(message, "state", "") for message in run.seen])
            await eventually(lambda: len(workers_of(agent_pid())) >= 2)
            killed = workers_of(agent_pid())
            for worker in killed:
                worker.kill()
            async with asyncio.timeout(10):
                done = await working
            await gone(killed)  # the one that waited may not be taken while it is still dying
            run.driver.knobs.delay_s = 0.0
            again = await run.hosted.run("慢任务", skill="slow")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("failed", "SANDBOX_TERMINATED")
    assert again.outcome == "completed"


@pytest.mark.requirement("CRASH-03")
async def test_a_browser_that_dies_in_mid_command_ends_the_task_with_its_cause(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("download")
        working = asyncio.create_task(run.hosted.run("慢任务", skill="slow"))
        await eventually(lambda: run.driver.pages["p1"].acts.count(("getText", "#title")) == 40)
        run.driver.on_gone.set()
        async with asyncio.timeout(10):
            done = await working
    assert done.error is not None
    assert (done.outcome, done.error.code, done.artifacts) == ("failed", "PAGE_GONE", ())


@pytest.mark.requirement("CRASH-04")
async def test_a_host_that_hangs_up_ends_sgclaw_and_its_children_in_two_seconds(home: Home) -> None:
    with no_orphans():
        async with running(home) as run:
            working = asyncio.create_task(run.hosted.run("死循环", skill="loops"))
            await eventually(lambda: "command" in [message.type for message in run.seen])
            pid = agent_pid()
            family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
            await run.hosted.session.hang_up()
            await gone(family)
            assert (await working).outcome == "aborted"
    records = story(home.audit, TRACE)
    assert [record.event for record in records[-3:]] == ["cancelled", "task_finished", "session_ended"]
