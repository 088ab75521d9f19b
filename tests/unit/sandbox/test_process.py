"""The worker as a process: what it holds, how it dies, and that nothing outlives anybody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from sgclaw.errors import SandboxError
from sgclaw.ports import Act, SkillResult
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.process import Worker, start_worker
from tests.gates.repository import ROOT
from tests.unit.sandbox.support import QUICK, Bench, until

LOOP = "await browserAction('getText', '#a'); for (;;) {}"
WAIT = "for (;;) await new Promise((resolve) => setTimeout(resolve, 20000));"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def gone(pid: int) -> bool:
    """Whether the process has ended; one that nobody has collected yet counts as ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def in_act(sandbox: Bench, body: str) -> tuple[asyncio.Task[SkillResult], asyncio.Event]:
    """A run that has arrived in its first act, and the event that lets the act go on."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def before(_act: Act) -> None:
        arrived.set()
        await go_on.wait()

    sandbox.browser.before = before
    task = asyncio.create_task(sandbox.run(body))
    async with asyncio.timeout(5):
        await arrived.wait()
    return task, go_on


async def reason_of(task: asyncio.Task[SkillResult], seconds: float) -> object:
    with pytest.raises(SandboxError) as raised:
        async with asyncio.timeout(seconds):
            await task
    return raised.value.facts["reason"]


@pytest.mark.requirement("SBX-34")
@pytest.mark.parametrize("body", [LOOP, "await browserAction('getText', '#a'); " + WAIT])
@pytest.mark.parametrize("in_the_act", [True, False])
async def test_a_cancelled_run_kills_its_worker_before_it_ends(sandbox: Bench, body: str, *, in_the_act: bool) -> None:
    task, go_on = await in_act(sandbox, body)
    if not in_the_act:
        go_on.set()
        await until(lambda: bool(sandbox.browser.acts))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(1):
            await task
    assert gone(sandbox.started[0].pid)
    assert [data["end"] for data in sandbox.log.named("run_ended")] == ["cancelled"]


@pytest.mark.requirement("SBX-34")
async def test_the_burial_of_a_worker_cannot_be_interrupted(sandbox: Bench) -> None:
    worker = await start_worker(engine_folder())
    burial = asyncio.create_task(worker.destroy())
    await asyncio.sleep(0)
    burial.cancel()
    async with asyncio.timeout(5):
        await burial
    assert gone(worker.pid)


@on_linux
@pytest.mark.requirement("SBX-35")
@pytest.mark.parametrize("kind", ["loops", "waits", "stuck_in_native_code"])
async def test_no_worker_outlives_a_killed_parent(kind: str) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.unit.sandbox.parent", kind, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    try:
        async with asyncio.timeout(20):
            pids = [int(pid) for pid in (await parent.stdout.readline()).split()]
        assert len(pids) == 2
        assert not any(gone(pid) for pid in pids)
    finally:
        parent.kill()
        await parent.wait()
    await until(lambda: all(gone(pid) for pid in pids), seconds=2)


@pytest.mark.requirement("SBX-36")
async def test_the_pool_has_the_next_worker_ready_behind_a_run(sandbox: Bench) -> None:
    sandbox.pool.warm()
    await until(lambda: len(sandbox.started) == 1)
    for n in range(1, 4):
        assert (await sandbox.run("return { success: true };")).success
        await until(lambda n=n: len(sandbox.started) == n + 1)  # type: ignore[misc]
        assert [worker.alive for worker in sandbox.started] == [False] * n + [True]


@pytest.mark.requirement("SBX-36")
async def test_a_worker_that_died_while_it_waited_is_replaced(sandbox: Bench) -> None:
    sandbox.pool.warm()
    await until(lambda: len(sandbox.started) == 1)
    os.kill(sandbox.started[0].pid, signal.SIGKILL)
    await until(lambda: not sandbox.started[0].alive)
    assert (await sandbox.run("return { success: true };")).success
    assert not sandbox.started[0].alive


@pytest.mark.requirement("SBX-36")
async def test_runs_at_the_same_time_have_workers_of_their_own(sandbox: Bench) -> None:
    body = "globalThis.n = (globalThis.n || 0) + params.i; return { success: true, data: globalThis.n };"
    results = await asyncio.gather(*(sandbox.run(body, {"i": i}) for i in range(5)))
    assert [result.data for result in results] == [0, 1, 2, 3, 4]


@pytest.mark.requirement("SBX-36")
async def test_a_cancelled_wait_for_a_worker_loses_none(sandbox: Bench) -> None:
    waiting = [asyncio.create_task(sandbox.pool.take()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    workers = await asyncio.gather(*waiting, return_exceptions=True)
    for worker in workers:
        if isinstance(worker, Worker):
            await worker.destroy()
    assert isinstance(workers[0], asyncio.CancelledError)
    assert len({worker.pid for worker in workers if isinstance(worker, Worker)}) == 2


@pytest.mark.requirement("SBX-36")
async def test_closing_the_pool_kills_the_one_that_waits_and_refuses_further_runs(sandbox: Bench) -> None:
    sandbox.pool.warm()
    await until(lambda: len(sandbox.started) == 1)
    await sandbox.pool.close()
    assert gone(sandbox.started[0].pid)
    with pytest.raises(RuntimeError, match="closed"):
        await sandbox.run("return { success: true };")


def call(n: int, **changes: object) -> str:
    return json.dumps({"type": "call", "id": n, "action": "getText", "args": '["#a"]', **changes})


RESULT = '{"type":"result","value":"{\\\\"success\\\\":true}","dropped":0}'
HOSTILE: dict[str, tuple[str, str]] = {
    "garbage": ("w(b'hello\\n')", "worker_died"),
    "not utf-8": ("w(b'\\xff\\xfe\\n')", "worker_died"),
    "an unknown message": ('w(b\'{"type":"approve","id":1}\\n\')', "worker_died"),
    "a duplicate key": ('w(b\'{"type":"end","type":"end","reason":"cpu","detail":""}\\n\')', "worker_died"),
    "an extra field": (f"w({call(1, seq=1)!r}.encode() + b'\\n')", "worker_died"),
    "a call out of turn": (f"w({call(2)!r}.encode() + b'\\n')", "worker_died"),
    "a call twice": (f"w(({call(1)!r} + '\\n').encode() * 2); time.sleep(20)", "worker_died"),
    "a reason of the parent's own": ('w(b\'{"type":"end","reason":"source","detail":""}\\n\')', "worker_died"),
    "an end in the middle of a line": ("w(b'{\"type\":')", "worker_died"),
    "an exit without a word": ("os._exit(0)", "worker_died"),
    "a line without an end": ("w(b'x' * (1 << 22)); time.sleep(20)", "result"),
    "a flood of empty log lines": (
        'l = b\'{"type":"log","level":"info","text":""}\\n\' * 1000\nwhile True: w(l)',
        "log",
    ),
    "more calls than allowed": (
        """n = 0
while True:
    n += 1
    w(('{"type":"call","id":%d,"action":"x","args":"[]"}' % n).encode() + b'\\n')
    os.read(0, 65536)""",
        "calls",
    ),
}


@pytest.mark.requirement("SBX-37")
@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_worker_that_was_taken_over_is_ended_and_believed_nothing(
    kind: str, tmp_path: Path, hostile: Callable[[Path], Bench]
) -> None:
    program, reason = HOSTILE[kind]
    path = tmp_path / "program.py"
    path.write_text(f"import os, time\ndef w(b):\n while b: b = b[os.write(1, b):]\nos.read(0, 65536)\n{program}\n")
    made = hostile(path)
    async with asyncio.timeout(5):
        assert await made.reason("return { success: true };", replace(QUICK, calls=20)) == reason
    assert all(gone(worker.pid) for worker in made.started[:1])
    assert len(made.browser.acts) <= 1
