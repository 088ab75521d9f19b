import hashlib
import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from sgclaw.audit.chain import EMPTY, GENESIS, HEAD_NAME, HEAD_SIZE, Head, segments
from sgclaw.audit.encode import MAX_DATA
from sgclaw.audit.ledger import ADOPTED, FileLedger
from sgclaw.audit.records import records
from sgclaw.audit.verify import Verified, verify
from sgclaw.errors import AuditUnavailableError, LedgerBrokenError
from sgclaw.ports import Ledger, Record
from sgclaw.redact import hint
from tests.gates.repository import ROOT
from tests.unit.audit.support import (
    MORNING,
    TRACE,
    HandClock,
    ledger_of,
    lines_of,
    record,
    segment,
    told_by_ledger,
)

PROGRAM = [sys.executable, "-m", "tests.unit.audit.programs"]


@pytest.mark.requirement("AUDIT-01")
def test_a_record_is_one_json_line_with_the_hash_of_its_canonical_form(tmp_path: Path) -> None:
    ledger: Ledger = FileLedger(tmp_path / "ledger", HandClock())
    ledger.append(Record("command", TRACE, "agent", "t-1", {"seq": 1, "action": "click", "域": "财务"}))
    expected = {
        "actor": "agent",
        "data": {"action": "click", "seq": 1, "域": "财务"},
        "event": "command",
        "n": 1,
        "prev": GENESIS,
        "task_id": "t-1",
        "time": "2026-03-03T10:23:05.123Z",
        "trace_id": TRACE,
    }
    canonical = orjson.dumps(expected, option=orjson.OPT_SORT_KEYS)
    digest = hashlib.sha256(b"\0" + bytes(32) + canonical).hexdigest()
    assert segment(tmp_path / "ledger").name == "ledger-20260303.jsonl"
    [line] = lines_of(tmp_path / "ledger")
    assert line == orjson.dumps({**expected, "hash": digest}, option=orjson.OPT_SORT_KEYS) + b"\n"
    assert ledger.head() == (1, digest)


