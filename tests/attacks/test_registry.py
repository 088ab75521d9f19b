"""Every registry case: changed, loaded as a process that runs skills would, compared with what must come of it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Final

import pytest

from sgclaw.errors import SkillError
from sgclaw.skills.catalogue import Catalogue, Refusal
from sgclaw.skills.files import list_scripts
from tests.attacks.corpus import Case, Data
from tests.attacks.registry.ops import OPS, UnknownOpError, apply, variants
from tests.attacks.registry.reasons import fits
from tests.attacks.registry.world import Shut, World

SUITE = "registry"
SECONDS: Final = 5

_ENGINE: Final = {"quickjs", "_quickjs"}
_STARTS: Final = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec"}
_events: list[str] = []
_watching = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and (event in _STARTS or (event == "import" and arguments[0] in _ENGINE)):
        _events.append(event)


sys.addaudithook(_watch)


@pytest.mark.requirement("ATTACK-20")
@pytest.mark.requirement("ATTACK-21")
def test_a_registry_case_loads_what_it_must_and_refuses_the_rest(attack: Case, tmp_path: Path) -> None:
    must: Data = attack.data["must"]
    for number, ops in enumerate(variants(attack.data)):
        world = World(tmp_path / str(number), attack.file["base"])
        _apply(world, ops, attack.data)
        torn = must["refused_error"] == "E_REGISTRY_SIG"
        if world.implied and world.is_changed and not attack.is_control:
            _nothing_loads_under_the_old_signature(tmp_path / f"{number}-torn", attack, ops)
        world.write(world.original if torn and world.implied else None)
        catalogue = _judged(world, must)
        for late in world.after:
            late()
        _is_consistent(catalogue, world)
        _and_again(world, must, replaced=bool(world.after))


def _apply(world: World, ops: list[Data], case: Data) -> None:
    """Do the ops of a case; one that is about something its author allows to be missing, and is, is not run."""
    for op in ops:
        try:
            apply(world, op)
        except UnknownOpError as error:
            if "not applicable" in str(case.get("variant")):
                pytest.skip(str(error))
            raise


def _judged(world: World, must: Data) -> Catalogue | Shut:
    """The loaded set; it must be what the case says, in time, with nothing started."""
    global _watching  # noqa: PLW0603 - the audit hook outlives every test
    _events.clear()
    began = time.monotonic()
    _watching = True
    try:
        catalogue = world.load()
        loaded, refused = set(catalogue.skills), list(catalogue.refused)
        if must["refused_error"] is not None and not refused:
            refused = list(catalogue.unsigned)  # what no entry lists is told apart from what is listed and refused
    finally:
        _watching = False
    assert time.monotonic() - began < SECONDS
    assert _events == [], "loading must not run or start anything"
    assert (sorted(loaded), [item for item in refused if not fits(item, must["refused_error"])]) == (
        sorted(must["loaded"]),
        [],
    )
    assert bool(refused) == (must["refused_error"] is not None)
    return catalogue


def _is_consistent(catalogue: Catalogue | Shut, world: World) -> None:
    """The rules that hold for every case: a refused skill cannot be had by its name, and its refusal tells all."""
    files = [file for file in list_scripts(world.skills) if (world.skills / file).is_file()]
    sources = {file: (world.skills / file).read_bytes() for file in files}
    for item in catalogue.refused:
        _tells_all(item)
        names = [item.name] if item.name else world.names
        for name in names:
            if name in catalogue.skills:
                assert sources.get(item.file) != catalogue.skills[name].body.encode()
                continue
            with pytest.raises(SkillError):
                catalogue.get(name)
    for skill in catalogue.skills.values():
        assert skill is catalogue.get(skill.manifest.ref)


def _tells_all(item: Refusal) -> None:
    assert item.code in {"SKILL_REFUSED", "REGISTRY_REFUSED"}
    assert item.reason == item.facts["reason"]
    assert item.cause
    assert item.next_step
    assert item.name or item.file or item.code == "REGISTRY_REFUSED" or item.reason in {"BAD_NAME", "BAD_PATH"}
    if item.reason == "HASH_MISMATCH":
        assert item.facts["expected"] != item.facts["actual"]


def _and_again(world: World, must: Data, *, replaced: bool) -> None:
    """A second process finds the same; a file replaced since the first is refused by then."""
    again = world.load()
    if not replaced:
        assert sorted(again.skills) == sorted(must["loaded"])
        return
    assert {item.reason for item in again.refused} == {"HASH_MISMATCH"}


def _nothing_loads_under_the_old_signature(folder: Path, attack: Case, ops: list[Data]) -> None:
    """Whoever cannot sign the registry gets nowhere at all: the same change without that signature refuses the set."""
    world = World(folder, attack.file["base"])
    _apply(world, ops, attack.data)
    world.write(world.original)
    assert list(world.load().skills) == []


def test_an_op_without_a_meaning_fails_its_case(tmp_path: Path) -> None:
    world = World(tmp_path, {"skills": []})
    with pytest.raises(UnknownOpError, match="'teleport'"):
        apply(world, {"op": "teleport", "skill": "a"})
    assert "teleport" not in OPS
