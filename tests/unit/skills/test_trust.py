import copy
import dataclasses
from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.protocol.strict import decode
from sgclaw.skills.ed25519 import PublicKey, SecretKey
from sgclaw.skills.registry import as_document, registry_statement, render, signature_text
from sgclaw.skills.signing import sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck, VerifiedSkill
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, hash_of, resigned, script

SOURCE = script("erp-report").encode()
ENTRY = sign_skill(GOOD, "builtin/erp-report.js", SOURCE)
REGISTRY = sign_registry(GOOD, [ENTRY], RELEASE)


def check(*trusted: PublicKey, production: bool = False) -> TrustCheck:
    return TrustCheck(trusted or (GOOD.public,), NOW, production=production)


def accept(registry: bytes, source: bytes) -> VerifiedSkill:
    trust = check()
    (candidate,) = trust.open_registry(registry)
    return trust.verify_file(trust.verify_entry(candidate), source)


def registry_reason(raw: bytes, trust: TrustCheck | None = None) -> object:
    with pytest.raises(RegistryRefusedError) as caught:
        (trust or check()).open_registry(raw)
    return caught.value.facts["reason"]


def skill_reason(registry: bytes, source: bytes = SOURCE) -> object:
    with pytest.raises(SkillRefusedError) as caught:
        accept(registry, source)
    return caught.value.facts["reason"]


def signed(document: Mapping[str, object], key: SecretKey = GOOD) -> bytes:
    """Signs whatever the document says, also what the models would refuse."""
    return render({**document, "signature": signature_text(key.sign(registry_statement(dict(document))))})


def registry_with(entry: Mapping[str, object], key: SecretKey = GOOD) -> bytes:
    """A registry whose own signature is right over this one entry."""
    return signed({**DOCUMENT, "skills": [dict(entry)]}, key)


DOCUMENT = decode(REGISTRY.strip())


@pytest.mark.requirement("SKILL-10")
def test_what_was_verified_is_what_runs() -> None:
    skill = accept(REGISTRY, SOURCE)
    assert (skill.manifest.ref, skill.sha256, skill.body.encode(), skill.key_id) == (
        "erp-report@1.0.0",
        ENTRY.sha256,
        SOURCE,
        GOOD.public.key_id,
    )


@pytest.mark.requirement("SKILL-11")
@given(at=st.integers(0, len(SOURCE) - 1), change=st.integers(1, 255))
def test_any_changed_byte_of_the_skill_file_is_refused(at: int, change: int) -> None:
    changed = bytearray(SOURCE)
    changed[at] ^= change
    assert skill_reason(REGISTRY, bytes(changed)) == "HASH_MISMATCH"


@pytest.mark.requirement("SKILL-11")
@given(at=st.integers(0, len(REGISTRY) - 1), change=st.integers(1, 255))
def test_any_changed_byte_of_the_registry_is_refused(at: int, change: int) -> None:
    changed = bytearray(REGISTRY)
    changed[at] ^= change
    assert registry_reason(bytes(changed)) in {
        "BAD_JSON",
        "BAD_REGISTRY",
        "BAD_SIGNATURE",
        "UNKNOWN_KEY",
        "NOT_CANONICAL",
    }


@pytest.mark.requirement("SKILL-11")
@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw[:-1],
        lambda raw: raw + b"\n",
        lambda raw: raw + b"{}",
        lambda raw: raw.replace(b"\n  ", b"\n\t"),
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"erp-report", b"\\u0065rp-report"),
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.decode().encode("utf-16"),
    ],
)
def test_another_spelling_of_the_same_registry_is_refused(change: Callable[[bytes], bytes]) -> None:
    assert registry_reason(change(REGISTRY)) in {"NOT_CANONICAL", "BAD_JSON"}


@given(st.binary(max_size=200))
def test_random_bytes_are_a_refused_registry_and_nothing_else(raw: bytes) -> None:
    assert registry_reason(raw) in {"BAD_JSON", "BAD_REGISTRY"}


