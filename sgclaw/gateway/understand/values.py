"""Fills a skill's inputs from a reading: every value with the words it came from, every doubt with what could be meant.

A value is given only when the text says it in the grain the input needs. A quarter where a month is asked for, two
months where one fits, a deadline where a day is wanted: those are doubts with choices, never guesses. The caller
still validates the result against the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from sgclaw.gateway.routes import Understood
from sgclaw.gateway.understand.dates import find_dates
from sgclaw.gateway.understand.enums import core_of, find_values, label_of
from sgclaw.gateway.understand.fields import Field, matches, render_date
from sgclaw.gateway.understand.periods import Base, Unit, When, around, split
from sgclaw.gateway.understand.reading import Reading
from sgclaw.gateway.understand.spans import Span
from sgclaw.skills.words import fold

Place = tuple[int, int]
MOST_CHOICES = 12


@dataclass(frozen=True, slots=True)
class Doubt:
    """An input the text speaks about without settling it; `choices` are (shown, value), `within` the periods meant."""

    reason: str
    choices: tuple[tuple[str, object], ...] = ()
    within: tuple[When, ...] = ()


@dataclass(slots=True)
class Filling:
    """What a reading gives a skill. `used` are the places of the text that became a value or a doubt."""

    values: dict[str, Understood] = field(default_factory=dict)
    doubts: dict[str, Doubt] = field(default_factory=dict)
    used: list[Place] = field(default_factory=list)

    def take(self, target: Field, value: object, place: Place, reading: Reading) -> None:
        """Record a value."""
        final = [value] if target.many and not isinstance(value, list) else value
        self.values[target.name] = Understood(target.name, final, reading.said(*place), target.kind)
        self.used.append(place)

    def wonder(self, target: Field, doubt: Doubt, places: Sequence[Place]) -> None:
        """Record a doubt."""
        self.doubts[target.name] = doubt
        self.used.extend(places)


def fill(fields: Sequence[Field], reading: Reading) -> Filling:
    """Everything the reading says about these inputs."""
    filling = Filling()
    for filler in _FILLERS:
        filler(fields, reading, filling)
    return filling


def _of(fields: Sequence[Field], *kinds: str) -> list[Field]:
    return [item for item in fields if item.kind in kinds]


# --- dates ----------------------------------------------------------------------------------------------------------


def _fill_dates(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    targets = _of(fields, "date")
    for unit in sorted({target.unit for target in targets if target.unit}):
        group = [target for target in targets if target.unit is unit]
        pair = {target.role: target for target in group if target.role != "single"}
        if len(pair) == 2:
            _fill_pair(pair["start"], pair["end"], reading, filling)
        singles = [target for target in group if target.role == "single" or len(pair) < 2]
        _fill_singles(singles, targets, reading, filling)


def _dates(reading: Reading, target: Field, filling: Filling) -> list[Span]:
    spans = reading.later if target.forward else reading.spans
    return [span for span in spans if span.kind == "date" and not _touches(span, filling.used, target)]


def _touches(span: Span, used: Sequence[Place], target: Field) -> bool:
    # Year, quarter and month inputs of one skill share the words 「2026年3月」.
    return not target.partial and target.unit is not Unit.YEAR and any(s < span.end and span.start < e for s, e in used)


def _fill_pair(start: Field, end: Field, reading: Reading, filling: Filling) -> None:
    spans = _dates(reading, start, filling)
    places = [(span.start, span.end) for span in spans]
    if not spans or start.unit is None:
        return
    when = spans[0].value
    if len(spans) > 1 or not isinstance(when, When) or not when.certain or when.unit < start.unit:
        doubt = Doubt(_unclear(reading, spans), within=_meant(reading, spans, start.unit))
        filling.wonder(start, doubt, places)
        filling.wonder(end, doubt, places)
        return
    if when.edge != "before":
        filling.take(start, _rendered(start, around(when.first, start.unit)), places[0], reading)
    if when.edge != "after":
        filling.take(end, _rendered(end, around(when.last, start.unit)), places[0], reading)


def _fill_singles(group: list[Field], all_dates: list[Field], reading: Reading, filling: Filling) -> None:
    if not group:
        return
    wanted = [target for target in group if target.required] or group
    for target in group:
        spans = _fitting(_dates(reading, target, filling), target)
        places = [(span.start, span.end) for span in spans]
        if not spans:
            continue
        value = _single(spans, target, all_dates, reading) if len(wanted) == 1 else None
        if value is None:
            choices = tuple(dict.fromkeys(choice for span in spans for choice in _choices(span, target)))
            shown = choices if len(choices) <= MOST_CHOICES else ()
            within = _meant(reading, spans, target.unit or Unit.DAY)
            filling.wonder(target, Doubt(_unclear(reading, spans), shown, within), places)
        elif target in wanted:
            filling.take(target, value, places[0], reading)


def _fitting(spans: list[Span], target: Field) -> list[Span]:
    """Spans said in the input's own grain when there are any, else all."""
    exact = [span for span in spans if isinstance(span.value, When) and span.value.unit is target.unit]
    return exact or spans


