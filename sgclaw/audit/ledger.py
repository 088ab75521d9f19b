"""The ledger's writer: append-only, hash-chained, shared by several processes, repaired after a crash.

The folder holds one segment a day (`ledger-YYYYMMDD.jsonl`, UTC) and `ledger.head`, which says how many records there
are and how the last one hashes. Every append holds a lock on the head: write the line, then rewrite the head in place.
So a file that is longer than its head was left by a crash in between: it is repaired, and the chain says so, for a line
that somebody added looks the same. A shorter one was cut and is refused. The chain has no key: who rewrites all of it
is found by the copy of the head that the host keeps (`verify`); what is added after that copy is not.
After a power cut, records that were not synced may be gone: that reads as truncation too, and needs a person's eye.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final

from sgclaw.audit import files
from sgclaw.audit.chain import (
    EMPTY,
    GENESIS,
    HEAD_NAME,
    HEAD_SIZE,
    MAX_LINE,
    Head,
    StoredRecord,
    What,
    broken,
    find,
    is_intact,
    lines,
    parse,
    seal,
    segment_path,
    segments,
    size_of,
)
from sgclaw.audit.encode import tidy
from sgclaw.errors import AuditUnavailableError
from sgclaw.ports import Clock, Record

REPAIRED: Final = "ledger_repaired"
"""The event that tells of a torn line: {file, bytes, sha256} of what was moved, `moved_to` the file it lies in now."""
ADOPTED: Final = "ledger_adopted"
"""The event that tells of whole records beyond the head: {file, records, from, to}, by number. A process that died in
between leaves one, a power cut may leave more; so may somebody who adds lines."""
LEDGER_ACTOR: Final = "ledger"

LOCK_SECONDS: Final = 0.5
"""An act waits so long for another process that holds the lock; then it is refused. The event loop waits with it."""
_TAIL_WINDOWS: Final = (4 * 1024, MAX_LINE)
_NOT_OPEN: Final = -1


def timestamp(now: datetime) -> str:
    """UTC in ISO 8601 with milliseconds and `Z`."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def typed_errors(directory: Path) -> Iterator[None]:
    """Make `AuditUnavailableError` of what the operating system says against writing in the folder."""
    try:
        yield
    except OSError as error:
        raise AuditUnavailableError(
            f"审计账本无法写入（{error.strerror or error}）：{directory}",
            facts={"path": str(directory), "reason": errno.errorcode.get(error.errno or 0, "OSERROR")},
        ) from error


def _last_line(handle: int, size: int) -> bytes:
    """The last line of the first `size` bytes, newline included."""
    tail = b""
    for window in _TAIL_WINDOWS:
        tail = files.read_at(handle, max(0, size - window), min(window, size))
        if (cut := tail.rfind(b"\n", 0, -1)) >= 0:
            return tail[cut + 1 :]
    return tail


