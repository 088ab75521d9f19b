"""What the audit tests share: a clock that is set by hand, and records to write."""

from datetime import UTC, datetime
from pathlib import Path

from sgclaw.audit.chain import segments
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.records import records
from sgclaw.audit.trace import TraceHolder
from sgclaw.ports import Record, RecordKind

TRACE = "sgclaw-20260303-a1b2c3d4"
SECONDS = 30
MORNING = datetime(2026, 3, 3, 10, 23, 5, 123_000, tzinfo=UTC)


class HandClock:
    """`ports.Clock` that stands still until it is set."""

    def __init__(self, now: datetime = MORNING) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()


def record(number: int = 1, **data: object) -> Record:
    return Record("command", TRACE, "agent", f"t-{number}", {"seq": number, **data})


def ledger_of(directory: Path, count: int, clock: HandClock | None = None) -> Path:
    """A closed ledger of `count` records in `directory`."""
    ledger = FileLedger(directory, clock or HandClock())
    for number in range(1, count + 1):
        ledger.append(record(number))
    ledger.close()
    return directory


def files_of(directory: Path, clock: HandClock, ledger: FileLedger | None = None) -> RecordFiles:
    """The record files of a folder, and its ledger where none is given."""
    return RecordFiles(directory, ledger or FileLedger(directory, clock), clock, TraceHolder(TRACE))


def keep_day(files: RecordFiles, count: int, kind: RecordKind = RecordKind.PIPE) -> None:
    """Keep records of one kind, and wait until they are written."""
    for number in range(1, count + 1):
        files.write(kind, {"direction": "out", "type": "command", "seq": number, "action": "click"})
    assert files.flush(SECONDS)


def told_by_ledger(directory: Path, event: str) -> list[dict[str, object]]:
    """The data of the ledger's own records of one event."""
    return [dict(entry.data) for entry in records(directory) if (entry.actor, entry.event) == ("ledger", event)]


def segment(directory: Path) -> Path:
    """The newest segment."""
    return segments(directory)[-1][1]


def lines_of(directory: Path) -> list[bytes]:
    return [line for _, path in segments(directory) for line in path.read_bytes().splitlines(keepends=True)]
