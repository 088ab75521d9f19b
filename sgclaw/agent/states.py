"""Where a task may go from where it is, and the agent's place in it. A missing pair is our own bug."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sgclaw.errors import SgClawError
from sgclaw.protocol.parts import State

ENDED = frozenset({State.COMPLETED, State.FAILED, State.ABORTED, State.UNVERIFIED})

_CUT_SHORT = frozenset({State.FAILED, State.ABORTED, State.UNVERIFIED})
"""A task can end like this from wherever it is; only an evaluated one completes."""

TRANSITIONS: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        State.IDLE: _CUT_SHORT | {State.PLANNING},
        State.PLANNING: _CUT_SHORT | {State.EXECUTING, State.CONFIRMING},
        State.EXECUTING: _CUT_SHORT | {State.WAITING, State.CONFIRMING, State.EVALUATING},
        State.WAITING: _CUT_SHORT | {State.OBSERVING, State.EXECUTING, State.CONFIRMING},
        State.OBSERVING: _CUT_SHORT | {State.EXECUTING, State.EVALUATING},
        State.CONFIRMING: _CUT_SHORT | {State.PLANNING, State.EXECUTING},
        State.EVALUATING: _CUT_SHORT | {State.EXECUTING, State.COMPLETED},
        **{ended: frozenset() for ended in ENDED},
    }
)
"""State → legal next states (`spec/000` 2.4, plus `unverified`)."""


def step(now: State, after: State) -> State:
    """The next state; raises when the table has no such transition."""
    if after not in TRANSITIONS[now]:
        raise SgClawError("任务状态变化不合法", facts={"from": now.value, "to": after.value})
    return after


class Machine:
    """One run's place in the table; `told` hears every change."""

    def __init__(self, told: Callable[[State], None] = lambda _: None) -> None:
        self._told = told
        self._before_person = State.EXECUTING
        self._people = 0
        self.state = State.IDLE

    def move(self, *way: State) -> None:
        """Go through these states in order; each step must be in the table."""
        for after in way:
            self.state = step(self.state, after)
            self._told(after)

    def settle(self, after: State) -> None:
        """`move`, unless this is where it is."""
        if self.state is not after:
            self.move(after)

    def person(self, begins: bool) -> None:
        """A wait for a person begins or ends; waits may overlap, and after the last the run is where it was."""
        self._people += 1 if begins else -1
        if begins and self._people == 1:
            self._before_person = self.state
            self.move(State.CONFIRMING)
        elif not begins and self._people == 0 and self.state is State.CONFIRMING:
            self.move(*_BACK.get(self._before_person, (State.EXECUTING,)))


_BACK: Mapping[State, tuple[State, ...]] = MappingProxyType(
    {State.PLANNING: (State.PLANNING,), State.WAITING: (State.EXECUTING, State.WAITING)}
)
"""The way back from a person, by where the question came up."""