class FileLedger:
    """`ports.Ledger` over a folder that only its owner can enter (0700, files 0600: anything wider is refused).

    `append` has written to the operating system when it returns; with `sync` it is on the disk. It blocks for tens of
    microseconds, with `sync` for as long as the disk takes. A process that was stopped with the lock in its hand costs
    `LOCK_SECONDS` once, then nothing until it lets go. `append` raises `AuditUnavailableError` when nothing was written
    (the chain is as before, a later append may succeed) and `LedgerBrokenError` when the chain was tampered with.
    Values over 2 KiB are kept as digests, all data is redacted. `force` brings what a descriptor holds to the disk.
    """

    def __init__(self, directory: Path, clock: Clock, *, force: Callable[[int], None] = os.fsync) -> None:
        self._directory = directory
        self._clock = clock
        self._force = force
        self._patience = LOCK_SECONDS
        self._mutex = Lock()
        self._head_path = directory / HEAD_NAME
        self._head_handle = self._segment_handle = _NOT_OPEN
        self._known: Head | None = None
        with ExitStack() as opening, typed_errors(directory):
            opening.callback(self.close)
            files.private_directory(directory)
            self._head_handle = files.open_private(self._head_path, files.CREATE)
            with files.locked(self._head_handle, LOCK_SECONDS):
                self._begin()
                self._catch_up()
            opening.pop_all()

    def append(self, record: Record, *, sync: bool = False) -> None:
        """Write one record ahead of the act it tells of; `sync` waits for the disk."""
        data = tidy(record.data)
        with self._exclusive():
            now = timestamp(self._clock.now())
            head = self._catch_up()
            self._write(head, record, data, now, sync=sync)

    def head(self) -> tuple[int, str]:
        """Number of records of all processes, and the hash of the last one."""
        with self._exclusive():
            head = self._catch_up()
        return head.n, head.hash

    def holds(self, count: int, digest: str) -> bool:
        """Whether record number `count` is in the chain under this hash: what somebody kept of it is still true.

        The newest is told at once, an older one by reading its segment. Proves nothing about the other records.
        """
        with self._exclusive():
            head = self._catch_up()
        if count == head.n:
            return digest == head.hash
        if not 0 <= count < head.n:
            return False
        if count == 0:
            return digest == GENESIS
        with typed_errors(self._directory):
            found = find(self._directory, count)
        return found is not None and found.hash == digest

    def close(self) -> None:
        """Give the files back; every later use is `AUDIT_UNAVAILABLE`."""
        with self._mutex:
            for handle in (self._segment_handle, self._head_handle):
                if handle != _NOT_OPEN:
                    os.close(handle)
            self._segment_handle = self._head_handle = _NOT_OPEN

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._mutex, typed_errors(self._directory), files.locked(self._head_handle, self._spend_patience()):
            self._patience = LOCK_SECONDS
            yield

    def _spend_patience(self) -> float:
        """How long to wait for the lock; who waited in vain does not wait again until the lock was free once."""
        if self._head_handle == _NOT_OPEN:
            raise AuditUnavailableError("审计账本已经关闭", facts={"reason": "closed"})
        patience, self._patience = self._patience, 0.0
        return patience

    # --- the state of the files, always under the lock --------------------------------------------------------------

    def _begin(self) -> None:
        """Give a new folder its head before its first record: later, a missing head means that it was taken away."""
        if os.fstat(self._head_handle).st_size > 0:
            return
        started = next((path for _, path in segments(self._directory) if size_of(path) > 0), None)
        if started is not None:
            raise broken(1, self._head_path, What.MISSING)
        files.write_at(self._head_handle, 0, EMPTY.encode())
        os.fsync(self._head_handle)
        files.sync_directory(self._directory)

    def _catch_up(self) -> Head:
        """The head as it is now; looks at the segment again only when another process has been at it."""
        if os.fstat(self._head_handle).st_nlink == 0:
            raise broken(0, self._head_path, What.MISSING)
        known = self._known
        content = files.read_at(self._head_handle, 0, HEAD_SIZE + 1)
        if known is not None and content == known.encode() and self._segment_is_as(known):
            return known
        head = Head.decode(content)
        if head is None or (known is not None and head.n < known.n):
            raise broken(known.n if known else 0, self._head_path, What.EDITED)
        self._known = None
        self._known = self._settle(head)
        return self._known

    def _segment_is_as(self, head: Head) -> bool:
        if self._segment_handle == _NOT_OPEN:
            return head == EMPTY
        facts = os.fstat(self._segment_handle)
        return facts.st_size == head.size and facts.st_nlink > 0

    def _settle(self, head: Head) -> Head:
        """Check the end of the chain against the head, take in what a crash left beyond it, move a torn line aside."""
        path = segment_path(self._directory, head.day)
        self._close_segment()
        for day, later in segments(self._directory):
            if day > head.day and size_of(later) > 0:
                raise broken(head.n + 1, later, What.FOREIGN)
        if head == EMPTY:
            return head
        self._check_last(head, path)
        self._segment_handle = files.open_private(path, files.APPEND)
        end, is_torn = self._beyond(head, path)
        facts = self._move_aside(path, end.size) if is_torn else None
        if end != head:
            end = self._adopt(head, end)
        if facts is None:
            return end
        return self._write(end, Record(REPAIRED, "", LEDGER_ACTOR), facts, timestamp(self._clock.now()), sync=True)

    def _close_segment(self) -> None:
        if self._segment_handle != _NOT_OPEN:
            os.close(self._segment_handle)
            self._segment_handle = _NOT_OPEN

    def _check_last(self, head: Head, path: Path) -> None:
        """The record the head names must end where the head says; in the segment before when its own is still empty."""
        size = head.size
        if size == 0 and head.n > 0:
            filled = [(earlier, size_of(earlier)) for day, earlier in segments(self._directory) if day < head.day]
            path, size = next((found for found in reversed(filled) if found[1]), (path, 1))
        if size == 0:
            return
        if files.facts_of(path) is None:
            raise broken(head.n, path, What.MISSING)
        handle = files.open_private(path, files.EXISTING)
        try:
            if os.fstat(handle).st_size < size:
                raise broken(head.n, path, What.TRUNCATED)
            line = _last_line(handle, size)
        finally:
            os.close(handle)
        record = parse(line)
        if record is None or not is_intact(record, line) or (record.n, record.hash) != (head.n, head.hash):
            raise broken(head.n, path, What.EDITED)

    def _beyond(self, head: Head, path: Path) -> tuple[Head, bool]:
        """Where the whole records beyond the head end; also whether a torn line follows.

        A process that dies between line and head leaves the one, in mid-line the other. Anything else is foreign.
        """
        is_torn = False
        for line in lines(path, head.size):
            record = parse(line)
            if not is_torn and not line.endswith(b"\n"):
                is_torn = True
            elif is_torn or record is None or (record.n, record.prev) != (head.n + 1, head.hash):
                raise broken(head.n + 1, path, What.FOREIGN)
            elif not is_intact(record, line):
                raise broken(record.n, path, What.EDITED)
            else:
                head = Head(record.n, record.hash, head.day, head.size + len(line))
        return head, is_torn

    def _adopt(self, head: Head, end: Head) -> Head:
        """Take in the records from the head to `end`, never unsaid: until the chain tells of them the head stays.

        So the record goes to the same segment, whatever the day: beginning one would move the head first.
        """
        facts = {
            "file": segment_path(self._directory, head.day).name,
            "records": end.n - head.n,
            "from": head.n + 1,
            "to": end.n,
        }
        try:
            return self._add(end, Record(ADOPTED, "", LEDGER_ACTOR), facts, timestamp(self._clock.now()), sync=True)
        except OSError:
            with suppress(OSError):
                files.write_at(self._head_handle, 0, head.encode())
            raise

    def _move_aside(self, path: Path, size: int) -> dict[str, object]:
        """Copy what follows the last whole record to `<segment>.torn`, then cut it off; says what was moved."""
        target = path.with_name(path.name + ".torn")
        digest, moved = hashlib.sha256(), 0
        source, copy = files.open_private(path, files.EXISTING), files.open_private(target, files.APPEND)
        try:
            while piece := files.read_at(source, size + moved, MAX_LINE):
                files.write_all(copy, piece)
                digest.update(piece)
                moved += len(piece)
            files.write_all(copy, b"\n")
            os.fsync(copy)
            os.ftruncate(source, size)
        finally:
            os.close(source)
            os.close(copy)
        return {"file": path.name, "bytes": moved, "sha256": digest.hexdigest(), "moved_to": target.name}

    # --- writing ----------------------------------------------------------------------------------------------------

    def _write(self, head: Head, record: Record, data: dict[str, object], now: str, *, sync: bool) -> Head:
        day = now[:10].replace("-", "")
        if day > head.day:  # a clock set back keeps writing where the chain ends
            head = self._roll(head, day)
        return self._add(head, record, data, now, sync=sync)

    def _add(self, head: Head, record: Record, data: Mapping[str, object], now: str, *, sync: bool) -> Head:
        line, digest = seal(
            StoredRecord(
                n=head.n + 1,
                time=now,
                trace_id=record.trace_id,
                event=record.event,
                actor=record.actor,
                task_id=record.task_id,
                data=data,
                prev=head.hash,
                hash="",
            )
        )
        if len(line) > MAX_LINE:
            raise ValueError("actor, event and ids of a record are names, not texts")
        following = Head(head.n + 1, digest, head.day, head.size + len(line))
        try:
            self._put(line, following, sync=sync)
        except OSError:
            self._take_back(head)
            raise
        self._known = following
        return following

    def _roll(self, head: Head, day: str) -> Head:
        """Begin the segment of a day. The head names it before it has a line: a crash in between is found there."""
        path = segment_path(self._directory, day)
        self._known = None
        self._close_segment()
        self._segment_handle = files.open_private(path, files.APPEND)
        if os.fstat(self._segment_handle).st_size > 0:
            raise broken(head.n + 1, path, What.FOREIGN)
        files.sync_directory(self._directory)
        rolled = head._replace(day=day, size=0)
        files.write_at(self._head_handle, 0, rolled.encode())
        return rolled

    def _put(self, line: bytes, following: Head, *, sync: bool) -> None:
        files.write_all(self._segment_handle, line)
        if sync:
            self._force(self._segment_handle)
        files.write_at(self._head_handle, 0, following.encode())
        if sync:
            self._force(self._head_handle)

    def _take_back(self, head: Head) -> None:
        """Undo half an append. Where even this fails, the next append finds the rest as it finds one of a crash."""
        self._known = None
        with suppress(OSError):
            os.ftruncate(self._segment_handle, head.size)
            files.write_at(self._head_handle, 0, head.encode())
