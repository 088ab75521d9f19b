"""Which outcome an error stands for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sgclaw.errors import ActionCode, SgClawError
from sgclaw.protocol.parts import Outcome

_BY_CODE: Mapping[str, Outcome] = MappingProxyType(
    {"CANCELLED": "aborted", "UNVERIFIED": "unverified", ActionCode.UNKNOWN_OUTCOME.value: "unverified"}
)


def outcome_of(error: SgClawError | None) -> Outcome:
    """The outcome an error stands for; None is completed."""
    return "completed" if error is None else _BY_CODE.get(error.code, "failed")
