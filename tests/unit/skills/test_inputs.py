import json

import pytest

from sgclaw.errors import BadInputsError
from sgclaw.skills.header import parse_header
from sgclaw.skills.inputs import check_inputs
from sgclaw.skills.manifest import Manifest
from tests.unit.skills.folder import script

REPORT = {
    "type": "object",
    "required": ["month", "format"],
    "properties": {
        "month": {"type": "string", "pattern": r"^\d{4}-\d{2}$", "description": "报表月份 (如 2026-03)"},
        "department": {"type": "string", "minLength": 2},
        "format": {"type": "string", "enum": ["xlsx", "csv"], "default": "xlsx", "title": "格式"},
        "rows": {"type": "integer", "minimum": 1, "maximum": 100},
        "from": {"type": "string", "format": "date"},
        "page": {"type": "object", "properties": {"size": {"default": 20}, "no": {"type": "integer"}}},
    },
}


def manifest(params: object) -> Manifest:
    return parse_header(script("erp-report", extra=f" * @params {json.dumps(params)}\n"))


SKILL = manifest(REPORT)


def facts_of(inputs: dict[str, object], skill: Manifest = SKILL) -> dict[str, object]:
    with pytest.raises(BadInputsError) as caught:
        check_inputs(skill, inputs)
    return caught.value.facts


@pytest.mark.requirement("SKILL-60")
def test_good_inputs_come_back_with_defaults_and_the_given_ones_stay_untouched() -> None:
    given: dict[str, object] = {"month": "2026-03", "page": {"no": 2}}
    assert check_inputs(SKILL, given) == {"month": "2026-03", "format": "xlsx", "page": {"no": 2, "size": 20}}
    assert given == {"month": "2026-03", "page": {"no": 2}}


@pytest.mark.requirement("SKILL-60")
def test_a_default_is_the_runs_own_copy() -> None:
    skill = manifest({"type": "object", "properties": {"tags": {"type": "array", "default": ["a"]}}})
    first = check_inputs(skill, {})["tags"]
    assert isinstance(first, list)
    first.append("b")
    assert check_inputs(skill, {}) == {"tags": ["a"]}


@pytest.mark.requirement("SKILL-61")
def test_missing_inputs_are_reported_apart_from_wrong_ones() -> None:
    assert facts_of({}) == {"skill": "erp-report@1.0.0", "missing": ["month"], "problems": []}
    assert facts_of({"rows": 0}) == {
        "skill": "erp-report@1.0.0",
        "missing": ["month"],
        "problems": [{"field": "rows", "rule": "minimum", "allowed": 1}],
    }


@pytest.mark.requirement("SKILL-61")
def test_the_cause_names_every_field_in_chinese_and_never_its_value() -> None:
    with pytest.raises(BadInputsError) as caught:
        check_inputs(SKILL, {"format": "pdf-secret", "rows": 101, "month": "2026-3-secret", "department": "x"})
    assert caught.value.cause == (
        "“department”至少 2 个字；“format”（格式）只能是：xlsx、csv；"
        "“month”（报表月份 (如 2026-03)）格式不对；“rows”不能大于 100"
    )
    assert "secret" not in json.dumps(caught.value.as_dict(), ensure_ascii=False)


@pytest.mark.requirement("SKILL-62")
@pytest.mark.parametrize(
    ("inputs", "field", "rule"),
    [
        ({"month": 202603}, "month", "type"),
        ({"month": "2026-03\n"}, "month", "pattern"),
        ({"month": "x2026-03"}, "month", "pattern"),
        ({"format": "pdf"}, "format", "enum"),
        ({"format": None}, "format", "type"),
        ({"rows": True}, "rows", "type"),
        ({"rows": 1.5}, "rows", "type"),
        ({"from": "2026-02-30"}, "from", "format"),
        ({"page": {"no": "1"}}, "page.no", "type"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field_and_rule(inputs: dict[str, object], field: str, rule: str) -> None:
    problems = facts_of({"month": "2026-03", **inputs})["problems"]
    assert isinstance(problems, list)
    assert (field, rule) in [(each["field"], each["rule"]) for each in problems]


@pytest.mark.requirement("SKILL-63")
def test_a_mistyped_name_does_not_become_a_default() -> None:
    with pytest.raises(BadInputsError) as caught:
        check_inputs(SKILL, {"month": "2026-03", "formt": "csv"})
    assert caught.value.facts["problems"] == [
        {"field": "formt", "rule": "additionalProperties", "allowed": list(REPORT["properties"])}
    ]
    assert caught.value.cause.startswith("“formt”不是这个技能的输入，可用的有：month、")


@pytest.mark.requirement("SKILL-63")
@pytest.mark.parametrize(
    "params", [{"type": "object"}, {"type": "object", "properties": {}, "additionalProperties": True}]
)
def test_a_skill_can_say_that_it_takes_any_input(params: object) -> None:
    assert check_inputs(manifest(params), {"anything": [1]}) == {"anything": [1]}


@pytest.mark.requirement("SKILL-63")
def test_a_skill_without_params_takes_none() -> None:
    assert check_inputs(parse_header(script("a")), {}) == {}
    with pytest.raises(BadInputsError) as caught:
        check_inputs(parse_header(script("a")), {"x": 1})
    assert caught.value.cause == "“x”不是这个技能的输入，可用的有：无"


def test_a_missing_field_inside_an_object_is_a_problem_of_that_object() -> None:
    skill = manifest({"type": "object", "properties": {"who": {"type": "object", "required": ["name"]}}})
    assert facts_of({"who": {}}, skill)["problems"] == [{"field": "who", "rule": "required", "allowed": ["name"]}]


def test_a_rule_without_words_of_its_own_still_names_the_field() -> None:
    skill = manifest({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}})
    with pytest.raises(BadInputsError) as caught:
        check_inputs(skill, {"a": 1})
    assert caught.value.cause == "“a”不符合要求"
