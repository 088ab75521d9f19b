"""One command there and back between two real processes, against a tool call of the MCP Python SDK over stdio.

Ours does everything a command needs: parameters, policy, a ledger on disk, signing, framing, checks at both ends, an
in-memory element. Theirs is a tool that returns at once. Both connections stay open and take turns in batches.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import IO, Final, TextIO

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.agent import EXIT_S, ORIGIN, NoLog
from benchmarks.rows import Row, relative
from benchmarks.series import Series, against
from sgclaw.app.opening import SystemClock
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.trace import TraceHolder
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Act, Binding

BATCHES: Final = 20
QUICK_BATCHES: Final = 5
CALLS: Final = 50
Call = Callable[[], Awaitable[object]]


def measure(quick: bool) -> list[Row]:
    """Milliseconds of one call, ours and theirs."""
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w", encoding="utf-8") as log:
        return asyncio.run(_measure(Path(folder), log, QUICK_BATCHES if quick else BATCHES))


async def _measure(folder: Path, log: TextIO, batches: int) -> list[Row]:
    ours, theirs = Series(), Series()
    async with _sgclaw(folder) as our_call, _mcp(log) as their_call:
        for call in (our_call, their_call):
            await _batch(call)
        for _ in range(batches):
            ours.extend(await _batch(our_call))
            theirs.extend(await _batch(their_call))
    what = "command on the pipe (policy, ledger, signature, both ends' checks) ÷ MCP SDK stdio call of a no-op tool"
    return [relative("roundtrip.ratio", what, (ours.median, theirs.median, "ms"), 0.20, against(ours, theirs))]


async def _batch(call: Call) -> list[float]:
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - began) * 1_000)
    return taken


@contextlib.asynccontextmanager
async def _mcp(log: TextIO) -> AsyncIterator[Call]:
    server = StdioServerParameters(command=sys.executable, args=["-m", "benchmarks.peers.mcp_server"])
    async with stdio_client(server, errlog=log) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield lambda: session.call_tool("noop", {})


@contextlib.asynccontextmanager
async def _sgclaw(folder: Path) -> AsyncIterator[Call]:
    host = _start_host(folder / "files")
    carrier = FdCarrier(_own(host.stdout), _own(host.stdin))
    lines = LineSource(carrier)
    opened = await open_session(lines)
    clock = SystemClock()
    ledger = FileLedger(folder / "audit", clock)
    records = RecordFiles(folder / "audit", ledger, clock, TraceHolder(opened.trace_id))
    services = Services(ledger, NoLog(), clock, records)
    session = Session(carrier, lines, opened, services)
    await session.ready()
    reading = asyncio.create_task(session.run())
    browser = PipeBrowser(session, services, _binding())
    act = Act("getText", {"selector": "#total"})
    try:
        yield lambda: browser.act(act)
    finally:
        await session.bye("done")
        await asyncio.to_thread(host.wait, EXIT_S)
        await reading


def _start_host(files: Path) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "benchmarks.peers.memory_host", str(files))
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _binding() -> Binding:
    gate = asyncio.Event()
    gate.set()
    return Binding(task_id="t1", domain=origin_of(ORIGIN).host, gate=gate, on_person=lambda begins: None)


def _own(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise RuntimeError("pipes were asked for")
    with pipe:
        return os.dup(pipe.fileno())