def _single(spans: list[Span], target: Field, all_dates: list[Field], reading: Reading) -> object:
    when = spans[0].value
    if not isinstance(when, When) or target.unit is None or len({span.value for span in spans}) > 1:
        return None
    if not when.certain or when.edge:
        return None
    if target.many and when.unit >= target.unit and when.last.year - when.first.year < 2:
        return [_rendered(target, part) for part in split(when, target.unit)]
    finer = any(other.unit and other.unit < target.unit and other.partial for other in all_dates)
    fits = when.whole and (when.unit is target.unit or (finer and when.unit < target.unit))
    year_said = any(other.unit is Unit.YEAR for other in all_dates) or when.first.year == reading.today.year
    return _rendered(target, when) if fits and (not target.partial or year_said) else None


def _rendered(target: Field, when: When) -> object:
    text = render_date(target.render, when)
    return int(text) if target.schema.get("type") == "integer" else text


def _choices(span: Span, target: Field) -> list[tuple[str, object]]:
    when = span.value
    if not isinstance(when, When) or target.unit is None:
        return []
    if target.unit is Unit.DAY and when.unit > Unit.WEEK:
        return []
    values = [_rendered(target, part) for part in split(when, target.unit)]
    return [(str(value), value) for value in values] if len(values) <= MOST_CHOICES else []


def _meant(reading: Reading, spans: Sequence[Span], unit: Unit) -> tuple[When, ...]:
    """The periods an answer is looked for in, in whole `unit`s."""
    found: list[When] = []
    for span in spans:
        when = span.value if isinstance(span.value, When) else year_before(reading, span)
        if when is not None:
            first, last = around(when.first, unit).first, around(when.last, unit).last
            if when.edge == "before":
                first = date(first.year - (first.month == 1), 1, 1)
            elif when.edge == "after":
                last = date(last.year + (last.month == 12), 12, 31)
            found.append(When(first, last, when.unit, whole=False))
    return tuple(found)


def year_before(reading: Reading, span: Span) -> When | None:
    """The year of a date that does not exist: 去年13月 still means last year."""
    lead = re.split(r"\d{1,2}\s*[月季]", reading.text[span.start : span.end])[0]
    years = [found.when for found in find_dates(lead, Base(reading.today)) if found.when]
    return years[0] if years else None


def unused(reading: Reading, filling: Filling) -> list[Place]:
    """Values and restrictions of the text that became no input."""
    places = [*((span.start, span.end) for span in reading.spans), *reading.frame.restrictions]
    return [place for place in places if not any(s < place[1] and place[0] < e for s, e in filling.used)]


