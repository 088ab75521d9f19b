"""One task: what was asked, where it is, and its clock, which stops while a person decides."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from sgclaw.agent.states import step
from sgclaw.protocol.messages import SubmitTask
from sgclaw.protocol.parts import State

DEFAULT_DEADLINE_S = 900
DEFAULT_MAX_STEPS = 200


@dataclass
class Task:
    """A submitted task while it is queued or runs."""

    request: SubmitTask
    source: str
    state: State = State.IDLE
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    work: asyncio.Task[None] | None = None
    cancelled_by: str | None = None
    deadline: StoppableDeadline | None = None
    steps: int = 0
    before_wait: State = State.PLANNING

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def id(self) -> str:
        return self.request.task_id

    @property
    def deadline_s(self) -> int:
        return self.request.options.deadline_s or DEFAULT_DEADLINE_S

    @property
    def max_steps(self) -> int:
        return self.request.options.max_steps or DEFAULT_MAX_STEPS

    def move(self, after: State) -> None:
        """Change state by the table."""
        self.state = step(self.state, after)

    def pause(self) -> bool:
        """No further act starts and the clock stands still; False when it is so already, or over."""
        return self._set_paused(True)

    def resume(self) -> bool:
        """Go on; False when the task was not paused."""
        return self._set_paused(False)

    def _set_paused(self, paused: bool) -> bool:
        if paused is not self.gate.is_set() or self.cancelled_by is not None:
            return False
        if paused:
            self.gate.clear()
        else:
            self.gate.set()
        if self.deadline is not None:
            self.deadline.waiting(paused)
        return True


class StoppableDeadline:
    """A deadline that does not run while a person is asked: enter `timeout` around the work.

    `TimeoutError` leaves that context when the time is up. Create it inside a running loop.
    """

    def __init__(self, seconds: float) -> None:
        self.timeout = asyncio.timeout(seconds)
        self._left = seconds
        self._waits = 0

    def waiting(self, begins: bool) -> None:
        """A wait for a person begins or ends; waits may overlap."""
        now = asyncio.get_running_loop().time()
        self._waits += 1 if begins else -1
        if begins and self._waits == 1:
            self._left = max(0.0, (self.timeout.when() or now) - now)
            self.timeout.reschedule(None)
        elif not begins and self._waits == 0:
            self.timeout.reschedule(now + self._left)
