"""What goes into the router and what comes out of it. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from sgclaw.gateway.understand.periods import When
from sgclaw.ports import Question


@dataclass(frozen=True, slots=True)
class Understood:
    """One input as it was understood: what the panel shows as 「month = 2026-03 ← “上个月”」.

    `how`: date, time, enum, boolean, department, id, number, text, default, given (explicit input) or answer.
    """

    field: str
    value: object
    source_text: str
    how: str


@dataclass(frozen=True, slots=True)
class RunSkill:
    """Run this skill with these inputs (plain JSON, not yet checked against the schema)."""

    name: str
    inputs: Mapping[str, object]
    understood: tuple[Understood, ...]


@dataclass(frozen=True, slots=True)
class AskInput:
    """The skill is clear, one input is not. `choices` are (shown, value); empty means free text.

    `within`: the periods the instruction spoke of; an answer means a date in one of them.
    """

    name: str
    field: str
    question: Question
    choices: tuple[tuple[str, object], ...] = ()
    understood: tuple[Understood, ...] = ()
    within: tuple[When, ...] = ()


@dataclass(frozen=True, slots=True)
class AskWhich:
    """Which skill is meant; one name is a request to confirm it."""

    names: tuple[str, ...]
    question: Question


@dataclass(frozen=True, slots=True)
class NoRoute:
    """Nothing is run. `reason` is Chinese; `suggestions` are sentences that would run the nearest skills.

    `wanted` is false when the person wants nothing done: they said not to, or took it back.
    """

    reason: str
    suggestions: tuple[str, ...] = ()
    wanted: bool = True


Route = RunSkill | AskInput | AskWhich | NoRoute


@dataclass(frozen=True, slots=True)
class Answered:
    """A question this router put, and what the person typed."""

    asked: AskInput | AskWhich
    text: str


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """Everything known about a task. `today` is the user's calendar day; explicit `inputs` win over the text."""

    instruction: str
    today: date
    skill: str | None = None
    inputs: Mapping[str, object] = field(default_factory=dict)
    answers: tuple[Answered, ...] = ()
