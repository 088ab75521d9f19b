"""Puts the router's questions into Chinese and understands which skill an answer picks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.gateway.report import followed_by
from sgclaw.gateway.routes import AskInput, AskWhich, Understood
from sgclaw.gateway.understand.enums import NO, YES, label_of, values_of
from sgclaw.gateway.understand.fields import Field, FieldKind
from sgclaw.gateway.understand.periods import Unit
from sgclaw.gateway.understand.values import Doubt
from sgclaw.ports import Question
from sgclaw.skills.lexicon import VERB_GROUPS
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.numbers import ordinal
from sgclaw.skills.words import clean, cut, fold

NONE_OF_THEM = "都不是"
YES_CHOICE, NO_CHOICE = "是", "不是"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The person took the task back."""


_UNIT_QUESTIONS: Final[Mapping[Unit, tuple[str, str]]] = {
    Unit.MONTH: ("哪个月", "2026-03、本月、上月"),
    Unit.QUARTER: ("哪个季度", "2026年第一季度、本季度、上季度"),
    Unit.HALF: ("哪个半年", "今年上半年、去年下半年"),
    Unit.YEAR: ("哪一年", "2026年、今年、去年"),
    Unit.DAY: ("哪一天", "2026-03-05、今天、上周五"),
}
_KIND_EXAMPLES: Final[Mapping[FieldKind, str]] = {
    "department": "财务部、人力资源部",
    "id": "A-1002、2024-0315",
    "number": "10、三百、1.5万",
    "time": "14:30、下午3点",
}
BACK_OUT: Final = frozenset(("取消", "算了", "不做了", "不用了", "停止", "退出", "不执行", "别做了", "cancel"))


def title_of(manifest: Manifest) -> str:
    """What a person calls the skill: its first trigger, else the start of its description."""
    if manifest.triggers:
        return manifest.triggers[0]
    return manifest.description.split("。")[0].split("\n")[0][:30]


def ask_input(manifest: Manifest, field: Field, doubt: Doubt | None, understood: Sequence[Understood]) -> AskInput:
    """The question for one input, with choices where there are few answers."""
    choices = doubt.choices if doubt and doubt.choices else _choices(field)
    lead = f"{doubt.reason}，" if doubt else ""
    text = lead + _question(manifest, field, offered=bool(choices))
    question = Question(text, tuple(c for c, _ in choices))
    within = doubt.within if doubt else ()
    return AskInput(manifest.name, field.name, question, choices, tuple(understood), within)


def plan_of(manifest: Manifest, fields: Sequence[Field], values: Mapping[str, object], doubts: Collection[str]) -> str:
    """What would run: 「将导出：2026-03，全部部门，xlsx」; "" for a skill that takes no inputs."""
    parts = [part for field in fields if (part := _planned(field, values, doubts))]
    words = cut(fold(title_of(manifest)))
    verb = words[0] if words and words[0] in VERB_GROUPS else "执行"
    return f"将{verb}：{'，'.join(parts)}" if parts else ""


def _planned(field: Field, values: Mapping[str, object], doubts: Collection[str]) -> str:
    if field.name in values or (field.has_default and field.name not in doubts):
        value = values.get(field.name, field.schema.get("default"))
        if field.kind == "boolean":
            return f"{field.label}：{YES_CHOICE if value else NO_CHOICE}"
        items = value if isinstance(value, list) else [value]
        return "、".join(str(item)[:40] for item in items)
    if field.required or field.name in doubts:
        return f"{field.label}待确认"
    return "全部部门" if field.kind == "department" else ""


def ask_which(manifests: Sequence[Manifest], reason: str = "", plan: str = "") -> AskWhich:
    """Which of several skills, or with one: whether it is this one, and what a yes would run (`plan`)."""
    lead = f"{reason}，" if reason else ""
    if len(manifests) == 1:
        text = f"{lead}您是要执行「{title_of(manifests[0])}」（{manifests[0].name}）吗？{plan}"
        return AskWhich((manifests[0].name,), Question(text, (YES_CHOICE, NO_CHOICE)))
    shown = tuple(f"{title_of(manifest)}（{manifest.name}）" for manifest in manifests)
    return AskWhich(
        tuple(manifest.name for manifest in manifests),
        Question(f"{lead}您要执行哪一个？", (*shown, NONE_OF_THEM)),
    )


def _choices(field: Field) -> tuple[tuple[str, object], ...]:
    if field.kind == "enum":
        return tuple((label_of(field, value), value) for value in values_of(field))
    return ((YES_CHOICE, True), (NO_CHOICE, False)) if field.kind == "boolean" else ()


def _question(manifest: Manifest, field: Field, *, offered: bool) -> str:
    asked = field.schema.get("x-ask")
    examples = _examples(field)
    tail = f"例如：{examples}" if examples and not offered else ""
    if isinstance(asked, str) and asked.strip():
        return asked if "例如" in asked else followed_by(asked, tail)
    if field.kind == "date" and field.unit in _UNIT_QUESTIONS and field.role == "single":
        return _date_question(manifest, field) + tail
    verb = "请选择" if offered else "请提供"
    return f"{verb}「{title_of(manifest)}」的{field.label}" + (f"，{tail}" if tail else "")


def _date_question(manifest: Manifest, field: Field) -> str:
    which = _UNIT_QUESTIONS[field.unit or Unit.DAY][0]
    words = cut(fold(title_of(manifest)))
    if len(words) > 1 and words[0] in VERB_GROUPS:
        return f"要{words[0]}{which}的{title_of(manifest)[len(words[0]) :].strip()}？"
    return f"「{title_of(manifest)}」要处理{which}的？"


def _examples(field: Field) -> str:
    given = field.schema.get("x-examples") or field.schema.get("examples")
    if isinstance(given, Sequence) and not isinstance(given, str):
        return "、".join(str(item) for item in given)
    if isinstance(given, str):
        return given
    if field.unit is not None and field.unit in _UNIT_QUESTIONS:
        return _UNIT_QUESTIONS[field.unit][1]
    return _KIND_EXAMPLES.get(field.kind, "")


# --- answers --------------------------------------------------------------------------------------------------------


def read_choice(asked: AskWhich, text: str) -> str | Cancelled | None:
    """The skill an answer picks; None when the answer cannot be understood."""
    said = plain(text)
    if said in {NONE_OF_THEM, NO_CHOICE} or said in NO or said in BACK_OUT:
        return Cancelled()
    if len(asked.names) == 1 and said in YES:
        return asked.names[0]
    number = ordinal(said)
    if number is not None and 1 <= number <= len(asked.names):
        return asked.names[number - 1]
    shown = asked.question.choices if len(asked.names) > 1 else ()
    found = [
        name
        for name, label in zip(asked.names, shown or asked.names, strict=False)
        if said and _means(said, name, label)
    ]
    return found[0] if len(found) == 1 else None


def _means(said: str, name: str, label: str) -> bool:
    return said in {name, fold(label)} or (len(said) > 1 and said in fold(label))


def plain(text: str) -> str:
    """An answer folded, without what stands around it."""
    return fold(clean(text)).strip().strip("。.!,“”\"' ")
