"""What a skill asks for: each property of its params schema, read for what kind of value would fill it.

Besides JSON Schema two annotations are understood: `x-ask` (the question to put) and `x-examples` (what to offer as
examples); `x-labels` ({value: word or words}) or `enumNames` give the words people use for enumeration values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final, Literal

from sgclaw.gateway.understand.periods import Unit, When
from sgclaw.skills.schema import compile_pattern

FieldKind = Literal["enum", "boolean", "date", "time", "department", "id", "number", "text"]
Role = Literal["single", "start", "end"]
Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Field:
    """One input. `render` names the form of a date; `partial` says that form leaves out the year."""

    name: str
    schema: Schema = field(hash=False)
    required: bool
    kind: FieldKind
    label: str
    about: str
    """Name and description, folded: where cues are looked for."""
    unit: Unit | None = None
    render: str = ""
    role: Role = "single"
    forward: bool = False
    many: bool = False

    @property
    def partial(self) -> bool:
        """Whether the rendered date says nothing about its year."""
        return self.kind == "date" and "{y" not in self.render

    @property
    def has_default(self) -> bool:
        """Whether the schema fills the input when nobody does."""
        return "default" in self.schema


_RENDERS: Final[tuple[tuple[Unit, str, bool], ...]] = (
    # unit, form, whether the form alone proves that a date is meant
    (Unit.DAY, "{y:04d}-{m:02d}-{d:02d}", True),
    (Unit.DAY, "{y:04d}/{m:02d}/{d:02d}", True),
    (Unit.DAY, "{y:04d}年{m}月{d}日", True),
    (Unit.DAY, "{y:04d}{m:02d}{d:02d}", False),
    (Unit.MONTH, "{y:04d}-{m:02d}", True),
    (Unit.MONTH, "{y:04d}/{m:02d}", True),
    (Unit.MONTH, "{y:04d}.{m:02d}", True),
    (Unit.MONTH, "{y:04d}年{m}月", True),
    (Unit.MONTH, "{y:04d}年{m:02d}月", True),
    (Unit.MONTH, "{y:04d}{m:02d}", False),
    (Unit.QUARTER, "{y:04d}-Q{q}", True),
    (Unit.QUARTER, "{y:04d}Q{q}", True),
    (Unit.QUARTER, "{y:04d}年第{q}季度", True),
    (Unit.QUARTER, "Q{q}", True),
    (Unit.HALF, "{y:04d}-H{h}", True),
    (Unit.HALF, "{y:04d}H{h}", True),
    (Unit.YEAR, "{y:04d}", False),
    (Unit.MONTH, "{m:02d}", False),
    (Unit.MONTH, "{m}", False),
    (Unit.QUARTER, "{q}", False),
)
_SAMPLE: Final = When(date(2026, 11, 25), date(2026, 11, 25), Unit.DAY)
_NOT_DATES: Final = ("财务部", "A-1002", "abc", "7777777", "x")
_UNIT_CUES: Final[tuple[tuple[Unit, str, str], ...]] = (
    (Unit.QUARTER, r"季度|quarter", "{y:04d}-Q{q}"),
    (Unit.MONTH, r"月份|month|period|期间|账期|所属期|(?<!\d)月(?!\d)", "{y:04d}-{m:02d}"),
    (Unit.DAY, r"日期|date(?!_?format)|(?:^|_)day(?:$|_)|截止日|起始日|到期日", "{y:04d}-{m:02d}-{d:02d}"),
    (Unit.YEAR, r"年份|年度|year", "{y:04d}"),
)
_EXAMPLES: Final[tuple[tuple[str, Unit, str], ...]] = (
    (r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)|yyyy-mm-dd", Unit.DAY, "{y:04d}-{m:02d}-{d:02d}"),
    (r"(?<!\d)\d{4}-?q[1-4]", Unit.QUARTER, "{y:04d}-Q{q}"),
    (r"(?<!\d)\d{4}-\d{2}(?![\d-])|yyyy-mm(?!-)", Unit.MONTH, "{y:04d}-{m:02d}"),
    (r"(?<!\d)20\d{4}(?!\d)|yyyymm(?!d)", Unit.MONTH, "{y:04d}{m:02d}"),
)
_START: Final = re.compile(r"(?:^|_)(?:start|from|begin|since)(?:_|$)|开始|起始|起(?=日|月)")
_END: Final = re.compile(r"(?:^|_)(?:end|to|until|finish)(?:_|$)|结束|截止|终止|止(?=日|月)")
_FORWARD: Final = re.compile(
    r"会议|开会|预约|预订|预定|计划|安排|截止|日程|提醒|到期|meeting|schedule|deadline|due|appointment"
)
_DEPARTMENT: Final = re.compile(r"部门|科室|department|dept")
_ID: Final = re.compile(
    r"(?:^|_)(?:id|no|code)(?:$|_)|编号|单号|单据id|单据号|合同号|工号|流水号|订单号|(?<![a-z])id(?![a-z])"
)
_TIME: Final = re.compile(r"(?:^|_)time(?:$|_)|时间|时刻")


_NAMES: Final[Mapping[str, str]] = {
    "action": "操作",
    "type": "类型",
    "status": "状态",
    "level": "级别",
    "format": "格式",
    "month": "月份",
    "date": "日期",
    "department": "部门",
    "target": "目标",
    "title": "标题",
    "year": "年份",
    "quarter": "季度",
}
"""What a property without a description is called in a question."""


def render_date(form: str, when: When) -> str:
    """A date in one of the forms above."""
    day = when.first
    quarter = (day.month + 2) // 3
    return form.format(y=day.year, m=day.month, d=day.day, q=quarter, h=(quarter + 1) // 2)


def matches(pattern: object, text: str) -> bool:
    """Whether a schema's `pattern` accepts a text; one that cannot be read accepts nothing."""
    return not isinstance(pattern, str) or _compiled(pattern)(text)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Callable[[str], bool]:
    try:
        return compile_pattern(pattern)
    except ValueError:
        return lambda _text: False