@pytest.mark.requirement("AUDIT-02")
def test_each_record_commits_to_the_one_before_across_days(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = FileLedger(tmp_path / "ledger", clock)
    for day in range(3):
        clock.time = MORNING + timedelta(days=day)
        ledger.append(record(day * 2 + 1))
        ledger.append(record(day * 2 + 2), sync=True)
    stored = list(records(tmp_path / "ledger"))
    assert [day for day, _ in segments(tmp_path / "ledger")] == ["20260303", "20260304", "20260305"]
    assert [entry.n for entry in stored] == [1, 2, 3, 4, 5, 6]
    assert [entry.prev for entry in stored] == [GENESIS, *(entry.hash for entry in stored[:-1])]
    assert verify(tmp_path / "ledger") == Verified(6, stored[-1].hash, 3)


@pytest.mark.requirement("AUDIT-02")
def test_a_clock_set_back_keeps_writing_where_the_chain_ends(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = FileLedger(tmp_path / "ledger", clock)
    ledger.append(record(1))
    clock.time = MORNING - timedelta(days=2)
    ledger.append(record(2))
    assert [day for day, _ in segments(tmp_path / "ledger")] == ["20260303"]
    assert verify(tmp_path / "ledger").count == 2


@pytest.mark.requirement("AUDIT-03")
def test_files_and_folders_are_for_the_owner_only(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "state" / "ledger", 2)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [directory.parent, directory, *directory.iterdir()]}
    assert modes == {"state": 0o700, "ledger": 0o700, "ledger.head": 0o600, "ledger-20260303.jsonl": 0o600}


@pytest.mark.requirement("AUDIT-03")
@pytest.mark.parametrize(
    ("name", "mode", "command"),
    [
        (".", 0o755, "chmod 700"),
        (".", 0o710, "chmod 700"),
        (HEAD_NAME, 0o644, "chmod 600"),
        ("ledger-20260303.jsonl", 0o660, "chmod 600"),
    ],
)
def test_anything_wider_is_refused_with_the_command_that_mends_it(
    tmp_path: Path, name: str, mode: int, command: str
) -> None:
    directory = ledger_of(tmp_path / "ledger", 1)
    (directory / name).chmod(mode)
    with pytest.raises(AuditUnavailableError) as refused:
        FileLedger(directory, HandClock())
    path = directory / name
    assert refused.value.facts == {"path": str(path), "reason": "mode", "mode": f"{mode:04o}"}
    assert refused.value.next_step == f"请执行 {command} '{path}' 后重试"


@pytest.mark.requirement("AUDIT-03")
@pytest.mark.parametrize("name", [HEAD_NAME, "ledger-20260303.jsonl"])
def test_a_link_in_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    directory = ledger_of(tmp_path / "ledger", 1)
    (directory / name).rename(tmp_path / "elsewhere")
    (directory / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AuditUnavailableError) as refused:
        FileLedger(directory, HandClock())
    assert refused.value.facts["reason"] == "foreign"


@pytest.mark.requirement("AUDIT-04")
def test_data_is_redacted_before_it_is_written(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    ledger.append(record(1, password="hunter2", note="手机 13812345678"))
    [stored] = records(tmp_path / "ledger")
    assert stored.data == {"seq": 1, "password": hint("密码"), "note": f"手机 {hint('手机号')}"}


@pytest.mark.requirement("AUDIT-04")
def test_long_texts_and_large_data_enter_as_digests(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    longest, too_long = "财" * 682 + "xx", "财" * 682 + "xxx"
    ledger.append(Record("a", TRACE, "agent", data={"kept": longest, "cut": {"in": [too_long]}}))
    ledger.append(Record("b", TRACE, "agent", data={"rows": ["x" * 100] * (MAX_DATA // 100)}))
    first, second = records(tmp_path / "ledger")
    content = too_long.encode()
    assert first.data == {
        "kept": longest,
        "cut": {"in": [{"sha256": hashlib.sha256(content).hexdigest(), "bytes": 2049}]},
    }
    assert second.data.keys() == {"sha256", "bytes"}


@pytest.mark.requirement("AUDIT-04")
def test_values_that_json_cannot_say_are_mended_and_still_verify(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    ledger.append(
        Record("odd", TRACE, "agent", data={"\ud800": "a\udfff", "n": 2**70, "nan": float("nan"), "o": [b""]})
    )
    [stored] = records(tmp_path / "ledger")
    assert stored.data == {"\ufffd": "a\ufffd", "n": str(2**70), "nan": None, "o": [hint("bytes")]}
    assert verify(tmp_path / "ledger").count == 1


@pytest.mark.requirement("AUDIT-05")
def test_two_writers_of_one_folder_share_one_chain(tmp_path: Path) -> None:
    first, second = (FileLedger(tmp_path / "ledger", HandClock()) for _ in range(2))
    for number in range(10):
        (first if number % 3 else second).append(record(number))
    assert first.head() == second.head()
    assert verify(tmp_path / "ledger").count == 10


@pytest.mark.requirement("AUDIT-05")
def test_threads_of_one_process_share_one_ledger(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())

    def append_fifty() -> None:
        for number in range(50):
            ledger.append(record(number))

    threads = [threading.Thread(target=append_fifty) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert verify(tmp_path / "ledger").count == 200


@pytest.mark.requirement("AUDIT-05")
def test_three_processes_append_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    directory = tmp_path / "ledger"
    writers = [
        subprocess.Popen([*PROGRAM, "append", str(directory), "200"], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [writer.communicate(timeout=60)[0] for writer in writers] == [b"." * 200] * 3
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert verify(directory).count == 600


@pytest.mark.requirement("AUDIT-06")
@pytest.mark.parametrize(("victim", "after"), [(0, 1), (1, 37), (2, 90), (0, 150)])
def test_a_writer_killed_in_the_loop_loses_nothing_it_confirmed(tmp_path: Path, victim: int, after: int) -> None:
    directory = tmp_path / "ledger"
    writers = [
        subprocess.Popen([*PROGRAM, "append", str(directory), "200"], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    killed = writers[victim]
    assert killed.stdout is not None
    for _ in range(after):
        os.read(killed.stdout.fileno(), 1)
    killed.kill()
    confirmed = after + len(killed.communicate(timeout=60)[0])
    others = [writer.communicate(timeout=60)[0] for writer in writers if writer is not killed]
    FileLedger(directory, HandClock()).close()
    assert others == [b"." * 200] * 2
    assert 400 + confirmed <= verify(directory).count <= 400 + confirmed + 2


@pytest.mark.requirement("AUDIT-06")
@pytest.mark.parametrize("part", [1, 30, -1])
@pytest.mark.parametrize("running", [False, True])
def test_a_torn_line_is_moved_aside_and_a_record_says_so(tmp_path: Path, part: int, running: bool) -> None:
    directory = tmp_path / "ledger"
    survivor = FileLedger(directory, HandClock())
    survivor.append(record(1))
    whole = segment(directory).read_bytes()
    torn = whole[:part]
    segment(directory).write_bytes(whole + torn)
    assert verify(directory) == Verified(1, next(records(directory)).hash, 1, len(torn))
    if running:
        survivor.append(record(2))
    else:
        FileLedger(directory, HandClock()).close()
    told = list(records(directory))[1]
    assert (told.event, told.actor, told.data) == (
        "ledger_repaired",
        "ledger",
        {
            "file": "ledger-20260303.jsonl",
            "bytes": len(torn),
            "sha256": hashlib.sha256(torn).hexdigest(),
            "moved_to": "ledger-20260303.jsonl.torn",
        },
    )
    assert (directory / "ledger-20260303.jsonl.torn").read_bytes() == torn + b"\n"
    assert verify(directory).count == 2 + running


@pytest.mark.requirement("AUDIT-06")
@pytest.mark.parametrize("days", [0, 1])
@pytest.mark.parametrize("running", [False, True])
def test_a_record_whose_head_was_not_written_any_more_is_taken_in_and_a_record_says_so(
    tmp_path: Path, running: bool, days: int
) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    survivor = FileLedger(directory, HandClock())
    other = FileLedger(directory, HandClock(MORNING + timedelta(days=days)))
    before = Head(*other.head(), segment(directory).name[7:15], segment(directory).stat().st_size)
    other.append(record(3))
    if days:
        before = before._replace(day="20260304", size=0)
    (directory / HEAD_NAME).write_bytes(before.encode())
    assert (verify(directory).count, verify(directory).beyond) == (3, 1)
    expected = 4
    if running:
        survivor.append(record(4))
        expected = 5
    else:
        assert FileLedger(directory, HandClock()).head()[0] == 4
    assert (verify(directory).count, verify(directory).beyond) == (expected, 0)
    name = f"ledger-{before.day}.jsonl"
    assert told_by_ledger(directory, ADOPTED) == [{"file": name, "records": 1, "from": 3, "to": 3}]


@pytest.mark.requirement("AUDIT-07")
@pytest.mark.parametrize("cut", ["last record", "half of it", "all records"])
def test_a_file_shorter_than_its_head_is_broken_for_the_writer_too(tmp_path: Path, cut: str) -> None:
    directory = ledger_of(tmp_path / "ledger", 3)
    running = FileLedger(directory, HandClock())
    content = segment(directory).read_bytes()
    last = content.splitlines(keepends=True)[-1]
    left = {"last record": len(content) - len(last), "half of it": len(content) - len(last) // 2, "all records": 0}
    os.truncate(segment(directory), left[cut])
    facts = {"n": 3, "file": "ledger-20260303.jsonl", "what": "truncated"}
    with pytest.raises(LedgerBrokenError) as on_open:
        FileLedger(directory, HandClock())
    with pytest.raises(LedgerBrokenError) as on_append:
        running.append(record(4))
    assert (on_open.value.facts, on_append.value.facts) == (facts, facts)


@pytest.mark.requirement("AUDIT-07")
@pytest.mark.parametrize("name", [HEAD_NAME, "ledger-20260303.jsonl"])
def test_a_file_that_was_taken_away_stops_a_running_writer(tmp_path: Path, name: str) -> None:
    running = FileLedger(ledger_of(tmp_path / "ledger", 3), HandClock())
    (tmp_path / "ledger" / name).unlink()
    with pytest.raises(LedgerBrokenError) as broken:
        running.append(record(4))
    assert (broken.value.facts["file"], broken.value.facts["what"]) == (name, "missing")
    with pytest.raises(LedgerBrokenError):
        FileLedger(tmp_path / "ledger", HandClock())


@pytest.mark.requirement("AUDIT-07")
def test_a_foreign_line_behind_the_chain_is_not_adopted(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    with segment(directory).open("ab") as stream:
        stream.write(lines_of(directory)[1])
    with pytest.raises(LedgerBrokenError) as broken:
        FileLedger(directory, HandClock())
    assert broken.value.facts == {"n": 3, "file": "ledger-20260303.jsonl", "what": "foreign"}


@pytest.mark.requirement("AUDIT-08")
@pytest.mark.parametrize("program", ["file_limit", "day_limit"])
def test_a_write_cut_short_by_the_system_leaves_whole_records_and_a_usable_ledger(tmp_path: Path, program: str) -> None:
    run = subprocess.run([*PROGRAM, program, str(tmp_path / "ledger")], cwd=ROOT, timeout=60, check=False)
    assert run.returncode == 0


@pytest.mark.requirement("AUDIT-08")
@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("full_disk", "size=64k,mode=700"),
        ("full_disk_of_records", "size=64k,mode=700"),
        ("read_only", "ro,size=64k"),
    ],
)
def test_a_full_or_read_only_disk_stops_and_later_appends_work_again(
    tmp_path: Path, program: str, options: str
) -> None:
    """The mount lives in a namespace of its own and dies with the program."""
    mount = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o "$0" none "$1" || exit 77; shift; exec "$@"']
    if sys.platform == "win32" or subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        pytest.skip("no right to mount here")
    command = [*mount, options, str(tmp_path), *PROGRAM, program, str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode == 0


@pytest.mark.requirement("AUDIT-07")
def test_the_head_is_rewritten_in_place_with_a_fixed_size(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    path = tmp_path / "ledger" / HEAD_NAME
    assert path.read_bytes() == EMPTY.encode()
    inode = path.stat().st_ino
    ledger.append(record(1))
    n, digest = ledger.head()
    assert path.stat().st_ino == inode
    assert len(path.read_bytes()) == HEAD_SIZE
    assert Head.decode(path.read_bytes()) == Head(n, digest, "20260303", segment(tmp_path / "ledger").stat().st_size)
