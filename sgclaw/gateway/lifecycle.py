"""Where a task may go from where it is. A missing pair is our own bug."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sgclaw.errors import SgClawError
from sgclaw.protocol.parts import State

ENDED = frozenset({State.COMPLETED, State.FAILED, State.ABORTED, State.UNVERIFIED})

TRANSITIONS: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        State.IDLE: frozenset({State.PLANNING, State.ABORTED}),
        State.PLANNING: frozenset({State.EXECUTING, State.CONFIRMING, State.FAILED, State.ABORTED}),
        State.EXECUTING: frozenset(
            {State.WAITING, State.CONFIRMING, State.EVALUATING, State.FAILED, State.ABORTED, State.UNVERIFIED}
        ),
        State.WAITING: frozenset({State.OBSERVING, State.EXECUTING, State.CONFIRMING, State.FAILED, State.ABORTED}),
        State.OBSERVING: frozenset({State.EXECUTING, State.EVALUATING, State.FAILED, State.ABORTED}),
        State.CONFIRMING: frozenset({State.PLANNING, State.EXECUTING, State.FAILED, State.ABORTED}),
        State.EVALUATING: frozenset({State.EXECUTING, State.COMPLETED, State.FAILED, State.ABORTED, State.UNVERIFIED}),
        **{ended: frozenset() for ended in ENDED},
    }
)
"""State → legal next states (`spec/000` 2.4, plus `unverified`)."""


def step(now: State, after: State) -> State:
    """The next state; raises when the table has no such transition."""
    if after not in TRANSITIONS[now]:
        raise SgClawError("任务状态变化不合法", facts={"from": now.value, "to": after.value})
    return after
