"""Verify, then parse, then make a `VerifiedSkill`: the only place where one can be made.

Pure: bytes, public keys, marks and a clock reading go in; verdicts and new marks come out. Reading files is `files.py`;
going through a whole set is `catalogue.py`. One `TrustCheck` judges one registry, in this order:

    open_registry(bytes) -> candidates
    verify_entry(candidate) -> entry            its statement is signed; the file has not been read yet
    verify_file(entry, bytes) -> VerifiedSkill  the bytes are those of the statement, the header says the same
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError

from sgclaw.errors import BadManifestError, RegistryRefusedError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.ed25519 import PublicKey
from sgclaw.skills.header import parse_header
from sgclaw.skills.keyring import NOTHING_KNOWN, Keyring, Known, make_keyring
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.marks import Marks, marks_of_registry, marks_of_skills
from sgclaw.skills.reasons import Reason, refused_manifest, refused_registry, refused_skill
from sgclaw.skills.registry import (
    JsonObject,
    Registry,
    SkillEntry,
    format_time,
    parse_time,
    registry_statement,
    render,
    signature_bytes,
)
from sgclaw.skills.source import decode_source

_MINT = object()

CLOCK_TOLERANCE = timedelta(days=1)
"""How far the clock may be behind the last time seen before it is told: some systems keep local time where others keep
UTC. A registry that has expired stays expired from the first second.
"""


@dataclass(frozen=True, slots=True)
class VerifiedSkill:
    """A skill whose signature, hash and header were checked. Made by `TrustCheck` alone."""

    manifest: Manifest
    sha256: str
    """Lower-case hex of the file's bytes."""
    body: str
    """The file's text: exactly the bytes that were hashed."""
    key_id: str
    """The key that signed the statement."""
    mint: InitVar[object] = None

    def __post_init__(self, mint: object) -> None:
        # Not stored, so that neither dataclasses.replace nor a copy of the fields can carry it over.
        if mint is not _MINT:
            raise TypeError("only the trust check makes a VerifiedSkill")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One entry as the registry has it. `name` and `file` are what it claims to be, cut short, for messages only."""

    name: str
    file: str
    data: JsonObject


_REASON_OF_FIELD: Mapping[str, Reason] = {
    "name": Reason.BAD_NAME,
    "file": Reason.BAD_PATH,
    "hash": Reason.BAD_HASH,
    "signature": Reason.BAD_SIGNATURE,
}
"""A malformed field of an entry that has a reason of its own; any other is `BAD_ENTRY`."""


class TrustCheck:
    """Judges one registry and its files against trusted keys at one moment.

    A call out of order is our own bug and raises `RuntimeError`; everything a file can do wrong raises
    `RegistryRefusedError` or `SkillRefusedError` with `facts.reason`.
    """

    def __init__(
        self,
        trusted: Sequence[PublicKey],
        now: datetime,
        *,
        production: bool = False,
        known: Known = NOTHING_KNOWN,
    ) -> None:
        """`now` is aware and read once, so that expiry cannot change between two skills of one set."""
        self._pinned = trusted
        self._now = now
        self._production = production
        self._known = known
        self._keys: Keyring | None = None
        self._marks = known.marks
        self._notices: list[RegistryRefusedError] = []
        self._candidates: frozenset[Candidate] | None = None
        self._claims: Counter[str] = Counter()
        self._verified: dict[SkillEntry, str] = {}
        self._made: list[tuple[SkillEntry, str]] = []

    @property
    def marks(self) -> Marks:
        """The marks that were given, raised by what was verified since."""
        return self._marks.merged(marks_of_skills(self._made))

    @property
    def notices(self) -> Sequence[RegistryRefusedError]:
        """What a person should know though it refuses nothing: papers without effect, a clock that was set back."""
        return tuple(self._notices)

    def open_registry(self, raw: bytes) -> Sequence[Candidate]:
        """Verify the registry as a whole; the entries come back unjudged. Raises `RegistryRefusedError`."""
        if self._keys is not None:
            raise RuntimeError("a TrustCheck judges one registry")
        self._keys = make_keyring(self._pinned, self._known, production=self._production)
        self._notices += self._keys.notices
        self._marks = self._marks.merged(self._keys.marks)
        document = _decode(raw)
        registry = _registry(document)
        now = self._check_registry(self._keys, registry, document)
        if render(document) != raw:
            raise refused_registry(Reason.NOT_CANONICAL)
        self._marks = self._marks.merged(marks_of_registry(now, registry.key_id, registry.serial))
        candidates = [
            Candidate(_claim(entry.get("name")), _claim(entry.get("file")), entry) for entry in registry.skills
        ]
        self._candidates = frozenset(candidates)
        self._claims.update(claim for each in candidates for claim in (each.name, each.file))
        return candidates

    def verify_entry(self, candidate: Candidate) -> SkillEntry:
        """Verify the signed statement of one entry. Raises `SkillRefusedError`."""
        if self._keys is None or self._candidates is None or candidate not in self._candidates:
            raise RuntimeError("the registry of this entry was not opened here")
        entry = _entry(candidate)
        if self._claims[entry.name] > 1 or self._claims[entry.file] > 1:
            raise refused_skill(Reason.DUPLICATE, name=entry.name, file=entry.file)
        signer = _signer(self._keys, entry)
        if not entry.enabled:
            raise refused_skill(Reason.DISABLED, name=entry.name, file=entry.file)
        if entry.name in self._known.switched_off:
            raise refused_skill(Reason.SWITCHED_OFF, name=entry.name, file=entry.file)
        self._check_mark(self._keys, entry, signer)
        self._verified[entry] = signer
        return entry

    def verify_file(self, entry: SkillEntry, raw: bytes) -> VerifiedSkill:
        """Check the file's bytes against the verified entry, then parse them. Raises `SkillRefusedError`."""
        signer = self._verified.pop(entry, None)
        if signer is None:
            raise RuntimeError("the entry was not verified, or its file was judged already")
        actual = hashlib.sha256(raw).hexdigest()
        if actual != entry.sha256:
            raise refused_skill(
                Reason.HASH_MISMATCH, name=entry.name, file=entry.file, expected=entry.sha256, actual=actual
            )
        body = decode_source(raw)
        try:
            manifest = parse_header(body)
        except BadManifestError as error:
            raise refused_manifest(error) from None
        differing = entry.agrees_with(manifest)
        if differing:
            raise refused_skill(Reason.HEADER_MISMATCH, name=entry.name, file=entry.file, fields=differing)
        self._made.append((entry, signer))
        return VerifiedSkill(manifest, actual, body, signer, _MINT)

    def _check_registry(self, keys: Keyring, registry: Registry, document: JsonObject) -> datetime:
        """Whether the registry as a whole may be used; returns the moment it was judged at."""
        key = keys.registry_key(registry.key_id)
        if not key.verifies(registry_statement(document), signature_bytes(registry.signature)):
            raise refused_registry(Reason.BAD_SIGNATURE, key_id=registry.key_id)
        # What this machine has not seen yet is judged by its clock alone: a clock that ran ahead locks nothing out.
        now = max(self._now, self._known.marks.seen(registry.serial, keys.binding))
        if now - self._now > CLOCK_TOLERANCE:
            facts = {"now": format_time(self._now), "seen": format_time(now)}
            self._notices.append(refused_registry(Reason.CLOCK_SET_BACK, **facts))
        if parse_time(registry.expires) <= now:
            raise refused_registry(Reason.EXPIRED, expires=registry.expires, serial=registry.serial)
        seen = self._known.marks.serial(keys.binding)
        if registry.serial < seen:
            raise refused_registry(Reason.ROLLBACK, serial=registry.serial, seen=seen)
        return now

    def _check_mark(self, keys: Keyring, entry: SkillEntry, signer: str) -> None:
        refusal = self._known.marks.refuses(entry, signer, keys.binding)
        if refusal is None:
            return
        reason, seen = refusal
        facts = {"version": entry.version, "seen": seen.version, "expected": seen.sha256, "actual": entry.sha256}
        raise refused_skill(reason, name=entry.name, file=entry.file, **facts)


