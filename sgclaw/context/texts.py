"""The texts of the layers, read once from the files in `templates/` and checked as they are read.

Templates say what a role can do and must not do, never a sequence of steps; each fact stands in one file only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args

from sgclaw.context.matrix import MATRIX, Extra, Part
from sgclaw.errors import ConfigError

FOLDER: Final = Path(__file__).parent / "templates"
UNDELETABLE: Final = frozenset({"final_review", "risk_control"})
"""Phases that every plan has, whatever else is chosen."""

Risk = Literal["low", "standard", "high"]
RISKS: Final[tuple[Risk, ...]] = get_args(Risk)


@dataclass(frozen=True, slots=True)
class Phase:
    """A component that a plan is put together from."""

    id: str
    title: str
    when: str
    removable: bool

    def line(self) -> str:
        """As a planner reads it."""
        return f"- {self.id} {self.title}：{self.when}{'' if self.removable else '（不可删除）'}"


@dataclass(frozen=True, slots=True)
class Templates:
    """All texts, by role or risk where there are several. `identity` has the placeholder `{trace_id}`."""

    iron_rules: str
    identity: str
    board: str
    roles: Mapping[str, str]
    rules: Mapping[str, str]
    guardrails: str
    review: Mapping[Risk, str]
    checklists: Mapping[str, str]
    questions: str
    phases: tuple[Phase, ...]


@lru_cache(maxsize=1)
def templates() -> Templates:
    """The templates that are shipped."""
    return load_templates(FOLDER)


def load_templates(folder: Path) -> Templates:
    """Read the templates of a folder; raises `BAD_CONFIG` naming the file that is missing, empty or breaks a rule."""

    def text(name: str) -> str:
        try:
            content = (folder / name).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise _problem(name, f"读不到（{type(error).__name__}）") from None
        if not content:
            raise _problem(name, "是空的")
        return content

    def each(names: list[str], pattern: str) -> Mapping[str, str]:
        return MappingProxyType({name: text(pattern.format(name)) for name in names})

    protocol = text("l2/review/protocol.md")
    return Templates(
        iron_rules=text("l0.md"),
        identity=_with_trace(text("l1/identity.md")),
        board=text("l1/board.md"),
        roles=each(list(MATRIX), "l1/roles/{}.md"),
        rules=each([role for role, row in MATRIX.items() if Part.RULES in row.parts], "l2/rules/{}.md"),
        guardrails=text("l2/guardrails.md"),
        review=MappingProxyType({risk: f"{protocol}\n{text(f'l2/review/{risk}.md')}" for risk in RISKS}),
        checklists=each([role for role, row in MATRIX.items() if Extra.CHECKLIST in row.extras], "l2/checklist/{}.md"),
        questions=text("l2/questions.md"),
        phases=_phases(text("l2/phases.json")),
    )


def missing_phases(chosen: frozenset[str]) -> tuple[str, ...]:
    """The phases that a plan of these lacks although nobody may leave them out."""
    return tuple(sorted(UNDELETABLE - chosen))


def _with_trace(text: str) -> str:
    if "{trace_id}" not in text:
        raise _problem("l1/identity.md", "没有 {trace_id}")
    return text


def _phases(text: str) -> tuple[Phase, ...]:
    name = "l2/phases.json"
    try:
        phases = tuple(Phase(**row) for row in json.loads(text))
    except (ValueError, TypeError) as error:
        raise _problem(name, f"格式不对（{type(error).__name__}）") from None
    kept = {phase.id for phase in phases if phase.removable is False}
    lost = sorted(UNDELETABLE - kept)
    if lost:
        raise _problem(name, f"缺少不可删除的阶段 {'、'.join(lost)}")
    if len({phase.id for phase in phases}) < len(phases):
        raise _problem(name, "有重复的阶段")
    return phases


def _problem(name: str, what: str) -> ConfigError:
    return ConfigError(
        f"提示词模板 {name} {what}", next_step="请重新安装 sgclaw，或还原该文件", facts={"template": name}
    )
