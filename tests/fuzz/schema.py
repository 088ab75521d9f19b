"""Schemas of skill inputs: accepted ones can be checked against, others raise ValueError; patterns cost linear time."""

from __future__ import annotations

import json

from sgclaw.errors import BadInputsError, BadManifestError, WireError
from sgclaw.protocol.strict import decode
from sgclaw.skills.header import parse_header
from sgclaw.skills.inputs import check_inputs
from sgclaw.skills.schema import check_schema
from tests.unit.skills.folder import script


def one_input(data: bytes) -> None:
    """One JSON object `{"schema": …, "inputs": …}`."""
    try:
        value = decode(data)
    except WireError:
        return
    schema, inputs = value.get("schema"), value.get("inputs")
    try:
        check_schema(schema)
    except ValueError:
        return
    _check(schema, inputs if isinstance(inputs, dict) else {})


def _check(schema: object, inputs: dict[str, object]) -> None:
    written = json.dumps(schema, ensure_ascii=False)
    try:
        manifest = parse_header(script("a", extra=f" * @params {written}\n"))
    except BadManifestError:
        return  # not an object at the top, or text that ends the comment
    try:
        check_inputs(manifest, inputs)
    except BadInputsError as error:
        assert error.cause


def seeds() -> list[bytes]:
    """Every keyword, with inputs that fit and some that do not."""
    month = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$", "x-ask": "哪个月？", "default": "2026-03"}
    rows = {"type": "array", "items": {"type": "number", "multipleOf": 0.5, "minimum": 0}, "uniqueItems": True}
    schema = {"type": "object", "properties": {"m": month, "r": rows}, "required": ["m"], "additionalProperties": False}
    other = {"type": "object", "properties": {"d": {"format": "date"}, "e": {"anyOf": [{"enum": [1]}, {"const": 2}]}}}
    cases: list[object] = [
        {"schema": schema, "inputs": {"m": "2026-03", "r": [1, 1.5]}},
        {"schema": schema, "inputs": {"m": "x", "z": 1, "r": [1, 1, -1]}},
        {"schema": other, "inputs": {"d": "2026-02-30", "e": 3}},
        {"schema": {"type": "object", "properties": {"a": {"pattern": "(a+)+"}}}, "inputs": {}},
        {"schema": {"type": "array"}, "inputs": {}},
    ]
    return [json.dumps(case, ensure_ascii=False).encode() for case in cases]
