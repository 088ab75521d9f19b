"""Carry bytes between two file descriptors and the event loop, with a thread each way.

Threads and blocking reads work on every platform (asyncio cannot watch stdin pipes on Windows). Both directions are
bounded: the reader waits when the loop does not keep up, the writer's queue refuses to grow past its cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
import threading
from collections.abc import Callable

from sgclaw.errors import HostGoneError

READ_CHUNK = 256 * 1024
MAX_UNREAD_CHUNKS = 64
MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024


_AT_ONCE = getattr(select, "PIPE_BUF", 0)


def _poll_for(write_fd: int) -> select.poll | None:
    if not hasattr(select, "poll"):
        return None
    poll = select.poll()
    poll.register(write_fd, select.POLLOUT)
    return poll


class FdCarrier:
    """Bytes over a pair of descriptors, which it owns and closes. Create it inside a running loop."""

    def __init__(self, read_fd: int, write_fd: int, *, on_eof: Callable[[], None] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._read_fd, self._write_fd = read_fd, write_fd
        self._on_eof = on_eof
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue()
        self._unread = threading.Semaphore(MAX_UNREAD_CHUNKS)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unwritten = 0
        self._room = asyncio.Event()
        self._room.set()
        self._broken = False
        self._poll = _poll_for(write_fd)
        self._writer_done = asyncio.Event()
        threading.Thread(target=self._read_loop, name="sgclaw-read", daemon=True).start()
        threading.Thread(target=self._write_loop, name="sgclaw-write", daemon=True).start()

    async def read(self) -> bytes:
        """The next chunk; empty at the end of the stream, for ever after."""
        chunk = await self._incoming.get()
        if not chunk:
            self._incoming.put_nowait(b"")
        else:
            self._unread.release()
        return chunk

    async def room(self) -> None:
        """Wait until the write queue is below its cap; raises `HOST_GONE` when the peer is gone."""
        await self._room.wait()
        if self._broken:
            raise HostGoneError("与浏览器的连接已断开")

    @property
    def has_room(self) -> bool:
        """Whether a line may be queued now."""
        return self._room.is_set() and not self._broken

    def put(self, data: bytes) -> None:
        """Queue bytes for writing, in order, without waiting; call `room` first."""
        data = self._write_at_once(data)
        if not data:
            return
        self._unwritten += len(data)
        if self._unwritten > MAX_UNWRITTEN_BYTES:
            self._room.clear()
        self._outgoing.put(data)

    def _write_at_once(self, data: bytes) -> bytes:
        """Write a short line without the detour through the thread, where that cannot wait; returns what is left.

        A pipe that polls as writable takes `PIPE_BUF` bytes without blocking (POSIX); elsewhere the thread writes all.
        """
        if self._poll is None or self._unwritten or len(data) > _AT_ONCE or not self._poll.poll(0):
            return data
        try:
            return data[os.write(self._write_fd, data) :]
        except OSError:
            self._broke()
            return b""

    async def close(self) -> None:
        """Write what is queued, then close the write end. The read end closes when its thread sees the end."""
        self._poll = None  # from here on the thread owns the descriptor
        self._outgoing.put(None)
        await self._writer_done.wait()

    def _call(self, function: Callable[..., object], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(function, *args)

    def _read_loop(self) -> None:
        try:
            while chunk := os.read(self._read_fd, READ_CHUNK):
                self._unread.acquire()
                self._call(self._incoming.put_nowait, chunk)
        except OSError:
            pass  # a broken pipe is the end of the stream
        os.close(self._read_fd)
        if self._on_eof is not None:
            self._on_eof()
        self._call(self._incoming.put_nowait, b"")

    def _write_loop(self) -> None:
        try:
            while (data := self._outgoing.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._write_fd, view) :]
                self._call(self._written, len(data))
        except OSError:
            self._call(self._broke)
        os.close(self._write_fd)
        self._call(self._writer_done.set)

    def _written(self, size: int) -> None:
        self._unwritten -= size
        if self._unwritten <= MAX_UNWRITTEN_BYTES:
            self._room.set()

    def _broke(self) -> None:
        """Nobody reads us any more: that is the end of the session, also when the peer keeps its own end open."""
        self._broken = True
        self._room.set()
        self._incoming.put_nowait(b"")
