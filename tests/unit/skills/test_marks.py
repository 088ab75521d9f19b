"""What a machine remembers of a registry, and what it refuses for it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.ed25519 import DEV_KEY_ID, SecretKey, parse_secret_key
from sgclaw.skills.keyring import Known
from sgclaw.skills.marks import FIRST_USE, KeyMark, Marks, SkillMark, marks_of_registry, marks_of_skills
from sgclaw.skills.registry import format_time
from sgclaw.skills.signing import Release, sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck, VerifiedSkill
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, script

ROOT = Path(__file__).resolve().parents[3]
DEV = parse_secret_key((ROOT / "keys" / "DEV-ONLY-skill-signing.key").read_bytes())
FILE = "builtin/erp-report.js"
KEY = GOOD.public.key_id


def source_of(version: str, note: str = "") -> bytes:
    return script("erp-report", version=version).encode() + note.encode()


def registry_of(source: bytes, serial: int = 7, key: SecretKey = GOOD) -> bytes:
    release = Release(serial=serial, updated_at=RELEASE.updated_at, expires=RELEASE.expires)
    return sign_registry(key, [sign_skill(key, FILE, source)], release)


def verified(check: TrustCheck, registry: bytes, source: bytes) -> VerifiedSkill:
    (candidate,) = check.open_registry(registry)
    return check.verify_file(check.verify_entry(candidate), source)


def after(source: bytes, serial: int = 7, key: SecretKey = GOOD) -> Marks:
    """The marks of a machine that ran this."""
    check = TrustCheck([key.public], NOW)
    verified(check, registry_of(source, serial, key), source)
    return check.marks


def outcome(marks: Marks, source: bytes, serial: int = 7, key: SecretKey = GOOD) -> Mapping[str, object]:
    """The facts of the refusal; empty when the skill loads."""
    check = TrustCheck([key.public], NOW, known=Known(marks=marks))
    try:
        verified(check, registry_of(source, serial, key), source)
    except (RegistryRefusedError, SkillRefusedError) as error:
        return error.facts
    return {}


@pytest.mark.requirement("SKILL-22")
def test_an_older_registry_refuses_the_set_and_the_same_serial_does_not() -> None:
    marks = after(source_of("1.0.0"))
    facts = outcome(marks, source_of("1.0.0"), serial=6)
    assert facts == {"reason": "ROLLBACK", "serial": 6, "seen": 7}
    assert outcome(marks, source_of("1.0.0"), serial=7) == {}
    assert outcome(marks, source_of("1.0.0"), serial=8) == {}


@pytest.mark.requirement("SKILL-22")
@pytest.mark.parametrize(
    ("version", "note", "reason"),
    [
        ("1.9.9", "", None),
        ("1.10.0", "", None),
        ("1.9.8", "", "ROLLBACK"),
        ("0.99.0", "", "ROLLBACK"),
        ("1.9.9", "// other\n", "VERSION_REUSED"),
        ("1.9.10", "// other\n", None),
    ],
)
def test_an_older_skill_and_other_content_of_one_version_refuse_the_entry(
    version: str, note: str, reason: str | None
) -> None:
    facts = outcome(after(source_of("1.9.9")), source_of(version, note), serial=8)
    assert facts.get("reason") == reason
    if reason:
        assert (facts["name"], facts["file"], facts["version"], facts["seen"]) == ("erp-report", FILE, version, "1.9.9")


@pytest.mark.requirement("SKILL-22")
def test_marks_of_keys_that_are_no_longer_trusted_bind_nobody() -> None:
    marks = after(source_of("9.0.0"), serial=900, key=ATTACKER)
    assert outcome(marks, source_of("1.0.0"), serial=1) == {}


@pytest.mark.requirement("SKILL-22")
def test_the_development_key_may_sign_one_version_again_but_nothing_older() -> None:
    marks = after(source_of("1.0.0"), key=DEV)
    assert DEV.public.key_id == DEV_KEY_ID
    assert outcome(marks, source_of("1.0.0", "// edited\n"), serial=8, key=DEV) == {}
    assert outcome(marks, source_of("0.9.0"), serial=8, key=DEV)["reason"] == "ROLLBACK"
    assert outcome(marks, source_of("1.0.0"), serial=6, key=DEV)["reason"] == "ROLLBACK"


@pytest.mark.requirement("SKILL-23")
def test_marks_rise_only_with_what_was_verified() -> None:
    source = source_of("1.0.0")
    check = TrustCheck([GOOD.public], NOW)
    assert check.marks == FIRST_USE
    (candidate,) = check.open_registry(registry_of(source))
    assert check.marks == marks_of_registry(NOW, KEY, 7)
    entry = check.verify_entry(candidate)
    with pytest.raises(SkillRefusedError):
        check.verify_file(entry, b"x")
    assert check.marks == marks_of_registry(NOW, KEY, 7)
    mark = SkillMark(version="1.0.0", sha256=entry.sha256)
    assert after(source) == Marks(keys={KEY: KeyMark(serial=7, seen=format_time(NOW), skills={"erp-report": mark})})


@pytest.mark.requirement("SKILL-23")
def test_a_refused_registry_raises_no_mark() -> None:
    check = TrustCheck([GOOD.public], NOW)
    with pytest.raises(RegistryRefusedError):
        check.open_registry(registry_of(source_of("1.0.0"), 900, ATTACKER))
    assert check.marks == FIRST_USE


@pytest.mark.requirement("SKILL-25")
def test_a_clock_set_back_does_not_bring_an_expired_registry_back() -> None:
    marks = marks_of_registry(RELEASE.expires, KEY, 7)
    check = TrustCheck([GOOD.public], NOW, known=Known(marks=marks))
    with pytest.raises(RegistryRefusedError) as caught:
        check.open_registry(registry_of(source_of("1.0.0")))
    assert caught.value.facts["reason"] == "EXPIRED"
    assert [notice.facts["reason"] for notice in check.notices] == ["CLOCK_SET_BACK"]


@pytest.mark.requirement("SKILL-25")
def test_a_clock_set_back_is_told_from_a_day_on_and_the_time_seen_stays() -> None:
    def notices(back: timedelta) -> list[object]:
        known = Known(marks=marks_of_registry(NOW + back, KEY, 7))
        check = TrustCheck([GOOD.public], NOW, known=known)
        check.open_registry(registry_of(source_of("1.0.0")))
        assert check.marks == known.marks
        return [notice.facts for notice in check.notices]

    assert notices(timedelta(hours=24)) == []
    assert notices(timedelta(hours=25)) == [
        {"reason": "CLOCK_SET_BACK", "now": "2026-03-31T08:00:00Z", "seen": "2026-04-01T09:00:00Z"}
    ]


@pytest.mark.requirement("SKILL-25")
def test_a_clock_that_ran_ahead_does_not_lock_out_what_is_released_later() -> None:
    ahead = NOW + timedelta(days=5_000)
    long_lived = Release(serial=7, updated_at=ahead, expires=ahead + timedelta(days=365))
    entry = sign_skill(GOOD, FILE, source_of("1.0.0"))
    far = TrustCheck([GOOD.public], ahead)
    far.open_registry(sign_registry(GOOD, [entry], long_lived))
    check = TrustCheck([GOOD.public], NOW, known=Known(marks=far.marks))
    check.open_registry(registry_of(source_of("1.0.0"), serial=8))
    assert (check.notices, check.marks) == ((), marks_of_registry(NOW, KEY, 8))
    assert far.marks.seen(8, [KEY]) < NOW < far.marks.seen(7, [KEY]) == ahead


@pytest.mark.requirement("SKILL-25")
def test_the_time_at_which_another_key_was_used_says_nothing() -> None:
    marks = marks_of_registry(NOW + timedelta(days=5_000), ATTACKER.public.key_id, 9_000)
    assert outcome(marks, source_of("1.0.0")) == {}


_TIMES = st.sampled_from(["1970-01-01T00:00:00Z", "2026-03-31T08:00:00Z"])
_IDS = st.sampled_from(["a" * 16, "b" * 16])
_SKILLS = st.dictionaries(
    st.sampled_from(["one", "two"]),
    st.builds(
        SkillMark,
        version=st.sampled_from(["1.0.0", "1.9.9", "1.10.0"]),
        sha256=st.sampled_from(["0" * 64, "1" * 64]),
    ),
)
_MARKS = st.builds(
    Marks,
    lists=st.dictionaries(_IDS, st.integers(0, 3)),
    revoked=st.sets(_IDS).map(lambda ids: tuple(sorted(ids))),
    retired=st.dictionaries(_IDS, _IDS),
    keys=st.dictionaries(_IDS, st.builds(KeyMark, serial=st.integers(0, 3), seen=_TIMES, skills=_SKILLS)),
)


@pytest.mark.requirement("SKILL-23")
@given(_MARKS, _MARKS)
def test_merged_marks_are_never_lower_than_either(one: Marks, other: Marks) -> None:
    merged = one.merged(other)
    assert merged.merged(one) == merged.merged(other) == merged
    for part in (one, other):
        assert all(merged.lists[key_id] >= serial for key_id, serial in part.lists.items())
        assert set(part.revoked) <= set(merged.revoked)
        assert set(part.retired) <= set(merged.retired)
        for key_id, mark in part.keys.items():
            kept = merged.keys[key_id]
            assert (kept.serial, kept.seen) >= (mark.serial, mark.seen)
            for name, skill in mark.skills.items():
                assert merged.keys[key_id].skills[name].order >= skill.order


def test_marks_of_skills_are_kept_by_key() -> None:
    entry = sign_skill(GOOD, FILE, source_of("1.0.0"))
    marks = marks_of_skills([(entry, "a" * 16), (entry, "b" * 16)])
    assert sorted(marks.keys) == ["a" * 16, "b" * 16]
