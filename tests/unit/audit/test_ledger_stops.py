import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.audit.chain import GENESIS, HEAD_NAME, parse
from sgclaw.audit.ledger import LOCK_SECONDS, FileLedger
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError, LedgerBrokenError
from tests.gates.repository import ROOT
from tests.unit.audit.support import (
    MORNING,
    SECONDS,
    HandClock,
    files_of,
    keep_day,
    ledger_of,
    lines_of,
    record,
    segment,
)

HOLDER = [sys.executable, "-m", "tests.unit.audit.programs", "hold_lock"]


@contextmanager
def stopped_holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that was stopped while it held the lock of this file."""
    with subprocess.Popen([*HOLDER, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.read(1) == b"."
            holder.send_signal(signal.SIGSTOP)
            yield holder
        finally:
            holder.kill()
            holder.wait(SECONDS)


# --- the disk -------------------------------------------------------------------------------------------------------


class Disk:
    """What forces descriptors to the disk: says what the ledger held then, and refuses when it is told to."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.saw: list[tuple[str, int]] = []
        self.refuses = False

    def __call__(self, handle: int) -> None:
        inode = os.fstat(handle).st_ino
        [name] = [path.name for path in self.directory.iterdir() if path.stat().st_ino == inode]
        self.saw.append((name, len(lines_of(self.directory))))
        if self.refuses:
            raise OSError(5, "Input/output error")
        os.fsync(handle)


@pytest.mark.requirement("AUDIT-24")
def test_a_synced_record_and_its_head_are_forced_to_the_disk_before_append_returns(tmp_path: Path) -> None:
    directory = tmp_path / "ledger"
    disk = Disk(directory)
    ledger = FileLedger(directory, HandClock(), force=disk)
    ledger.append(record(1))
    assert disk.saw == []
    ledger.append(record(2), sync=True)
    assert disk.saw == [("ledger-20260303.jsonl", 2), (HEAD_NAME, 2)]


@pytest.mark.requirement("AUDIT-24")
def test_a_record_that_the_disk_did_not_confirm_is_not_written(tmp_path: Path) -> None:
    directory = tmp_path / "ledger"
    disk = Disk(directory)
    ledger = FileLedger(directory, HandClock(), force=disk)
    ledger.append(record(1))
    disk.refuses = True
    with pytest.raises(AuditUnavailableError) as refused:
        ledger.append(record(2), sync=True)
    assert refused.value.facts == {"path": str(directory), "reason": "EIO"}
    assert verify(directory).count == 1
    disk.refuses = False
    ledger.append(record(3), sync=True)
    assert verify(directory).count == 2


