"""JSON Schemas of every message, parameter and result, from the models."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST

JsonObject = dict[str, Any]


def models() -> Iterator[tuple[str, type[BaseModel]]]:
    """Name in the schema file → model."""
    for sender, messages in (("host", FROM_HOST), ("sgclaw", FROM_AGENT)):
        yield from ((f"{sender}.{kind}", model) for kind, model in messages.items())
    for name, row in ACTIONS.items():
        yield f"{name}.params", row.params
        yield f"{name}.result", row.result


def schema_of(model: type[BaseModel]) -> tuple[JsonObject, JsonObject]:
    """One model's schema, and the schemas of the objects inside it by name."""
    schema = model.model_json_schema(ref_template="#/$defs/{model}")
    inner: JsonObject = schema.pop("$defs", {})
    return schema, inner


def objects() -> JsonObject:
    """The objects that messages and results are made of, by name."""
    found: JsonObject = {}
    for _, model in models():
        found |= schema_of(model)[1]
    return dict(sorted(found.items()))


def schema_file() -> str:
    """The text of `docs/protocol.schema.json`."""
    definitions = {name: schema_of(model)[0] for name, model in models()}
    for sender in ("host", "sgclaw"):
        names = [name for name in definitions if name.startswith(f"{sender}.")]
        definitions[f"from-{sender}"] = {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": PROTOCOL,
        "description": "Messages without their `security` member, parameters and results of actions. Generated.",
        "$defs": {**definitions, **objects()},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
