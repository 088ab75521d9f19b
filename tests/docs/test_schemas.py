"""The JSON Schemas accept what the code accepts and refuse what it refuses; every golden line and shipped file fits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from sgclaw.policy.labels import IRREVERSIBLE_LABELS
from sgclaw.policy.model import policy_document
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.signing import Role, open_sealed, seal
from sgclaw.skills.header import parse_header
from tests.docs.example import full_policy
from tests.docs.schemas import SCHEMAS
from tests.docs.typings import TYPINGS
from tests.gates.repository import ROOT
from tests.unit.protocol.samples import AGENT_KEY, BODIES, DOMAIN, HOST_KEY
from tests.wire.transcript import stored

JsonObject = dict[str, Any]

TEXTS = {Path(name).name: text() for name, text in SCHEMAS.items()}
PIPE = {Role.HOST: "host-to-agent.schema.json", Role.AGENT: "agent-to-host.schema.json"}
SECURITY: dict[str, JsonObject] = {"command": {"expected_domain": DOMAIN}, "response": {"n": 1, "re": "ab" * 32}}
LINES = [
    pytest.param(entry.sender, entry.body, id=f"{name}:{at}")
    for name, transcript in stored().items()
    for at, entry in enumerate(transcript.entries, 2)
    if entry.kind
]


def validator(name: str, part: str = "") -> Draft202012Validator:
    whole = json.loads(TEXTS[name])
    return Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": whole["$defs"]} if part else whole)


VALIDATORS = {role: validator(name) for role, name in PIPE.items()}


def whole(sender: Role, kind: str) -> JsonObject:
    """The sample message as it stands on a line, with its `security`."""
    body = BODIES[sender][kind]
    if kind == "init":
        return dict(body)
    key = {Role.HOST: HOST_KEY, Role.AGENT: AGENT_KEY}[sender]
    line = seal(body, SECURITY.get(kind, {"n": 1}), key)[0]
    assert open_sealed(line, key)[0] == body
    decoded: JsonObject = json.loads(line)
    return decoded


@pytest.mark.requirement("DOCS-05", "WIRE-06")
@pytest.mark.parametrize("name", TEXTS)
def test_every_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(json.loads(TEXTS[name]))


@pytest.mark.requirement("DOCS-05", "WIRE-06")
@pytest.mark.parametrize(("sender", "kind"), [(sender, kind) for sender in Role for kind in BODIES[sender]])
def test_a_message_fits_with_its_security_and_not_without_or_with_more(sender: Role, kind: str) -> None:
    line = whole(sender, kind)
    check = VALIDATORS[sender]
    check.validate(line)
    assert not check.is_valid({**line, "extra": 1})
    assert not check.is_valid({name: value for name, value in line.items() if name != "type"})
    if kind == "init":
        assert not check.is_valid({**line, "security": {"n": 1, "hmac": "ab" * 32}})
        return
    assert not check.is_valid({name: value for name, value in line.items() if name != "security"})
    assert not check.is_valid({**line, "security": {**line["security"], "confirmed": True}})
    assert not check.is_valid({**line, "security": {**line["security"], "hmac": "AB" * 32}})


@pytest.mark.requirement("WIRE-06")
@pytest.mark.parametrize(("sender", "body"), LINES)
def test_every_golden_line_fits_the_schema_of_its_direction(sender: Role, body: JsonObject) -> None:
    VALIDATORS[sender].validate(body)
    other = Role.AGENT if sender is Role.HOST else Role.HOST
    assert VALIDATORS[other].is_valid(body) is (body["type"] == "protocol_error")


@pytest.mark.requirement("WIRE-06")
@pytest.mark.parametrize("name", [name for name in stored() if name not in ("15-unknown-acts",)])
def test_every_golden_command_and_result_fits_the_schema_of_its_action(name: str) -> None:
    bodies = [entry.body for entry in stored()[name].entries if entry.kind in ("command", "response")]
    actions = {}
    for body in bodies:
        if body["type"] == "command":
            actions[body["seq"]] = body["action"]
            validator("actions.schema.json").validate({"action": body["action"], "params": body["params"]})
        elif body["success"]:
            validator("actions.schema.json", f"{actions[body['seq']]}.result").validate(body["data"])


TARGETS: tuple[JsonObject, ...] = (
    {},
    {"selector": "#a"},
    {"ref": "e1"},
    {"selector": "#a", "ref": "e1"},
    {"selector": None, "ref": "e1"},
    {"selector": ""},
)
MORE: tuple[JsonObject, ...] = (
    *({"fact": fact} for fact in ("exists", "url", "attribute", "text")),
    {"fact": "attribute", "name": "href"},
    {"fact": "count", "name": "href"},
    {"text": "x"},
    {"text": "x", "clear": "no"},
    {"url": "https://erp.example.com/"},
    {"value": "x"},
    {"timeout_ms": 300_001},
    {"key": "Enter"},
    {"x": -1},
    {},
)


@pytest.mark.requirement("DOCS-05")
@pytest.mark.parametrize("action", ACTIONS)
def test_a_schema_and_its_model_agree_on_parameters(action: str) -> None:
    check = validator("actions.schema.json", f"{action}.params")
    for params in ({**target, **more} for target in TARGETS for more in MORE):
        try:
            ACTIONS[action].params.model_validate(params, strict=True)
        except ValidationError:
            fits = False
        else:
            fits = True
        assert check.is_valid(params) is fits, params


@pytest.mark.requirement("WIRE-12")
def test_the_schema_of_actions_carries_the_rest_of_the_table() -> None:
    calls = json.loads(TEXTS["actions.schema.json"])["oneOf"]
    assert {
        call["properties"]["action"]["const"]: {key: call[key] for key in call if "x-" in key} for call in calls
    } == {
        name: {
            "x-risk": row.risk.value,
            "x-compares": row.compares.value,
            "x-changes": row.changes,
            "x-deadline-ms": row.deadline_ms,
            "x-positional": list(row.positional),
            "x-natural": row.natural,
        }
        for name, row in ACTIONS.items()
    }


@pytest.mark.requirement("WIRE-07")
def test_policies_the_registry_and_the_manifests_of_shipped_skills_fit_their_schemas() -> None:
    policy = validator("policy.schema.json")
    policy.validate(json.loads(full_policy()))
    policy.validate(json.loads(policy_document(["https://erp.example.com"])))
    assert not policy.is_valid({"version": 1, "origins": ["https://ERP.example.com"]})
    assert not policy.is_valid({"version": 1, "origins": [], "denied_actions": ["eval"]})
    assert json.dumps(IRREVERSIBLE_LABELS[0], ensure_ascii=False) not in TEXTS["policy.schema.json"]
    validator("registry.schema.json").validate(json.loads((ROOT / "registry.json").read_text(encoding="utf-8")))
    shipped = list((ROOT / "skills").rglob("*.js"))
    assert shipped
    for path in shipped:
        manifest = parse_header(path.read_text(encoding="utf-8"))
        validator("skill-manifest.schema.json").validate(json.loads(manifest.model_dump_json(exclude_none=True)))


@pytest.mark.requirement("WIRE-09")
def test_the_typings_have_both_forms_of_every_action_and_every_field() -> None:
    calls, shapes = (TYPINGS[f"docs/schema/{name}.d.ts"]() for name in ("sgclaw-skill", "sgclaw-shapes"))
    for name, row in ACTIONS.items():
        positional = re.search(rf"\(action: '{name}'((?:, (?!params:)\w+\??: [^,)]+)*)\)", calls)
        assert positional is not None
        assert tuple(re.findall(r"(\w+)\??:", positional[1])) == row.positional
        assert (f"(action: '{name}', params: " in calls) is bool(row.params.model_fields)
        assert [field for field in row.params.model_fields if f"  {field}" not in shapes] == []
        wanted = "" if row.natural else f"Promise<{name[0].upper()}{name[1:]}Result>"
        assert wanted in calls
    for text in (calls, shapes):
        assert text.count("{") == text.count("}")
        assert not re.search(
            r"\b(?:None|object at|title)\b(?!:)", re.sub(r"/\*.*?\*/|'.*?'", "", text, flags=re.DOTALL)
        )


@pytest.mark.requirement("WIRE-09")
def test_the_typings_name_nothing_the_sandbox_has_not() -> None:
    calls = TYPINGS["docs/schema/sgclaw-skill.d.ts"]()
    declared = set(re.findall(r"^declare (?:const|function) (\w+)", calls, re.MULTILINE))
    assert declared == {"browserAction", "console", "setTimeout", "setInterval", "clearTimeout", "clearInterval"}
