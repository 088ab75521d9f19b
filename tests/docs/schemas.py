"""The JSON Schemas under `docs/schema/`, from the models. What a model checks in code is added here, and tested."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from sgclaw.policy.model import PolicyDocument
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import ACTIONS, ActionSpec
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Command, Init, Message, Response
from sgclaw.protocol.params import OptionalTarget, Query, Target
from sgclaw.protocol.signing import Role
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.registry import Registry, SkillEntry

JsonObject = dict[str, Any]

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
FROM: Final[Mapping[Role, Mapping[str, type[Message]]]] = {Role.HOST: FROM_HOST, Role.AGENT: FROM_AGENT}
_MAC: Final[JsonObject] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_NUMBER: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}

_DIRECTIONS: Final = {Role.HOST: "host → sgclaw", Role.AGENT: "sgclaw → host"}
_SECURITY: Final[Mapping[type[Message], JsonObject]] = {
    Command: {"expected_domain": {"type": "string", "maxLength": 253, "description": "A host that the policy lists."}},
    Response: {
        "n": {**_NUMBER, "description": "Number of the line."},
        "re": {**_MAC, "description": "MAC of the command it answers."},
    },
}
_PLAIN_SECURITY: Final[JsonObject] = {"n": {**_NUMBER, "description": "Number of the line."}}

_POLICY_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "version": "Version of this format.",
        "origins": "Exact origins that may be acted on.",
        "denied_actions": "Actions nobody may use.",
        "irreversible_labels": "Words that make an act irreversible; absent: the list of the protocol page.",
        "grants": "Standing approvals.",
    },
    "Grant": {
        "skill": "Name of the skill.",
        "action": "The action.",
        "origin": "A listed origin.",
    },
}
_ORIGIN: Final = r"^https?://[a-z0-9.-]+(:[1-9][0-9]{0,4})?$"


def schema_of(model: type[BaseModel]) -> tuple[JsonObject, JsonObject]:
    """One model's schema, and the schemas of the objects inside it by name."""
    schema = _bare(model.model_json_schema(ref_template="#/$defs/{model}"))
    inner: JsonObject = schema.pop("$defs", {})
    if issubclass(model, OptionalTarget):
        schema |= _target_rules(model)
    return schema, inner


def message_schema(model: type[Message], sender: Role) -> tuple[JsonObject, JsonObject]:
    """A whole line: the message with its `security` member."""
    schema, inner = schema_of(model)
    required = ["type", *schema.get("required", ())]
    if model is not Init:
        members = {**_SECURITY.get(model, _PLAIN_SECURITY), "hmac": {**_MAC, "description": f"By the {sender} key."}}
        schema["properties"] = {**schema["properties"], "security": _closed(members)}
        required.append("security")
    return {**schema, "required": required}, inner


def _bare(schema: Any, *, names: bool = False) -> Any:
    """Without the titles that pydantic makes up; `names` inside `properties`, where a key is a field."""
    if isinstance(schema, dict):
        return {
            key: _bare(value, names=key in ("properties", "$defs") and not names)
            for key, value in schema.items()
            if names or key != "title"
        }
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema


def _closed(members: JsonObject) -> JsonObject:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _given(name: str) -> JsonObject:
    """The optional field `name` is there and not null."""
    return {"properties": {name: {"type": "string"}}, "required": [name]}


def _target_rules(model: type[OptionalTarget]) -> JsonObject:
    """What the models' validators say about `selector`, `ref` and the fact of a query."""
    either = {"oneOf": [_given("selector"), _given("ref")]}
    if issubclass(model, Target):
        return either
    rules: list[JsonObject] = [{"not": {"allOf": [_given("selector"), _given("ref")]}}]
    if issubclass(model, Query):
        of_page = {"properties": {"fact": {"enum": ["url", "title"]}}}
        attribute = {"properties": {"fact": {"const": "attribute"}}}
        without_target = {"not": {"anyOf": [_given("selector"), _given("ref")]}}
        rules += [
            {"if": of_page, "then": without_target, "else": either},
            {"if": attribute, "then": _given("name"), "else": {"not": _given("name")}},
        ]
    return {"allOf": rules}


def models() -> Iterator[type[BaseModel]]:
    """Every model a line can hold."""
    yield from (*FROM_HOST.values(), *FROM_AGENT.values())
    for row in ACTIONS.values():
        yield from (row.params, row.result)


