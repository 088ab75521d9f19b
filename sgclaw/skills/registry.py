"""The registry file: its models, the statements that are signed, and the one byte form it has on disk.

Values only; the checks and their order are `trust.py`, making a registry is `signing.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, cast

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.manifest import Actions, Hosts, Manifest, SkillFile, SkillKind, SkillName, SkillVersion

JsonObject = dict[str, object]

SKILL_LABEL = "sgclaw/skill/v1"
REGISTRY_LABEL = "sgclaw/registry/v1"
"""First member of what is signed, so that a signature for one purpose never serves another."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"
_HASH_PREFIX, _SIGNATURE_PREFIX = "sha256:", "ed25519:"


def parse_time(text: str) -> datetime:
    """Aware UTC from `YYYY-MM-DDTHH:MM:SSZ`, the only form; raises `ValueError`."""
    return datetime.strptime(text, _TIME).replace(tzinfo=UTC)


def format_time(moment: datetime) -> str:
    """The registry's form of an aware time, whole seconds."""
    return moment.astimezone(UTC).strftime(_TIME)


def _time(text: str) -> str:
    if format_time(parse_time(text)) != text:
        raise ValueError("not in the one form")
    return text


Time = Annotated[str, AfterValidator(_time)]
Serial = Annotated[int, Field(ge=1, le=MAX_INT)]
KeyId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern=f"^{_SIGNATURE_PREFIX}[0-9a-f]{{128}}$")]


class SkillEntry(BaseModel):
    """One skill of the registry: enough to verify its statement before its file is read."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    name: SkillName
    kind: SkillKind
    file: SkillFile
    version: SkillVersion
    hash: str = Field(pattern=f"^{_HASH_PREFIX}[0-9a-f]{{64}}$")
    domains: Hosts
    actions: Actions
    enabled: bool
    signature: Signature

    @property
    def sha256(self) -> str:
        """The file's hash in hex."""
        return self.hash.removeprefix(_HASH_PREFIX)

    def statement(self) -> bytes:
        """The bytes that `signature` signs."""
        return entry_statement(as_document(self))

    def agrees_with(self, manifest: Manifest) -> list[str]:
        """The fields in which a header differs from this entry; empty when they agree."""
        pairs = {
            "name": (self.name, manifest.name),
            "version": (self.version, manifest.version),
            "kind": (self.kind, manifest.kind),
            "domains": (self.domains, manifest.domains),
            "actions": (self.actions, manifest.capabilities.actions),
        }
        return [field for field, (entry, header) in pairs.items() if entry != header]


class Registry(BaseModel):
    """The registry without judgement on its entries: each is checked alone, so one bad entry refuses only itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    version: Literal["1.0"]
    updated_at: Time
    serial: Serial
    """Rises with every release of the registry."""
    expires: Time
    key_id: KeyId
    skills: list[JsonObject]
    signature: Signature


def entry_statement(entry: JsonObject) -> bytes:
    """The bytes that an entry's signature signs; a malformed entry has a statement too, and is refused for its form."""
    return canonical(
        {
            "label": SKILL_LABEL,
            "name": entry["name"],
            "kind": entry["kind"],
            "version": entry["version"],
            "file": entry["file"],
            "sha256": str(entry["hash"]).removeprefix(_HASH_PREFIX),
            "domains": entry["domains"],
            "capabilities": {"actions": entry["actions"]},
            "enabled": entry["enabled"],
        }
    )


def registry_statement(document: JsonObject) -> bytes:
    """The bytes that the registry's signature signs: everything but the signature itself."""
    signed = {key: value for key, value in document.items() if key != "signature"}
    return canonical({**signed, "label": REGISTRY_LABEL})


def canonical(value: JsonObject) -> bytes:
    """RFC 8785 for what registries hold (ASCII keys, no floats): sorted keys, no spaces, raw UTF-8."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def render(document: JsonObject) -> bytes:
    """The one byte form of a registry on disk. Another spacing or escaping of the same values is refused, so that the
    file can be compared by its bytes and no reader sees another document than the one that was signed.
    """
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


class LastSerialError(Exception):
    """Nothing can follow: the serial before is the highest there is."""


def next_serial(serial: int) -> int:
    """The serial after this one. Raises `LastSerialError`."""
    if serial >= MAX_INT:
        raise LastSerialError
    return serial + 1


def signature_bytes(text: str) -> bytes:
    """The raw signature of a checked `ed25519:<hex>`."""
    return bytes.fromhex(text.removeprefix(_SIGNATURE_PREFIX))


def signature_text(raw: bytes) -> str:
    """`ed25519:<hex>`."""
    return _SIGNATURE_PREFIX + raw.hex()


def hash_text(sha256: str) -> str:
    """`sha256:<hex>`."""
    return _HASH_PREFIX + sha256


def as_document(model: BaseModel) -> JsonObject:
    """Plain JSON data in the order of the fields."""
    return cast("JsonObject", model.model_dump(mode="json"))
