"""The values that L2 and the recall slot are put together from. Who makes them decides nothing about who sees them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Final

from sgclaw.context.budgets import CONFIDENCE, EXPERIENCES, HAND_OFF
from sgclaw.context.texts import Risk
from sgclaw.context.untrusted import Untrusted
from sgclaw.errors import BadInputsError

LONGEST_SUMMARY: Final = 200
"""Characters of an experience that are shown."""


@dataclass(frozen=True, slots=True)
class TaskContext:
    """③ What is to be done. `instruction` is the person's own words; the rest is plain text of the board or policy.

    `origins` is the scope fixed before any page was read. `rounds` is the round and the last one allowed.
    """

    instruction: str
    title: str = ""
    criterion: str = ""
    must_haves: tuple[str, ...] = ()
    status: str = "working"
    risk: Risk = "standard"
    origins: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    rounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class HandOff:
    """What one task tells the next: decisions, trade-offs, problems, advice. Raises `BAD_INPUTS` for another length."""

    task_id: str
    text: str

    def __post_init__(self) -> None:
        least, most = HAND_OFF
        length = len(self.text.strip())
        if not least <= length <= most:
            raise BadInputsError(
                f"交接说明有 {length} 字，应为 {least}～{most} 字",
                next_step="请补充决定、问题和建议" if length < least else "请只保留决定、取舍、问题和建议",
                facts={"length": length, "least": least, "most": most},
            )

    def untrusted(self) -> Untrusted:
        """As data for the next task: a model wrote it after reading pages."""
        return Untrusted("note", self.task_id, self.text)


@dataclass(frozen=True, slots=True)
class Experience:
    """What was learnt from earlier tasks; `confidence` is between 0 and 1."""

    id: str
    summary: str
    confidence: float
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Recalled:
    """An entry of long-term memory; `score` is the retrieval's own, higher is nearer."""

    text: str
    origin: str
    score: float
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A skill as it is listed in L3, best match first."""

    name: str
    version: str
    description: str
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class L2Parts:
    """Everything a role could be told about a task; the matrix decides what of it a role is told.

    `background` is the operator's own text. Sequences of data are oldest first: the oldest is cut first.
    """

    task: TaskContext
    background: tuple[str, ...] = ()
    upstream: tuple[Untrusted, ...] = ()
    outputs: tuple[Untrusted, ...] = ()
    listed: tuple[Untrusted, ...] = ()
    step: tuple[Untrusted, ...] = ()
    experiences: tuple[Experience, ...] = ()
    recalled: tuple[Recalled, ...] = ()


def fitting(experiences: Collection[Experience], tags: frozenset[str]) -> list[Experience]:
    """The surest experiences that share a tag with the task, at most `EXPERIENCES`, in an order that never varies."""
    found = [each for each in experiences if each.confidence > CONFIDENCE and each.tags & tags]
    return sorted(found, key=lambda each: (-each.confidence, each.id))[:EXPERIENCES]
