"""Enumeration values and yes/no inputs: the words people use for them.

A value answers to its own spelling, the words its schema gives (`x-labels`, `enumNames`, `oneOf` titles,
「xlsx=表格」 in the description) and, part by part, to the lexicon's words for Latin names: approve_all needs a word
for approve and one for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sgclaw.gateway.understand.fields import Field, snake
from sgclaw.skills.lexicon import FILLERS, LATIN_LABELS
from sgclaw.skills.words import cut, fold

_ONE: Final = re.compile(r"[这那](?:一)?[条张个份笔]|单[条张个]|\ue001")
"""What says 「one」: a pointing word, or the mark that `mark_ids` leaves where an id stood."""


@dataclass(frozen=True, slots=True)
class Match:
    """A value of the enumeration and where the text says it."""

    value: object
    places: tuple[tuple[int, int], ...]


def values_of(field: Field) -> tuple[object, ...]:
    """The values of an enumeration field, in schema order."""
    listed = field.schema.get("enum")
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        return tuple(listed)
    options = field.schema.get("oneOf")
    rows = options if isinstance(options, Sequence) else ()
    return tuple(row["const"] for row in rows if isinstance(row, Mapping) and "const" in row)


def label_of(field: Field, value: object) -> str:
    """How a person is shown the value."""
    words = _schema_words(field, value) or _part_words(value)
    shown = next((word for word in words if not word.isascii()), "")
    return f"{shown}（{value}）" if shown and shown != str(value) else str(value)


def _schema_words(field: Field, value: object) -> list[str]:
    words: list[str] = []
    labels = field.schema.get("x-labels")
    given = labels.get(str(value)) if isinstance(labels, Mapping) else _by_position(field, value, labels)
    for source in (given, _by_position(field, value, field.schema.get("enumNames")), _title(field, value)):
        words.extend(_texts(source))
    described = re.escape(fold(str(value))) + r"\s*[=:(—-]+\s*([\u4e00-\u9fff]{1,10})"
    words.extend(re.findall(rf"(?<![a-z0-9_]){described}", fold(str(field.schema.get("description") or ""))))
    return [fold(word) for word in words if word]


def _texts(source: object) -> Iterator[str]:
    if isinstance(source, str):
        yield source
    elif isinstance(source, Sequence):
        yield from (item for item in source if isinstance(item, str))


def _by_position(field: Field, value: object, names: object) -> object:
    if not isinstance(names, Sequence) or isinstance(names, str):
        return None
    values = values_of(field)
    return next((name for item, name in zip(values, names, strict=False) if item == value), None)


def _title(field: Field, value: object) -> object:
    options = field.schema.get("oneOf")
    rows = options if isinstance(options, Sequence) else ()
    return next((row.get("title") for row in rows if isinstance(row, Mapping) and row.get("const") == value), None)


def _part_words(value: object) -> list[str]:
    parts = [LATIN_LABELS.get(part, ()) for part in snake(str(value)).split("_")]
    return ["".join(next((w for w in words if not w.isascii()), "") for words in parts)] if parts else []


def find_values(field: Field, text: str) -> list[Match]:
    """The values a folded text names; what a longer word of another value covers does not count (不通过 is no 通过)."""
    words = frozenset(cut(text))
    found = [match for value in values_of(field) if (match := _find(field, value, text, words))]
    places = [place for match in found for place in match.places]
    kept = [match for match in found if not any(_inside(place, other) for place in match.places for other in places)]
    return [match for match in kept if not any(set(match.places) < set(other.places) for other in kept)]


def _inside(place: tuple[int, int], other: tuple[int, int]) -> bool:
    return place != other and other[0] <= place[0] and place[1] <= other[1]


def _find(field: Field, value: object, text: str, words: frozenset[str]) -> Match | None:
    whole = _place([fold(str(value)), *_schema_words(field, value)], text, words)
    if whole:
        return Match(value, (whole,))
    parts = [part for part in snake(str(value)).split("_") if part]
    places = [
        _one(text) if part == "one" else _place([part, *LATIN_LABELS.get(part, ())], text, words) for part in parts
    ]
    found = tuple(place for place in places if place)
    return Match(value, found) if found and len(found) == len(parts) else None


def _one(text: str) -> tuple[int, int] | None:
    match = _ONE.search(text)
    return match.span() if match else None


def _place(phrases: list[str], text: str, words: frozenset[str]) -> tuple[int, int] | None:
    for phrase in sorted(set(phrases), key=lambda item: (-len(item), item)):
        # One character is a value only where it stands as a word (高, not the 高 of 提高).
        if len(phrase) == 1 and (phrase not in words or phrase in FILLERS):
            continue
        match = _pattern(phrase).search(text)
        if match:
            return match.span()
    return None


@lru_cache(maxsize=2048)
def _pattern(phrase: str) -> re.Pattern[str]:
    edge = (r"(?<![0-9a-z])", r"(?![0-9a-z])") if phrase.isascii() else ("", "")
    return re.compile(edge[0] + re.escape(phrase) + edge[1])


_YES_LEAD: Final = "是否|需要|需|要|进行|包含|包括|附带|显示|含|带|同时"


def core_of(field: Field) -> str:
    """What a yes/no input is about: 「是否包含明细」 → 明细."""
    return re.sub(rf"^(?:{_YES_LEAD})+", "", fold(field.label)).strip()


_YES: Final = "是 是的 对 对的 好 好的 要 需要 可以 行 嗯 确认 确定 没错 执行 继续 yes y ok true"
_NO: Final = "否 不 不是 不要 不用 不需要 不行 没有 算了 取消 停止 不对 都不是 no n false"
YES: Final = frozenset(_YES.split())
NO: Final = frozenset(_NO.split())
