"""Revocation by several root keys, and recovery from a stolen one."""

import pytest

from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.keyring import Known, make_keyring
from sgclaw.skills.marks import Marks
from sgclaw.skills.registry import LastSerialError
from sgclaw.skills.revocation import Revocations, list_in_force
from sgclaw.skills.rotation import render_chain, rotate, sign_rotation
from tests.unit.skills.folder import ATTACKER, GOOD, NOW
from tests.unit.skills.test_keyring import LAST, LINK, NEXT, OTHER_ROOT, ROOT, ids, listed, ring


def standing(raw: bytes | None, marks: Marks | None = None) -> Revocations | None:
    return list_in_force(raw, {ROOT.public.key_id: ROOT.public}, marks or Marks())


@pytest.mark.requirement("SKILL-34")
def test_a_new_list_builds_only_on_one_that_counts() -> None:
    assert standing(None) is None
    assert standing(listed(GOOD)) == Revocations.model_validate_json(listed(GOOD))
    assert standing(listed(GOOD, root=ATTACKER)) is None
    assert standing(listed(GOOD), Marks(revoked=(ROOT.public.key_id,))) is None
    with pytest.raises(ValueError, match="BAD_FIELDS"):
        standing(b"{}")


@pytest.mark.requirement("SKILL-34")
def test_a_stolen_root_that_raised_its_serial_to_the_last_stops_no_other_root() -> None:
    stolen = ring(revocations=listed(serial=MAX_INT)).marks
    assert stolen.lists == {ROOT.public.key_id: MAX_INT}
    raw = listed(ROOT, GOOD, root=OTHER_ROOT)
    for roots in ((ROOT.public, OTHER_ROOT.public), (OTHER_ROOT.public,)):
        keys = make_keyring([GOOD.public, NEXT.public], Known(roots, revocations=raw, marks=stolen), production=False)
        assert (sorted(keys.current), keys.notices) == (ids(NEXT), ())
        assert keys.marks.lists == {OTHER_ROOT.public.key_id: 1}


@pytest.mark.requirement("SKILL-34")
def test_what_the_lists_of_two_roots_revoked_is_revoked() -> None:
    roots = (ROOT.public, OTHER_ROOT.public)
    pinned = [GOOD.public, NEXT.public, LAST.public]
    first = make_keyring(pinned, Known(roots, revocations=listed(GOOD, serial=5)), production=False)
    known = Known(roots, revocations=listed(NEXT, root=OTHER_ROOT), marks=first.marks)
    second = make_keyring(pinned, known, production=False)
    assert sorted(second.current) == ids(LAST)
    assert first.marks.merged(second.marks).lists == {ROOT.public.key_id: 5, OTHER_ROOT.public.key_id: 1}


@pytest.mark.requirement("SKILL-34")
def test_the_successor_that_a_root_names_counts_though_the_thiefs_was_followed() -> None:
    thief = render_chain([sign_rotation(GOOD, ATTACKER, 1, NOW)])
    robbed = ring(rotations=thief).marks
    assert robbed.retired == {GOOD.public.key_id: ATTACKER.public.key_id}
    keys = ring(rotations=render_chain([LINK]), revocations=listed(GOOD, successor=NEXT), marks=robbed)
    assert (sorted(keys.current), keys.notices) == (ids(NEXT), ())


@pytest.mark.requirement("SKILL-33")
def test_a_chain_at_the_last_serial_gets_no_further_link() -> None:
    with pytest.raises(LastSerialError):
        rotate(render_chain([sign_rotation(GOOD, NEXT, MAX_INT, NOW)]), NEXT, LAST, NOW)
