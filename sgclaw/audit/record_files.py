"""The writer of the record files: queue, daily files shared by several processes, commitments, retention.

All processes of a folder write to the same files, whole lines at a time, under one lock (`records.lock`). A file whose
day is over is made read-only before the ledger commits to it: whoever still has a line for that day sees so and writes
it to the next day's file. So a complete file never changes again, and a longer one was tampered with.
The locks are taken in one order: our mutex, `records.lock`, the ledger's.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import orjson

from sgclaw.audit import files
from sgclaw.audit.chain import segments
from sgclaw.audit.encode import encode_ordered, tidy
from sgclaw.audit.ledger import LEDGER_ACTOR, timestamp, typed_errors
from sgclaw.audit.outbox import FLUSH_SECONDS, Outbox
from sgclaw.audit.records import promises
from sgclaw.audit.segments import (
    COMMITTED,
    DROPPED,
    LOST,
    Commitment,
    Promises,
    Segment,
    is_believed,
    is_past,
    record_segments,
    shifted,
    told,
    whole_of,
)
from sgclaw.audit.trace import TraceHolder
from sgclaw.errors import AuditUnavailableError, SgClawError
from sgclaw.ports import Clock, Ledger, Record, RecordKind

LOCK_NAME: Final = "records.lock"
PAUSE_S: Final = 0.2
"""Records gather for so long before they are written: what a killed process may lose."""
_NOT_OPEN: Final = -1
_WRITER_PATIENCE_S: Final = 2.0
_CALLER_PATIENCE_S: Final = 0.5

_FRAME_BYTES: Final = 100
"""What time, trace id and the queue add to a record in memory, about."""
_PLAIN: Final = re.compile(
    rb'\{(?:"(?:direction|type|seq|n|bytes|sha256|action|success|code)":'
    rb'(?:[0-9]{1,9}|true|false|null|"[A-Za-z_]{0,64}"|"[0-9a-f]{64}"),?)+\}'
)
"""Records of words, small numbers and digests under names that hide nothing: redaction could not find anything."""


class Maintained(NamedTuple):
    """What `RecordFiles.maintain` did, in files: committed, dropped, kept although old because the clock is not
    believed (`held`), kept although old because they differ from their commitment (their names). `foreign` are the
    names of what is called like a record file and is no regular file of ours: left alone.
    """

    committed: int = 0
    dropped: int = 0
    held: int = 0
    differing: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


class _Item(NamedTuple):
    kind: RecordKind
    now: datetime
    trace_id: str | None
    body: bytes
    """The data as JSON, not redacted; a finished line when there is no trace id."""


class _Open(NamedTuple):
    wanted: str
    segment: Segment
    path: Path
    handle: int


class _Due(NamedTuple):
    """A file to be dropped. `is_said`: the ledger has said so, and the process died before it deleted the file."""

    segment: Segment
    path: Path
    whole: Commitment
    is_said: bool


class RecordFiles:
    """`ports.Records` in the folder of the ledger. A record is `{timestamp, trace_id, …data}`, redacted like there.

    `write` costs its caller microseconds: a thread of its own writes, several records at once. A full queue and a disk
    that refuses cost records; the ledger then gets `records_lost` as soon as it can be written.
    """

    def __init__(self, directory: Path, ledger: Ledger, clock: Clock, trace: TraceHolder) -> None:
        self._directory = directory
        self._ledger, self._clock, self._trace = ledger, clock, trace
        self._open: dict[RecordKind, _Open] = {}
        self._mutex = Lock()
        self._lost: Counter[RecordKind] = Counter()
        self._counting = Lock()
        self._closed = False
        with typed_errors(directory):
            self._lock_handle = files.open_private(directory / LOCK_NAME, files.CREATE)
        self._outbox: Outbox[_Item] = Outbox("sgclaw-records", self._store, PAUSE_S)

    def write(self, kind: RecordKind, data: Mapping[str, object]) -> None:
        try:
            body = orjson.dumps(data)  # what waits is a copy that nobody changes; the queue's thread does the rest
        except orjson.JSONEncodeError:
            body = encode_ordered(tidy(data))
        self._queue(_Item(kind, self._clock.now(), self._trace.trace_id, body))

    def keep(self, kind: RecordKind, now: datetime, line: bytes) -> None:
        """Keep one finished line of this time, redacted and without its newline."""
        self._queue(_Item(kind, now, None, line))

    def _queue(self, item: _Item) -> None:
        if self._closed or not self._outbox.put(item, len(item.body) + _FRAME_BYTES):
            self._lose(item.kind, 1)

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything said so far is written or lost; False when the disk did not keep up."""
        return self._outbox.flush(seconds)

    def commit(self) -> None:
        """Write what waits, and let the ledger commit to today's files as far as they are: the end of a session.

        Blocks for as long as the disk takes. Raises `AUDIT_UNAVAILABLE` or `LEDGER_BROKEN`.
        """
        self.flush()
        self._tell_lost()
        for kind in RecordKind:
            with self._alone(_CALLER_PATIENCE_S):
                opened = self._open.get(kind)
                if opened is not None and _is_writable(opened.handle):
                    os.fsync(opened.handle)
                    self._say(COMMITTED, told(opened.segment, whole_of(opened.path)), complete=False)

    def close(self) -> None:
        """Write what waits and give the files back; later records are lost and counted."""
        self._closed = True
        self.flush()
        with suppress(SgClawError):  # the ledger is closed or stopped: whoever acts has been told by it
            self._tell_lost()
        if not self._mutex.acquire(timeout=_CALLER_PATIENCE_S):
            return  # the thread hangs in the disk; the end of the process takes the files from it
        try:
            for kind in list(self._open):
                self._release(kind)
            os.close(self._lock_handle)
            self._lock_handle = _NOT_OPEN
        finally:
            self._mutex.release()

    def maintain(self) -> Maintained:
        """Commit to the files of days that are over, then drop those that have had their time.

        For the start of a process, in a thread; the first record of each later day does it too. Raises
        `AUDIT_UNAVAILABLE` or `LEDGER_BROKEN`; what was not done then, or was left because of `close`, is done the next
        time.
        """
        today = timestamp(self._clock.now())[:10].replace("-", "")
        with typed_errors(self._directory):
            since = max((day for day, _ in segments(self._directory)), default="")
            known = self._known(today)
            ours, foreign = self._sorted_out()
            left_over = [
                (segment, path)
                for segment, path in ours
                if not today <= segment.day <= shifted(today, 1)
                and known.whole(segment) is None
                and segment not in known.dropped
            ]
        committed = sum(self._complete(segment, path, since) for segment, path in left_over if not self._closed)
        with typed_errors(self._directory):
            known = self._known(today) if committed else known
            old = _due(self._sorted_out()[0], known, today)
        if not is_believed(today, known.days):
            return Maintained(committed, held=len(old), foreign=foreign)
        dropped, differing = 0, []
        for due in old:
            if self._closed:
                break
            if self._drop(due, since):
                dropped += 1
            else:
                differing.append(due.path.name)
        return Maintained(committed, dropped, differing=tuple(differing), foreign=foreign)

    def _sorted_out(self) -> tuple[list[tuple[Segment, Path]], tuple[str, ...]]:
        """The record files, and the names of what is called like one and is none: pipes, links, folders."""
        ours, foreign = [], []
        for segment, path in record_segments(self._directory):
            facts = files.facts_of(path)
            if facts is not None and files.is_plain(facts):
                ours.append((segment, path))
            elif facts is not None:
                foreign.append(path.name)
        return ours, tuple(foreign)

    # --- the queue's thread -----------------------------------------------------------------------------------------

    def _store(self, items: Sequence[_Item]) -> None:
        batches: dict[tuple[RecordKind, str], list[bytes]] = {}
        for item in items:
            day, line = _finished(item)
            batches.setdefault((item.kind, day), []).append(line)
        is_new_day = False
        for (kind, day), lines in batches.items():
            before = self._open.get(kind)
            is_new_day = is_new_day or (before is not None and before.wanted < day)
            try:
                with self._alone(_WRITER_PATIENCE_S):
                    self._put(kind, day, lines)
            except AuditUnavailableError:
                self._lose(kind, len(lines))
        with suppress(SgClawError):  # the next act meets the same error, and stops there; both are tried again later
            self._tell_lost()
            if is_new_day:
                self.maintain()

    def _put(self, kind: RecordKind, day: str, lines: Sequence[bytes]) -> None:
        opened = self._open.get(kind)
        if opened is None or opened.wanted != day or not _is_writable(opened.handle):
            opened = self._turn(kind, day)
        size = os.fstat(opened.handle).st_size
        is_torn = size > 0 and files.read_at(opened.handle, size - 1, 1) != b"\n"  # somebody died in mid-line
        content = (b"\n" if is_torn else b"") + b"".join(line + b"\n" for line in lines)
        try:
            files.write_all(opened.handle, content)
        except OSError:
            with suppress(OSError):
                os.ftruncate(opened.handle, size)
            raise

    def _turn(self, kind: RecordKind, day: str) -> _Open:
        """Open the file of a day; the next one's when that is complete, or was dropped, already."""
        self._release(kind)
        segment, dropped = Segment(kind, day), self._dropped(day)
        while segment in dropped or _is_complete(self._directory / segment.name):
            following = Segment(kind, shifted(segment.day, 1))
            if following == segment:
                raise OSError("no day is left in the calendar")
            segment = following
        path = self._directory / segment.name
        opened = _Open(day, segment, path, files.open_private(path, files.APPEND))
        self._open[kind] = opened
        return opened

    def _dropped(self, day: str) -> Collection[Segment]:
        """What of this day and later was dropped: a clock that was once ahead, or is set back, meets such days again.

        The ledger says so no earlier than the day before, for it is never written behind its newest day.
        """
        try:
            return promises(self._directory, shifted(day, -1)).dropped
        except SgClawError:
            return ()  # nobody acts on a ledger that is not sound; records of how that came are worth having

    # --- under the lock ---------------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self, seconds: float) -> Iterator[None]:
        if not self._mutex.acquire(timeout=seconds):
            raise AuditUnavailableError("记录文件正忙，磁盘可能没有响应", facts={"reason": "busy"})
        try:
            if self._lock_handle == _NOT_OPEN:
                raise AuditUnavailableError("记录文件已经关闭", facts={"reason": "closed"})
            with typed_errors(self._directory), files.locked(self._lock_handle, seconds):
                yield
        finally:
            self._mutex.release()

    def _complete(self, segment: Segment, path: Path, since: str) -> bool:
        """Make a file read-only and let the ledger commit to it; False when another process has, or has dropped it.

        `since` is the ledger's newest day at the time we looked: what was said meanwhile stands there or later.
        """
        with self._alone(_WRITER_PATIENCE_S):
            meanwhile = promises(self._directory, since)
            if not path.exists() or meanwhile.whole(segment) is not None or segment in meanwhile.dropped:
                return False
            if not files.is_read_only(path.lstat()):
                handle = files.open_private(path, files.EXISTING)
                try:
                    os.fsync(handle)
                    files.make_read_only(handle, path)
                finally:
                    os.close(handle)
            self._say(COMMITTED, told(segment, whole_of(path)), complete=True)
        return True

    def _drop(self, due: _Due, since: str) -> bool:
        """Delete a file after the ledger has said so, once; False for one that is not what the ledger committed to."""
        with self._alone(_WRITER_PATIENCE_S):
            if not due.path.exists():
                return True
            if whole_of(due.path) != due.whole.extent:
                return False  # evidence of tampering has no retention
            if not due.is_said and due.segment not in promises(self._directory, since).dropped:
                self._say(DROPPED, told(due.segment, due.whole.extent), sync=True, reason="retention")
            files.remove(due.path)
        return True

    def _release(self, kind: RecordKind) -> None:
        opened = self._open.pop(kind, None)
        if opened is not None:
            os.close(opened.handle)

    # --- what the ledger is told ------------------------------------------------------------------------------------

    def _known(self, today: str) -> Promises:
        """What the ledger says, as far back as any file that is there could need."""
        days = [segment.day for segment, _ in self._sorted_out()[0]]
        return promises(self._directory, min([*days, shifted(today, -100)]))

    def _say(self, event: str, data: dict[str, object], *, sync: bool = False, **more: object) -> None:
        """Tell of a file. It holds records of many sessions, so it belongs to the story of none."""
        self._ledger.append(Record(event, "", LEDGER_ACTOR, data={**data, **more}), sync=sync)

    def _lose(self, kind: RecordKind, count: int) -> None:
        with self._counting:
            self._lost[kind] += count

    def _tell_lost(self) -> None:
        for kind in RecordKind:
            with self._counting:
                count = self._lost.pop(kind, 0)
            if not count:
                continue
            try:
                data = {"class": kind.value, "count": count}
                self._ledger.append(Record(LOST, self._trace.trace_id, LEDGER_ACTOR, data=data))
            except SgClawError:
                self._lose(kind, count)
                raise


def _finished(item: _Item) -> tuple[str, bytes]:
    """The day of a record and its line without the newline."""
    time = timestamp(item.now)
    day = time[:10].replace("-", "")
    if item.trace_id is None:
        return day, item.body
    data = orjson.loads(item.body)
    kept = data if _PLAIN.fullmatch(item.body) else tidy(data)
    return day, encode_ordered({"timestamp": time, "trace_id": item.trace_id, **kept})


def _due(ours: Sequence[tuple[Segment, Path]], known: Promises, today: str) -> list[_Due]:
    """The files that have had their time, and those whose deletion was only said."""
    due = []
    for segment, path in ours:
        whole, said = known.whole(segment), known.dropped.get(segment)
        if said is not None:
            due.append(_Due(segment, path, said, is_said=True))
        elif whole is not None and is_past(segment, whole, today):
            due.append(_Due(segment, path, whole, is_said=False))
    return due


def _is_complete(path: Path) -> bool:
    facts = files.facts_of(path)
    return facts is not None and files.is_read_only(facts)


def _is_writable(handle: int) -> bool:
    """Whether an open file is still where it was and not complete."""
    facts = os.fstat(handle)
    return facts.st_nlink > 0 and not files.is_read_only(facts)