def read_fields(params: Schema) -> tuple[Field, ...]:
    """The inputs of a params schema, in its order. Anything that is no object schema has none."""
    properties = params.get("properties")
    required = params.get("required")
    names = required if isinstance(required, Sequence) and not isinstance(required, str) else ()
    if not isinstance(properties, Mapping):
        return ()
    return tuple(
        _read(str(name), schema if isinstance(schema, Mapping) else {}, name in names)
        for name, schema in properties.items()
    )


def snake(name: str) -> str:
    """The name in lower case with underscores: startDate and start-date are start_date."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", name).lower()


def _read(name: str, schema: Schema, required: bool) -> Field:
    schema = _of_one_type(schema)
    many = schema.get("type") == "array"
    items = schema.get("items")
    inner: Schema = _of_one_type(items) if many and isinstance(items, Mapping) else schema
    description = str(schema.get("description") or schema.get("title") or inner.get("description") or "")
    about = f"{snake(name)} {description}".lower()
    label = re.split(r"[(（,，;；。:：]", str(schema.get("title") or description))[0].strip() or _NAMES.get(name, name)
    unit, form = _date_form(inner, about)
    kind = _kind(inner, about, snake(name), unit)
    role: Role = "single"
    if kind in {"date", "time"}:
        role = "start" if _START.search(about) else "end" if _END.search(about) else "single"
    return Field(
        name=name,
        schema=inner if many else schema,
        required=required,
        kind=kind,
        label=label,
        about=about,
        unit=unit if kind == "date" else None,
        render=form if kind == "date" else "",
        role=role,
        forward=_FORWARD.search(about) is not None,
        many=many,
    )


def _of_one_type(schema: Schema) -> Schema:
    """The schema as it is read: of several types the first that is not null."""
    kinds = schema.get("type")
    if not isinstance(kinds, list):
        return schema
    return {**schema, "type": next((kind for kind in kinds if kind != "null"), "null")}


def _kind(schema: Schema, about: str, name: str, unit: Unit | None) -> FieldKind:
    kind = schema.get("type")
    rows: tuple[tuple[bool, FieldKind], ...] = (
        (isinstance(schema.get("enum"), Sequence) or isinstance(schema.get("oneOf"), Sequence), "enum"),
        (kind == "boolean", "boolean"),
        (unit is not None, "date"),
        (kind in {"integer", "number"}, "number"),
        (schema.get("format") == "time" or matches_only(schema, "14:30"), "time"),
        (_ID.search(name) is not None, "id"),
        (_DEPARTMENT.search(about) is not None, "department"),
        (_ID.search(about) is not None, "id"),
        (_TIME.search(name) is not None, "time"),
    )
    return next((result for holds, result in rows if holds), "text")


def matches_only(schema: Schema, sample: str) -> bool:
    """Whether the schema has a pattern that accepts the sample and none of the texts that are no dates."""
    pattern = schema.get("pattern")
    return (
        isinstance(pattern, str) and matches(pattern, sample) and not any(matches(pattern, text) for text in _NOT_DATES)
    )


def _date_form(schema: Schema, about: str) -> tuple[Unit | None, str]:
    cue = next(((unit, form) for unit, words, form in _UNIT_CUES if re.search(words, about)), None)
    if schema.get("type") == "integer":
        return _integer_form(about) if cue else (None, "")
    if schema.get("type") not in {"string", None} or "enum" in schema:
        return None, ""
    if "pattern" in schema:
        return _pattern_form(schema, cue[0] if cue else None)
    if schema.get("format") == "date":
        return Unit.DAY, "{y:04d}-{m:02d}-{d:02d}"
    if cue is None:
        return None, ""
    shown = f"{about} {schema.get('default', '')} {schema.get('examples', '')} {schema.get('x-examples', '')}".lower()
    return next(((unit, form) for words, unit, form in _EXAMPLES if re.search(words, shown)), cue)


def _integer_form(about: str) -> tuple[Unit | None, str]:
    name = about.partition(" ")[0]
    rows = (
        (Unit.YEAR, r"year|年份|年度", "{y:04d}"),
        (Unit.QUARTER, "quarter|季度", "{q}"),
        (Unit.MONTH, "month|月份", "{m}"),
    )
    for text in (name, about):
        # 数量 and 期限 in months or years are amounts, not dates.
        if re.search(r"count|num|months|years|quarters|数量|个月|期限|几", text):
            return None, ""
        found = next(((unit, form) for unit, words, form in rows if re.search(words, text)), None)
        if found:
            return found
    return None, ""


def _pattern_form(schema: Schema, cue: Unit | None) -> tuple[Unit | None, str]:
    for unit, form, proves in _RENDERS:
        if matches_only(schema, render_date(form, _SAMPLE)) and (proves or unit is cue):
            return unit, form
    return None, ""
