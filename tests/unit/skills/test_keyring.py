"""Which keys count after rotations and revocations, and what their papers can and cannot do."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.ed25519 import PublicKey, SecretKey, key_text
from sgclaw.skills.keyring import Keyring, Known, make_keyring
from sgclaw.skills.marks import Marks
from sgclaw.skills.registry import LastSerialError, as_document, signature_text
from sgclaw.skills.revocation import Basis, Revocations, RevokedKey, revoke, sign_revocations
from sgclaw.skills.rotation import Rotation, read_chain, render_chain, rotate, sign_rotation
from sgclaw.skills.signing import sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, Folder, script

NEXT = SecretKey(b"test key: next".ljust(32, b"."))
LAST = SecretKey(b"test key: last".ljust(32, b"."))
ROOT = SecretKey(b"test key: root".ljust(32, b"."))
OTHER_ROOT = SecretKey(b"test key: other root".ljust(32, b"."))

LINK = sign_rotation(GOOD, NEXT, 1, NOW)
CHAIN = render_chain([LINK, sign_rotation(NEXT, LAST, 2, NOW)])


def ids(*keys: SecretKey) -> list[str]:
    return sorted(key.public.key_id for key in keys)


def ring(
    *pinned: SecretKey, rotations: bytes | None = None, revocations: bytes | None = None, marks: Marks | None = None
) -> Keyring:
    known = Known((ROOT.public,), rotations, revocations, marks or Marks())
    return make_keyring([key.public for key in pinned or (GOOD,)], known, production=False)


def problems(keys: Keyring) -> list[tuple[object, object]]:
    return [(notice.facts["reason"], notice.facts["problem"]) for notice in keys.notices]


# --- rotation ---------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-33")
def test_a_chain_of_statements_leads_from_the_pinned_key_to_the_last() -> None:
    keys = ring(rotations=CHAIN)
    assert (sorted(keys.current), sorted(keys.retired), keys.notices) == (ids(LAST), ids(GOOD, NEXT), ())
    assert keys.marks.retired == {
        GOOD.public.key_id: NEXT.public.key_id,
        NEXT.public.key_id: LAST.public.key_id,
    }


@pytest.mark.requirement("SKILL-33")
def test_making_a_chain_step_by_step_gives_the_same_bytes() -> None:
    assert rotate(rotate(None, GOOD, NEXT, NOW), NEXT, LAST, NOW) == CHAIN
    assert read_chain(None) == []
    with pytest.raises(ValueError, match="BAD_JSON"):
        rotate(b"{", GOOD, NEXT, NOW)


@pytest.mark.requirement("SKILL-33")
def test_the_signed_statement_of_a_rotation_is_fixed() -> None:
    statement = (
        f'{{"date":"2026-03-31T08:00:00Z","label":"sgclaw/rotation/v1","new":"{key_text(NEXT.public)}",'
        f'"old":"{key_text(GOOD.public)}","serial":1}}'
    )
    assert LINK.statement() == statement.encode()


def forged(link: Rotation, **changes: object) -> bytes:
    return render_chain([link.model_copy(update=changes)])


ZERO = signature_text(bytes(64))


@pytest.mark.requirement("SKILL-33")
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "BAD_JSON"),
        (b"{}", "BAD_FIELDS"),
        (CHAIN.replace(b"\n  ", b"\n "), "NOT_CANONICAL"),
        (CHAIN.replace(b'"version"', b'"version": "1.0", "version"'), "DUPLICATE_KEY"),
        (forged(LINK, signature_old=ZERO), "SIGNATURE_OLD"),
        (forged(LINK, signature_new=ZERO), "SIGNATURE_NEW"),
        (forged(LINK, signature_old=LINK.signature_new), "SIGNATURE_OLD"),
        (forged(LINK, date="2026-03-31T08:00:01Z"), "SIGNATURE_OLD"),
        (forged(LINK, serial=2), "SIGNATURE_OLD"),
        (forged(LINK, new=key_text(ATTACKER.public)), "SIGNATURE_OLD"),
        (forged(LINK, new=key_text(PublicKey(bytes(32)))), "WEAK_KEY"),
        (forged(sign_rotation(ATTACKER, NEXT, 1, NOW)), "OLD_KEY"),
        (forged(sign_rotation(GOOD, GOOD, 1, NOW)), "NEW_KEY"),
    ],
)
def test_a_rotation_that_does_not_hold_changes_nothing_and_is_told(raw: bytes, problem: str) -> None:
    keys = ring(rotations=raw)
    assert (sorted(keys.current), dict(keys.retired), keys.marks.retired) == (ids(GOOD), {}, {})
    assert problems(keys) == [("BAD_ROTATION", problem)]


@pytest.mark.requirement("SKILL-33")
@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (sign_rotation(NEXT, LAST, 1, NOW), "SERIAL"),
        (sign_rotation(GOOD, LAST, 2, NOW), "OLD_KEY"),
        (sign_rotation(NEXT, GOOD, 2, NOW), "NEW_KEY"),
    ],
)
def test_a_chain_counts_up_to_its_first_bad_link(second: Rotation, problem: str) -> None:
    keys = ring(rotations=render_chain([LINK, second]))
    assert (sorted(keys.current), sorted(keys.retired)) == (ids(NEXT), ids(GOOD))
    assert problems(keys) == [("BAD_ROTATION", problem)]


@pytest.mark.requirement("SKILL-33")
def test_a_rotation_that_was_seen_is_not_undone_and_not_led_elsewhere() -> None:
    seen = ring(rotations=render_chain([LINK])).marks
    missing = ring(marks=seen)
    assert (dict(missing.current), sorted(missing.retired)) == ({}, ids(GOOD))
    elsewhere = ring(rotations=render_chain([sign_rotation(GOOD, ATTACKER, 1, NOW)]), marks=seen)
    assert (dict(elsewhere.current), sorted(elsewhere.retired)) == ({}, ids(GOOD))
    assert problems(elsewhere) == [("BAD_ROTATION", "FORK")]
    assert sorted(ring(rotations=CHAIN, marks=seen).current) == ids(LAST)


@pytest.mark.requirement("SKILL-33")
def test_a_rotation_to_the_development_key_refuses_the_set_in_production() -> None:
    from tests.unit.skills.test_marks import DEV

    known = Known(rotations=render_chain([sign_rotation(GOOD, DEV, 1, NOW)]))
    with pytest.raises(RegistryRefusedError) as caught:
        make_keyring([GOOD.public], known, production=True)
    assert caught.value.facts["reason"] == "DEV_KEY_IN_PRODUCTION"


def _outcome(check: TrustCheck, registry: bytes) -> object:
    try:
        (candidate,) = check.open_registry(registry)
        return check.verify_entry(candidate).name
    except (RegistryRefusedError, SkillRefusedError) as error:
        return error.code, error.facts["reason"], error.facts.get("key_id")


def opened(entry_key: SecretKey, registry_key: SecretKey, known: Known) -> object:
    entry = sign_skill(entry_key, "builtin/erp-report.js", script("erp-report").encode())
    return _outcome(TrustCheck([GOOD.public], NOW, known=known), sign_registry(registry_key, [entry], RELEASE))


@pytest.mark.requirement("SKILL-33")
def test_after_a_rotation_the_old_key_signs_nothing() -> None:
    known = Known(rotations=render_chain([LINK]))
    assert opened(NEXT, NEXT, known) == "erp-report"
    assert opened(GOOD, NEXT, known) == ("SKILL_REFUSED", "KEY_RETIRED", GOOD.public.key_id)
    assert opened(NEXT, GOOD, known) == ("REGISTRY_REFUSED", "KEY_RETIRED", GOOD.public.key_id)
    assert opened(GOOD, GOOD, known) == ("REGISTRY_REFUSED", "KEY_RETIRED", GOOD.public.key_id)
    assert opened(NEXT, NEXT, Known()) == ("REGISTRY_REFUSED", "UNKNOWN_KEY", NEXT.public.key_id)


@pytest.mark.requirement("SKILL-22")
def test_a_new_key_does_not_forget_what_was_seen_under_the_old_one() -> None:
    source = script("erp-report", version="2.0.0").encode()
    check = TrustCheck([GOOD.public], NOW)
    (candidate,) = check.open_registry(
        sign_registry(GOOD, [sign_skill(GOOD, "builtin/erp-report.js", source)], RELEASE)
    )
    check.verify_file(check.verify_entry(candidate), source)
    known = Known(rotations=render_chain([LINK]), marks=check.marks)
    assert opened(NEXT, NEXT, known) == ("SKILL_REFUSED", "ROLLBACK", None)


# --- revocation -------------------------------------------------------------------------------------------------------


def listed(*keys: SecretKey, root: SecretKey = ROOT, serial: int = 1, successor: SecretKey | None = None) -> bytes:
    heir = successor.public.key_id if successor else None
    items = [RevokedKey(key_id=key.public.key_id, successor=heir) for key in keys]
    return sign_revocations(root, items, serial, NOW)


@pytest.mark.requirement("SKILL-34")
def test_a_revoked_key_signs_nothing_whatever_its_signatures_say() -> None:
    known = Known(roots=(ROOT.public,), revocations=listed(GOOD))
    pinned = [GOOD.public, NEXT.public]
    entry = sign_skill(GOOD, "builtin/erp-report.js", script("erp-report").encode())

    def outcome(key: SecretKey) -> object:
        return _outcome(TrustCheck(pinned, NOW, known=known), sign_registry(key, [entry], RELEASE))

    assert outcome(GOOD) == ("REGISTRY_REFUSED", "KEY_REVOKED", GOOD.public.key_id)
    assert outcome(NEXT) == ("SKILL_REFUSED", "KEY_REVOKED", GOOD.public.key_id)


@pytest.mark.requirement("SKILL-34")
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "BAD_JSON"),
        (listed(GOOD, root=ATTACKER), "UNKNOWN_KEY"),
        (listed(GOOD, root=GOOD), "UNKNOWN_KEY"),
        (listed(GOOD).replace(b'"serial": 1', b'"serial": 2'), "BAD_SIGNATURE"),
        (listed().replace(b"[]", b'[{"key_id": 7}]'), "BAD_FIELDS"),
    ],
)
def test_a_list_that_no_root_key_signed_revokes_nothing_and_is_told(raw: bytes, problem: str) -> None:
    keys = ring(revocations=raw)
    assert (sorted(keys.current), problems(keys)) == (ids(GOOD), [("BAD_REVOCATION", problem)])


@pytest.mark.requirement("SKILL-34")
def test_a_signature_under_a_registry_is_none_under_a_list() -> None:
    registry = sign_registry(ROOT, [], RELEASE)
    stolen = Revocations.model_validate_json(listed(GOOD)).model_copy(
        update={"signature": registry.decode().split('"signature": "')[1].split('"')[0]}
    )
    from sgclaw.skills.registry import render

    assert problems(ring(revocations=render(as_document(stolen)))) == [("BAD_REVOCATION", "BAD_SIGNATURE")]


@pytest.mark.requirement("SKILL-34")
def test_what_was_revoked_once_stays_so_without_the_list_and_with_an_old_one() -> None:
    seen = ring(revocations=listed(GOOD, serial=5)).marks
    assert (seen.revoked, seen.lists) == ((GOOD.public.key_id,), {ROOT.public.key_id: 5})
    for raw, told in (
        (None, []),
        (listed(serial=6), []),
        (listed(serial=4), [("BAD_REVOCATION", "ROLLBACK")]),
        (b"{", [("BAD_REVOCATION", "BAD_JSON")]),
    ):
        keys = ring(GOOD, NEXT, revocations=raw, marks=seen)
        assert (sorted(keys.current), sorted(keys.revoked), problems(keys)) == (ids(NEXT), ids(GOOD), told)


@pytest.mark.requirement("SKILL-34")
def test_without_a_root_line_the_pinned_keys_revoke_and_a_revoked_one_no_more() -> None:
    def of(raw: bytes, marks: Marks) -> Keyring:
        return make_keyring([GOOD.public, NEXT.public], Known(revocations=raw, marks=marks), production=False)

    first = of(listed(GOOD, root=NEXT), Marks())
    assert sorted(first.current) == ids(NEXT)
    revenge = of(listed(NEXT, root=GOOD, serial=2), first.marks)
    assert (sorted(revenge.current), problems(revenge)) == (ids(NEXT), [("BAD_REVOCATION", "KEY_REVOKED")])


@pytest.mark.requirement("SKILL-34")
def test_a_rotation_by_a_revoked_key_counts_only_for_the_successor_that_the_root_names() -> None:
    chain = render_chain([LINK])
    assert problems(ring(rotations=chain, revocations=listed(GOOD))) == [("BAD_ROTATION", "KEY_REVOKED")]
    named = ring(rotations=chain, revocations=listed(GOOD, successor=NEXT))
    assert (sorted(named.current), dict(named.retired), sorted(named.revoked)) == (ids(NEXT), {}, ids(GOOD))
    thief = render_chain([sign_rotation(GOOD, ATTACKER, 1, NOW)])
    assert dict(ring(rotations=thief, revocations=listed(GOOD, successor=NEXT)).current) == {}


@pytest.mark.requirement("SKILL-34")
def test_a_root_that_revokes_itself_names_no_successor() -> None:
    raw = listed(GOOD, root=GOOD, successor=ATTACKER)
    known = Known(rotations=render_chain([sign_rotation(GOOD, ATTACKER, 1, NOW)]), revocations=raw)
    assert dict(make_keyring([GOOD.public], known, production=False).current) == {}


@pytest.mark.requirement("SKILL-34")
def test_a_list_grows_and_its_serial_with_it() -> None:
    def paper_of(raw: bytes) -> Revocations:
        return Revocations.model_validate_json(raw)

    first = revoke(Basis(), ROOT, [GOOD.public.key_id], {GOOD.public.key_id: NEXT.public.key_id}, NOW)
    second = revoke(Basis(paper_of(first)), ROOT, [LAST.public.key_id], {}, NOW)
    assert first == listed(GOOD, successor=NEXT)
    paper = paper_of(second)
    assert (paper.serial, [(item.key_id, item.successor) for item in paper.revoked]) == (
        2,
        [(GOOD.public.key_id, NEXT.public.key_id), (LAST.public.key_id, None)],
    )
    # Each root counts for itself, from what was heard of it.
    assert paper_of(revoke(Basis(paper, 6), ROOT, [], {}, NOW)).serial == 7
    other = paper_of(revoke(Basis(paper, 0), OTHER_ROOT, [], {}, NOW))
    assert (other.serial, other.revoked) == (1, paper.revoked)
    with pytest.raises(LastSerialError):
        revoke(Basis(paper_of(listed(serial=MAX_INT))), ROOT, [], {}, NOW)


# --- on the disk ------------------------------------------------------------------------------------------------------


def paper(folder: Folder, name: str, content: bytes) -> None:
    path = folder.registry.parent / "keys" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def told(folder: Folder) -> tuple[int, Sequence[str], Sequence[tuple[str, str]]]:
    catalogue = folder.use(roots=(ROOT.public,))
    refused = [item.reason for item in catalogue.refused]
    return len(catalogue.skills), refused, [(item.file, item.reason) for item in catalogue.notices]


@pytest.mark.requirement("SKILL-34")
def test_papers_are_read_beside_the_registry_and_bad_ones_are_notices(folder: Folder) -> None:
    paper(folder, "rotations.json", b"{}")
    paper(folder, "revocations.json", b"")
    bad = [("keys/revocations.json", "BAD_REVOCATION"), ("keys/rotations.json", "BAD_ROTATION")]
    assert told(folder) == (3, [], bad)


@pytest.mark.requirement("SKILL-34")
def test_a_revocation_is_remembered_though_it_refused_the_set(folder: Folder) -> None:
    paper(folder, "revocations.json", listed(GOOD))
    assert told(folder) == (0, ["KEY_REVOKED"], [])
    (folder.registry.parent / "keys" / "revocations.json").unlink()
    assert told(folder) == (0, ["KEY_REVOKED"], [])


def _as_link(folder: Folder) -> None:
    path = folder.registry.parent / "keys" / "revocations.json"
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


def _as_folder(folder: Folder) -> None:
    path = folder.registry.parent / "keys" / "revocations.json"
    path.unlink()
    path.mkdir()


@pytest.mark.requirement("SKILL-34")
@pytest.mark.parametrize("change", [_as_link, _as_folder])
def test_a_paper_that_is_no_plain_file_has_no_effect_and_is_told(
    folder: Folder, change: Callable[[Folder], None]
) -> None:
    paper(folder, "revocations.json", listed(GOOD))
    change(folder)
    assert told(folder) == (3, [], [("keys/revocations.json", "BAD_REVOCATION")])


@pytest.mark.requirement("SKILL-33")
def test_a_set_signed_by_the_successor_loads_and_the_old_set_does_not_come_back(folder: Folder) -> None:
    before = folder.registry.read_bytes()
    paper(folder, "rotations.json", render_chain([LINK]))
    folder.key = NEXT
    folder.sign()
    assert told(folder) == (3, [], [])
    (folder.registry.parent / "keys" / "rotations.json").unlink()
    assert told(folder) == (0, ["UNKNOWN_KEY"], [])
    folder.registry.write_bytes(before)
    assert told(folder) == (0, ["KEY_RETIRED"], [])


def test_the_facts_of_a_notice_name_file_and_problem() -> None:
    (notice,) = ring(rotations=b"").notices
    facts: Mapping[str, object] = notice.facts
    assert facts == {"reason": "BAD_ROTATION", "file": "keys/rotations.json", "problem": "BAD_JSON", "serial": 0}
