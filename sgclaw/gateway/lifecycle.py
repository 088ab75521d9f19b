"""Where a task may go from where it is. A missing pair is our own bug."""

from __future__ import annotations

from collections.abc import Mapping
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
