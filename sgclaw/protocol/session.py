"""Order of a session: which message is legal when, and which numbers are next.

Everything that decides whether a well-formed, authentic line may be used now lives in this file:
- `TRANSITIONS` is the whole state machine; a missing key is the protocol error.
- Commands count `seq` 1, 2, 3 …; every other signed message counts `n` the same way, per direction.
- A repeat is refused, a gap ends the session.
- The MAC is checked before a number is consumed (`channel.py` calls in that order).
- Each outstanding `seq` takes exactly one response, before its deadline.
Times are monotonic seconds given by the caller; nothing here reads a clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from sgclaw.errors import TooManyOutstandingError, WireCode, WireError
from sgclaw.protocol.limits import MAX_OUTSTANDING
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST

MAX_REMEMBERED_EXPIRED = 256
"""How many given-up commands are told apart as late; older ones are merely refused."""


class Phase(StrEnum):
    """Where a session is, seen from either end."""

    NEW = "new"
    OPEN = "open"
    CLOSING = "closing"


_OPENING = {"init", "ready"}
_ENDING = {"shutdown", "bye"}
_WHILE_CLOSING = {"response", "approval", "task_completed", "task_state", "log_entry", "audit_head", "protocol_error"}


def _table() -> dict[tuple[Phase, str], Phase]:
    ordinary = (set(FROM_HOST) | set(FROM_AGENT)) - _OPENING - _ENDING
    return {
        (Phase.NEW, "init"): Phase.OPEN,
        (Phase.NEW, "ready"): Phase.OPEN,
        (Phase.NEW, "bye"): Phase.CLOSING,  # sgclaw cannot serve this host: its reason is in the message
        **{(Phase.OPEN, kind): Phase.OPEN for kind in ordinary},
        **{(Phase.OPEN, kind): Phase.CLOSING for kind in _ENDING},
        **{(Phase.CLOSING, kind): Phase.CLOSING for kind in _WHILE_CLOSING | _ENDING},
    }


TRANSITIONS: Mapping[tuple[Phase, str], Phase] = MappingProxyType(_table())
"""(phase of the receiving direction, message type) → next phase."""


def advance(phase: Phase, kind: str) -> Phase:
    """The phase after `kind`; raises `SECOND_INIT` (fatal) or `BAD_STATE`."""
    after = TRANSITIONS.get((phase, kind))
    if after is None:
        if kind == "init":
            raise WireError(WireCode.SECOND_INIT, "init 只能出现一次")
        raise WireError(WireCode.BAD_STATE, f"当前阶段不能收到 {kind}", facts={"phase": phase.value})
    return after


class Sequence:
    """Numbers of one kind in one direction: 1, 2, 3 and so on."""

    def __init__(self) -> None:
        self._last = 0

    @property
    def upcoming(self) -> int:
        """The next number to send; taken only when its line is really sent, so that a failed attempt leaves no gap."""
        return self._last + 1

    def take(self) -> None:
        """Use the upcoming number up."""
        self._last += 1

    def accept(self, number: int) -> None:
        """Consume a received number; raises `REPLAYED` or `SEQUENCE_GAP` (fatal)."""
        if number <= self._last:
            raise WireError(WireCode.REPLAYED, "序号已经用过", facts={"number": number, "last": self._last})
        if number > self._last + 1:
            raise WireError(WireCode.SEQUENCE_GAP, "序号不连续", facts={"number": number, "last": self._last})
        self._last = number


@dataclass(frozen=True, slots=True)
class Pending:
    """A command that waits for its response."""

    seq: int
    mac: str
    deadline: float


class Outstanding:
    """Commands in flight: one response each, in time."""

    def __init__(self) -> None:
        self._pending: dict[int, Pending] = {}
        self._expired: deque[int] = deque(maxlen=MAX_REMEMBERED_EXPIRED)
        self._highest = 0

    def __len__(self) -> int:
        return len(self._pending)

    def check_room(self) -> None:
        """Before a number is taken: raises `TOO_MANY_OUTSTANDING` when no further command may be sent."""
        if len(self._pending) >= MAX_OUTSTANDING:
            raise TooManyOutstandingError(f"未完成的操作超过 {MAX_OUTSTANDING} 个")

    def add(self, pending: Pending) -> None:
        """Register a sent command."""
        self._pending[pending.seq] = pending
        self._highest = max(self._highest, pending.seq)

    def settle(self, seq: int, answers: str, now: float) -> Pending:
        """Consume the one response of `seq`; `answers` is the MAC of the command it claims to answer.

        Raises `UNKNOWN_SEQ` (never sent), `REPLAYED` (answered before), `LATE_RESPONSE`, or `BAD_HMAC` when it answers
        another command's bytes.
        """
        pending = self._pending.get(seq)
        if seq in self._expired:
            self._expired.remove(seq)
            raise WireError(WireCode.LATE_RESPONSE, "回应超过了操作的期限", facts={"seq": seq})
        if pending is None:
            code = WireCode.REPLAYED if seq <= self._highest else WireCode.UNKNOWN_SEQ
            raise WireError(code, "没有等待这个序号的操作", facts={"seq": seq})
        if answers != pending.mac:
            raise WireError(WireCode.BAD_HMAC, "回应对应的不是已发出的操作", facts={"seq": seq})
        del self._pending[seq]
        if now > pending.deadline:
            raise WireError(WireCode.LATE_RESPONSE, "回应超过了操作的期限", facts={"seq": seq})
        return pending

    def expire(self, seq: int) -> None:
        """Give a command up: a later response to it is `LATE_RESPONSE` once, then refused like any other repeat."""
        if self._pending.pop(seq, None) is not None:
            self._expired.append(seq)

    def drop_all(self) -> tuple[int, ...]:
        """Give every command up (end of session); returns their numbers."""
        seqs = tuple(self._pending)
        self._pending.clear()
        return seqs
