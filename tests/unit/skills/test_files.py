import os
from pathlib import Path

import pytest

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.files import (
    MAX_BYTES,
    RefusedFileError,
    list_scripts,
    read_named,
    read_open,
    read_registry,
    read_script,
    read_trust_root,
)
from tests.unit.skills.folder import ATTACKER, GOOD, Folder


def reason(root: Path, file: str) -> object:
    with pytest.raises(SkillRefusedError) as caught:
        read_script(root, file)
    return caught.value.facts["reason"]


@pytest.mark.requirement("SKILL-40")
def test_bytes_come_back_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "builtin").mkdir()
    (tmp_path / "builtin" / "a.js").write_bytes(b"\r\n\xff\x00")
    assert read_script(tmp_path, "builtin/a.js") == b"\r\n\xff\x00"


@pytest.mark.requirement("SKILL-40")
def test_a_linked_file_is_refused(folder: Folder) -> None:
    (folder.root / "builtin" / "link.js").symlink_to(folder.root / "builtin" / "erp-report.js")
    assert reason(folder.root, "builtin/link.js") == "BAD_PATH"


@pytest.mark.requirement("SKILL-40")
def test_a_linked_folder_is_refused(folder: Folder, tmp_path: Path) -> None:
    (folder.root / "builtin").rename(tmp_path / "elsewhere")
    (folder.root / "builtin").symlink_to(tmp_path / "elsewhere")
    assert reason(folder.root, "builtin/erp-report.js") == "BAD_PATH"


@pytest.mark.requirement("SKILL-40")
def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused_without_waiting(folder: Folder) -> None:
    os.mkfifo(folder.root / "builtin" / "pipe.js")
    (folder.root / "builtin" / "dir.js").mkdir()
    assert reason(folder.root, "builtin/pipe.js") == "BAD_PATH"
    assert reason(folder.root, "builtin/dir.js") == "BAD_PATH"


@pytest.mark.requirement("SKILL-40")
def test_what_became_a_pipe_before_it_was_opened_is_refused_without_waiting() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb"), pytest.raises(RefusedFileError) as caught:
        read_open(reading, MAX_BYTES)
    assert caught.value.reason == "BAD_PATH"


@pytest.mark.requirement("SKILL-40")
def test_a_missing_file_is_said_to_be_missing(folder: Folder) -> None:
    assert reason(folder.root, "builtin/gone.js") == "NO_FILE"
    assert reason(folder.root, "nowhere/gone.js") == "NO_FILE"


@pytest.mark.requirement("SKILL-40")
def test_a_file_may_have_one_mebibyte_and_not_a_byte_more(folder: Folder) -> None:
    folder.write("builtin/full.js", b"x" * MAX_BYTES)
    folder.write("builtin/over.js", b"x" * (MAX_BYTES + 1))
    assert len(read_script(folder.root, "builtin/full.js")) == MAX_BYTES
    assert reason(folder.root, "builtin/over.js") == "TOO_LARGE"


@pytest.mark.requirement("SKILL-40")
def test_a_registry_that_cannot_be_read_is_named(folder: Folder) -> None:
    folder.registry.unlink()
    with pytest.raises(RegistryRefusedError) as missing:
        read_registry(folder.registry)
    folder.registry.write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(RegistryRefusedError) as large:
        read_registry(folder.registry)
    assert (missing.value.facts["reason"], large.value.facts["reason"]) == ("NO_REGISTRY", "TOO_LARGE")


@pytest.mark.requirement("SKILL-14")
def test_a_trust_root_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "skill_verify.pub").write_text(f"ed25519:{GOOD.public.raw.hex()}\n")
    (tmp_path / "extra.pub").write_text("ed25519:" + "0" * 64)
    assert read_trust_root(tmp_path / "skill_verify.pub").signing == (GOOD.public,)
    with pytest.raises(RegistryRefusedError) as caught:
        read_trust_root(tmp_path / "gone.pub")
    assert caught.value.facts["reason"] == "BAD_KEY"


def test_scripts_to_sign_are_listed_in_one_order(folder: Folder) -> None:
    folder.write("builtin/notes.txt", "x")
    folder.write("flows/a.js", "x")
    assert list_scripts(folder.root) == ["builtin/erp-report.js", "builtin/oa-approval.js", "custom/my-skill.js"]


def pinned(folder: Path, *lines: str) -> Path:
    """A trust root in a folder that only its owner may write."""
    folder.mkdir(mode=0o755)
    path = folder / "skill_verify.pub"
    path.write_text("\n".join(lines or (f"ed25519:{GOOD.public.raw.hex()}",)) + "\n")
    path.chmod(0o644)
    return path


def exposure(path: Path, home: Path) -> tuple[object, object]:
    with pytest.raises(RegistryRefusedError) as caught:
        read_trust_root(path, outside=home)
    return caught.value.facts["reason"], caught.value.facts.get("problem")