@pytest.mark.requirement("SKILL-12")
@pytest.mark.parametrize(
    "text",
    [
        REGISTRY.replace(b'"enabled": true', b'"enabled": false,\n      "enabled": true'),
        REGISTRY.replace(b'"serial": 7', b'"serial": NaN'),
        REGISTRY.replace(b'"serial": 7', b'"serial": 7e0'),
        b"[" * 100_000,
        b"",
        b"[]",
    ],
)
def test_a_registry_that_two_parsers_could_read_differently_is_refused(text: bytes) -> None:
    assert registry_reason(text) == "BAD_JSON"


@pytest.mark.requirement("SKILL-12")
@pytest.mark.parametrize(
    "changes",
    [
        {"version": "2.0"},
        {"serial": 0},
        {"serial": "7"},
        {"serial": True},
        {"expires": "2027-03-01"},
        {"expires": "2027-3-01T00:00:00Z"},
        {"expires": "2027-02-30T00:00:00Z"},
        {"updated_at": "2027-03-01T00:00:00+00:00"},
        {"key_id": GOOD.public.key_id.upper() + "0"},
        {"skills": {}},
        {"skills": ["erp-report"]},
        {"grace": True},
    ],
)
def test_a_registry_of_another_shape_is_refused_though_signed(changes: Mapping[str, object]) -> None:
    assert registry_reason(signed({**DOCUMENT, **changes})) == "BAD_REGISTRY"


@pytest.mark.requirement("SKILL-12")
def test_entries_of_two_registries_cannot_be_mixed() -> None:
    other = as_document(sign_skill(GOOD, "builtin/oa.js", script("oa").encode()))
    mixed = {**DOCUMENT, "skills": [as_document(ENTRY), other]}
    assert registry_reason(render(mixed)) == "BAD_SIGNATURE"


@pytest.mark.requirement("SKILL-13")
def test_a_registry_is_refused_from_the_second_it_expires() -> None:
    def at(moment: timedelta) -> TrustCheck:
        return TrustCheck([GOOD.public], RELEASE.expires + moment)

    assert len(at(timedelta(seconds=-1)).open_registry(REGISTRY)) == 1
    assert registry_reason(REGISTRY, at(timedelta(0))) == "EXPIRED"


@pytest.mark.requirement("SKILL-14")
def test_only_pinned_keys_count() -> None:
    assert registry_reason(sign_registry(ATTACKER, [ENTRY], RELEASE)) == "UNKNOWN_KEY"
    assert registry_reason(signed(DOCUMENT, ATTACKER)) == "BAD_SIGNATURE"
    assert registry_reason(REGISTRY, TrustCheck([], NOW)) == "UNKNOWN_KEY"
    assert skill_reason(registry_with(as_document(resigned(ENTRY, ATTACKER)))) == "BAD_SIGNATURE"


@pytest.mark.requirement("SKILL-14")
def test_a_signature_for_one_purpose_does_not_serve_another() -> None:
    as_entry = {**as_document(ENTRY), "signature": DOCUMENT["signature"]}
    assert skill_reason(registry_with(as_entry)) == "BAD_SIGNATURE"


