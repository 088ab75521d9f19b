import os
from pathlib import Path

import pytest

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.files import MAX_BYTES, list_scripts, read_registry, read_script, read_trust_root
from tests.unit.skills.folder import GOOD, Folder


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
    assert read_trust_root(tmp_path / "skill_verify.pub") == [GOOD.public]
    with pytest.raises(RegistryRefusedError) as caught:
        read_trust_root(tmp_path / "gone.pub")
    assert caught.value.facts["reason"] == "BAD_KEY"


def test_scripts_to_sign_are_listed_in_one_order(folder: Folder) -> None:
    folder.write("builtin/notes.txt", "x")
    folder.write("flows/a.js", "x")
    assert list_scripts(folder.root) == ["builtin/erp-report.js", "builtin/oa-approval.js", "custom/my-skill.js"]
