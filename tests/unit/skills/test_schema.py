import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.skills.schema import check_schema, compile_pattern

GOOD = [
    {},
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
    {"type": "array", "items": {"enum": ["xlsx", "csv"]}, "minItems": 1, "maxItems": 3, "uniqueItems": True},
    {"type": "string", "minLength": 1, "maxLength": 8, "pattern": r"^\d{4}-\d{2}$", "default": "2026-03"},
    {"type": "number", "minimum": 0.5, "exclusiveMaximum": 10, "multipleOf": 0.5, "examples": [1]},
    {"type": "string", "format": "date", "title": "日期", "description": "报表日期"},
    {"additionalProperties": {"type": "string"}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"const": None, "oneOf": [{}], "allOf": [{}], "additionalProperties": False},
]


@pytest.mark.requirement("SKILL-05")
@pytest.mark.parametrize("schema", GOOD)
def test_the_documented_keywords_are_accepted(schema: object) -> None:
    check_schema(schema)


BAD = [
    ([], "最外层"),
    ({"type": "text"}, "/type"),
    ({"type": ["string", "string"]}, "/type"),
    ({"tpye": "string"}, "/tpye"),
    ({"$ref": "#"}, "/$ref"),
    ({"$defs": {}}, "/$defs"),
    ({"properties": {"a": {"properties": {"b": {"minimum": "1"}}}}}, "/properties/a/properties/b/minimum"),
    ({"properties": []}, "/properties"),
    ({"items": [{}]}, "/items"),
    ({"anyOf": [{}, {"x": 1}]}, "/anyOf/1/x"),
    ({"anyOf": []}, "/anyOf"),
    ({"required": "a"}, "/required"),
    ({"required": ["a", "a"]}, "/required"),
    ({"enum": []}, "/enum"),
    ({"maxLength": -1}, "/maxLength"),
    ({"maxLength": True}, "/maxLength"),
    ({"multipleOf": 0}, "/multipleOf"),
    ({"uniqueItems": "yes"}, "/uniqueItems"),
    ({"description": 1}, "/description"),
    ({"format": "uri"}, "/format"),
    ({"additionalProperties": "no"}, "/additionalProperties"),
    ({"pattern": 1}, "/pattern"),
    ({"pattern": "("}, "/pattern"),
    ({"pattern": "(?=a)"}, "/pattern"),
    ({"pattern": r"(a)\1"}, "/pattern"),
    ({"pattern": "a" * 501}, "/pattern"),
]


@pytest.mark.requirement("SKILL-05")
@pytest.mark.parametrize(("schema", "place"), BAD)
def test_a_schema_that_would_check_nothing_is_refused_at_its_place(schema: object, place: str) -> None:
    with pytest.raises(ValueError, match=r"[一-龥]") as caught:
        check_schema(schema)
    assert str(caught.value).startswith(place)


@pytest.mark.requirement("SKILL-06")
@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a*)*", "((a+)b)+", r"(\w+ ){2,}", "(?:(?:ab)*)*", "([^)]+)+"])
def test_nested_repetition_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="重复"):
        check_schema({"pattern": pattern})


@pytest.mark.requirement("SKILL-06")
@pytest.mark.parametrize(
    "pattern", [r"^\d{4}-\d{2}$", "(ab)+", "[(+]+x+", "(a+b)?", "(a+){3}", r"\(a+\)+", "[]+]*(x)*"]
)
def test_plain_repetition_is_accepted(pattern: str) -> None:
    check_schema({"pattern": pattern})


@pytest.mark.requirement("SKILL-06")
def test_matching_takes_time_in_proportion_to_the_text() -> None:
    matches = compile_pattern("^(a|a|aa)*b$")
    start = time.process_time()
    assert not matches("a" * 100_000)
    assert time.process_time() - start < 1


def test_a_pattern_matches_anywhere_and_dollar_is_the_very_end() -> None:
    assert compile_pattern("b")("abc")
    assert not compile_pattern("^a$")("a\n")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda c: st.dictionaries(st.text(), c)))
def test_any_value_is_a_schema_or_a_value_error(value: object) -> None:
    with contextlib.suppress(ValueError):
        check_schema(value)


@given(st.text(max_size=40))
def test_any_text_is_a_pattern_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        check_schema({"pattern": text})
