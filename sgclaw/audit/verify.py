"""Verification of a ledger: every edit, gap, exchange, cut or foreign line is found, and the first bad record is named.

Then of the record files: each must begin with, or be, what the ledger committed to.

Reads only, one line at a time, while others may append: the head and the files' sizes are taken under the ledger's
lock, and what is written after that is left for the next time. What the chain alone cannot show, all of it rewritten or
rolled back together with its head, shows against a head that somebody else kept: the host's copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgclaw.audit import files
from sgclaw.audit.chain import (
    EMPTY,
    GENESIS,
    HEAD_NAME,
    HEAD_SIZE,
    Head,
    StoredRecord,
    What,
    broken,
    is_intact,
    lines,
    parse,
    segment_path,
    segments,
    size_of,
)
from sgclaw.audit.segments import Promises
from sgclaw.audit.verify_segments import VerifiedClass, check_promise, verify_segments


@dataclass(frozen=True, slots=True)
class Verified:
    """What a sound ledger holds: number of records, hash of the last one, number of segments.

    `torn_bytes` lie behind the last record: a process died in mid-line; the next writer moves them aside.
    `classes` has the classes of records of which there are, or were, files. `beyond` of the records lie behind the
    head: a process died between the two, or somebody added them; the next writer takes them in and says so.
    """

    count: int
    head: str
    segments: int
    torn_bytes: int = 0
    classes: tuple[VerifiedClass, ...] = ()
    beyond: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    path: Path
    content: bytes
    end: int
    """Bytes of the segment up to and with this line."""
    record: StoredRecord | None


_Extents = Sequence[tuple[Path, int]]


def verify(directory: Path, expected_head: tuple[int, str] | None = None) -> Verified:
    """Check every record of the folder; `expected_head` is a number and hash that were true at some time.

    Raises `LedgerBrokenError` with facts {n, file, what: edited / missing / swapped / truncated / foreign / unlike} for
    the first bad record, and `OSError` when the files cannot be read. `unlike` is a record that is sound by itself and
    not the one of `expected_head`: the ledger was written anew or put back, or the head is of another one. No ledger at
    all is a missing one. For a record file that is not what the ledger committed to, `n` is the ledger's record that
    did, and `file` the record file.
    """
    expected = expected_head or (0, GENESIS)
    head, extents = _snapshot(directory)
    _check_head(directory, head, extents)
    if expected[0] == 0 and expected[1] != GENESIS:
        raise broken(0, directory / HEAD_NAME, What.UNLIKE)
    count, last, previous, torn = 0, GENESIS, None, 0
    promises = Promises()
    for line in _walk(extents):
        if torn:
            raise broken(count + 1, line.path, What.TRUNCATED)
        if count >= head.n and not line.content.endswith(b"\n"):
            torn = len(line.content)
            continue
        last = _check(line, (count, last), previous, extents)
        count, previous = count + 1, line
        if line.record is not None:
            check_promise(promises, line.record, line.path)
            promises.take(line.record)
        if count == head.n and last != head.hash:
            raise broken(count, line.path, What.EDITED)
        if count == expected[0] and last != expected[1]:
            raise broken(count, line.path, What.UNLIKE)
        place = (segment_path(directory, head.day), head.size)
        if count == head.n and head.size > 0 and place != (line.path, line.end):
            raise broken(count, directory / HEAD_NAME, What.EDITED)
    _check_end(directory, count, expected[0], head)
    classes = verify_segments(directory, promises, head.day)
    return Verified(count, last, len(extents), torn, classes, beyond=count - head.n)


def _snapshot(directory: Path) -> tuple[Head, _Extents]:
    """The head, and each segment with its size, of one moment."""
    path = directory / HEAD_NAME
    if files.facts_of(path) is None:
        raise broken(1, path, What.MISSING)
    size_of(path)
    handle = files.open_plain(path)
    try:
        with files.locked(handle):
            head = Head.decode(files.read_at(handle, 0, HEAD_SIZE + 1))
            extents = [(segment, size_of(segment)) for _, segment in segments(directory)]
    finally:
        os.close(handle)
    if head is None:
        raise broken(0, path, What.EDITED)
    return head, extents


def _check_head(directory: Path, head: Head, extents: _Extents) -> None:
    """What the head says of itself: nothing before the first record, and no segment after its own."""
    begun = segment_path(directory, head.day)
    for path, size in extents:
        if path > begun and size > 0:
            raise broken(head.n + 1, path, What.FOREIGN)
    is_new = (head.hash, head.size) == (GENESIS, 0)
    is_there = head.size > 0 or head.day == EMPTY.day or any(path == begun for path, _ in extents)
    if not is_there or is_new != (head.n == 0):
        raise broken(head.n, directory / HEAD_NAME, What.EDITED)


def _walk(extents: _Extents) -> Iterator[_Line]:
    for path, size in extents:
        end = 0
        for content in lines(path, end=size):
            end += len(content)
            yield _Line(path, content, end, parse(content))


def _check(line: _Line, before: tuple[int, str], previous: _Line | None, extents: _Extents) -> str:
    """The hash of a line that follows what came before it; else raise what is wrong with it."""
    (count, last), record = before, line.record
    expected = count + 1
    if record is None or not is_intact(record, line.content):
        raise broken(expected, line.path, _what_spoiled(line.content, record))
    if record.n < expected:
        raise broken(expected, line.path, What.FOREIGN)
    if record.n > expected:
        # Only a bad ledger is searched twice: is the expected record elsewhere, or gone?
        elsewhere = any(other.record is not None and other.record.n == expected for other in _walk(extents))
        raise broken(expected, line.path, What.SWAPPED if elsewhere else What.MISSING)
    if record.prev != last:
        # Its own hash is right, so the one before it was given a new hash after this one had been written.
        raise broken(count, previous.path if previous else line.path, What.EDITED)
    return record.hash


def _what_spoiled(content: bytes, record: StoredRecord | None) -> What:
    if record is not None:
        return What.EDITED
    if not content.startswith(b'{"actor":'):
        return What.FOREIGN
    return What.EDITED if content.endswith(b"}\n") else What.TRUNCATED


def _check_end(directory: Path, count: int, promised: int, head: Head) -> None:
    """A chain that ends before a head says it does was cut, or its last segments were taken away."""
    path = segment_path(directory, head.day) if head.n else directory / HEAD_NAME
    if count < head.n:
        raise broken(count + 1, path, What.TRUNCATED if path.exists() else What.MISSING)
    if count < promised:
        told = f"账本只有 {count} 条记录，给出的账本头说有 {promised} 条：第 {{n}} 条"
        raise broken(count + 1, path, What.TRUNCATED, told)
