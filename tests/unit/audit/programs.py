"""Small programs the tests start as processes of their own: `python -m tests.unit.audit.programs NAME DIRECTORY …`.

They end with exit code 0 when what they check holds; a failed assertion is a traceback on stderr and exit code 1.
"""

import sys
from datetime import timedelta
from pathlib import Path

from sgclaw.audit.chain import HEAD_NAME, HEAD_SIZE, Head, segments
from sgclaw.audit.files import CREATE, locked, open_private
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError
from sgclaw.ports import RecordKind
from tests.unit.audit.support import SECONDS, HandClock, files_of, keep_day, record, segment, told_by_ledger

BIG = {f"field_{number}": "x" * 500 for number in range(20)}


def append(directory: Path, count: int) -> None:
    """Append records; after each, when it is in the ledger for certain, one byte goes to stdout."""
    ledger = FileLedger(directory, HandClock())
    for number in range(1, count + 1):
        ledger.append(record(number))
        sys.stdout.write(".")
        sys.stdout.flush()


def keep(directory: Path, count: int) -> None:
    """Keep records; after every tenth, when it is in its file for certain, one byte goes to stdout."""
    files = files_of(directory, HandClock())
    for _ in range(count // 10):
        keep_day(files, 10)
        sys.stdout.write(".")
        sys.stdout.flush()
    files.commit()


def hold_lock(path: Path) -> None:
    """Hold the lock of a file until stdin ends; one byte on stdout says that it is held."""
    handle = open_private(path, CREATE)
    with locked(handle):
        sys.stdout.write(".")
        sys.stdout.flush()
        sys.stdin.read()


def file_limit(directory: Path) -> None:
    """The system takes part of a line and refuses the rest; later it takes lines again."""
    import resource

    ledger = FileLedger(directory, HandClock())
    ledger.append(record(1))
    whole = segment(directory).read_bytes()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, hard))
    assert _reason_of_refusal(ledger) == "EFBIG"
    assert segment(directory).read_bytes() == whole
    assert _reason_of_refusal(ledger) == "EFBIG"
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    ledger.append(record(2))
    assert verify(directory).count == 2


def day_limit(directory: Path) -> None:
    """The first line of a day is cut short: by then the head names the new day, whoever comes next finds the place."""
    import resource

    clock = HandClock()
    ledger = FileLedger(directory, clock)
    ledger.append(record(1))
    n, digest = ledger.head()
    clock.time += timedelta(days=1)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (HEAD_SIZE + 50, hard))
    assert _reason_of_refusal(ledger) == "EFBIG"
    assert Head.decode((directory / HEAD_NAME).read_bytes()) == Head(n, digest, "20260304", 0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert verify(directory).count == 1
    FileLedger(directory, HandClock()).append(record(2))
    ledger.append(record(3))
    assert [path.stat().st_size > 0 for _, path in segments(directory)] == [True, True]
    assert verify(directory).count == 3


def full_disk(directory: Path) -> None:
    """Runs on a file system of 64 KiB: fills it, makes room, goes on."""
    ledger = FileLedger(directory / "ledger", HandClock())
    ballast = directory / "ballast"
    ballast.write_bytes(b"x" * 16 * 1024)
    written = 0
    while (reason := _reason_of_refusal(ledger)) is None:
        written += 1
    assert reason == "ENOSPC"
    assert 0 < written < 16
    assert verify(directory / "ledger").count == written
    ballast.unlink()
    ledger.append(record(2))
    assert verify(directory / "ledger").count == written + 1


def full_disk_of_records(directory: Path) -> None:
    """Runs on a file system of 64 KiB: records that do not fit are told as lost once the ledger has room again."""
    folder, ballast = directory / "ledger", directory / "ballast"
    files = files_of(folder, HandClock())
    keep_day(files, 1)
    ballast.write_bytes(b"x" * 16 * 1024)
    for _ in range(20):
        files.write(RecordKind.OPERATION, BIG)
        assert files.flush(SECONDS)
    ballast.unlink()
    keep_day(files, 1)
    files.commit()
    whole = (folder / "operation-20260303.jsonl").read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"}\n") for line in whole)
    assert 0 < len(whole) < 20
    told = told_by_ledger(folder, "records_lost")
    assert all(each["class"] == "operation" for each in told)
    assert len(whole) + sum(each["count"] for each in told if isinstance(each["count"], int)) == 20
    verify(folder)


def read_only(directory: Path) -> None:
    """Runs on a read-only file system."""
    try:
        FileLedger(directory / "ledger", HandClock())
    except AuditUnavailableError as error:
        assert error.facts["reason"] == "EROFS"  # noqa: PT017 - not a pytest process
    else:
        raise AssertionError("a ledger on a read-only file system was opened")


def _reason_of_refusal(ledger: FileLedger) -> object:
    try:
        ledger.append(record(1, **BIG))
    except AuditUnavailableError as error:
        return error.facts["reason"]
    return None


def main(name: str, directory: Path, *numbers: str) -> None:
    if name in {"append", "keep"}:
        {"append": append, "keep": keep}[name](directory, int(numbers[0]))
    else:
        {
            "file_limit": file_limit,
            "day_limit": day_limit,
            "full_disk": full_disk,
            "full_disk_of_records": full_disk_of_records,
            "read_only": read_only,
            "hold_lock": hold_lock,
        }[name](directory)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
