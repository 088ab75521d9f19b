"""Verification of the record files against what a sound ledger says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sgclaw.audit import files
from sgclaw.audit.chain import StoredRecord, What, broken
from sgclaw.audit.records import promises as promises_since
from sgclaw.audit.segments import (
    DROPPED,
    Commitment,
    Promises,
    Segment,
    day_of,
    extent_of,
    is_past,
    measure,
    record_segments,
    segment_of,
)
from sgclaw.ports import RecordKind

_TOLD: Final = "审计账本第 {n} 条记录承诺的分段"
_NO_FILE: Final = "审计账本文件夹里有一项不是普通文件，"
_AFTER: Final = "审计账本第 {n} 条记录已经写明删除的分段又出现了，"
_UNTRUE: Final = "审计账本第 {n} 条记录对分段的说法不可能是程序写的，"


@dataclass(frozen=True, slots=True)
class VerifiedClass:
    """One class of records: files, records the ledger has committed to, bytes it has not committed to yet, files that
    retention dropped.
    """

    kind: str
    segments: int
    records: int
    open_bytes: int
    dropped: int


def verify_segments(directory: Path, promises: Promises, last_day: str) -> tuple[VerifiedClass, ...]:
    """Check every commitment of a verified ledger; `last_day` is the ledger's newest.

    Raises `LedgerBrokenError` for the first that does not hold. A file that is gone must have been dropped: in what was
    verified, or by another process since.
    """
    found = dict(record_segments(directory))
    for path in found.values():
        if not files.is_plain(path.lstat()):
            raise broken(0, path, What.FOREIGN, _NO_FILE)
    for segment, gone in promises.dropped.items():
        # One that is still as it was: its deletion was said, and the process died, or is about to do it.
        if segment in found and measure(found[segment], [gone.extent.bytes + 1]) != [gone.extent]:
            raise broken(gone.n, found[segment], What.FOREIGN, _AFTER)
    for segment, said in sorted(promises.made.items()):
        if segment in found:
            _check(found[segment], said)
        elif segment not in promises_since(directory, last_day).dropped:
            raise broken(said[0].n, directory / segment.name, What.MISSING, _TOLD)
    counted = (_count(kind, found, promises) for kind in RecordKind)
    return tuple(each for each in counted if each.segments or each.dropped)


def check_promise(promises: Promises, record: StoredRecord, written: Path) -> None:
    """Refuse a record about a segment that no writer writes after what `promises` holds; `written` has the record.

    A file is dropped after its time, counted by a day the ledger had reached, as what its complete commitment says; and
    of a complete or dropped file nothing more is said.
    """
    segment = segment_of(record)
    if segment is None:
        return
    whole, day = promises.whole(segment), day_of(record)
    if record.event == DROPPED:
        is_due = written.name >= f"ledger-{day}" and whole is not None and is_past(segment, whole, day)
        is_true = is_due and whole is not None and whole.extent == extent_of(record.data)
    else:
        is_true = whole is None and segment not in promises.dropped
    if not is_true:
        raise broken(record.n, written, What.FOREIGN, _UNTRUE)


def _check(path: Path, said: Sequence[Commitment]) -> None:
    size = path.stat().st_size
    whole = next((commitment for commitment in said if commitment.complete), None)
    if whole is not None and size > whole.extent.bytes:
        raise broken(whole.n, path, What.FOREIGN, _TOLD)
    ordered = sorted(said, key=lambda commitment: commitment.extent.bytes)
    extents = measure(path, [commitment.extent.bytes for commitment in ordered])
    for commitment, extent in zip(ordered, extents, strict=True):
        if extent.bytes < commitment.extent.bytes:
            raise broken(commitment.n, path, What.TRUNCATED, _TOLD)
        if extent != commitment.extent:
            raise broken(commitment.n, path, What.EDITED, _TOLD)


def _count(kind: RecordKind, found: dict[Segment, Path], promises: Promises) -> VerifiedClass:
    mine = {segment: path.stat().st_size for segment, path in found.items() if segment.kind is kind}
    committed = [
        max(said, key=lambda each: each.extent.bytes).extent
        for segment, said in promises.made.items()
        if segment in mine
    ]
    return VerifiedClass(
        kind.value,
        len(mine),
        sum(extent.records for extent in committed),
        sum(mine.values()) - sum(extent.bytes for extent in committed),
        sum(segment.kind is kind for segment in promises.dropped),
    )
