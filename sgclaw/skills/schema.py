"""The subset of JSON Schema (2020-12) that skills may use, checked without importing a validator.

A closed list: an unknown keyword is a typing mistake that would silently check nothing. There is no `$ref`, so a
schema cannot fetch, loop, or grow. Patterns are the syntax of a linear-time engine (no look-around, no back
references); nested repetition is refused as well because panels and agents evaluate the same pattern with engines that
backtrack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import cast

from pydantic_core import SchemaError, SchemaValidator, core_schema

JsonSchema = dict[str, object]

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
FORMATS = ("date", "email")
"""The formats that inputs are really checked against."""

_MAX_PATTERN = 500


def check_schema(schema: object, where: str = "") -> None:
    """Raise `ValueError` (Chinese, naming the place) unless `schema` is an object of known, well-formed keywords."""
    if not isinstance(schema, dict):
        raise ValueError(f"{where or '最外层'} 必须是对象")
    for keyword, value in cast("JsonSchema", schema).items():
        place = f"{where}/{keyword}"
        check = KEYWORDS.get(keyword)
        if check is None:
            raise ValueError(f"{place}：不支持的关键字，可用：{'、'.join(KEYWORDS)}")
        check(value, place)


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """A predicate "the text contains a match", in time linear in the text; raises `ValueError` for unusable syntax."""
    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        raise ValueError("正则表达式写法不支持（不能用环视和反向引用）") from None
    return lambda text: bool(validator.isinstance_python(text))


def _expect(ok: bool, place: str, what: str) -> None:
    if not ok:
        raise ValueError(f"{place} 必须是{what}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value)


def _any(_value: object, _place: str) -> None:
    """`default`, `const`: any JSON value."""


def _text(value: object, place: str) -> None:
    _expect(isinstance(value, str), place, "文字")


def _boolean(value: object, place: str) -> None:
    _expect(isinstance(value, bool), place, " true 或 false")


def _number(value: object, place: str) -> None:
    _expect(_is_number(value), place, "数字")


def _count(value: object, place: str) -> None:
    _expect(_is_number(value) and isinstance(value, int) and value >= 0, place, "不小于 0 的整数")


def _positive(value: object, place: str) -> None:
    _expect(_is_number(value) and cast("float", value) > 0, place, "大于 0 的数字")


def _values(value: object, place: str) -> None:
    _expect(isinstance(value, list) and len(value) > 0, place, "非空列表")


def _texts(value: object, place: str) -> None:
    _expect(_is_texts(value), place, "不重复的文字列表")


def _type(value: object, place: str) -> None:
    names = [value] if isinstance(value, str) else value
    _expect(_is_texts(names) and set(cast("list[str]", names)) <= set(TYPES), place, f"其中之一：{'、'.join(TYPES)}")


def _format(value: object, place: str) -> None:
    _expect(value in FORMATS, place, f"其中之一：{'、'.join(FORMATS)}")


def _pattern(value: object, place: str) -> None:
    _expect(isinstance(value, str) and len(value) <= _MAX_PATTERN, place, f"不超过 {_MAX_PATTERN} 字的正则表达式")
    try:
        compile_pattern(cast("str", value))
    except ValueError as error:
        raise ValueError(f"{place}：{error}") from None
    if _nests_repetition(cast("str", value)):
        raise ValueError(f"{place}：重复里不能再套重复，如 (a+)+")


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]|[*+]|\{\d*,\d*\}|\{\d+\}|.", re.DOTALL)
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")


def _nests_repetition(pattern: str) -> bool:
    """Whether an endlessly repeated group holds an endless repetition itself."""
    open_groups = [False]  # whether each open group, outermost first, holds an unbounded repetition
    closed_with_one = False
    for token in _TOKEN.findall(pattern):
        if _UNBOUNDED.fullmatch(token):
            if closed_with_one:
                return True
            open_groups[-1] = True
        closed_with_one = False
        if token == "(":
            open_groups.append(False)
        elif token == ")" and len(open_groups) > 1:
            closed_with_one = open_groups.pop()
            open_groups[-1] |= closed_with_one
    return False


def _schemas(value: object, place: str) -> None:
    _values(value, place)
    for index, part in enumerate(cast("list[object]", value)):
        check_schema(part, f"{place}/{index}")


def _properties(value: object, place: str) -> None:
    _expect(isinstance(value, dict), place, "对象")
    for name, part in cast("JsonSchema", value).items():
        check_schema(part, f"{place}/{name}")


def _boolean_or_schema(value: object, place: str) -> None:
    if not isinstance(value, bool):
        check_schema(value, place)


def _labels(value: object, place: str) -> None:
    """Words people use for the values of an enumeration: {value: word or list of words}."""
    _expect(isinstance(value, dict), place, "对象")
    for name, words in cast("JsonSchema", value).items():
        if not isinstance(words, str):
            _texts(words, f"{place}/{name}")


KEYWORDS: Mapping[str, Callable[[object, str], None]] = {
    "type": _type,
    "title": _text,
    "description": _text,
    "default": _any,
    "examples": _values,
    "enum": _values,
    "const": _any,
    "properties": _properties,
    "required": _texts,
    "additionalProperties": _boolean_or_schema,
    "items": check_schema,
    "minItems": _count,
    "maxItems": _count,
    "uniqueItems": _boolean,
    "minLength": _count,
    "maxLength": _count,
    "pattern": _pattern,
    "format": _format,
    "minimum": _number,
    "maximum": _number,
    "exclusiveMinimum": _number,
    "exclusiveMaximum": _number,
    "multipleOf": _positive,
    "anyOf": _schemas,
    "oneOf": _schemas,
    "allOf": _schemas,
    "x-ask": _text,
    "x-examples": _values,
    "x-labels": _labels,
}
