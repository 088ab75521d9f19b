"""Lines from a descriptor, read without keeping the program from ending."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading

from browser_host_stub.output import say

_CHUNK = 64 * 1024


class Typed:
    """What a person or a program types on `fd`, a line at a time, one reader at a time.

    A daemon thread and plain `os.read`: asyncio cannot watch every kind of terminal, its own threads are waited for at
    the end, and a buffered reader would hold a lock then.
    """

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._held = b""
        self._unread: asyncio.Future[str | None] | None = None
        """A line that was asked for and is no longer awaited: it answers what was asked then, and nothing else."""

    async def next(self) -> str | None:
        """The next line without its end, None at the end of the input; bytes that are not UTF-8 stay recognisable.

        May be cancelled: the line typed after that is not taken for the answer to a later question.
        """
        if self._unread is not None and await asyncio.shield(self._unread) is not None:
            say("（上一个问题已经过期，这一行没有使用，请重新输入）")
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()
        self._unread = line
        threading.Thread(target=self._read, args=(loop, line), name="typed", daemon=True).start()
        typed = await asyncio.shield(line)
        self._unread = None
        return typed

    def _read(self, loop: asyncio.AbstractEventLoop, line: asyncio.Future[str | None]) -> None:
        pieces, end = [self._held], b"\n" in self._held
        with contextlib.suppress(OSError):  # a terminal that went away has ended
            while not end and (chunk := os.read(self._fd, _CHUNK)):
                pieces.append(chunk)
                end = b"\n" in chunk
        raw, _, self._held = b"".join(pieces).partition(b"\n")
        text = raw.decode("utf-8", "surrogateescape").rstrip("\r") if raw or end else None
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody reads any more
            loop.call_soon_threadsafe(_give, line, text)


def _give(line: asyncio.Future[str | None], text: str | None) -> None:
    if not line.done():
        line.set_result(text)
