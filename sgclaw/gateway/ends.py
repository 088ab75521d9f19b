"""What a task ended with, as the person must hear it: one question for every end, whatever brought it about.

Is a changing act open, or its effect unknown? Then nobody knows what the task did, and to run it again may do it twice.
So this outranks success, failure, a limit, a bug of ours and the end of the session. The one exception keeps its name:
a person who stops a task is told `aborted` (docs/protocol.md), with the act named all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from sgclaw.errors import ACTION_NEXT_STEPS, ActionCode, ActionError, CancelledTaskError, SgClawError
from sgclaw.gateway.task import Task
from sgclaw.gateway.watched import Doubt

BY_SESSION, BY_HOST, BY_USER = "session", "host", "user"
"""Who stopped a task: the end of its session, the browser's orderly `shutdown`, or a person."""

_CAUSES: Mapping[str, str] = MappingProxyType(
    {BY_SESSION: "会话已结束，任务已停止", BY_HOST: "浏览器结束了会话，任务已停止"}
)
_NOT_ASKED_FOR: Final = "如仍需要，请重新提交任务"


def stopped(task: Task) -> CancelledTaskError:
    """The error of a task that was stopped."""
    by = task.cancelled_by or BY_SESSION
    next_step = _NOT_ASKED_FOR if by in _CAUSES else None
    return CancelledTaskError(_CAUSES.get(by, "任务已停止"), next_step=next_step, facts={"by": by})


def end_of(error: SgClawError | None, doubts: Sequence[Doubt]) -> SgClawError | None:
    """The error a task is reported with, from the one it ended with (None: it completed) and what is in doubt."""
    return _unknown(error, doubts) if doubts else error


def _unknown(error: SgClawError | None, doubts: Sequence[Doubt]) -> SgClawError:
    answered = next((doubt.error for doubt in doubts if doubt.error is not None), None)
    by_person = isinstance(error, CancelledTaskError) and error.facts.get("by") == BY_USER
    told = error if by_person else answered or error
    cause = told.cause if told else "技能已经返回"
    unnamed = [f"“{doubt.what}”" for doubt in doubts if doubt.what not in cause]
    if unnamed:
        cause = f"{cause}；不知道{'、'.join(unnamed)}是否已经生效"
    facts = {**(told.facts if told else {}), "acts": [doubt.what for doubt in doubts]}
    next_step = ACTION_NEXT_STEPS[ActionCode.UNKNOWN_OUTCOME]
    if by_person:
        return CancelledTaskError(cause, next_step=next_step, facts=facts)
    if error is not None and error.code != ActionCode.UNKNOWN_OUTCOME:
        facts.setdefault("because", error.code)
    return ActionError(ActionCode.UNKNOWN_OUTCOME, cause, next_step=next_step, facts=facts)
