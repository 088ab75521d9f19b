"""One host process under test: started, read, and ended within bounds.

Every line it sends is checked completely (bytes, MAC, number, shape, phase); one that fails is kept as a fault and
settles the command it claims to answer, so that nobody waits for what will not come.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from browser_host_stub.conformance.verdict import UnmetError
from sgclaw.errors import WireError
from sgclaw.protocol.channel import Channel, Received
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from sgclaw.protocol.messages import Message, Response

T = TypeVar("T")
M = TypeVar("M", bound=Message)
_CHUNK = 256 * 1024
_END_S = 5.0


@dataclass
class Seen:
    """What the host has sent so far."""

    first: bytes | None = None
    received: list[Received] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    """Lines after the first one, as they came."""
    faults: list[tuple[WireError, bytes]] = field(default_factory=list)
    ended: bool = False
    """It closed its end."""


class Peer:
    """The process and its pipes. `watch` is given every good line as it comes."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path, watch: Callable[[Received], None]) -> None:
        self._process, self.log, self._watch = process, log, watch
        self.seen = Seen()
        self.channel: Channel | None = None
        """Set once the key is known; lines are checked from then on."""
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, words: Sequence[str], log: Path, watch: Callable[[Received], None]) -> Peer:
        """Start the host's command; its stderr goes to `log`. Raises `UnmetError` when it cannot be started."""
        with log.open("ab") as stderr:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise UnmetError(f"被测浏览器端无法启动：{error.strerror}") from None
        return cls(process, log, watch)

    @property
    def alive(self) -> bool:
        """Whether it still runs and its end of the pipe is open."""
        return self._process.returncode is None and not self.seen.ended

    async def _read(self) -> None:
        if self._process.stdout is None:
            raise RuntimeError("pipes were asked for")
        framer = LineFramer(MAX_LINE_FROM_HOST)
        try:
            while chunk := await self._process.stdout.read(_CHUNK):
                for line in framer.feed(chunk):
                    self._take(line)
                self._news.set()
        except WireError as error:
            self.seen.faults.append((error, b""))
        finally:
            self.seen.ended = True
            self._news.set()

    def _take(self, line: bytes) -> None:
        if self.seen.first is None:
            self.seen.first = line
            return
        self.seen.raw.append(line)
        if self.channel is None:
            return
        try:
            received = self.channel.receive(line)
        except WireError as error:
            self.seen.faults.append((error, line))
        else:
            self.seen.received.append(received)
            self._watch(received)

    def write(self, line: bytes) -> None:
        """Send bytes as they are; a host that is gone shows where something is awaited."""
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(line)

    def hang_up(self) -> None:
        """Close our end, as a killed sgclaw does."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def wait(self, pick: Callable[[], T | None], seconds: float, what: str) -> T:
        """What `pick` finds, as soon as it does. Raises `UnmetError` after `seconds` or when nothing more can come."""
        try:
            async with asyncio.timeout(seconds):
                while (found := pick()) is None:
                    if self.seen.ended:
                        raise UnmetError(f"浏览器端关闭了管道，没有等到{what}{self._last_fault()}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise UnmetError(f"{seconds:g} 秒内没有等到{what}{self._last_fault()}") from None
        return found

    def _last_fault(self) -> str:
        return f"（最近一行不合规：{self.seen.faults[-1][0].code}）" if self.seen.faults else ""

    async def closed(self, seconds: float) -> bool:
        """Whether the host closes its end within that time."""
        with contextlib.suppress(UnmetError):
            await self.wait(lambda: True if self.seen.ended else None, seconds, "")
        return self.seen.ended

    def all_of(self, kind: type[M], since: int = 0) -> list[M]:
        """The messages of one kind, from the line with that index on."""
        return [item.message for item in self.seen.received[since:] if isinstance(item.message, kind)]

    def response_to(self, seq: int) -> tuple[Received, Response] | None:
        """The good response to a command, if it has come."""
        for item in reversed(self.seen.received):
            if isinstance(item.message, Response) and item.message.seq == seq:
                return item, item.message
        return None

    async def end(self) -> None:
        """Close the pipe; a process that does not end by itself is killed with all it started."""
        self.hang_up()
        try:
            async with asyncio.timeout(_END_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
            self._reading.cancel()
            await asyncio.wait({self._reading})
