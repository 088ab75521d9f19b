import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from sgclaw.audit.files import EXISTING, locked, open_private
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.log import StderrLog
from sgclaw.audit.record_files import LOCK_NAME, Maintained
from sgclaw.audit.records import kept
from sgclaw.audit.trace import TraceHolder
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError, LedgerBrokenError
from sgclaw.ports import Log, RecordKind, Records
from sgclaw.redact import hint
from tests.gates.repository import ROOT
from tests.unit.audit.support import (
    MORNING,
    SECONDS,
    TRACE,
    HandClock,
    files_of,
    keep_day,
    told_by_ledger,
)

PROGRAM = [sys.executable, "-m", "tests.unit.audit.programs"]
DAY = "20260303"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Somebody else holds the lock of this file."""
    handle = open_private(path, EXISTING)
    try:
        with locked(handle):
            yield
    finally:
        os.close(handle)


def lines_in(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def told(directory: Path, name: str, *, complete: bool) -> dict[str, object]:
    """What the ledger says of a file as it is now."""
    content = (directory / name).read_bytes()
    kind, day = name.removesuffix(".jsonl").split("-")
    return {
        "class": kind,
        "day": day,
        "records": content.count(b"\n"),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "complete": complete,
    }


# --- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-16")
def test_each_class_has_a_file_a_day_with_one_json_line_a_record_for_the_owner_only(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    files = files_of(directory, clock)
    records: Records = files
    records.write(RecordKind.PIPE, {"direction": "in", "type": "response", "seq": 7, "bytes": 120, "success": True})
    records.write(RecordKind.LLM, {"model": "qwen", "tokens": {"in": 5, "out": 2}, "outcome": "ok"})
    clock.time = MORNING + timedelta(days=1)
    records.write(RecordKind.PIPE, {"direction": "out", "type": "pong", "n": 3})
    assert files.flush(SECONDS)
    assert (directory / f"pipe-{DAY}.jsonl").read_text() == (
        f'{{"timestamp":"2026-03-03T10:23:05.123Z","trace_id":"{TRACE}","direction":"in","type":"response","seq":7,'
        '"bytes":120,"success":true}\n'
    )
    found = {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir() if "ledger" not in path.name}
    assert found == {
        f"llm-{DAY}.jsonl": 0o400,
        f"pipe-{DAY}.jsonl": 0o400,
        "pipe-20260304.jsonl": 0o600,
        LOCK_NAME: 0o600,
    }
    assert list(kept(directory, RecordKind.LLM, TRACE)) == [
        {
            "timestamp": "2026-03-03T10:23:05.123Z",
            "trace_id": TRACE,
            "model": "qwen",
            "tokens": {"in": 5, "out": 2},
            "outcome": "ok",
        }
    ]


@pytest.mark.requirement("AUDIT-16")
def test_lines_of_the_log_are_the_records_of_its_class(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    files = files_of(directory, clock)
    with (tmp_path / "stderr").open("wb") as stream:
        stderr_log = StderrLog(stream, clock, TraceHolder(TRACE), files)
        log: Log = stderr_log
        log.event("agent::runtime", "step_completed", {"step": 3, "password": "hunter2"})
        assert stderr_log.flush(SECONDS)
    assert files.flush(SECONDS)
    line = (tmp_path / "stderr").read_bytes()
    assert (directory / f"operation-{DAY}.jsonl").read_bytes() == line
    assert orjson.loads(line)["data"] == {"step": 3, "password": hint("密码")}


@pytest.mark.requirement("AUDIT-16")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"code": "BAD_HMAC", "sha256": "ab" * 32}, {"code": "BAD_HMAC", "sha256": "ab" * 32}),
        ({"code": "13812345678"}, {"code": hint("手机号")}),
        ({"password": "abc"}, {"password": hint("密码")}),
        ({"code": "\ud800"}, {"code": "\ufffd"}),
        ({"code": object()}, {"code": hint("object")}),
        ({}, {}),
    ],
)
def test_records_are_redacted_like_the_ledger(
    tmp_path: Path, data: dict[str, object], expected: dict[str, object]
) -> None:
    files = files_of(tmp_path / "audit", HandClock())
    files.write(RecordKind.PIPE, data)
    assert files.flush(SECONDS)
    [found] = kept(tmp_path / "audit", RecordKind.PIPE, TRACE)
    assert found == {"timestamp": "2026-03-03T10:23:05.123Z", "trace_id": TRACE, **expected}


@pytest.mark.requirement("AUDIT-19")
def test_a_line_that_a_killed_process_left_half_written_spoils_no_other(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    keep_day(files, 1)
    with (directory / f"pipe-{DAY}.jsonl").open("ab") as stream:
        stream.write(f'{{"trace_id":"{TRACE}","typ'.encode())
    keep_day(files, 1)
    found = list(kept(directory, RecordKind.PIPE, TRACE))
    assert [each.get("seq") for each in found] == [1, None, 1]
    assert found[1] == {"trace_id": TRACE, "damaged": len(TRACE) + 20}


# --- lost records ---------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-17")
def test_a_full_queue_costs_records_never_the_caller_and_the_ledger_says_how_many(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    total, text = 3_000, {"text": "业" * 160}
    with held(directory / LOCK_NAME):
        began = time.monotonic()
        for _ in range(total):
            files.write(RecordKind.LLM, text)
        assert time.monotonic() - began < 1
    assert files.flush(SECONDS)
    files.commit()
    written = len(lines_in(directory / f"llm-{DAY}.jsonl"))
    lost = told_by_ledger(directory, "records_lost")
    assert 0 < written < total
    assert {each["class"] for each in lost} == {"llm"}
    assert sum(each["count"] for each in lost if isinstance(each["count"], int)) == total - written


@pytest.mark.requirement("AUDIT-17")
def test_a_file_that_cannot_be_written_costs_the_records_of_its_class_only(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    (directory / f"pipe-{DAY}.jsonl").mkdir()
    keep_day(files, 3, RecordKind.PIPE)
    keep_day(files, 2, RecordKind.LLM)
    assert len(lines_in(directory / f"llm-{DAY}.jsonl")) == 2
    assert told_by_ledger(directory, "records_lost") == [{"class": "pipe", "count": 3}]


@pytest.mark.requirement("AUDIT-17")
def test_losses_that_the_ledger_could_not_take_are_told_later(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    (directory / f"pipe-{DAY}.jsonl").mkdir()
    with held(directory / "ledger.head"):
        keep_day(files, 3)
        with pytest.raises(AuditUnavailableError):
            files.commit()
    assert told_by_ledger(directory, "records_lost") == []
    files.commit()
    assert told_by_ledger(directory, "records_lost") == [{"class": "pipe", "count": 3}]
    files.commit()
    assert len(told_by_ledger(directory, "records_lost")) == 1


@pytest.mark.requirement("AUDIT-17")
def test_writing_after_the_end_is_no_error(tmp_path: Path) -> None:
    files = files_of(tmp_path / "audit", HandClock())
    keep_day(files, 1)
    files.close()
    files.write(RecordKind.PIPE, {"type": "bye"})
    assert len(lines_in(tmp_path / "audit" / f"pipe-{DAY}.jsonl")) == 1


@pytest.mark.requirement("AUDIT-17")
def test_a_deleted_folder_costs_records_and_stops_the_ledger(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    keep_day(files, 1)
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    keep_day(files, 1)
    with pytest.raises(LedgerBrokenError):
        files.commit()


# --- commitments ----------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-18")
def test_the_end_of_a_session_commits_to_todays_files_as_far_as_they_are(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    keep_day(files, 4, RecordKind.PIPE)
    keep_day(files, 2, RecordKind.LLM)
    files.commit()
    expected = [told(directory, f"{kind}-{DAY}.jsonl", complete=False) for kind in ("pipe", "llm")]
    keep_day(files, 1, RecordKind.PIPE)
    files.commit()
    files.close()
    expected += [told(directory, f"{kind}-{DAY}.jsonl", complete=False) for kind in ("pipe", "llm")]
    assert told_by_ledger(directory, "segment_committed") == expected
    verify(directory)


@pytest.mark.requirement("AUDIT-18")
def test_the_first_record_of_a_later_day_completes_the_days_before(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    files = files_of(directory, clock)
    keep_day(files, 4, RecordKind.PIPE)
    keep_day(files, 1, RecordKind.LLM)
    clock.time = MORNING + timedelta(days=1)
    keep_day(files, 2, RecordKind.PIPE)
    assert told_by_ledger(directory, "segment_committed") == [
        told(directory, f"llm-{DAY}.jsonl", complete=True),
        told(directory, f"pipe-{DAY}.jsonl", complete=True),
    ]
    modes = {path.name: path.stat().st_mode & 0o777 for path in directory.glob("pipe-*")}
    assert modes == {f"pipe-{DAY}.jsonl": 0o400, "pipe-20260304.jsonl": 0o600}
    verify(directory)


@pytest.mark.requirement("AUDIT-18")
@pytest.mark.parametrize("half_done", [False, True])
def test_a_process_that_starts_commits_to_what_others_left(tmp_path: Path, half_done: bool) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    keep_day(files_of(directory, clock), 4)
    if half_done:
        (directory / f"pipe-{DAY}.jsonl").chmod(0o400)  # killed between the two steps
    clock.time = MORNING + timedelta(days=5)
    files = files_of(directory, clock)
    assert files.maintain() == Maintained(committed=1)
    assert files.maintain() == Maintained()
    assert told_by_ledger(directory, "segment_committed") == [told(directory, f"pipe-{DAY}.jsonl", complete=True)]
    verify(directory)


@pytest.mark.requirement("AUDIT-18")
def test_a_commitment_that_the_ledger_cannot_take_is_made_the_next_time(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    files = files_of(directory, clock)
    keep_day(files, 4)
    clock.time = MORNING + timedelta(days=1)
    with held(directory / "ledger.head"), pytest.raises(AuditUnavailableError):
        files.maintain()
    assert files.maintain() == Maintained(committed=1)
    verify(directory)


# --- several processes ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-19")
def test_a_late_line_of_another_process_never_changes_a_complete_file(tmp_path: Path) -> None:
    directory, early, late = tmp_path / "audit", HandClock(), HandClock(MORNING + timedelta(days=1))
    ledger = FileLedger(directory, late)
    slow, quick = files_of(directory, early, ledger), files_of(directory, late, ledger)
    keep_day(slow, 2)
    keep_day(quick, 1)
    assert quick.maintain() == Maintained(committed=1)
    keep_day(slow, 3)
    assert [len(lines_in(path)) for path in sorted(directory.glob("pipe-*"))] == [2, 4]
    verify(directory)


@pytest.mark.requirement("AUDIT-19")
def test_three_processes_keep_records_at_once_one_is_killed_and_no_line_is_spoiled(tmp_path: Path) -> None:
    directory = tmp_path / "audit"
    FileLedger(directory, HandClock()).close()
    command = [*PROGRAM, "keep", str(directory), "500"]
    writers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(3)]
    killed = writers[0]
    assert killed.stdout is not None
    for _ in range(7):
        os.read(killed.stdout.fileno(), 1)
    killed.kill()
    confirmed = 70 + 10 * len(killed.communicate(timeout=60)[0])
    assert [writer.communicate(timeout=60)[0] for writer in writers[1:]] == [b"." * 50] * 2
    clock = HandClock(MORNING + timedelta(days=1))
    assert files_of(directory, clock).maintain() == Maintained(committed=1)
    found = list(kept(directory, RecordKind.PIPE, TRACE))
    whole = [each for each in found if "damaged" not in each]
    assert 1_000 + confirmed <= len(whole) <= 1_000 + confirmed + 10
    assert len(found) <= len(whole) + 1
    assert told_by_ledger(directory, "records_lost") == []
    verify(directory)


@pytest.mark.requirement("AUDIT-17")
def test_a_record_costs_its_caller_little(tmp_path: Path) -> None:
    """Ten times what is aimed at: a slow machine passes, a wait for disk, lock or thread does not."""
    directory = tmp_path / "audit"
    files = files_of(directory, HandClock())
    data = {"direction": "out", "type": "command", "seq": 1, "bytes": 412, "sha256": "ab" * 32, "action": "click"}
    taken = []
    for _ in range(200):
        began = time.perf_counter()
        files.write(RecordKind.PIPE, data)
        taken.append(time.perf_counter() - began)
    assert sorted(taken)[100] < 150e-6