@pytest.mark.requirement("SKILL-15")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": "1.0.1"}, "BAD_SIGNATURE"),
        ({"name": "other"}, "BAD_SIGNATURE"),
        ({"file": "custom/erp-report.js"}, "BAD_SIGNATURE"),
        ({"domains": ["hr.example.com"]}, "BAD_SIGNATURE"),
        ({"actions": ["click", "login"]}, "BAD_SIGNATURE"),
        ({"hash": "sha256:" + "0" * 64}, "BAD_SIGNATURE"),
        ({"hash": ENTRY.hash.upper()}, "BAD_HASH"),
        ({"hash": "md5:" + "0" * 32}, "BAD_HASH"),
        ({"hash": ENTRY.sha256}, "BAD_HASH"),
        ({"signature": ENTRY.signature.removeprefix("ed25519:")}, "BAD_SIGNATURE"),
        ({"signature": ENTRY.signature + " "}, "BAD_SIGNATURE"),
        ({"signature": ENTRY.signature.replace("a", "A")}, "BAD_SIGNATURE"),
        ({"signature": None}, "BAD_SIGNATURE"),
        ({"name": "Erp-Report"}, "BAD_NAME"),
        ({"name": "constructor"}, "BAD_NAME"),
        ({"name": 7}, "BAD_NAME"),
        ({"domains": ["*"]}, "BAD_ENTRY"),
        ({"domains": []}, "BAD_ENTRY"),
        ({"actions": ["eval"]}, "BAD_ENTRY"),
        ({"enabled": 1}, "BAD_ENTRY"),
        ({"skip_confirm": True}, "BAD_ENTRY"),
        ({"enabled": False}, "BAD_SIGNATURE"),
        ({"kind": "flow"}, "BAD_SIGNATURE"),
    ],
)
def test_a_changed_field_refuses_the_entry_though_the_registry_is_signed(
    changes: Mapping[str, object], reason: str
) -> None:
    assert skill_reason(registry_with({**as_document(ENTRY), **changes})) == reason


@pytest.mark.requirement("SKILL-15")
@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "C:\\Windows\\x.js",
        "\\\\host\\share\\x.js",
        "//host/share/x.js",
        "file:///x.js",
        "CON",
        "~/x.js",
        "https://evil.example/x.js",
        "builtin/NUL.js",
        "builtin/nul.js",
        "builtin/a.js:stream",
        "%TEMP%/x.js",
        "builtin/",
        "builtin/../keys/x.js",
        "builtin//x.js",
        "builtin/./x.js",
        "builtin/sub/x.js",
        "builtin/x.js\n",
        "builtin/x.ts",
        "../builtin/x.js",
        "keys/x.js",
        "builtin\\x.js",
        "builtin/.js",
        "builtin/X.js",
        "builtin/x.js\x00",
        "",
    ],
)
def test_a_path_outside_the_two_folders_is_refused(file: str) -> None:
    assert skill_reason(registry_with({**as_document(ENTRY), "file": file})) == "BAD_PATH"


@pytest.mark.requirement("SKILL-16")
@pytest.mark.parametrize(
    ("source", "fields"),
    [
        (script("other"), ["name"]),
        (script("erp-report", version="2.0.0"), ["version"]),
        (script("erp-report", domains="erp.example.com, hr.example.com"), ["domains"]),
        (script("erp-report", extra=" * @actions click, login\n"), ["actions"]),
    ],
)
def test_a_header_that_says_something_else_than_the_entry_is_refused(source: str, fields: list[str]) -> None:
    with pytest.raises(SkillRefusedError) as caught:
        accept(hashed(source.encode()), source.encode())
    assert (caught.value.facts["reason"], caught.value.facts["fields"]) == ("HEADER_MISMATCH", fields)


@pytest.mark.requirement("SKILL-16")
def test_an_entry_of_another_kind_is_refused() -> None:
    assert skill_reason(registry_with(as_document(resigned(ENTRY, kind="flow")))) == "HEADER_MISMATCH"


def hashed(source: bytes) -> bytes:
    """A registry whose only entry is signed over this source."""
    return registry_with(as_document(resigned(ENTRY, hash=hash_of(source))))