def _signer(keys: Keyring, entry: SkillEntry) -> str:
    """The key that signed the entry; raises `KEY_REVOKED`, `KEY_RETIRED` or `BAD_SIGNATURE`."""
    statement, signature = entry.statement(), signature_bytes(entry.signature)
    signer = keys.signer(statement, signature)
    if signer is not None:
        return signer
    fallen = keys.fallen_signer(statement, signature)
    if fallen is None:
        raise refused_skill(Reason.BAD_SIGNATURE, name=entry.name, file=entry.file)
    reason, key_id = fallen
    raise refused_skill(reason, name=entry.name, file=entry.file, key_id=key_id)


def _claim(value: object) -> str:
    return value[:100] if isinstance(value, str) else ""


def _decode(raw: bytes) -> JsonObject:
    try:
        return strict.decode(raw.removesuffix(b"\n"))
    except WireError as error:
        raise refused_registry(Reason.BAD_JSON, problem=error.code) from None


def _registry(document: JsonObject) -> Registry:
    try:
        return Registry.model_validate(document)
    except ValidationError as error:
        raise refused_registry(Reason.BAD_REGISTRY, fields=_fields(error)) from None


def _entry(candidate: Candidate) -> SkillEntry:
    try:
        return SkillEntry.model_validate(candidate.data)
    except ValidationError as error:
        fields = _fields(error)
        reason = next((_REASON_OF_FIELD[name] for name in _REASON_OF_FIELD if name in fields), Reason.BAD_ENTRY)
        raise refused_skill(reason, name=candidate.name, file=candidate.file, fields=fields) from None


def _fields(error: ValidationError) -> list[str]:
    """The top-level fields at fault, without their values: a file that is not trusted is not quoted."""
    return sorted({str(item["loc"][0])[:40] for item in error.errors(include_url=False, include_input=False)})
