"""The form of the ledger: records, their hashes, the head, the names of segments. Pure but for reading lines.

A record is one line of JSON with the keys `actor data event hash n prev task_id time trace_id`.
Canonical form: orjson with sorted keys (by code point), no spaces, UTF-8. `hash` is
`SHA-256(00 ‖ prev as 32 bytes ‖ canonical record without its hash)` in hex; the first `prev` is 64 zeros. A line must
be byte for byte the canonical form of what it says, so that no byte of the file can change unseen.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, Self

import orjson

from sgclaw.audit import files
from sgclaw.audit.encode import encode
from sgclaw.errors import LedgerBrokenError

GENESIS: Final = "0" * 64
"""What stands for the hash before the first record."""
HEAD_NAME: Final = "ledger.head"
MAX_LINE: Final = 128 * 1024
"""Bytes of one line, newline included; the writer keeps well below, so a longer one is not ours."""

_HEX: Final = re.compile(r"[0-9a-f]{64}")
_SEGMENT: Final = re.compile(r"ledger-([0-9]{8})\.jsonl")
_HEAD: Final = re.compile(rb"([0-9]{16}) ([0-9a-f]{64}) ([0-9]{8}) ([0-9]{16})\n")


class Head(NamedTuple):
    """Where the chain ends: number and hash of the last record; day and bytes of the segment that is written to.

    Zero bytes in a day that has just begun: the last record lies in the segment before.
    """

    n: int
    hash: str
    day: str
    size: int

    def encode(self) -> bytes:
        """Always the same number of bytes, so that a rewrite in place needs no new room on the disk."""
        return b"%016d %s %s %016d\n" % (self.n, self.hash.encode(), self.day.encode(), self.size)

    @classmethod
    def decode(cls, content: bytes) -> Self | None:
        """The head these bytes say, None when they are no head."""
        match = _HEAD.fullmatch(content)
        return cls(int(match[1]), match[2].decode(), match[3].decode(), int(match[4])) if match else None


HEAD_SIZE: Final = 16 + 1 + 64 + 1 + 8 + 1 + 16 + 1
EMPTY: Final = Head(0, GENESIS, "00000000", 0)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record as it lies in the ledger; `time` is UTC, ISO 8601 with milliseconds and `Z`."""

    n: int
    time: str
    trace_id: str
    event: str
    actor: str
    task_id: str | None
    data: Mapping[str, object]
    prev: str
    hash: str


def seal(record: StoredRecord) -> tuple[bytes, str]:
    """The line of a record, newline included, and its hash; `record.hash` is not looked at."""
    first = encode({"actor": record.actor, "data": record.data, "event": record.event})[:-1]
    last = encode(
        {
            "n": record.n,
            "prev": record.prev,
            "task_id": record.task_id,
            "time": record.time,
            "trace_id": record.trace_id,
        }
    )[1:]
    digest = hashlib.sha256(b"\0" + bytes.fromhex(record.prev) + first + b"," + last).hexdigest()
    return b'%s,"hash":"%s",%s\n' % (first, digest.encode(), last), digest


_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "actor": str,
    "data": dict,
    "event": str,
    "hash": str,
    "n": int,
    "prev": str,
    "task_id": (str, type(None)),
    "time": str,
    "trace_id": str,
}


def parse(line: bytes) -> StoredRecord | None:
    """The record a line claims to be, None when it has not the form of one. `is_intact` says whether to believe it."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or value.keys() != _FIELDS.keys():
        return None
    if not all(isinstance(value[name], kind) for name, kind in _FIELDS.items()):
        return None
    whole = _HEX.fullmatch(value["prev"]) and _HEX.fullmatch(value["hash"])
    return StoredRecord(**value) if whole else None


def is_intact(record: StoredRecord, line: bytes) -> bool:
    """Whether the line is the canonical form of the record under its own hash."""
    return seal(record) == (line, record.hash)


def segment_path(directory: Path, day: str) -> Path:
    """The segment of a day `YYYYMMDD`."""
    return directory / f"ledger-{day}.jsonl"


def segments(directory: Path) -> list[tuple[str, Path]]:
    """Every segment of the folder with its day, oldest first."""
    found = ((_SEGMENT.fullmatch(path.name), path) for path in directory.iterdir())
    return sorted((match[1], path) for match, path in found if match)


def lines(path: Path, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The lines of a segment between two byte offsets, newlines included; one at a time, `MAX_LINE` bytes at most.

    A line that has no newline was cut off: by the end of the file, by `end`, or by the cap. Raises
    `AuditUnavailableError` (`foreign`) for what is no regular file of ours.
    """
    with os.fdopen(files.open_plain(path), "rb") as stream:
        place = stream.seek(start)
        while line := stream.readline(MAX_LINE if end is None else min(MAX_LINE, end - place)):
            place += len(line)
            yield line


def find(directory: Path, n: int) -> StoredRecord | None:
    """Record number `n` if it lies, unharmed, where the segments' first records say; newest segments first."""
    for _, path in reversed(segments(directory)):
        begin = next(lines(path), b"")
        first = parse(begin)
        if first is not None and first.n <= n:
            line = next(islice(lines(path), n - first.n, None), b"")
            record = parse(line)
            return record if record is not None and record.n == n and is_intact(record, line) else None
        if first is None and begin:
            return None
    return None


def size_of(path: Path) -> int:
    """Bytes of a segment; raises `LedgerBrokenError` (`foreign`) for what has its name and is no regular file."""
    facts = path.lstat()
    if not files.is_plain(facts):
        raise broken(0, path, What.FOREIGN, "审计账本文件夹里有一项不是普通文件，")
    return facts.st_size


class What(StrEnum):
    """What happened to the first bad record."""

    EDITED = "edited"
    MISSING = "missing"
    SWAPPED = "swapped"
    TRUNCATED = "truncated"
    FOREIGN = "foreign"  # a line, or a repeat, that the chain does not hold
    UNLIKE = "unlike"  # another record than the one a head kept elsewhere speaks of


_SENTENCES: Final[Mapping[What, str]] = {
    What.EDITED: "被修改过",
    What.MISSING: "缺失",
    What.SWAPPED: "被调换了位置",
    What.TRUNCATED: "被截断",
    What.FOREIGN: "不属于这本账",
    What.UNLIKE: "与给出的账本头不符",
}


_NEXT_STEPS: Final[Mapping[What, str]] = {
    What.UNLIKE: "请先核对给出的账本头是不是这本账的、有没有抄错；无误则说明账本被重写或换成了旧的，"
    "请保全现场并通知审计人员",
}
"""Where a person can be at fault, or the ledger itself may be sound."""


def broken(n: int, file: Path, what: What, told: str = "审计账本第 {n} 条记录") -> LedgerBrokenError:
    """The error that names the first bad record by number, file name and what happened to it."""
    return LedgerBrokenError(
        f"{told.format(n=n)}{_SENTENCES[what]}（{file.name}）",
        next_step=_NEXT_STEPS.get(what),
        facts={"n": n, "file": file.name, "what": what.value},
    )