@pytest.mark.requirement("SKILL-17")
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"\xef\xbb\xbf" + SOURCE, "BAD_ENCODING"),
        (b"\xff\xfe\x61\x00", "BAD_ENCODING"),
        (b"//\x80\n", "BAD_ENCODING"),
        (b"//\x00\n", "BAD_ENCODING"),
        (SOURCE + b"\x00", "BAD_ENCODING"),
        (SOURCE + "// \u202e\u2066\u200b\n".encode(), "HIDDEN_CHARACTERS"),
        (SOURCE + "const \u3164 = 1;\n".encode(), "HIDDEN_CHARACTERS"),
        (SOURCE + "// x\u2028evil()\n".encode(), "HIDDEN_CHARACTERS"),
        (SOURCE + b"// x\revil()\n", "HIDDEN_CHARACTERS"),
        (SOURCE + "// \U000e0041\n".encode(), "HIDDEN_CHARACTERS"),
        (SOURCE + b"\x1b[2J", "HIDDEN_CHARACTERS"),
        (b"async function execute() {}", "BAD_MANIFEST"),
        (b"", "BAD_MANIFEST"),
    ],
)
def test_signed_bytes_that_show_another_program_than_they_run_are_refused(source: bytes, reason: str) -> None:
    assert skill_reason(hashed(source), source) == reason


def test_windows_line_ends_are_the_files_own_bytes() -> None:
    source = SOURCE.replace(b"\n", b"\r\n")
    assert accept(hashed(source), source).body.encode() == source
    assert skill_reason(REGISTRY, source) == "HASH_MISMATCH"


@pytest.mark.requirement("SKILL-18")
def test_a_hash_mismatch_names_both_hashes() -> None:
    with pytest.raises(SkillRefusedError) as caught:
        accept(REGISTRY, b"x")
    assert caught.value.facts == {
        "reason": "HASH_MISMATCH",
        "name": "erp-report",
        "file": "builtin/erp-report.js",
        "expected": ENTRY.sha256,
        "actual": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    }


@pytest.mark.requirement("SKILL-19")
def test_only_the_trust_check_makes_a_verified_skill() -> None:
    skill = accept(REGISTRY, SOURCE)
    with pytest.raises(TypeError):
        VerifiedSkill(skill.manifest, skill.sha256, "evil()", skill.key_id)
    with pytest.raises(TypeError):
        dataclasses.replace(skill, body="evil()")
    with pytest.raises(dataclasses.FrozenInstanceError):
        skill.body = "evil()"  # type: ignore[misc]
    assert copy.copy(skill) == skill


@pytest.mark.requirement("SKILL-20")
def test_calls_out_of_order_are_refused() -> None:
    trust = check()
    with pytest.raises(RuntimeError):
        trust.verify_file(ENTRY, SOURCE)
    (candidate,) = trust.open_registry(REGISTRY)
    with pytest.raises(RuntimeError):
        trust.verify_file(ENTRY, SOURCE)
    with pytest.raises(RuntimeError):
        trust.open_registry(REGISTRY)
    with pytest.raises(RuntimeError):
        check().verify_entry(candidate)
    with pytest.raises(RuntimeError):
        trust.verify_entry(dataclasses.replace(candidate))
    entry = trust.verify_entry(candidate)
    trust.verify_file(entry, SOURCE)
    with pytest.raises(RuntimeError):
        trust.verify_file(entry, SOURCE)


@pytest.mark.requirement("SKILL-20")
def test_a_refused_registry_leaves_nothing_to_verify() -> None:
    trust = TrustCheck([ATTACKER.public], NOW)
    (candidate,) = check().open_registry(REGISTRY)
    assert registry_reason(REGISTRY, trust) == "UNKNOWN_KEY"
    with pytest.raises(RuntimeError):
        trust.verify_entry(candidate)


@pytest.mark.requirement("SKILL-21")
def test_two_entries_of_one_name_or_one_file_are_both_refused() -> None:
    twin = sign_skill(GOOD, "custom/erp-report.js", SOURCE)
    third = sign_skill(GOOD, ENTRY.file, script("third").encode())
    for other in (twin, third):
        trust = check()
        for candidate in trust.open_registry(sign_registry(GOOD, [ENTRY, other], RELEASE)):
            with pytest.raises(SkillRefusedError) as caught:
                trust.verify_entry(candidate)
            assert caught.value.facts["reason"] == "DUPLICATE"
