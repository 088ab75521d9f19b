"""The folders around the state files: whoever could change them could undo what is remembered."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.state import SkillState, open_folders
from tests.unit.skills.test_state import MARKS, _folder, _link, reason, serial


@pytest.fixture
def state(tmp_path: Path) -> SkillState:
    return SkillState(tmp_path / "state" / "skills", tmp_path / "registry.json")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


OPEN_FOLDERS = [("", 0o777), ("", 0o770), ("skills", 0o777), ("skills", 0o750), ("skills", 0o701)]


@pytest.mark.requirement("SKILL-24")
@pytest.mark.parametrize(("name", "mode"), OPEN_FOLDERS)
def test_a_folder_in_which_others_could_replace_files_is_refused_with_what_mends_it(
    state: SkillState, name: str, mode: int
) -> None:
    state.raise_marks(MARKS)
    place = state.marks_path.parent.parent / name
    place.chmod(mode)
    calls: list[Callable[[], object]] = [state.read_marks, state.switched_off, state.patch_keys]
    mend = ""
    calls.append(lambda: state.raise_marks(MARKS))
    for call in calls:
        with pytest.raises(RegistryRefusedError) as caught:
            call()
        mend = str(caught.value.facts.pop("mend"))
        assert caught.value.facts == {"reason": "OPEN_STATE", "file": str(place)}
        assert mend in caught.value.next_step
    subprocess.run(["sh", "-c", mend], check=True, timeout=20)
    assert state.read_marks() == MARKS


@pytest.mark.requirement("SKILL-24")
def test_a_sticky_state_folder_will_do_and_a_linked_folder_for_skills_will_not(state: SkillState) -> None:
    state.raise_marks(MARKS)
    folder = state.marks_path.parent
    folder.parent.chmod(0o1777)
    assert state.read_marks() == MARKS
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(folder.with_name("moved"))
    assert [(place, mend) for place, mend in open_folders(folder)] == [(folder, f"rm '{folder}'")]


@pytest.mark.requirement("SKILL-24")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder away")
@pytest.mark.parametrize("name", ["", "skills"])
def test_a_folder_of_another_user_is_refused(state: SkillState, name: str) -> None:
    state.raise_marks(MARKS)
    place = state.marks_path.parent.parent / name
    os.chown(place, 12345, 12345)
    assert list(open_folders(state.marks_path.parent)) == [(place, f"chown 0 '{place}'")]


@pytest.mark.requirement("SKILL-24")
@pytest.mark.parametrize("spoil", [_folder, _link, _pipe])
def test_reading_says_that_what_is_locked_is_no_file(state: SkillState, spoil: Callable[[Path], None]) -> None:
    state.raise_marks(MARKS)
    spoil(state.marks_path.parent / "lock")
    assert reason(state.read_marks) == ("BAD_MARKS", "BAD_PATH")
    assert reason(lambda: state.raise_marks(MARKS)) == ("BAD_MARKS", "BAD_PATH")


@pytest.mark.requirement("SKILL-23")
def test_what_a_killed_writer_left_behind_is_written_over(state: SkillState) -> None:
    state.raise_marks(MARKS)
    (state.marks_path.parent / f".{state.marks_path.name}.new").write_text("half a file")
    state.raise_marks(serial(8))
    assert sorted(path.name for path in state.marks_path.parent.iterdir()) == ["lock", state.marks_path.name]
