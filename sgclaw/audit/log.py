"""The operation log: one JSON line an event on stderr, in the format of the specification (`spec/000` 7.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import BinaryIO

from sgclaw.audit.encode import encode_ordered, tidy
from sgclaw.audit.ledger import timestamp
from sgclaw.audit.outbox import FLUSH_SECONDS, Outbox
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.trace import TraceHolder
from sgclaw.ports import Clock, RecordKind


class StderrLog:
    """`ports.Log` over a byte stream: UTF-8 whatever the console's code page is.

    Each line is `{timestamp, level, trace_id, module, event, data}` in this order, redacted, long texts as digests;
    the same line becomes a record of the class `operation`. A thread of its own writes, so that a reader that went
    away or does not keep up costs its lines, never the caller; `lost` counts them.
    """

    def __init__(self, stream: BinaryIO, clock: Clock, trace: TraceHolder, records: RecordFiles | None = None) -> None:
        # Below the buffer: it has a lock, and an interpreter that finds it held by a hanging thread aborts at its end.
        self._stream: BinaryIO = getattr(stream, "raw", stream)
        self._clock = clock
        self._trace = trace
        self._records = records
        self._counting = Lock()
        self.lost = 0
        self._outbox: Outbox[bytes] = Outbox("sgclaw-log", self._write)

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        now = self._clock.now()
        line = encode_ordered(
            {
                "timestamp": timestamp(now),
                "level": level,
                "trace_id": self._trace.trace_id,
                "module": module,
                "event": event,
                "data": tidy(data or {}),
            }
        )
        if self._records is not None:
            self._records.keep(RecordKind.OPERATION, now, line)
        if not self._outbox.put(line, len(line)):
            self._lose(1)

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything said so far is written or lost; False when the reader did not keep up."""
        return self._outbox.flush(seconds)

    def _write(self, lines: Sequence[bytes]) -> None:
        if not _write_all(self._stream, b"".join(line + b"\n" for line in lines)):
            self._lose(len(lines))

    def _lose(self, count: int) -> None:
        with self._counting:
            self.lost += count


def _write_all(stream: BinaryIO, content: bytes) -> bool:
    """Write every byte, however long it takes; False when the stream does not take them any more."""
    view = memoryview(content)
    try:
        while view:
            taken: int | None = stream.write(view)
            if taken is None:  # somebody made the shared descriptor non-blocking, and it is full
                return False
            view = view[taken:]
        stream.flush()
    except (OSError, ValueError):  # ValueError: the stream was closed on our side
        return False
    return True
