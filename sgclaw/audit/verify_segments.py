"""Verification of the record files against what a sound ledger says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sgclaw.audit.chain import What, broken
from sgclaw.audit.records import promises as promises_since
from sgclaw.audit.segments import Commitment, Promises, Segment, measure, record_segments
from sgclaw.ports import RecordKind

_TOLD: Final = "审计账本第 {n} 条记录承诺的分段"


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
    for segment, said in sorted(promises.made.items()):
        if segment in found:
            _check(found[segment], said)
        elif segment not in promises_since(directory, last_day).dropped:
            raise broken(said[0].n, directory / segment.name, What.MISSING, _TOLD)
    counted = (_count(kind, found, promises) for kind in RecordKind)
    return tuple(each for each in counted if each.segments or each.dropped)


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
