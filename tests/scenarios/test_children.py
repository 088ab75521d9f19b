"""What the children of a real `sgclaw pipe` hold while a skill runs, and that the parent answers meanwhile."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
import secrets
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest

from browser_host_stub.task_run import Hosted
from sgclaw.audit.records import story
from sgclaw.policy.model import policy_document
from sgclaw.protocol.messages import Message, Ping, Pong, TaskCompleted
from sgclaw.protocol.signing import KEY_BYTES
from tests.support.agent import TRACE, Home, Running, running, skill
from tests.support.ports import eventually
from tests.support.wire import ERP

WAITS = """
  console.log('waiting');
  await browserAction('getText', '#title');
  await new Promise((resolve) => setTimeout(resolve, 20000));
  return { success: true, data: {} };"""
BODIES = {
    "returns": ("await browserAction('getText', '#title'); return { success: true, data: {} };", None),
    "throws": ("throw new Error('没有数据');", "SKILL_FAILED"),
    "loops": ("for (;;) {}", "SANDBOX_TERMINATED"),
    "deaf": ("new Array(2 ** 32 - 1).join('');", "SANDBOX_TERMINATED"),
    "bombs": ("const a = []; for (;;) a.push(new Array(1000).fill(0));", "SANDBOX_TERMINATED"),
    "floods": ("for (;;) console.log('x'.repeat(1000));", "SANDBOX_TERMINATED"),
    "stuck": ("await new Promise(() => {});", "SANDBOX_TERMINATED"),
}

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="reads /proc of processes that only root can look into"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("waits", skill("waits", WAITS))
    for name, (body, _) in BODIES.items():
        home.add(name, skill(name, body))
    return home


@dataclass(frozen=True)
class Child:
    """One process and what /proc shows of it."""

    pid: int

    @property
    def held(self) -> set[str]:
        """What its descriptors point to."""
        found: set[str] = set()
        for fd in Path(f"/proc/{self.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.add(str(fd.readlink()))
        return found

    def file(self, name: str) -> bytes:
        """A file of its folder in /proc."""
        return Path(f"/proc/{self.pid}/{name}").read_bytes()

    @property
    def folder(self) -> Path:
        """Its working folder."""
        return Path(f"/proc/{self.pid}/cwd").readlink()

    @property
    def mapped(self) -> set[str]:
        """The files it maps."""
        rows = self.file("maps").decode().splitlines()
        return {row.split(maxsplit=5)[5] for row in rows if row.count("/")}

    def memory(self) -> Iterator[bytes]:
        """Every readable range of its memory."""
        with Path(f"/proc/{self.pid}/mem").open("rb", buffering=0) as memory:
            for row in self.file("maps").decode().splitlines():
                found = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", row)
                if found and "[v" not in row:
                    first, last = (int(end, 16) for end in found.groups())
                    memory.seek(first)
                    with contextlib.suppress(OSError):
                        yield memory.read(last - first)


def agent() -> psutil.Process:
    """The `sgclaw pipe` this test started."""
    return next(child for child in psutil.Process().children() if "pipe" in child.cmdline())


def children() -> list[Child]:
    """Its descendants."""
    return [Child(child.pid) for child in agent().children(recursive=True)]


def settled(child: Child) -> bool:
    """Whether it has started: until then it holds its own source files."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return len(child.held) == 3 and b"NoNewPrivs:\t1" in child.file("status")
    return False


@asynccontextmanager
async def waiting(run: Running) -> AsyncIterator[list[Child]]:
    """A skill in the middle of its run, the one that waits in the pool, both started."""
    working = asyncio.create_task(run.hosted.run("等待", skill="waits"))
    await eventually(lambda: "command" in [message.type for message in run.seen])
    await eventually(lambda: len(children()) == 2 and all(settled(child) for child in children()))
    try:
        yield children()
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def secrets_of(init_key: bytes) -> set[bytes]:
    """Every form of a key that a careless child could hold."""
    encoded = {base64.b64encode(init_key), base64.urlsafe_b64encode(init_key)}
    return {init_key, init_key.hex().encode(), *encoded, *(text.rstrip(b"=") for text in encoded)}


