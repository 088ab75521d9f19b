"""How an end is named, and how an error reads when it leaves the process."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sgclaw.errors import ActionCode, SgClawError
from sgclaw.protocol.parts import Outcome, Problem, State
from sgclaw.redact import redact

ENDS: Mapping[Outcome, State] = MappingProxyType(
    {
        "completed": State.COMPLETED,
        "failed": State.FAILED,
        "aborted": State.ABORTED,
        "unverified": State.UNVERIFIED,
    }
)

_BY_CODE: Mapping[str, Outcome] = MappingProxyType(
    {"CANCELLED": "aborted", "UNVERIFIED": "unverified", ActionCode.UNKNOWN_OUTCOME.value: "unverified"}
)


def outcome_of(error: SgClawError | None) -> Outcome:
    """The outcome an error stands for; None is completed."""
    return "completed" if error is None else _BY_CODE.get(error.code, "failed")


def problem_of(error: SgClawError) -> Problem:
    """An error as the person reads it, credentials and personal numbers taken out."""
    return Problem.model_validate(redact(error.as_dict()))
