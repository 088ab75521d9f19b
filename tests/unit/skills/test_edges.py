"""Ways through the trust core that no other test of this room takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from sgclaw.errors import BadManifestError, SandboxError, SkillRefusedError
from sgclaw.skills.catalogue import open_set
from sgclaw.skills.ed25519 import render_public_key
from sgclaw.skills.schema import check_schema
from sgclaw.skills.signing import build_registry
from tests.unit.skills.folder import GOOD, NOW, RELEASE, Folder, script


@dataclass(frozen=True)
class Places:
    """The settings a set is opened with."""

    skills_root: Path
    registry: Path
    trust_root: Path
    skills_state: Path


@pytest.mark.requirement("FUZZ-09")
def test_a_set_is_opened_from_the_places_of_the_settings(folder: Folder, tmp_path: Path) -> None:
    trust_root = tmp_path / "trust.pub"
    trust_root.write_bytes(render_public_key(GOOD.public, "test"))
    places = Places(folder.root, folder.registry, trust_root, tmp_path / "state")
    assert list(open_set(places, NOW, production=False, advances=False).skills) == [
        "erp-report",
        "oa-approval",
        "my-skill",
    ]


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize(
    "error",
    [BadManifestError("原因", facts={"line": 2}), SandboxError("原因", facts={"line": 2})],
    ids=["header", "script"],
)
def test_what_keeps_a_script_from_being_signed_is_told_with_its_file(
    folder: Folder, error: BadManifestError | SandboxError
) -> None:
    seen: list[tuple[str, str]] = []

    def check(file: str, source: str) -> None:
        seen.append((file, source))
        raise error

    with pytest.raises(type(error)) as told:
        build_registry(folder.root, GOOD, RELEASE, check=check)
    assert told.value.cause == "builtin/erp-report.js：原因"
    assert told.value.facts == {"line": 2, "file": "builtin/erp-report.js"}
    assert told.value.next_step == error.next_step
    assert seen == [("builtin/erp-report.js", script("erp-report"))]


@pytest.mark.requirement("FUZZ-09")
def test_two_scripts_of_one_name_are_both_named(folder: Folder) -> None:
    folder.write("custom/again.js", script("erp-report"))
    with pytest.raises(SkillRefusedError) as twice:
        build_registry(folder.root, GOOD, RELEASE)
    assert twice.value.facts == {
        "reason": "DUPLICATE",
        "name": "erp-report",
        "file": "custom/again.js",
        "other": "builtin/erp-report.js",
    }


@pytest.mark.requirement("FUZZ-09")
def test_the_words_for_values_are_texts_or_lists_of_them() -> None:
    check_schema({"enum": ["a", "b"], "x-labels": {"a": "甲", "b": ["乙", "二"]}})
    for labels, place in (([], "/x-labels"), ({"a": 1}, "/x-labels/a"), ({"a": ["甲", "甲"]}, "/x-labels/a")):
        with pytest.raises(ValueError, match=place):
            check_schema({"x-labels": labels})
