"""The record files beside the ledger: their names, what the ledger commits to, when a class has had its time.

Each class of records (operation, pipe, llm) has a file a day, `<class>-YYYYMMDD.jsonl` (UTC). Such a file only grows;
when its day is over it is made read-only and the ledger gets `segment_committed`; when retention takes it away,
`segment_dropped`. Reads only; the writer is in `record_files.py`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from sgclaw.audit import files
from sgclaw.audit.chain import StoredRecord
from sgclaw.audit.ledger import LEDGER_ACTOR
from sgclaw.ports import RecordKind

COMMITTED: Final = "segment_committed"
"""{class, day, records, bytes, sha256, complete}: the first `bytes` bytes of the file; all of it when `complete`."""
DROPPED: Final = "segment_dropped"
"""{class, day, records, bytes, sha256, reason}: what the file was when it was deleted."""
LOST: Final = "records_lost"
"""{class, count}: records that could not be kept."""

KEPT_DAYS: Final[Mapping[RecordKind, int]] = {RecordKind.OPERATION: 90, RecordKind.PIPE: 30, RecordKind.LLM: 90}
"""For how many days after its own a day's file is kept (`spec/000` 7.3)."""
BELIEF_DAYS: Final = 3
BELIEF_WINDOW_DAYS: Final = 93
"""The clock is believed when the ledger was written on 3 different days of the 93 before today: one that was set
forward by years does not empty the folder.
"""

_NAME: Final = re.compile(r"(operation|pipe|llm)-([0-9]{8})\.jsonl")
_PIECE: Final = 256 * 1024


class Segment(NamedTuple):
    """One class on one day `YYYYMMDD`."""

    kind: RecordKind
    day: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.day}.jsonl"


class Extent(NamedTuple):
    """Lines, bytes and SHA-256 of the beginning of a file."""

    records: int
    bytes: int
    sha256: str


class Commitment(NamedTuple):
    """What record `n` of the ledger, written on `day`, says of a segment."""

    n: int
    day: str
    extent: Extent
    complete: bool


@dataclass(slots=True)
class Promises:
    """What the ledger says of the segments, gathered from its records in order."""

    made: dict[Segment, list[Commitment]] = field(default_factory=dict)
    dropped: dict[Segment, Commitment] = field(default_factory=dict)
    """What each was when it was deleted, by the record that says so."""
    days: set[str] = field(default_factory=set)
    """Days on which the ledger was written, as far as the records that were taken in show."""

    def take(self, record: StoredRecord) -> None:
        """Take in one record, whatever it is about."""
        day = day_of(record)
        self.days.add(day)
        segment = segment_of(record)
        if segment is None:
            return
        is_whole = record.event == DROPPED or record.data.get("complete") is True
        said = Commitment(record.n, day, extent_of(record.data), is_whole)
        if record.event == DROPPED:
            self.dropped[segment] = said
            self.made.pop(segment, None)
        else:
            self.made.setdefault(segment, []).append(said)

    def whole(self, segment: Segment) -> Commitment | None:
        """The commitment to the complete segment."""
        return next((said for said in reversed(self.made.get(segment, ())) if said.complete), None)


def day_of(record: StoredRecord) -> str:
    """The day a record says it was written on."""
    return record.time[:10].replace("-", "")


def segment_of(record: StoredRecord) -> Segment | None:
    """The segment that a record of the ledger commits to or tells the end of; None for any other record."""
    if record.actor != LEDGER_ACTOR or record.event not in (COMMITTED, DROPPED):
        return None
    return segment_named(f"{record.data.get('class')}-{record.data.get('day')}.jsonl")


def extent_of(data: Mapping[str, object]) -> Extent:
    """The extent that the data of such a record says."""
    records, size, digest = (data.get(name) for name in ("records", "bytes", "sha256"))
    return Extent(records if isinstance(records, int) else 0, size if isinstance(size, int) else 0, str(digest))


def told(segment: Segment, extent: Extent) -> dict[str, object]:
    """The data of a ledger record about a segment."""
    return {"class": segment.kind.value, "day": segment.day, **extent._asdict()}


def segment_named(name: str) -> Segment | None:
    """The segment a file name means, None for any other name."""
    match = _NAME.fullmatch(name)
    return Segment(RecordKind(match[1]), match[2]) if match else None


def record_segments(directory: Path) -> list[tuple[Segment, Path]]:
    """Everything in the folder that has the name of a record file, by class, oldest first."""
    found = ((segment_named(path.name), path) for path in directory.iterdir())
    return sorted((segment, path) for segment, path in found if segment is not None)


def measure(path: Path, sizes: Iterable[int]) -> list[Extent]:
    """The extents of the first so many bytes of a file, for sizes in ascending order; less where the file ends.

    Raises `AuditUnavailableError` (`foreign`) for what is no regular file of ours.
    """
    digest, records, place, found = hashlib.sha256(), 0, 0, []
    handle = files.open_plain(path)
    try:
        for size in sizes:
            while place < size and (piece := os.read(handle, min(_PIECE, size - place))):
                digest.update(piece)
                records += piece.count(b"\n")
                place += len(piece)
            found.append(Extent(records, place, digest.hexdigest()))
    finally:
        os.close(handle)
    return found


def whole_of(path: Path) -> Extent:
    """The extent of all of a file."""
    [extent] = measure(path, [path.lstat().st_size])
    return extent


def shifted(day: str, days: int) -> str:
    """A day `YYYYMMDD` so many days later; the calendar's ends stay what they are."""
    try:
        return f"{date.fromisoformat(day) + timedelta(days=days):%Y%m%d}"
    except (ValueError, OverflowError):
        return day


def is_believed(today: str, written: Collection[str]) -> bool:
    """Whether the ledger's days bear the clock out."""
    first = shifted(today, -BELIEF_WINDOW_DAYS)
    return len({day for day in written if first <= day < today}) >= BELIEF_DAYS


def is_past(segment: Segment, whole: Commitment, today: str) -> bool:
    """Whether a segment has had its time. One of a day to come counts from the day of its commitment."""
    began = segment.day if segment.day <= today else whole.day
    return shifted(began, KEPT_DAYS[segment.kind]) < today