@pytest.mark.requirement("AUDIT-26")
def test_a_folder_that_was_deleted_stops_a_running_writer(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    running = FileLedger(directory, HandClock())
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    for _ in range(2):
        with pytest.raises(LedgerBrokenError) as broken:
            running.append(record(3))
        assert broken.value.facts["what"] == "missing"
    assert not directory.exists()


@pytest.mark.requirement("AUDIT-26")
def test_a_closed_ledger_takes_nothing_more(tmp_path: Path) -> None:
    directory, clock = ledger_of(tmp_path / "ledger", 1), HandClock()
    ledger = FileLedger(directory, clock)
    files = files_of(directory, clock, ledger)
    keep_day(files, 2)
    ledger.close()
    for use in (lambda: ledger.append(record(2)), ledger.head, files.commit):
        with pytest.raises(AuditUnavailableError) as refused:
            use()
        assert refused.value.facts == {"reason": "closed"}
    files.close()
    assert verify(directory).count == 1


# --- the lock -------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-25")
async def test_a_stopped_holder_of_the_lock_costs_half_a_second_once_then_nothing_until_it_lets_go(
    tmp_path: Path,
) -> None:
    directory = ledger_of(tmp_path / "ledger", 1)
    ledger = FileLedger(directory, HandClock())
    with stopped_holder(directory / HEAD_NAME):
        taken = []
        for _ in range(20):
            began = time.monotonic()
            with pytest.raises(AuditUnavailableError) as refused:
                ledger.append(record(2))
            taken.append(time.monotonic() - began)
            assert refused.value.facts == {"reason": "locked"}
            await asyncio.sleep(0)
        assert LOCK_SECONDS <= taken[0] < LOCK_SECONDS + 1
        assert sum(taken[1:]) < LOCK_SECONDS
    ledger.append(record(2))
    assert verify(directory).count == 2
    with stopped_holder(directory / HEAD_NAME):
        began = time.monotonic()
        with pytest.raises(AuditUnavailableError):
            ledger.head()
        assert time.monotonic() - began >= LOCK_SECONDS


@pytest.mark.requirement("AUDIT-25")
def test_a_ledger_whose_lock_is_held_cannot_be_opened(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 1)
    with stopped_holder(directory / HEAD_NAME):
        began = time.monotonic()
        with pytest.raises(AuditUnavailableError):
            FileLedger(directory, HandClock())
        assert time.monotonic() - began < LOCK_SECONDS + 1


# --- what somebody kept of it ---------------------------------------------------------------------------------------


@pytest.mark.requirement("AUDIT-23")
def test_a_kept_head_is_held_as_long_as_its_record_is_in_the_chain(tmp_path: Path) -> None:
    clock = HandClock()
    directory = ledger_of(tmp_path / "ledger", 10, clock)
    clock.time = MORNING + timedelta(days=1)
    ledger_of(directory, 10, clock)
    clock.time = MORNING + timedelta(days=2)
    ledger = FileLedger(directory, clock)
    stored = [found for line in lines_of(directory) if (found := parse(line))]
    assert [ledger.holds(each.n, each.hash) for each in stored] == [True] * 20
    assert [ledger.holds(each.n, "f" * 64) for each in stored] == [False] * 20
    assert [ledger.holds(each.n + 1, each.hash) for each in stored] == [False] * 20
    assert ledger.holds(0, GENESIS)
    assert not ledger.holds(0, "f" * 64)
    assert not ledger.holds(-1, GENESIS)
    ledger.append(record(21))
    assert ledger.holds(20, stored[-1].hash)
    assert ledger.holds(*ledger.head())


@pytest.mark.requirement("AUDIT-23")
def test_a_ledger_that_was_written_anew_or_rolled_back_does_not_hold_the_kept_head(tmp_path: Path) -> None:
    kept = FileLedger(ledger_of(tmp_path / "original", 10), HandClock()).head()
    later = HandClock(MORNING + timedelta(seconds=1))
    anew, shorter = (ledger_of(tmp_path / name, count, later) for name, count in (("anew", 12), ("shorter", 9)))
    fresh = FileLedger(tmp_path / "fresh", later)
    assert not FileLedger(anew, later).holds(*kept)
    assert not FileLedger(shorter, later).holds(*kept)
    assert not fresh.holds(*kept)


@pytest.mark.requirement("AUDIT-23")
@pytest.mark.parametrize("spoil", [b"x", b"\xff", b"\n"])
def test_a_record_that_was_spoiled_is_not_held(tmp_path: Path, spoil: bytes) -> None:
    directory = ledger_of(tmp_path / "ledger", 10)
    ledger = FileLedger(directory, HandClock())
    stored = [found for line in lines_of(directory) if (found := parse(line))]
    for each in stored[:-1]:
        lines = lines_of(directory)
        place = sum(map(len, lines[: each.n - 1])) + 20
        content = segment(directory).read_bytes()
        segment(directory).write_bytes(content[:place] + spoil + content[place + 1 :])
        assert not ledger.holds(each.n, each.hash)
        segment(directory).write_bytes(content)
        assert ledger.holds(each.n, each.hash)
