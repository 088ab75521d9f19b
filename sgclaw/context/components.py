"""The sections of L2 that the matrix gives a role, in the order of their marks; the recall slot; the list of L3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Final

from sgclaw.context.budgets import RECALLED
from sgclaw.context.matrix import Extra, Part, row_of
from sgclaw.context.parts import LONGEST_SUMMARY, L2Parts, Reference, TaskContext, fitting
from sgclaw.context.sections import Cut, Section
from sgclaw.context.texts import Templates
from sgclaw.context.untrusted import Untrusted, one_line
from sgclaw.redact.seen import CUT

_LINE: Final = 120
"""Characters of a title, a criterion, a line of the background."""
_ENTRY: Final = 600
"""Characters of one entry of data: an output, a hand-off, a comment."""
_RECALLED: Final = 400
"""Characters of a recalled entry: three of them fill the slot."""

_Build = Callable[[str, L2Parts, Templates], Section]


def sections_of(role: str, parts: L2Parts, texts: Templates) -> list[Section]:
    """What the matrix gives the role of these parts; what there is nothing of is left out."""
    row = row_of(role)
    wanted = [_PARTS[part] for part in _PARTS if part in row.parts]
    wanted += [_EXTRAS[extra] for extra in _EXTRAS if extra in row.extras]
    return [section for section in (build(role, parts, texts) for build in wanted) if section.entries]


# --- the numbered components ------------------------------------------------------------------------------------------


def _rules(role: str, _: L2Parts, texts: Templates) -> Section:
    return Section("①", "操作规范", (texts.rules[role],))


def _background(_: str, parts: L2Parts, __: Templates) -> Section:
    lines = tuple(f"- {one_line(line, _LINE)}" for line in parts.background)
    return Section("②", "项目背景", lines, Cut.LAST, rank=2)


def _task(_: str, parts: L2Parts, __: Templates) -> Section:
    return Section("③", "任务", tuple(_task_lines(parts.task)), Cut.LAST, rank=9)


def _task_lines(task: TaskContext) -> Iterator[str]:
    """What is cut last stands first."""
    yield f"- 状态 {one_line(task.status, 20)}，风险 {task.risk}"
    if task.rounds:
        yield f"- 第 {task.rounds[0]} 轮，最多 {task.rounds[1]} 轮"
    if task.title:
        yield f"- 标题：{one_line(task.title, _LINE)}"
    if task.criterion:
        yield f"- 成功标准：{one_line(task.criterion, _LINE)}"
    for number, must in enumerate(task.must_haves, 1):
        yield f"- 必须满足 {number}：{one_line(must, _LINE)}"
    for origin in task.origins:
        yield f"- 范围内的来源：{one_line(origin, _LINE)}"


def _upstream(_: str, parts: L2Parts, __: Templates) -> Section:
    return Section("④", "前序结果与交接（数据）", _blocks(parts.upstream), Cut.OLDEST, rank=1, data=True)


def _guardrails(_: str, __: L2Parts, texts: Templates) -> Section:
    return Section("⑤", "防护规则", (texts.guardrails,))


def _review(_: str, parts: L2Parts, texts: Templates) -> Section:
    return Section("⑥", "评审协议", (texts.review[parts.task.risk],))


# --- what stands beside them ------------------------------------------------------------------------------------------


def _checklist(role: str, _: L2Parts, texts: Templates) -> Section:
    return Section("", "检查清单", (texts.checklists[role],))


def _phases(_: str, __: L2Parts, texts: Templates) -> Section:
    return Section("", "可选阶段", ("\n".join(phase.line() for phase in texts.phases),))


def _questions(_: str, __: L2Parts, texts: Templates) -> Section:
    return Section("", "三个问题", (texts.questions,))


def _outputs(_: str, parts: L2Parts, __: Templates) -> Section:
    return Section("③", "待评审的产出（数据）", _blocks(parts.outputs), Cut.OLDEST, rank=3, data=True)


def _listed(_: str, parts: L2Parts, __: Templates) -> Section:
    return Section("", "任务列表或讨论（数据）", _blocks(parts.listed), Cut.OLDEST, rank=3, data=True)


def _step(_: str, parts: L2Parts, __: Templates) -> Section:
    return Section("", "这一个步骤与证据（数据）", _blocks(parts.step), Cut.LAST, rank=3, data=True)


_PARTS: Final[Mapping[Part, _Build]] = MappingProxyType(
    {
        Part.RULES: _rules,
        Part.BACKGROUND: _background,
        Part.TASK: _task,
        Part.UPSTREAM: _upstream,
        Part.GUARDRAILS: _guardrails,
        Part.REVIEW: _review,
    }
)
"""⑦ is not here: it stands in the recall slot."""
_EXTRAS: Final[Mapping[Extra, _Build]] = MappingProxyType(
    {
        Extra.CHECKLIST: _checklist,
        Extra.PHASES: _phases,
        Extra.QUESTIONS: _questions,
        Extra.OUTPUTS: _outputs,
        Extra.LISTED: _listed,
        Extra.STEP: _step,
    }
)


# --- the recall slot and L3 -------------------------------------------------------------------------------------------


def recall_of(role: str, parts: L2Parts) -> Section:
    """Recalled entries and experiences in turn, the best of each first, so that neither crowds the other out.

    Only roles that get ⑦ get anything here.
    """
    entries: tuple[str, ...] = ()
    if Part.EXPERIENCES in row_of(role).parts:
        nearest = sorted(parts.recalled, key=lambda each: -each.score)[:RECALLED]
        recalled = [
            Untrusted("memory", each.origin, f"{each.day or ''} {_cut(each.text, _RECALLED)}".strip())
            for each in nearest
        ]
        learnt = [
            Untrusted(
                "memory", "experience", f"{one_line(each.summary, LONGEST_SUMMARY)}（可信度 {each.confidence:.2f}）"
            )
            for each in fitting(parts.experiences, parts.task.tags)
        ]
        entries = tuple(each.block() for pair in zip_longest(recalled, learnt) for each in pair if each)
    return Section("⑦", "以往经验（数据）", entries, Cut.LAST, data=True)


def references_of(role: str, references: tuple[Reference, ...]) -> Section:
    """The list of skills for a role that may look for them, best match first."""
    lines = tuple(_reference(each) for each in references) if row_of(role).skills else ()
    return Section("", "可用技能（全文用 read_skill 读取）", lines, Cut.LAST)


def _reference(skill: Reference) -> str:
    where = f"；适用 {one_line('、'.join(skill.domains), _LINE)}" if skill.domains else ""
    return (
        f"- {one_line(skill.name, 64)}（v{one_line(skill.version, 20)}）：{one_line(skill.description, _LINE)}{where}"
    )


def _blocks(texts: tuple[Untrusted, ...]) -> tuple[str, ...]:
    return tuple(replace(each, text=_cut(each.text, _ENTRY)).block() for each in texts)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + CUT
