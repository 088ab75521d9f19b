"""Bytes between the host and sgclaw, with knobs for a bad line.

The host side runs on one event loop with asyncio's own pipe transports (the stub is a development tool for POSIX; the
portable end is sgclaw's).
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_LINE_FROM_AGENT

READ_CHUNK = 64 * 1024
CLOSE_SECONDS = 1.0
"""What is still to be written may take so long; then a sgclaw that does not read loses it."""


class Link:
    """Lines over one pair of streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._framer = LineFramer(MAX_LINE_FROM_AGENT)
        self._lines: Iterator[bytes] = iter(())

    async def receive(self) -> bytes | None:
        """The next whole line, or None at the end of the stream. Raises `LINE_TOO_LONG`."""
        while True:
            for line in self._lines:
                return line
            chunk = await self._reader.read(READ_CHUNK)
            if not chunk:
                return None
            self._lines = self._framer.feed(chunk)

    async def send(self, line: bytes) -> None:
        """Write one line; a peer that is gone shows as the end of `receive`."""
        if self._writer.is_closing():
            return
        try:
            self._writer.write(line)
            await self._writer.drain()
        except (BrokenPipeError, ConnectionResetError):
            self._writer.close()

    async def close(self) -> None:
        """Close the write end: sgclaw sees the end of its input, within `CLOSE_SECONDS` whether it reads or not."""
        self._writer.close()
        # A task of its own: a cancelled wait would cancel the future that every later close waits for, too.
        closed = asyncio.ensure_future(self._writer.wait_closed())
        await asyncio.wait({closed}, timeout=CLOSE_SECONDS)
        if not closed.done():
            self._writer.transport.abort()
            await asyncio.wait({closed}, timeout=CLOSE_SECONDS)
        if closed.done() and not closed.cancelled():
            closed.exception()  # marked as seen: the peer closed first


async def link_over(read_fd: int, write_fd: int) -> Link:
    """A link over two pipe descriptors, which it owns."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_fd, "rb", buffering=0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(write_fd, "wb", buffering=0)
    )
    return Link(reader, asyncio.StreamWriter(transport, protocol, None, loop))


@dataclass
class Faults:
    """What a bad pipe or a bad host does to responses; each applies to the next `times` of them.

    `delay_s` holds a response back, `lose` drops it, `duplicate` sends it twice, `corrupt` flips one bit of it, `stale`
    sends the response before it once more in its place.
    """

    times: int = 0
    delay_s: float = 0.0
    lose: bool = False
    duplicate: bool = False
    corrupt: bool = False
    stale: bool = False
    sent: deque[bytes] = field(default_factory=lambda: deque(maxlen=2))

    async def apply(self, seal: Callable[[], bytes]) -> list[bytes]:
        """The lines to send for one response. It is sealed after the delay, so that numbers leave in order."""
        faulty = self.times > 0
        self.times -= faulty
        if faulty and self.delay_s:
            await asyncio.sleep(self.delay_s)
        line = seal()
        self.sent.append(line)
        if not faulty:
            return [line]
        if self.lose:
            return []
        if self.stale:
            return [self.sent[0]]
        if self.corrupt:
            middle = len(line) // 2
            line = line[:middle] + bytes([line[middle] ^ 1]) + line[middle + 1 :]
        return [line, line] if self.duplicate else [line]
