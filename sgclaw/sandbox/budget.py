"""What one run of a script may use, and the clock that counts the script's own time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits of one whole run; what goes over one ends the run with its own reason."""

    wall_s: float = 300.0
    """The script's own time. The time inside `Browser.act` does not count: every act has its deadline at the host, and
    a person deciding about one takes as long as the approval allows."""
    cpu_ms: int = 5_000
    """Processor time of the worker after its start, loading the script included. Waiting costs none."""
    heap_bytes: int = 64 * MIB
    """The engine's heap: values, waiting promises and the jobs they queue."""
    calls: int = 500
    """Calls of `browserAction`, refused ones included."""
    outstanding: int = 100
    """Calls that wait for their answer at one time: one is carried out, the others queue. More are refused."""
    params_bytes: int = 256 * KIB
    """UTF-8 bytes of the arguments of one call as JSON. A call with more is refused."""
    timers: int = 1_000
    """Timers that are set at one time. More are refused."""
    log_bytes: int = 64 * KIB
    """UTF-8 bytes of console text; each entry counts `LOG_ENTRY_BYTES` more."""
    result_bytes: int = 1 * MIB
    """UTF-8 bytes of the returned value as JSON."""
    source_bytes: int = 1 * MIB
    inputs_bytes: int = 256 * KIB


LOG_ENTRY_BYTES: Final = 16
"""What an empty log entry counts for, so that their number is bounded too. The prelude counts alike."""


class WallClock:
    """Calls `expire` once when the script has had its seconds; counts between `resume` and `pause` only.

    Pausing leaves the timer alone, so that it costs nothing in every call: a timer that rings early is set again.
    """

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = seconds
        self._expire = expire
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.expired = False

    def resume(self) -> None:
        """Count from now on."""
        self._since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(max(0.0, self._left), self._ring)

    def pause(self) -> None:
        """Stop counting."""
        if self._since is not None:
            self._left -= self._loop.time() - self._since
            self._since = None

    def stop(self) -> None:
        """Never expire any more."""
        self.pause()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._since is None:
            return  # `resume` sets it again
        self.pause()
        if self._left > 0:
            self.resume()
            return
        self.expired = True
        self._expire()
