"""One worker process and its three pipes, seen from the parent.

The pipes are made here, not by asyncio, which would give the child a socket as its standard input.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import Final, cast

from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.limits import OWN_SESSION, confine, kill_group

WORKER: Final = Path(__file__).with_name("worker.py")
_HELD_MOST: Final = 1 << 16
_STDERR_TAIL: Final = 4_000


class _Output(asyncio.Protocol):
    """Holds what came in until it is taken; holds the sender back when that is much.

    Less than a `StreamReader` does: it stands in the path of every call.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._ended = False
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.ReadTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._held += data
        if self._transport is not None and len(self._held) > _HELD_MOST:
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._wake()

    def has_ended(self) -> bool:
        """Whether the other end is closed."""
        pipe = self._transport.get_extra_info("pipe") if self._transport is not None else None
        if self._ended or pipe is None or sys.platform == "win32":
            return self._ended
        asked = select.poll()
        asked.register(pipe, select.POLLHUP)
        return bool(asked.poll(0))

    async def take(self) -> bytes:
        """What is held, or the next that comes; nothing at the end."""
        if not self._held and not self._ended:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        taken = bytes(self._held)
        self._held.clear()
        if self._transport is not None and not self._ended:
            self._transport.resume_reading()
        return taken

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Worker:
    """A started process. Exactly one owner, who must `destroy` it."""

    def __init__(
        self,
        process: Process,
        stdin: asyncio.WriteTransport,
        stdout: tuple[_Output, asyncio.ReadTransport],
        stderr: FileIO,
    ) -> None:
        self._process = process
        self._stdin = stdin
        self._output, self._stdout = stdout
        self._stderr = stderr
        self._closed = False
        self._unconfine: Callable[[], None] | None = None
        self.returncode = 0
        """The exit status, once destroyed; negative for a signal."""
        self.said = ""
        """What it left on standard error, once destroyed: a Python traceback or nothing."""
        self.pid: Final = process.pid

    @property
    def alive(self) -> bool:
        """False once the process has ended."""
        return self._process.returncode is None

    @property
    def is_fresh(self) -> bool:
        """Whether the process can be expected to take a job: it lives, and its output has not ended.

        Asks the pipe itself: of a process that was killed a moment ago, the event loop need not have heard yet.
        """
        return self.alive and not self._output.has_ended()

    @property
    def has_unread(self) -> bool:
        """Whether the worker has not taken all that was sent."""
        return self._stdin.get_write_buffer_size() > 0

    def start_job(self, job: bytes, budgets: Budgets) -> None:
        """Confine the process and send what it is to run. Raises `OSError` when the system refuses the limits."""
        self._unconfine = confine(self.pid, budgets)
        self.send(job)

    def send(self, line: bytes) -> None:
        """Queue one line (without its newline); what a dead worker does not take is dropped."""
        if not self._stdin.is_closing():
            self._stdin.write(line + b"\n")

    async def read(self) -> bytes:
        """Some bytes of standard output; none when it has ended. Unread bytes hold the worker back, not our memory."""
        return await self._output.take()

    def kill(self) -> None:
        """End the process and its group at once; `read` then comes to its end."""
        if self.alive:
            kill_group(self.pid)

    async def destroy(self) -> None:
        """Kill, wait for the death, close the pipes. Doing it again does nothing.

        A cancel that comes meanwhile is not heard: a killed process is gone in milliseconds, and a result that is
        known by now must not be lost to it.
        """
        ending = asyncio.ensure_future(self._end())
        while not ending.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(ending)
        ending.result()

    async def _end(self) -> None:
        self.kill()
        try:
            self.returncode = await self._process.wait()
        finally:
            if not self._stdin.is_closing():
                self._stdin.abort()
            self._stdout.close()
            if not self._closed:
                self._closed = True
                self.said = _take_rest(self._stderr)
                if self._unconfine is not None:
                    self._unconfine()


async def start_worker(engine: Path, program: Path = WORKER) -> Worker:
    """Start a worker with the engine in the folder `engine`. Raises `OSError` when the system refuses."""
    with ExitStack() as ours, ExitStack() as theirs:
        in_child, stdin_file = _pipe(theirs, ours)
        stdout_file, out_child = _pipe(ours, theirs)
        err_parent, err_child = _pipe(ours, theirs)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", str(program), str(engine),
            stdin=in_child, stdout=out_child, stderr=err_child, env={}, cwd="/", start_new_session=OWN_SESSION,
        )  # fmt: skip
        theirs.close()
        try:
            loop = asyncio.get_running_loop()
            stdout, output = await loop.connect_read_pipe(_Output, stdout_file)
            stdin, _ = await loop.connect_write_pipe(asyncio.Protocol, stdin_file)
        except BaseException:
            kill_group(process.pid)
            await process.wait()
            raise
        ours.pop_all()  # the transports and the worker close them from here on
        return Worker(process, stdin, (output, stdout), err_parent)


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[FileIO, FileIO]:
    """Both ends of a new pipe; each is closed with its stack. One at a time: the next may be one too many."""
    read, write = os.pipe()
    return reader.enter_context(FileIO(read, "rb")), writer.enter_context(FileIO(write, "wb"))


def _take_rest(stderr: FileIO) -> str:
    with stderr:
        os.set_blocking(stderr.fileno(), False)
        return (stderr.read(_STDERR_TAIL) or b"").decode("utf-8", "replace")
