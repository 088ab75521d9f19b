"""Who is told what: the matrix of roles, components of L2 and their extras. A new role is a row and its templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from sgclaw.errors import UsageProblemError


class Part(StrEnum):
    """A component of L2, by its mark in the design."""

    RULES = "①"
    BACKGROUND = "②"
    TASK = "③"
    UPSTREAM = "④"
    GUARDRAILS = "⑤"
    REVIEW = "⑥"
    EXPERIENCES = "⑦"


class Extra(StrEnum):
    """What a role gets beside the numbered components."""

    CHECKLIST = "checklist"
    PHASES = "phases"
    QUESTIONS = "questions"
    OUTPUTS = "outputs"
    """What is under review: data of the task, which only its judges read."""
    LISTED = "listed"
    """The open tasks, or the thread."""
    STEP = "step"
    """The one step and its evidence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One role. `runs`: something in sgclaw starts it; the others are rendered by `sgclaw prompt show` only."""

    title: str
    parts: frozenset[Part]
    extras: frozenset[Extra] = frozenset()
    board: bool = True
    """Works on the task board, and is told how it works."""
    skills: bool = False
    """Gets the list of skills (L3)."""
    runs: bool = False


_JUDGE: Final = frozenset({Part.RULES, Part.BACKGROUND, Part.TASK, Part.REVIEW})
_PLAN: Final = frozenset({Part.RULES, Part.BACKGROUND, Part.TASK})
_TALK: Final = frozenset({Part.BACKGROUND, Part.TASK})
_MEND: Final = frozenset({Part.RULES, Part.TASK})
_CHECK: Final = frozenset({Extra.CHECKLIST, Extra.OUTPUTS})
_ASK: Final = frozenset({Extra.QUESTIONS, Extra.OUTPUTS})

MATRIX: Final[Mapping[str, Row]] = MappingProxyType(
    {
        "executor": Row("执行者", frozenset(Part) - {Part.REVIEW}, skills=True, runs=True),
        "reviewer": Row("评审者", _JUDGE | {Part.EXPERIENCES}, _CHECK, runs=True),
        "quality_review": Row("质量评审者", _JUDGE | {Part.EXPERIENCES}, _CHECK),
        "planner": Row("规划者", _PLAN, frozenset({Extra.PHASES}), skills=True, runs=True),
        "delegate": Row("委派者", _PLAN, frozenset({Extra.PHASES})),
        "goal_review": Row("目标评审者", _JUDGE, _ASK, runs=True),
        "claim": Row("认领者", _TALK, frozenset({Extra.LISTED})),
        "mention": Row("被提及者", _TALK, frozenset({Extra.LISTED})),
        "discussion": Row("讨论者", _TALK, frozenset({Extra.LISTED})),
        "healer": Row("修复者", _MEND, frozenset({Extra.STEP}), board=False, runs=True),
        "evolver": Row("改进者", _MEND, frozenset({Extra.STEP}), board=False, runs=True),
    }
)


def row_of(role: str) -> Row:
    """The row of a role; an unknown one raises a usage error that lists those there are."""
    row = MATRIX.get(role)
    if row is None:
        known = "、".join(f"{name}（{each.title}）" for name, each in MATRIX.items())
        raise UsageProblemError(
            f"没有角色 {role[:64]}", next_step=f"请从这些角色中选一个：{known}", facts={"known": list(MATRIX)}
        )
    return row
