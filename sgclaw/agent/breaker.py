"""The circuit breaker: three failures in a row pause the run, one more try decides."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from sgclaw.errors import ActionCode, ActionError, SgClawError
from sgclaw.ports import Clock

OPENS_AT: Final = 3
PAUSE_S: Final = 30.0


class Position(StrEnum):
    """Where the breaker stands."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Counts failures in a row. Open: nothing is tried for 30 s; then one try closes it again, or ends the run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._opened_at = 0.0
        self.position = Position.CLOSED

    def pause(self) -> float:
        """Seconds to wait before the next try; with 0 the next one may begin, and counts."""
        if self.position is not Position.OPEN:
            return 0.0
        left = self._opened_at + PAUSE_S - self._clock.monotonic()
        if left > 0:
            return left
        self.position = Position.HALF_OPEN
        return 0.0

    def succeeded(self) -> None:
        """A try worked."""
        self._failures, self.position = 0, Position.CLOSED

    def failed(self, error: SgClawError) -> None:
        """A try failed; raises `ACTION_FAILED` that names the last cause when it was the one that decides."""
        self._failures += 1
        if self.position is Position.HALF_OPEN:
            raise ActionError(
                ActionCode.ACTION_FAILED,
                f"连续 {self._failures} 次操作失败，任务已停止。最后一次：{error.cause}",
                next_step=error.next_step,
                facts={"reason": "breaker", "because": error.code, "failures": self._failures},
            )
        if self._failures >= OPENS_AT:
            self.position, self._opened_at = Position.OPEN, self._clock.monotonic()
