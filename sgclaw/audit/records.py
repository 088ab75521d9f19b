"""Reading records back, by session or task; one line in memory at a time.

Reading trusts: it takes the form of a record for granted and leaves hashes to `verify`. A line that has not even the
form is reported, not passed over; a last line still being written is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import orjson

from sgclaw.audit.chain import StoredRecord, What, broken, lines, parse, segments
from sgclaw.audit.encode import encode
from sgclaw.audit.segments import COMMITTED, DROPPED, Promises, record_segments
from sgclaw.audit.trace import is_trace_id
from sgclaw.ports import RecordKind


def records(directory: Path, *, first_day: str = "") -> Iterator[StoredRecord]:
    """Every record of the folder in order, from the segment of `first_day` (`YYYYMMDD`) on."""
    return _read(directory, (), first_day)


def story(directory: Path, trace_id: str) -> list[StoredRecord]:
    """Every record of a session, in order; empty for an unknown one."""
    wanted = _read(directory, (trace_id,), _first_day(trace_id))
    return [record for record in wanted if record.trace_id == trace_id]


def task_records(directory: Path, task_id: str) -> list[StoredRecord]:
    """Every record of a task, in order; empty for an unknown one."""
    return [record for record in _read(directory, (task_id,), "") if record.task_id == task_id]


def promises(directory: Path, first_day: str) -> Promises:
    """What the ledger says of the record files from the segment of `first_day` on."""
    found = Promises()
    for record in _read(directory, (COMMITTED, DROPPED), first_day):
        found.take(record)
    return found


def kept(directory: Path, kind: RecordKind, trace_id: str) -> Iterator[dict[str, object]]:
    """Every record of a session in one class, in order; `{trace_id, damaged: bytes}` for a line that is no object."""
    piece, first_day = encode(trace_id), _first_day(trace_id)
    for segment, path in record_segments(directory):
        if segment.kind is not kind or segment.day < first_day:
            continue
        for line in lines(path):
            if piece not in line:
                continue
            record = _object(line)
            if record is None:
                yield {"trace_id": trace_id, "damaged": len(line)}
            elif record.get("trace_id") == trace_id:
                yield record


def _object(line: bytes) -> dict[str, object] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _first_day(trace_id: str) -> str:
    """The earliest segment a session can be in: its id carries the host's local day, segments are in UTC."""
    if not is_trace_id(trace_id):
        return ""
    day = trace_id.split("-")[1]
    try:
        return f"{date.fromisoformat(day) - timedelta(days=1):%Y%m%d}"
    except (ValueError, OverflowError):
        return ""


def _read(directory: Path, texts: Sequence[str], first_day: str) -> Iterator[StoredRecord]:
    """Records of the lines in which one of the texts stands as a JSON string, and first ones; of all lines for none."""
    pieces = [encode(text) for text in texts] or [b""]
    for day, path in segments(directory):
        if day < first_day:
            continue
        first_n = 1
        for index, line in enumerate(lines(path)):
            if index > 0 and not any(piece in line for piece in pieces):
                continue
            record = parse(line)
            if record is not None:
                first_n = record.n - index
                yield record
            elif line.endswith(b"\n"):
                raise broken(first_n + index, path, What.EDITED)
