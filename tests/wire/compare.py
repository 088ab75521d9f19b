"""Lines side by side: byte for byte, or as another implementation of the host is compared."""

import copy
from collections.abc import Mapping
from typing import Final

from tests.wire.transcript import JsonObject

_SHOWN: Final = 2_000

OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("security.hmac",),
    "response": ("error.message", "error.facts"),
    "approval": ("note",),
    "protocol_error": ("message",),
}
"""Message type → members whose values are each host's own; those under "" of every line."""
KEPT_FACTS: Final = ("approval_id", "rule")
"""Facts of an error that are no host's own: later lines, or what sgclaw explains, hang on them."""
_UNCOVERED: Final = "approval."


def must_be(made: bytes, golden: bytes) -> None:
    """Raise `AssertionError` with both lines when they differ."""
    if made != golden:
        shown = [line[:_SHOWN].decode("utf-8", "backslashreplace") for line in (made, golden)]
        raise AssertionError("made:   {}\ngolden: {}".format(*shown))


def comparable(body: JsonObject) -> JsonObject:
    """A decoded line of a host without what is its own: equal to the golden one's if the host is right."""
    kept = copy.deepcopy(body)
    kind = str(kept.get("type", ""))
    facts = _facts_of(kept)
    for path in (*OWN[""], *OWN.get(kind, ())):
        *outer, last = path.split(".")
        holder: object = kept
        for name in outer:
            holder = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            holder.pop(last, None)
    return {**kept, "facts": facts} if facts else kept


def _facts_of(body: JsonObject) -> JsonObject:
    error = body.get("error")
    if body.get("type") != "response" or not isinstance(error, dict):
        return {}
    facts = {name: value for name, value in error.get("facts", {}).items() if name in KEPT_FACTS}
    if error["code"] == "POLICY_DENIED" and str(facts.get("rule", "")).startswith(_UNCOVERED):
        facts["rule"] = _UNCOVERED
    return facts
