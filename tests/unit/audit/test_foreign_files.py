"""What lies in the folder under the name of one of our files and is none of them: pipes, links, devices, folders."""

import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import Maintained
from sgclaw.audit.records import kept, story
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError, LedgerBrokenError, SgClawError
from sgclaw.ports import RecordKind
from tests.unit.audit.support import MORNING, SECONDS, TRACE, HandClock, files_of, keep_day, record, told_by_ledger

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are POSIX")

KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": lambda path: os.mkfifo(path, 0o600),
    "read-only pipe": lambda path: os.mkfifo(path, 0o400),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to nothing": lambda path: path.symlink_to("nowhere"),
    "folder": lambda path: path.mkdir(),
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A ledger of two days with records of the first: complete, and committed to."""
    clock = HandClock()
    ledger = FileLedger(tmp_path / "audit", clock)
    for day in (0, 1):
        clock.time = MORNING + timedelta(days=day)
        files = files_of(tmp_path / "audit", clock, ledger)
        ledger.append(record(day))
        files.maintain()
        keep_day(files, 2)
        files.commit()
        files.close()
    ledger.close()
    return tmp_path / "audit"


def outcome(use: Callable[[], object]) -> object:
    """What a call gives back or raises, in time: a call that hangs fails."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(use())
        except SgClawError as error:
            found.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert found, "it hangs"
    return found[0]


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ledger-20200101.jsonl", "ledger-20990101.jsonl", "pipe-20200101.jsonl"])
def test_verify_names_what_is_no_file_of_ours(directory: Path, name: str, kind: str) -> None:
    KINDS[kind](directory / name)
    error = outcome(lambda: verify(directory))
    assert isinstance(error, LedgerBrokenError)
    assert error.facts == {"n": 0, "file": name, "what": "foreign"}
    assert error.cause == f"审计账本文件夹里有一项不是普通文件，不属于这本账（{name}）"


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", [verify, lambda directory: FileLedger(directory, HandClock())])
def test_a_head_that_is_no_file_is_named(directory: Path, use: Callable[[Path], object], kind: str) -> None:
    (directory / "ledger.head").unlink()
    KINDS[kind](directory / "ledger.head")
    error = outcome(lambda: use(directory))
    assert isinstance(error, SgClawError)
    assert "ledger.head" in error.cause
    assert "foreign" in error.facts.values()


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
def test_readers_are_refused_and_never_wait(directory: Path, kind: str) -> None:
    KINDS[kind](directory / "ledger-20990101.jsonl")
    KINDS[kind](directory / "pipe-20990101.jsonl")
    for use in (lambda: story(directory, TRACE), lambda: list(kept(directory, RecordKind.PIPE, TRACE))):
        error = outcome(use)
        assert isinstance(error, AuditUnavailableError)
        assert error.facts["reason"] == "foreign"


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
def test_no_session_begins_behind_a_later_segment_that_is_no_file(directory: Path, kind: str) -> None:
    KINDS[kind](directory / "ledger-20990101.jsonl")
    error = outcome(lambda: FileLedger(directory, HandClock(MORNING + timedelta(days=1))))
    assert isinstance(error, LedgerBrokenError)
    assert error.facts["what"] == "foreign"


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
def test_maintaining_leaves_it_alone_names_it_and_does_the_rest(directory: Path, kind: str) -> None:
    KINDS[kind](directory / "operation-20200101.jsonl")
    clock = HandClock(MORNING + timedelta(days=2))
    files = files_of(directory, clock)
    assert outcome(files.maintain) == Maintained(committed=1, foreign=("operation-20200101.jsonl",))
    keep_day(files, 1)
    files.commit()
    files.close()


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
def test_a_days_file_that_is_none_costs_its_records_and_nothing_waits(directory: Path, kind: str) -> None:
    path = directory / "llm-20260304.jsonl"
    KINDS[kind](path)
    files = files_of(directory, HandClock(MORNING + timedelta(days=1)))
    keep_day(files, 3, RecordKind.LLM)
    keep_day(files, 1, RecordKind.PIPE)
    files.close()
    assert told_by_ledger(directory, "records_lost") == [{"class": "llm", "count": 3}]


@pytest.mark.requirement("AUDIT-33")
@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_that_is_no_file_is_refused(directory: Path, kind: str) -> None:
    (directory / "records.lock").unlink()
    KINDS[kind](directory / "records.lock")
    error = outcome(lambda: files_of(directory, HandClock()))
    assert isinstance(error, AuditUnavailableError)
    assert error.facts["reason"] == "foreign"