@pytest.mark.requirement("SKILL-35")
def test_a_trust_root_elsewhere_that_only_its_owner_writes_will_do_for_production(tmp_path: Path) -> None:
    path = pinned(tmp_path / "etc")
    assert read_trust_root(path, outside=tmp_path / "home").signing == (GOOD.public,)


@pytest.mark.requirement("SKILL-35")
def test_production_refuses_a_trust_root_among_what_is_delivered_also_by_a_link(tmp_path: Path) -> None:
    path = pinned(tmp_path / "home")
    assert read_trust_root(path).signing == (GOOD.public,)
    assert exposure(path, tmp_path / "home") == ("EXPOSED_TRUST_ROOT", "INSIDE")
    (tmp_path / "elsewhere").symlink_to(tmp_path / "home")
    assert exposure(tmp_path / "elsewhere" / path.name, tmp_path / "home") == ("EXPOSED_TRUST_ROOT", "INSIDE")
    assert exposure(path, tmp_path / "elsewhere") == ("EXPOSED_TRUST_ROOT", "INSIDE")


@pytest.mark.requirement("SKILL-35")
@pytest.mark.parametrize(("folder", "file"), [(0o755, 0o664), (0o755, 0o646), (0o775, 0o644), (0o757, 0o644)])
def test_production_refuses_a_trust_root_that_others_can_change(tmp_path: Path, folder: int, file: int) -> None:
    path = pinned(tmp_path / "etc")
    path.chmod(file)
    path.parent.chmod(folder)
    assert exposure(path, tmp_path / "home") == ("EXPOSED_TRUST_ROOT", "WRITABLE")


@pytest.mark.requirement("SKILL-35")
@pytest.mark.parametrize(("mode", "problem"), [(0o775, "WRITABLE"), (0o777, "WRITABLE"), (0o1777, None), (0o755, None)])
def test_production_looks_at_every_folder_on_the_way_to_the_trust_root(
    tmp_path: Path, mode: int, problem: str | None
) -> None:
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "more").mkdir()
    path = pinned(tmp_path / "up" / "more" / "etc")
    (tmp_path / "up").chmod(mode)
    if problem is None:
        assert read_trust_root(path, outside=tmp_path / "home").signing == (GOOD.public,)
    else:
        assert exposure(path, tmp_path / "home") == ("EXPOSED_TRUST_ROOT", problem)


@pytest.mark.requirement("SKILL-35")
def test_production_follows_no_link_on_the_way_to_the_trust_root(tmp_path: Path) -> None:
    path = pinned(tmp_path / "etc")
    (tmp_path / "elsewhere").symlink_to(path.parent)
    assert exposure(tmp_path / "elsewhere" / path.name, tmp_path / "home") == ("EXPOSED_TRUST_ROOT", "LINK")


@pytest.mark.requirement("SKILL-40")
def test_a_file_that_a_person_names_is_read_through_links_and_is_no_pipe_and_no_device(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    assert read_named(tmp_path / "link", 5) == b"12345"
    for path, reason in (
        (tmp_path / "file", "TOO_LARGE"),
        (tmp_path / "pipe", "BAD_PATH"),
        (Path("/dev/zero"), "BAD_PATH"),
    ):
        with pytest.raises(RefusedFileError) as refused:
            read_named(path, 4)
        assert refused.value.reason == reason
    with pytest.raises(IsADirectoryError):
        read_named(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_named(tmp_path / "gone")


@pytest.mark.requirement("SKILL-35")
def test_a_trust_root_that_is_missing_or_out_of_reach_is_a_bad_key(tmp_path: Path) -> None:
    assert exposure(tmp_path / "etc" / "gone.pub", tmp_path / "home") == ("BAD_KEY", None)
    assert exposure(tmp_path / ("x" * 300) / "a.pub", tmp_path / "home") == ("BAD_KEY", None)


@pytest.mark.requirement("SKILL-34")
def test_a_trust_root_may_name_root_keys_that_sign_no_skills(tmp_path: Path) -> None:
    signing, root = f"ed25519:{GOOD.public.raw.hex()}", f"root:ed25519:{ATTACKER.public.raw.hex()}"
    both = read_trust_root(pinned(tmp_path / "both", "# keys", root, signing))
    assert (both.signing, both.roots) == ((GOOD.public,), (ATTACKER.public,))
    alone = read_trust_root(pinned(tmp_path / "alone"))
    assert (alone.signing, alone.roots) == ((GOOD.public,), (GOOD.public,))
    for number, lines in enumerate([(root,), (signing, "root:"), (signing, "Root:" + signing), ("root: " + signing,)]):
        with pytest.raises(RegistryRefusedError) as caught:
            read_trust_root(pinned(tmp_path / str(number), *lines))
        assert caught.value.facts["reason"] == "BAD_KEY"