def _unclear(reading: Reading, spans: Sequence[Span]) -> str:
    said = "、".join(f"“{reading.said(span.start, span.end)}”" for span in spans)
    if any(span.kind == "date" and span.value is None for span in spans):
        return f"{said}不是有效的日期"
    return f"{said}还不能确定是哪一个"


# --- the rest -------------------------------------------------------------------------------------------------------


def _fill_spans(kind: str, span_kinds: frozenset[str]) -> Callable[[Sequence[Field], Reading, Filling], None]:
    """A filler for inputs of one kind that take whole spans: one input and one span, or a doubt."""

    def filler(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
        targets = _of(fields, kind)
        spans = [span for span in reading.spans if span.kind in span_kinds]
        places = [(span.start, span.end) for span in spans]
        values = list(dict.fromkeys(str(span.value) for span in spans))
        if not targets or not spans:
            return
        target = targets[0]
        if len(targets) == 1 and target.many:
            filling.take(target, list(values), (places[0][0], places[-1][1]), reading)
            filling.used.extend(places)
        elif len(targets) == 1 and len(values) == 1 and _accepts(target, values[0]):
            filling.take(target, values[0], places[0], reading)
        else:
            doubt = Doubt(_unclear(reading, spans), tuple((value, value) for value in values))
            for item in targets:
                filling.wonder(item, doubt, places)

    return filler


def _accepts(target: Field, value: str) -> bool:
    return target.schema.get("type") in {"string", None} and matches(target.schema.get("pattern"), value)


def _every_department(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    # 「所有部门」 is said by leaving the input out.
    if any(not target.required for target in _of(fields, "department")):
        filling.used.extend((span.start, span.end) for span in reading.spans if span.kind == "every_department")


def _fill_times(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    targets = _of(fields, "time")
    spans = [span for span in reading.spans if span.kind == "time"]
    ordered = sorted(targets, key=lambda target: target.role == "end")
    places = [(span.start, span.end) for span in spans]
    paired = len(ordered) == 2 and [target.role for target in ordered] == ["start", "end"]
    if spans and (len(ordered) == len(spans) == 1 or (paired and len(spans) <= 2)):
        for target, span, place in zip(ordered, spans, places, strict=False):
            filling.take(target, span.value, place, reading)
    elif spans:
        for target in ordered:
            choices = tuple((str(span.value), span.value) for span in spans)
            filling.wonder(target, Doubt(_unclear(reading, spans), choices), places)


def _fill_enums(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    text = _mark_ids(reading)
    for target in _of(fields, "enum"):
        found = find_values(target, text)
        places = [place for match in found for place in match.places]
        if target.many and found:
            filling.take(target, [match.value for match in found], places[0], reading)
            filling.used.extend(places)
        elif len(found) == 1:
            filling.take(target, found[0].value, places[0], reading)
            filling.used.extend(places)
        elif found:
            choices = tuple((label_of(target, match.value), match.value) for match in found)
            said = "、".join(f"“{reading.said(*place)}”" for place in places)
            filling.wonder(target, Doubt(f"{said}对应多个选项", choices), places)


def _mark_ids(reading: Reading) -> str:
    """The core with one mark where each id stood, so that an enumeration value can ask for 「one」."""
    chars = list(reading.core)
    for span in reading.spans:
        if span.kind == "id":
            chars[span.start] = "\ue001"
    return "".join(chars)


def _fill_booleans(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    for target in _of(fields, "boolean"):
        core = core_of(target)
        if len(core) < 2:
            continue
        said_no = next((place for place in reading.frame.restrictions if core in reading.text[slice(*place)]), None)
        at = reading.core.find(core)
        if said_no and at < 0:
            filling.take(target, False, said_no, reading)
        elif at >= 0 and not said_no:
            lead = re.search(r"(?:包含|包括|附带|附上|连同|需要|[含带要])?$", reading.core[:at])
            filling.take(target, True, (lead.start() if lead else at, at + len(core)), reading)


def _fill_text(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    targets = [target for target in _of(fields, "text", "id", "department") if target.name not in filling.values]
    for span in reading.spans:
        if span.kind == "labelled" and isinstance(span.value, tuple):
            label, body = span.value
            named = [target for target in targets if label in target.about] or [
                target for target in targets if label in _REMARKS and any(word in target.about for word in _REMARKS)
            ]
            if len(named) == 1:
                filling.take(named[0], body, (span.start, span.end), reading)
    quotes = [span for span in reading.spans if span.kind == "quote"]
    for span in quotes:
        open_targets = [target for target in targets if target.name not in filling.values and target.kind == "text"]
        before = reading.core[max(0, span.start - 8) : span.start]
        named = [target for target in open_targets if target.label and _label_before(target, before)]
        chosen = named if named else open_targets if len(quotes) == 1 else []
        if len(chosen) == 1 and _accepts(chosen[0], str(span.value)):
            filling.take(chosen[0], span.value, (span.start, span.end), reading)


_REMARKS: Final = ("意见", "理由", "原因", "备注", "说明")
"""Labels people use for one another."""


def _label_before(target: Field, before: str) -> bool:
    label = fold(target.label)
    return any(part in before for part in {label, label[-2:]} if len(part) > 1)


_MEASURES: Final = (
    ({"元", "块", "块钱", "人民币"}, r"金额|元|amount|threshold|阈值|价格|费用|上限|下限|price|budget"),
    ({"条", "笔", "行", "项", "个", "份", "张", "单", "次", "页", "家"}, r"条|数|top|limit|count|笔|页|size|max|num"),
    ({"天"}, r"天|日|day"),
    ({"小时"}, r"小时|hour|时长"),
    ({"分钟"}, r"分钟|minute|时长|duration"),
    ({"人", "名", "位"}, r"人"),
    ({"%"}, r"比例|率|%|百分|rate|ratio|percent"),
    ({"倍"}, r"倍"),
)


def _fill_numbers(fields: Sequence[Field], reading: Reading, filling: Filling) -> None:
    targets = _of(fields, "number")
    spans = [span for span in reading.spans if span.kind == "number"]
    for target in targets:
        fitting = [span for span in spans if _measures(span, target, len(targets))]
        whole = [span for span in fitting if isinstance(span.value, int) or target.schema.get("type") != "integer"]
        places = [(span.start, span.end) for span in fitting]
        if len(whole) == len(fitting) == 1:
            filling.take(target, whole[0].value, places[0], reading)
        elif fitting:
            choices = tuple((str(span.value), span.value) for span in whole)
            filling.wonder(target, Doubt(_unclear(reading, fitting), choices), places)


def _measures(span: Span, target: Field, targets: int) -> bool:
    if not span.unit:
        return targets == 1
    return any(span.unit in units and re.search(words, target.about) for units, words in _MEASURES)


_FILLERS: Final = (
    _fill_dates,
    _fill_times,
    _fill_spans("id", frozenset({"id"})),
    _fill_spans("department", frozenset({"department"})),
    _every_department,
    _fill_enums,
    _fill_booleans,
    _fill_text,
    _fill_numbers,
)


def required_now(fields: Sequence[Field], values: Mapping[str, object]) -> list[Field]:
    """The inputs these values make necessary: `required`, and 「approve_one/reject 时需要」 in a description."""
    chosen = {fold(str(value)) for target in fields if target.kind == "enum" and (value := values.get(target.name))}
    return [target for target in fields if target.required or _needed_with(target, chosen)]


_NEEDED: Final = re.compile(r"([a-z0-9_/、,，或 -]+?)\s*时\s*(?:需要|必填|必须|必需|必要)")


def _needed_with(target: Field, chosen: set[str]) -> bool:
    found = _NEEDED.search(target.about)
    return bool(found) and not chosen.isdisjoint(re.split(r"[/、,，或 ]+", found[1].strip()) if found else [])
