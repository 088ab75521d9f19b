"""Small programs the tests start as processes of their own: `python -m tests.unit.audit.programs NAME DIRECTORY …`.

They end with exit code 0 when what they check holds; a failed assertion is a traceback on stderr and exit code 1.
"""

import sys
from datetime import timedelta
from pathlib import Path

from sgclaw.audit.chain import HEAD_NAME, HEAD_SIZE, Head, segments
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.verify import verify
from sgclaw.errors import AuditUnavailableError
from tests.unit.audit.support import HandClock, record, segment

BIG = {f"field_{number}": "x" * 500 for number in range(20)}


def append(directory: Path, count: int) -> None:
    """Append records; after each, when it is in the ledger for certain, one byte goes to stdout."""
    ledger = FileLedger(directory, HandClock())
    for number in range(1, count + 1):
        ledger.append(record(number))
        sys.stdout.write(".")
        sys.stdout.flush()


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
    if name == "append":
        append(directory, int(numbers[0]))
    else:
        {"file_limit": file_limit, "day_limit": day_limit, "full_disk": full_disk, "read_only": read_only}[name](
            directory
        )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
