"""The state folder's files: who may read and write them, what broken ones mean, two writers, a killed one."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.marks import FIRST_USE, KeyMark, Marks, SkillMark
from sgclaw.skills.signing import Release
from sgclaw.skills.state import SkillState
from tests.unit.skills.folder import GOOD, RELEASE, Folder, script

ID = "a" * 16
MARKS = Marks(keys={ID: KeyMark(serial=7, skills={"erp": SkillMark(version="1.0.0", sha256="0" * 64)})})


@pytest.fixture
def state(tmp_path: Path) -> SkillState:
    return SkillState(tmp_path / "state" / "skills", tmp_path / "registry.json")


def reason(call: Callable[[], object]) -> tuple[object, object]:
    with pytest.raises(RegistryRefusedError) as caught:
        call()
    return caught.value.facts["reason"], caught.value.facts["problem"]


def serial(number: int) -> Marks:
    return Marks(keys={ID: KeyMark(serial=number)})


@pytest.mark.requirement("SKILL-23")
def test_marks_come_back_as_they_were_written_in_private_files(state: SkillState) -> None:
    assert state.read_marks() == FIRST_USE
    state.raise_marks(MARKS)
    assert state.read_marks() == MARKS
    assert state.marks_path.stat().st_mode & 0o777 == 0o600
    for folder in (state.marks_path.parent, state.marks_path.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in state.marks_path.parent.iterdir()) == ["lock", state.marks_path.name]


@pytest.mark.requirement("SKILL-23")
def test_lower_marks_change_nothing_on_disk(state: SkillState) -> None:
    state.raise_marks(MARKS)
    before = state.marks_path.stat().st_mtime_ns, state.marks_path.read_bytes()
    state.raise_marks(serial(3))
    assert (state.marks_path.stat().st_mtime_ns, state.marks_path.read_bytes()) == before


@pytest.mark.requirement("SKILL-24")
def test_two_registries_have_marks_of_their_own(state: SkillState, tmp_path: Path) -> None:
    other = SkillState(state.marks_path.parent, tmp_path / "other" / "registry.json")
    state.raise_marks(MARKS)
    assert other.read_marks() == FIRST_USE
    other.marks_path.write_bytes(state.marks_path.read_bytes())
    assert reason(other.read_marks) == ("BAD_MARKS", "OTHER_REGISTRY")


@pytest.mark.requirement("SKILL-24")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "BAD_JSON"),
        (b"{", "BAD_JSON"),
        (b"[]", "BAD_JSON"),
        (b"{}", "BAD_FIELDS"),
        (b'{"version": 1, "version": 1}', "DUPLICATE_KEY"),
        (b"\xff", "BAD_ENCODING"),
        (b"x" * (8 * 1024 * 1024 + 1), "TOO_LARGE"),
    ],
)
def test_broken_marks_are_refused_and_not_overwritten(state: SkillState, content: bytes, problem: str) -> None:
    state.raise_marks(MARKS)
    state.marks_path.write_bytes(content)
    assert reason(state.read_marks) == ("BAD_MARKS", problem)
    assert reason(lambda: state.raise_marks(MARKS)) == ("BAD_MARKS", problem)
    assert state.marks_path.read_bytes() == content


@pytest.mark.requirement("SKILL-24")
def test_marks_that_say_more_than_they_may_are_refused(state: SkillState) -> None:
    state.raise_marks(MARKS)
    document = json.loads(state.marks_path.read_text())
    changes: list[dict[str, object]] = [
        {"trusted": {}},
        {"revoked": ["x"]},
        {"keys": {ID: {"seen": "yesterday"}}},
        {"lists": {ID: -1}},
    ]
    for change in changes:
        document["marks"] = {**document["marks"], **change}
        state.marks_path.write_text(json.dumps(document))
        assert reason(state.read_marks) == ("BAD_MARKS", "BAD_FIELDS")


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir(mode=0o700)


@pytest.mark.requirement("SKILL-24")
@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_link, "BAD_PATH"),
        (_folder, "BAD_PATH"),
        (lambda path: path.chmod(0o660), "OPEN_TO_OTHERS"),
        (lambda path: path.chmod(0o602), "OPEN_TO_OTHERS"),
    ],
)
def test_marks_in_no_private_file_are_refused(state: SkillState, spoil: Callable[[Path], None], problem: str) -> None:
    state.raise_marks(MARKS)
    spoil(state.marks_path)
    assert reason(state.read_marks) == ("BAD_MARKS", problem)


@pytest.mark.requirement("SKILL-24")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_marks_of_another_user_are_refused(state: SkillState) -> None:
    state.raise_marks(MARKS)
    os.chown(state.marks_path, 12345, 12345)
    assert reason(state.read_marks) == ("BAD_MARKS", "OPEN_TO_OTHERS")


@pytest.mark.requirement("SKILL-24")
def test_a_state_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    state = SkillState(tmp_path / "file" / "skills", tmp_path / "registry.json")
    assert reason(state.read_marks) == ("BAD_MARKS", "ENOTDIR")
    assert reason(lambda: state.raise_marks(MARKS)) == ("BAD_MARKS", "ENOTDIR")
    assert reason(state.switched_off) == ("BAD_SWITCHES", "ENOTDIR")
    assert reason(lambda: state.switch("erp", on=False)) == ("BAD_SWITCHES", "ENOTDIR")


@pytest.mark.requirement("SKILL-57")
@pytest.mark.parametrize("name", ["", "erp@1.0.0", "Foo Bar", "../x", "con", "x" * 65])
def test_what_is_no_name_of_a_skill_is_not_switched_off(state: SkillState, name: str) -> None:
    with pytest.raises(SkillRefusedError) as caught:
        state.switch(name, on=False)
    assert caught.value.facts == {"reason": "BAD_NAME", "name": name[:64]}
    assert state.switched_off() == frozenset()


@pytest.mark.requirement("SKILL-24")
def test_a_path_that_the_system_refuses_is_told(tmp_path: Path) -> None:
    state = SkillState(tmp_path / ("x" * 300), tmp_path / "registry.json")
    assert reason(state.read_marks) == ("BAD_MARKS", "ENAMETOOLONG")


_HOLD = """
import fcntl, sys
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(state: SkillState) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the lock until it is killed."""
    state.raise_marks(MARKS)
    command = [sys.executable, "-c", _HOLD, str(state.marks_path.parent / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


@pytest.mark.requirement("SKILL-23")
def test_a_held_lock_is_not_waited_for_without_end_and_a_dead_holder_frees_it(
    state: SkillState, holder: subprocess.Popen[bytes]
) -> None:
    assert reason(lambda: state.raise_marks(serial(9))) == ("BAD_MARKS", "EAGAIN")
    assert state.read_marks() == MARKS
    holder.kill()
    holder.wait(20)
    state.raise_marks(serial(9))
    assert state.read_marks().keys[ID].serial == 9


def _raise_many(folder: Path, registry: Path, numbers: list[int]) -> None:
    state = SkillState(folder, registry)
    for number in numbers:
        state.raise_marks(serial(number))


@pytest.mark.requirement("SKILL-23")
def test_writers_at_once_leave_the_highest_marks(state: SkillState, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    parts = [list(range(start, 60, 3)) for start in range(3)]
    folder = state.marks_path.parent
    workers = [context.Process(target=_raise_many, args=(folder, tmp_path / "registry.json", part)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert state.read_marks().keys[ID].serial == 59
    assert sorted(path.name for path in folder.iterdir()) == ["lock", state.marks_path.name]


_WRITE = """
import sys
from pathlib import Path
from sgclaw.skills.marks import KeyMark, Marks
from sgclaw.skills.signing import Release
from sgclaw.skills.state import SkillState
state = SkillState(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(1, 1_000_000):
    state.raise_marks(Marks(keys={"a" * 16: KeyMark(serial=number)}))
    print(number, flush=True)
"""


@pytest.mark.requirement("SKILL-23")
@pytest.mark.parametrize("lines", [1, 7, 20])
def test_a_writer_killed_at_any_moment_leaves_marks_as_high_as_it_said(
    state: SkillState, tmp_path: Path, lines: int
) -> None:
    folder, registry = state.marks_path.parent, tmp_path / "registry.json"
    command = [sys.executable, "-c", _WRITE, str(folder), str(registry)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        said = lines + len(process.stdout.read().splitlines())
    assert state.read_marks().keys[ID].serial >= said - 1  # the last line may be cut
    state.raise_marks(serial(10_000_000))
    assert state.read_marks().keys[ID].serial == 10_000_000


# --- switches and workstation keys ------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-57")
def test_switching_off_and_on_again(state: SkillState) -> None:
    assert state.switched_off() == frozenset()
    assert [state.switch(name, on=False) for name in ("erp", "oa", "erp")] == [True, True, False]
    assert state.switched_off() == {"erp", "oa"}
    assert state.switches_path.stat().st_mode & 0o777 == 0o600
    assert [state.switch("erp", on=True), state.switch("erp", on=True)] == [True, False]
    assert state.switched_off() == {"oa"}


@pytest.mark.requirement("SKILL-57")
@pytest.mark.parametrize(
    "content", ["", "{}", '{"version": 1, "names": ["Not A Name"]}', '{"version": 1, "names": {}}']
)
def test_a_broken_list_of_switches_is_refused_and_kept(state: SkillState, content: str) -> None:
    state.switch("erp", on=False)
    state.switches_path.write_text(content)
    for call in (state.switched_off, lambda: state.switch("oa", on=False)):
        assert reason(call)[0] == "BAD_SWITCHES"
    assert state.switches_path.read_text() == content


@pytest.mark.requirement("SKILL-57")
def test_a_switched_off_skill_is_refused_and_the_others_run(folder: Folder) -> None:
    folder.state.switch("erp-report", on=False)
    catalogue = folder.use()
    assert list(catalogue.skills) == ["oa-approval", "my-skill"]
    assert [(item.name, item.reason) for item in catalogue.refused] == [("erp-report", "SWITCHED_OFF")]
    folder.state.switch("erp-report", on=True)
    assert len(folder.use().skills) == 3


@pytest.mark.requirement("SKILL-57")
def test_switching_on_makes_no_refused_skill_usable(folder: Folder) -> None:
    folder.write("builtin/erp-report.js", script("erp-report") + " ")
    folder.state.switch("erp-report", on=False)
    folder.state.switch("erp-report", on=True)
    assert [item.reason for item in folder.use().refused] == ["HASH_MISMATCH"]


@pytest.mark.requirement("SKILL-57")
def test_when_nobody_knows_what_is_switched_off_nothing_runs(folder: Folder) -> None:
    folder.state.switch("erp-report", on=False)
    folder.state.switches_path.write_text("{")
    catalogue = folder.use()
    assert (dict(catalogue.skills), [item.reason for item in catalogue.refused]) == ({}, ["BAD_SWITCHES"])


@pytest.mark.requirement("SKILL-74")
def test_workstation_keys_are_a_file_of_their_own(state: SkillState) -> None:
    assert state.patch_keys() == []
    state.patch_keys_path.parent.mkdir(mode=0o700, parents=True)
    state.patch_keys_path.write_text(f"ed25519:{GOOD.public.raw.hex()}\n")
    assert state.patch_keys() == [GOOD.public]
    state.patch_keys_path.chmod(0o666)
    assert reason(state.patch_keys) == ("BAD_KEY", "OPEN_TO_OTHERS")


# --- the catalogue with a memory --------------------------------------------------------------------------------------


def outcome(folder: Folder) -> tuple[list[str], list[tuple[str, str]]]:
    catalogue = folder.use()
    return list(catalogue.skills), [(item.name, item.reason) for item in catalogue.refused]


@pytest.mark.requirement("SKILL-22")
def test_an_older_set_put_back_is_refused_once_a_newer_was_used(folder: Folder) -> None:
    old = folder.registry.read_bytes()
    folder.sign(Release(serial=8, updated_at=RELEASE.updated_at, expires=RELEASE.expires))
    assert len(folder.use().skills) == 3
    folder.registry.write_bytes(old)
    assert outcome(folder) == ([], [("", "ROLLBACK")])
    assert len(folder.load().skills) == 3


@pytest.mark.requirement("SKILL-24")
def test_whoever_only_looks_writes_nothing(folder: Folder) -> None:
    assert len(folder.use(advances=False).skills) == 3
    assert not folder.state.marks_path.parent.exists()
    folder.use().get("erp-report")
    assert folder.state.read_marks().keys[GOOD.public.key_id].serial == 7


@pytest.mark.requirement("SKILL-24")
def test_marks_that_cannot_be_read_or_written_refuse_the_set(folder: Folder) -> None:
    folder.use().get("erp-report")
    folder.state.marks_path.write_text("{")
    assert outcome(folder) == ([], [("", "BAD_MARKS")])
    assert folder.use(advances=False).registry_error is not None
    folder.state.marks_path.unlink()
    folder.state.marks_path.parent.rename(folder.root.parent / "moved")
    folder.state.marks_path.parent.write_text("in the way")
    assert outcome(folder) == ([], [("", "BAD_MARKS")])
