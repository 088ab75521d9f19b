"""Registries and the papers beside them: nobody without the key adds a skill, whoever has it sends valid ones or is
refused with a reason.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from sgclaw.errors import RegistryRefusedError, SkillRefusedError, WireError
from sgclaw.protocol.strict import JsonObject, decode
from sgclaw.skills.keyring import Known
from sgclaw.skills.reasons import Reason
from sgclaw.skills.registry import SkillEntry, registry_statement, render, signature_text
from sgclaw.skills.revocation import RevokedKey, sign_revocations
from sgclaw.skills.signing import sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, hash_of, resigned, script

_SOURCES = [script(name).encode() for name in ("erp-report", "oa-approval")]
_GENUINE = sign_registry(
    GOOD, [sign_skill(GOOD, f"builtin/{n}.js", s) for n, s in zip("ab", _SOURCES, strict=True)], RELEASE
)
_REASONS = frozenset(Reason)


def one_input(data: bytes) -> None:
    """First byte: who signs what. The rest: the registry, or a paper beside the genuine one."""
    _KINDS[data[0] % len(_KINDS) if data else 0](data[1:])


def _judge(raw: bytes, known: Known | None = None) -> int:
    """How many skills come out of it."""
    check = TrustCheck([GOOD.public], NOW, known=known) if known else TrustCheck([GOOD.public], NOW)
    try:
        candidates = check.open_registry(raw)
    except RegistryRefusedError as error:
        assert error.facts["reason"] in _REASONS
        return 0
    made = 0
    for candidate in candidates:
        try:
            entry = check.verify_entry(candidate)
            source = next((each for each in _SOURCES if hash_of(each) == entry.hash), b"")
            skill = check.verify_file(entry, source)
        except SkillRefusedError as error:
            assert error.facts["reason"] in _REASONS
        else:
            made += 1
            assert skill.body.encode() in _SOURCES
            assert (skill.manifest.name, skill.key_id) == (entry.name, GOOD.public.key_id)
    assert all(notice.facts["reason"] in _REASONS for notice in check.notices)
    return made


def _unsigned(raw: bytes) -> None:
    assert _judge(raw) == 0 or raw == _GENUINE


def _signed(raw: bytes) -> None:
    """The registry is signed as it stands; entries that nobody signed must still not load."""
    document = _document(raw)
    if document is not None:
        genuine = decode(_GENUINE.removesuffix(b"\n"))["skills"]
        assert isinstance(genuine, list)
        entries = document.get("skills")
        known = sum(entry in genuine for entry in entries) if isinstance(entries, list) else 0
        assert _judge(_sign(document)) <= known


def _all_signed(raw: bytes) -> None:
    """Every entry that has the shape of one is signed too, for the first of our files if it names another."""
    document = _document(raw)
    if document is not None and isinstance(document.get("skills"), list):
        entries = document["skills"]
        assert isinstance(entries, list)
        document["skills"] = [_entry(entry) for entry in entries]
        _judge(_sign(document))


def _entry(data: object) -> object:
    try:
        return resigned(SkillEntry.model_validate(data)).model_dump(mode="json")
    except ValidationError:
        return data


def _document(raw: bytes) -> JsonObject | None:
    try:
        return decode(raw)
    except WireError:
        return None


def _sign(document: JsonObject) -> bytes:
    unsigned = {key: value for key, value in document.items() if key != "signature"}
    return render({**unsigned, "signature": signature_text(GOOD.sign(registry_statement(unsigned)))})


def _papers(raw: bytes) -> None:
    """Rotations and revocations, cut at a null byte: nobody gains a skill by them."""
    rotations, _, revocations = raw.partition(b"\x00")
    assert _judge(_GENUINE, Known(rotations=rotations, revocations=revocations)) in (0, len(_SOURCES))


_KINDS: tuple[Callable[[bytes], None], ...] = (_unsigned, _signed, _all_signed, _papers)


def seeds() -> list[bytes]:
    """The genuine registry in every role, and a genuine list of revoked keys."""
    compact = _GENUINE.removesuffix(b"\n")
    revoked = [RevokedKey(key_id=ATTACKER.public.key_id, successor=None)]
    paper = sign_revocations(GOOD, revoked, 1, RELEASE.updated_at)
    other = sign_registry(ATTACKER, [], RELEASE)
    return [
        b"\x00" + _GENUINE,
        b"\x00" + other,
        b"\x01" + compact,
        b"\x02" + compact,
        b"\x03" + paper,
        b"\x03\x00" + paper,
        b'\x03{"version":"1.0","rotations":[]}\x00{"version":"1.0"}',
    ]
