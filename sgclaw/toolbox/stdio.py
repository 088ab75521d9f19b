"""A server as a child process: an empty folder, nearly no environment, a group of its own, and an end in time.

The transport of the `mcp` package is not used: it hands on half of the environment, holds lines of any length, and
takes up to six seconds to end a server.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest, jsonrpc_message_adapter

from sgclaw.errors import WireError
from sgclaw.protocol.framing import LineFramer
from sgclaw.toolbox.bounds import LINE_BYTES, UNREAD_BYTES, Meter
from sgclaw.toolbox.reasons import Reason

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

GUARD: Final = Path(__file__).with_name("guard.py")
GRACE_SECONDS: Final = 0.3
"""For a server to end by itself when its standard input closes; then it is killed."""
_REAP_SECONDS: Final = 0.5
_CHUNK: Final = 1 << 16
_TAIL: Final = 2_000
_GROUPS: Final = sys.platform != "win32"


class _Pipes(SubprocessStreamProtocol):
    """The three pipes, and a sign of the exit that does not wait for whoever else holds them open."""

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        self.exited.set()
        super().process_exited()


@dataclass(slots=True)
class Child:
    """A started server. `said` is the end of what it wrote on standard error."""

    transport: asyncio.SubprocessTransport
    pipes: _Pipes
    said: bytes = b""

    @property
    def pid(self) -> int:
        return self.transport.get_pid()


@asynccontextmanager
async def open_stdio(
    command: tuple[str, ...], inherited: Mapping[str, str], meter: Meter
) -> AsyncIterator[tuple[Streams, Child]]:
    """Start the command and speak lines of JSON with it; it has ended when the block ends.

    Raises `OSError` when it cannot be started.
    """
    program = shutil.which(command[0], path=inherited.get("PATH", ""))
    if program is None:
        raise FileNotFoundError(command[0])
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="sgclaw-mcp-")
    try:
        child = await _start((program, *command[1:]), folder, inherited)
        try:
            async with _carried(child, meter) as streams:
                yield streams, child
        finally:
            await _to_the_end(child)
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # what a server leaves there is its own affair


def environment(folder: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """All that a server finds in its environment."""
    homes = ("HOME", "TMPDIR") if _GROUPS else ("USERPROFILE", "TEMP", "TMP")
    return {**inherited, **dict.fromkeys(homes, folder), "LANG": "C.UTF-8"}


async def _start(command: tuple[str, ...], folder: str, inherited: Mapping[str, str]) -> Child:
    guard = (sys.executable, "-I", "-S", str(GUARD), str(os.getpid())) if sys.platform == "linux" else ()
    transport, pipes = await asyncio.get_running_loop().subprocess_exec(
        _Pipes,
        *guard,
        *command,
        cwd=folder,
        env=environment(folder, inherited),
        start_new_session=_GROUPS,
    )
    return Child(transport, pipes)


# --- carrying messages ----------------------------------------------------------------------------------------------


@asynccontextmanager
async def _carried(child: Child, meter: Meter) -> AsyncIterator[Streams]:
    """Carry messages between the child's pipes and a pair of streams until the block ends."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    carriers = [
        asyncio.create_task(_read(child, incoming, meter)),
        asyncio.create_task(_write(child, outgoing, meter)),
        asyncio.create_task(_drain(child, meter)),
    ]
    try:
        yield read, write
    finally:
        for carrier in carriers:
            carrier.cancel()
        ends = await asyncio.gather(*carriers, return_exceptions=True)
        for stream in (incoming, read, write, outgoing):
            stream.close()
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _read(child: Child, incoming: MemoryObjectSendStream[SessionMessage | Exception], meter: Meter) -> None:
    framer, stdout = LineFramer(LINE_BYTES), child.pipes.stdout
    async with incoming:
        try:
            while stdout is not None and (chunk := await stdout.read(_CHUNK)):
                if not meter.took(len(chunk)):
                    return
                for line in framer.feed(chunk):
                    if not await _deliver(line, incoming, meter):
                        return
        except WireError:
            meter.end(Reason.TOO_MUCH)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            return  # the session or the process has ended
        finally:
            meter.end()


async def _deliver(line: bytes, incoming: MemoryObjectSendStream[SessionMessage | Exception], meter: Meter) -> bool:
    """Hand on one line; what is no message is dropped and counted. False when it was one too many."""
    if not line.strip():
        return meter.strayed()
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return meter.strayed()
    if not meter.heard():
        return False
    await incoming.send(SessionMessage(message))
    return True


async def _write(child: Child, outgoing: MemoryObjectReceiveStream[SessionMessage], meter: Meter) -> None:
    """Never waits for the child: a server that does not read cannot hold up whoever speaks to it."""
    pipe = child.transport.get_pipe_transport(0)
    async with outgoing:
        async for item in outgoing:
            if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
                meter.end()
                return
            if isinstance(item.message, JSONRPCRequest):
                meter.begin()
            pipe.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            if pipe.get_write_buffer_size() > UNREAD_BYTES:
                meter.end(Reason.BAD_MESSAGE)
                return


async def _drain(child: Child, meter: Meter) -> None:
    """Read standard error away and keep its end."""
    stderr = child.pipes.stderr
    while stderr is not None and (chunk := await stderr.read(_CHUNK)):
        child.said = (child.said + chunk)[-_TAIL:]
        if not meter.took(len(chunk)):
            return


# --- the end --------------------------------------------------------------------------------------------------------


async def _to_the_end(child: Child) -> None:
    """End the child whatever cancels come meanwhile: it takes less than a second."""
    ending = asyncio.ensure_future(_end(child))
    while not ending.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(ending)
    ending.result()


async def _end(child: Child) -> None:
    stdin = child.transport.get_pipe_transport(0)
    if stdin is not None:
        stdin.close()
    await _exited(child, GRACE_SECONDS)
    _kill(child)  # whatever the server started may live on in its group
    await _exited(child, _REAP_SECONDS)
    child.transport.close()


async def _exited(child: Child, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await child.pipes.exited.wait()


def _kill(child: Child) -> None:
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            child.transport.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