@pytest.mark.requirement("CRASH-05")
async def test_children_of_sgclaw_hold_their_own_three_pipes_and_nothing_else(home: Home) -> None:
    async with running(home) as run, waiting(run) as found:
        ours = Child(os.getpid()).held
        of_agent = {name for name in Child(agent().pid).held if not name.startswith("/dev/")}
        wire = ours & of_agent
        assert len(wire) >= 2
        for child in found:
            assert {name.partition(":")[0] for name in child.held} == {"pipe"}
            assert len(child.held) == 3
            assert child.held & (ours | wire) == set()
            assert len(child.held & of_agent) == 3  # the other ends are sgclaw's own
        assert found[0].held & found[1].held == set()


@pytest.mark.requirement("SBX-42")
async def test_children_of_sgclaw_know_no_key_no_policy_and_no_file_of_ours(home: Home) -> None:
    key = secrets.token_bytes(KEY_BYTES)
    async with running(home, session_key=key) as run, waiting(run) as found:
        policy = policy_document([ERP]).encode()
        unknown = secrets_of(key) | {policy, b'"origins"', TRACE.encode(), str(home.path).encode()}
        for child in found:
            assert child.file("environ") == b""
            assert child.folder == Path("/")
            arguments = child.file("cmdline").rstrip(b"\0").split(b"\0")
            assert arguments[1:3] == [b"-I", b"-S"]
            assert [Path(os.fsdecode(one)).name for one in arguments[3:4]] == ["worker.py"]
            assert len(arguments) == 5
            assert [name for name in child.mapped if str(home.path) in name or ".sqlite" in name] == []
            for place in (child.file("cmdline"), child.file("maps"), *child.memory()):
                assert [word for word in unknown if word in place] == []


@pytest.mark.requirement("SBX-42")
async def test_the_search_finds_what_is_there(home: Home) -> None:
    async with running(home) as run, waiting(run) as found:
        texts = [b"".join(child.memory()) for child in found]
        assert sorted(b"console.log('waiting')" in text for text in texts) == [False, True]
        assert any(TRACE.encode() in place for place in Child(agent().pid).memory())


@asynccontextmanager
async def pinged(hosted: Hosted, seen: list[Message]) -> AsyncIterator[list[float]]:
    """Pings the whole time; the seconds each answer took."""
    waits: list[float] = []

    async def keep() -> None:
        while True:
            name = f"p{len(waits)}"
            began = time.perf_counter()
            await hosted.session.send(Ping(id=name))
            await eventually(partial(has, name))
            waits.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)

    def has(name: str) -> bool:
        return name in [message.id for message in seen if isinstance(message, Pong)]

    task = asyncio.create_task(keep())
    try:
        yield waits
    finally:
        task.cancel()
        await asyncio.wait({task})


@pytest.mark.requirement("ATTACK-43")
@pytest.mark.parametrize("name", BODIES)
async def test_a_run_leaves_one_ending_in_the_ledger_and_sgclaw_answers_pings_throughout(name: str, home: Home) -> None:
    async with running(home) as run:
        first = await run.hosted.run("任务", skill="returns")  # what a first task loads is not the script's doing
        async with pinged(run.hosted, run.seen) as waits:
            async with asyncio.timeout(40):  # with the limits that ship: processor time, on a machine others share
                done: TaskCompleted = await run.hosted.run("任务", skill=name)
        again = await run.hosted.run("任务", skill="returns")
    assert (done.error.code if done.error else None) == BODIES[name][1]
    assert max(waits) < 1.0
    endings = [record for record in story(home.audit, TRACE) if record.event == "skill_finished"]
    assert [record.task_id for record in endings] == ["t1", "t2", "t3"]
    assert (first.error, again.error) == (None, None)