def objects() -> JsonObject:
    """The objects that messages and results are made of, by name."""
    found: JsonObject = {}
    for model in models():
        found |= schema_of(model)[1]
    return dict(sorted(found.items()))


def _file(name: str, title: str, description: str, body: JsonObject) -> str:
    head = {"$schema": DRAFT, "$id": f"urn:sgclaw:{name}:1", "title": title, "description": f"{description} Generated."}
    return json.dumps({**head, **body}, ensure_ascii=False, indent=1) + "\n"


def _direction(sender: Role) -> str:
    found: JsonObject = {}
    definitions: JsonObject = {}
    for kind, model in FROM[sender].items():
        definitions[kind], inner = message_schema(model, sender)
        found |= inner
    body = {
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in definitions],
        "$defs": {**definitions, **dict(sorted(found.items()))},
    }
    name = f"pipe-{sender}"
    return _file(name, f"{PROTOCOL}: {_DIRECTIONS[sender]}", "One line of this direction, decoded.", body)


def _actions() -> str:
    definitions: JsonObject = {}
    found: JsonObject = {}
    for name, row in ACTIONS.items():
        for part, model in (("params", row.params), ("result", row.result)):
            definitions[f"{name}.{part}"], inner = schema_of(model)
            found |= inner
    calls = [
        {
            "type": "object",
            "properties": {"action": {"const": name}, "params": {"$ref": f"#/$defs/{name}.params"}},
            "required": ["action", "params"],
            **_annotations(row),
        }
        for name, row in ACTIONS.items()
    ]
    body = {"oneOf": calls, "$defs": {**definitions, **dict(sorted(found.items()))}}
    text = (
        "An action with its parameters; `$defs` holds the parameters and the result of each. The rest of its row is in "
        "`x-risk`, `x-compares`, `x-changes`, `x-deadline-ms` (with `timeout_ms` the command asks for more), "
        "`x-positional` and `x-natural`, as in the action table of the protocol page."
    )
    return _file("actions", f"{PROTOCOL}: actions", text, body)


def _annotations(row: ActionSpec) -> JsonObject:
    """What a host must know of an action beside its shapes; no validator looks at it."""
    return {
        "x-risk": row.risk.value,
        "x-compares": row.compares.value,
        "x-changes": row.changes,
        "x-deadline-ms": row.deadline_ms,
        "x-positional": list(row.positional),
        "x-natural": row.natural,
    }


def _policy() -> str:
    schema, inner = schema_of(PolicyDocument)
    grant = inner.pop(next(iter(inner)))
    for owner, texts in ((schema, _POLICY_TEXTS[""]), (grant, _POLICY_TEXTS["Grant"])):
        for field, text in texts.items():
            owner["properties"][field]["description"] = text
    schema["properties"]["irreversible_labels"].pop("default")
    known = {"type": "string", "enum": list(ACTIONS)}
    origin = {"type": "string", "pattern": _ORIGIN}
    schema["properties"]["origins"]["items"] = origin
    schema["properties"]["denied_actions"]["items"] = known
    schema["properties"]["grants"]["items"] = {"$ref": "#/$defs/Grant"}
    grant["properties"]["action"] |= known
    grant["properties"]["origin"] |= origin
    return _file("policy", "Access policy", "What `init.policy` holds as text.", {**schema, "$defs": {"Grant": grant}})


def _registry() -> str:
    schema, inner = schema_of(Registry)
    entry, more = schema_of(SkillEntry)
    schema["properties"]["skills"]["items"] = {"$ref": "#/$defs/SkillEntry"}
    body = {**schema, "$defs": {"SkillEntry": entry, **inner, **more}}
    return _file("registry", "Skill registry", "`registry.json`; the signatures are checked beside it.", body)


def _manifest() -> str:
    schema, inner = schema_of(Manifest)
    text = "What the header of a skill says, as data. `params` and `output` are JSON Schemas themselves."
    return _file("skill-manifest", "Skill manifest", text, {**schema, "$defs": inner})


SCHEMAS: Final[Mapping[str, Callable[[], str]]] = {
    "docs/schema/host-to-agent.schema.json": partial(_direction, Role.HOST),
    "docs/schema/agent-to-host.schema.json": partial(_direction, Role.AGENT),
    "docs/schema/actions.schema.json": _actions,
    "docs/schema/policy.schema.json": _policy,
    "docs/schema/registry.schema.json": _registry,
    "docs/schema/skill-manifest.schema.json": _manifest,
}
"""Path in the repository → text."""
