"""Records that lie beyond the head: left by a crash, or added by somebody who may write the folder."""

import resource
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.audit.chain import HEAD_NAME, parse, seal
from sgclaw.audit.ledger import ADOPTED, REPAIRED, FileLedger
from sgclaw.audit.records import records
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError
from tests.unit.audit.support import MORNING, HandClock, ledger_of, lines_of, record, segment, told_by_ledger


def added(directory: Path, count: int) -> None:
    """Add records to the newest segment as anybody can who may write the folder, and leave the head alone."""
    last = parse(lines_of(directory)[-1])
    assert last is not None
    for number in range(last.n + 1, last.n + 1 + count):
        last = replace(last, n=number, prev=last.hash, data={"forged": True})
        line, digest = seal(last)
        last = replace(last, hash=digest)
        with segment(directory).open("ab") as stream:
            stream.write(line)


@pytest.mark.requirement("AUDIT-32")
@pytest.mark.parametrize("day", [0, 1])
def test_added_records_are_told_as_beyond_the_head_and_never_taken_in_unsaid(tmp_path: Path, day: int) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    added(directory, 3)
    assert (verify(directory).count, verify(directory).beyond) == (5, 3)
    ledger = FileLedger(directory, HandClock(MORNING + timedelta(days=day)))
    assert ledger.head()[0] == 6
    ledger.append(record(7))
    facts = {"file": "ledger-20260303.jsonl", "records": 3, "from": 3, "to": 5}
    assert told_by_ledger(directory, ADOPTED) == [facts]
    assert (verify(directory).count, verify(directory).beyond) == (7, 0)


@pytest.mark.requirement("AUDIT-32")
def test_a_torn_line_behind_added_records_is_moved_aside_before_they_are_taken_in(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    added(directory, 1)
    with segment(directory).open("ab") as stream:
        stream.write(b'{"actor":"ag')
    FileLedger(directory, HandClock()).close()
    told = [(entry.n, entry.event) for entry in records(directory)][2:]
    assert told == [(3, "command"), (4, ADOPTED), (5, REPAIRED)]
    assert verify(directory).count == 5


@pytest.mark.requirement("AUDIT-32")
@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are POSIX")
def test_records_that_cannot_be_told_of_stay_beyond_the_head(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 2)
    added(directory, 1)
    before = (directory / HEAD_NAME).read_bytes()
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (segment(directory).stat().st_size, allowed[1]))
    try:
        with pytest.raises(AuditUnavailableError):
            FileLedger(directory, HandClock())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert (directory / HEAD_NAME).read_bytes() == before
    assert verify(directory).beyond == 1
