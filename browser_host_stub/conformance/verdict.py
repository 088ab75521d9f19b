"""How a row ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UnmetError(Exception):
    """The promise is not kept; the text says in Chinese what was seen instead."""


class State(StrEnum):
    """Result of a row. A skipped one could not be judged, which is not a pass."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


STATES_TOLD = {State.PASSED: "通过", State.FAILED: "未通过", State.SKIPPED: "未判定"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a row; `why` is empty when it passed."""

    row: str
    state: State
    why: str = ""
    duration_ms: int = 0


def expect(condition: object, otherwise: str) -> None:
    """Raise `UnmetError` unless the condition holds."""
    if not condition:
        raise UnmetError(otherwise)
