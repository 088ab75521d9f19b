"""Checks a run's inputs against the skill's parameter schema and fills in defaults.

The validator is imported on first use: it costs more than everything else a start needs from this room.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from sgclaw.errors import BadInputsError
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.schema import FORMATS, JsonSchema, compile_pattern

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def check_inputs(manifest: Manifest, inputs: Mapping[str, object]) -> dict[str, object]:
    """The inputs as the skill will get them: checked, with defaults filled in; `inputs` itself is left alone.

    Inputs the schema does not name are refused unless it says `additionalProperties` or names none at all: a mistyped
    name must not quietly become a default. Raises `BadInputsError` whose facts are `skill`, `missing` (names of the
    required inputs that were not given, in the schema's order) and `problems` ({field, rule, allowed}); given values
    are never quoted.
    """
    schema = _closed(manifest.params)
    filled = cast("dict[str, object]", _with_defaults(schema, copy.deepcopy(dict(inputs))))
    missing = [name for name in cast("list[str]", schema.get("required", [])) if name not in filled]
    problems = [
        _problem(error)
        for error in sorted(
            _validator_class()(schema).iter_errors(cast("Any", filled)), key=lambda error: error.json_path
        )
        if not (error.validator == "required" and not error.path)
    ]
    if not missing and not problems:
        return filled
    sentences = [f"缺少{_title(schema, name)}" for name in missing]
    sentences += [f"{_title(schema, str(item['field']))}{item['reason']}" for item in problems]
    raise BadInputsError(
        "；".join(sentences),
        facts={
            "skill": manifest.ref,
            "missing": missing,
            "problems": [{key: item[key] for key in ("field", "rule", "allowed")} for item in problems],
        },
    )


def _closed(schema: JsonSchema) -> JsonSchema:
    if "properties" not in schema or "additionalProperties" in schema:
        return schema
    return {**schema, "additionalProperties": False}


def _with_defaults(schema: object, value: object) -> object:
    """Fill in the defaults of missing properties, inside given objects too."""
    if not isinstance(schema, dict) or not isinstance(value, dict):
        return value
    for name, part in cast("dict[str, JsonSchema]", schema.get("properties", {})).items():
        if name not in value and "default" in part:
            value[name] = copy.deepcopy(part["default"])
        elif name in value:
            value[name] = _with_defaults(part, value[name])
    return value


# --- the validator --------------------------------------------------------------------------------------------------


@cache
def _validator_class() -> Callable[[JsonSchema], Validator]:
    """JSON Schema 2020-12 with patterns in linear time and the formats the manifest allows."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - see the module's docstring
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415

    def pattern(_validator: Validator, wanted: str, value: object, _schema: object) -> Iterator[ValidationError]:
        if isinstance(value, str) and not compile_pattern(wanted)(value):
            yield ValidationError("no match")

    checked = extend(Draft202012Validator, {"pattern": pattern})  # type: ignore[no-untyped-call]  # it has no types
    formats = FormatChecker(formats=FORMATS)
    return lambda schema: checked(schema, format_checker=formats)


# --- words ----------------------------------------------------------------------------------------------------------

_TYPE_WORDS: Mapping[str, str] = {
    "string": "文字",
    "integer": "整数",
    "number": "数字",
    "boolean": "是或否（true / false）",
    "array": "列表",
    "object": "对象",
    "null": "空",
}
_FORMAT_WORDS: Mapping[str, str] = {"date": "日期，如 2026-03-31", "email": "邮箱地址"}


def _listed(values: object) -> str:
    return "、".join(str(value) for value in cast("list[object]", values))


def _types(wanted: object) -> str:
    names = [wanted] if isinstance(wanted, str) else cast("list[str]", wanted)
    return "或".join(_TYPE_WORDS[name] for name in names)


_REASONS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda wanted: f"应为{_types(wanted)}",
    "enum": lambda wanted: f"只能是：{_listed(wanted)}",
    "const": lambda wanted: f"只能是：{wanted}",
    "pattern": lambda _wanted: "格式不对",
    "format": lambda wanted: f"应为{_FORMAT_WORDS[wanted]}",
    "minimum": lambda wanted: f"不能小于 {wanted}",
    "maximum": lambda wanted: f"不能大于 {wanted}",
    "exclusiveMinimum": lambda wanted: f"必须大于 {wanted}",
    "exclusiveMaximum": lambda wanted: f"必须小于 {wanted}",
    "multipleOf": lambda wanted: f"必须是 {wanted} 的倍数",
    "minLength": lambda wanted: f"至少 {wanted} 个字",
    "maxLength": lambda wanted: f"最多 {wanted} 个字",
    "minItems": lambda wanted: f"至少 {wanted} 项",
    "maxItems": lambda wanted: f"最多 {wanted} 项",
    "uniqueItems": lambda _wanted: "不能有重复的项",
    "required": lambda _wanted: "缺少必填的内容",
    "additionalProperties": lambda names: f"不是这个技能的输入，可用的有：{_listed(names) or '无'}",
}


def _problem(error: ValidationError) -> dict[str, object]:
    rule = str(error.validator)
    allowed: object = error.validator_value
    path = [str(part) for part in error.absolute_path]
    if rule == "additionalProperties" and isinstance(error.instance, dict):
        known = cast("JsonSchema", cast("JsonSchema", error.schema).get("properties", {}))
        path.append("、".join(str(name)[:64] for name in error.instance if name not in known))
        allowed = list(known)
    explain = _REASONS.get(rule)
    reason = "不符合要求" if explain is None else explain(allowed)
    return {"field": ".".join(path), "rule": rule, "allowed": allowed, "reason": reason}


def _title(schema: JsonSchema, field: str) -> str:
    """The input's name with what the schema calls it."""
    part = cast("dict[str, JsonSchema]", schema.get("properties", {})).get(field.partition(".")[0], {})
    title = part.get("title") or part.get("description")
    return f"“{field}”（{title}）" if title else f"“{field}”"
