"""The wire: transcripts, schemas, the page for browser engineers."""

from typing import Final

from tests.promises import R, Requirement

WIRE: Final[tuple[Requirement, ...]] = (
    R("WIRE-01", "design 4", "The golden transcripts are exactly what the code makes today"),
    R("WIRE-02", "design 4", "They show every message, every action, every code of a host and every refusal"),
    R("WIRE-03", "design 4", "Each end's channel makes its own golden lines byte for byte and judges the other's"),
    R(
        "WIRE-04",
        "design 4",
        "sgclaw's session answers a host's golden lines with the golden lines, and acts end alike",
    ),
    R("WIRE-05", "design 4", "The stub's session answers sgclaw's golden lines with the golden lines"),
    R("WIRE-06", "design 4", "Every golden line, with its security, and every golden result fits its JSON Schema"),
    R("WIRE-07", "design 4", "Policies, the registry and manifests of shipped skills fit their JSON Schemas"),
    R("WIRE-08", "users", "The protocol page draws every exchange and says what every field means"),
    R("WIRE-10", "users", "What of a golden line another host must send alike, and what is its own, is a rule in code"),
    R("WIRE-11", "users", "The page says which transcripts a host can replay, and every member of their lines"),
    R("WIRE-12", "users", "The schema of actions carries risk, comparison, change and deadline of every action"),
    R("WIRE-09", "users", "The types for skill authors hold every action in both forms, its fields and its result"),
)
