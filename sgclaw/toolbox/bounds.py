"""What one server may send us for one request, and the sign that it is over with it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from sgclaw.toolbox.reasons import Reason

LINE_BYTES: Final = 4 << 20
"""Of one message."""
REQUEST_BYTES: Final = 16 << 20
"""Of everything between two of our requests, standard error included."""
REQUEST_MESSAGES: Final = 2_000
STRAY_LINES: Final = 20
"""Lines on standard output that are no message: some programs greet there."""
UNREAD_BYTES: Final = 1 << 20
"""What we send and a server does not read."""
MAX_TOOLS: Final = 256
MAX_PAGES: Final = 16


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: from starting a server to the end of its handshake, the same again for its list of tools; for a call."""

    start: float = 10
    call: float = 60


class Meter:
    """Counts what a server sends. `over` is set when its connection has to end, `fault` says why if it is to blame."""

    def __init__(self) -> None:
        self.over: Final = asyncio.Event()
        self.fault: Reason | None = None
        self._bytes = self._messages = self._strays = 0

    def begin(self) -> None:
        """A new request of ours begins."""
        self._bytes = self._messages = 0

    def took(self, count: int) -> bool:
        """Count bytes; False when that was too much."""
        self._bytes += count
        return self._within(self._bytes <= REQUEST_BYTES, Reason.TOO_MUCH)

    def heard(self, count: int = 1) -> bool:
        """Count messages; False when that was too many."""
        self._messages += count
        return self._within(self._messages <= REQUEST_MESSAGES, Reason.TOO_MUCH)

    def strayed(self) -> bool:
        """Count a line that is no message; False when that was one too many."""
        self._strays += 1
        return self._within(self._strays <= STRAY_LINES, Reason.BAD_MESSAGE)

    def end(self, fault: Reason | None = None) -> None:
        """End the connection. The first fault counts."""
        self.fault = self.fault or fault
        self.over.set()

    def _within(self, kept: bool, fault: Reason) -> bool:
        if not kept:
            self.end(fault)
        return kept
