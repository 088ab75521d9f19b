"""The operation log: one JSON line an event on stderr, in the format of the specification (`spec/000` 7.2)."""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Mapping
from threading import Condition, Thread
from typing import BinaryIO, Final

from sgclaw.audit.encode import encode_ordered, tidy
from sgclaw.audit.ledger import timestamp
from sgclaw.audit.trace import TraceHolder
from sgclaw.ports import Clock

MAX_HELD_BYTES: Final = 1 << 20
"""Lines that wait for a slow reader, at most: a minute of the chattiest task."""
FLUSH_SECONDS: Final = 0.5
"""What the end of the process waits for a reader: a quarter of the time in which it must have ended."""


class StderrLog:
    """`ports.Log` over a byte stream: UTF-8 whatever the console's code page is.

    Each line is `{timestamp, level, trace_id, module, event, data}` in this order, redacted, long texts as digests.
    A thread of its own writes, so that a reader that went away or does not keep up costs its lines, never the caller;
    `lost` counts them. The end of the process waits `FLUSH_SECONDS` for the last lines.
    """

    def __init__(self, stream: BinaryIO, clock: Clock, trace: TraceHolder) -> None:
        # Below the buffer: it has a lock, and an interpreter that finds it held by a hanging thread aborts at its end.
        self._stream: BinaryIO = getattr(stream, "raw", stream)
        self._clock = clock
        self._trace = trace
        self._waiting: deque[bytes] = deque()
        self._held = 0
        self._changed = Condition()
        self.lost = 0
        Thread(target=self._write_for_ever, name="sgclaw-log", daemon=True).start()
        atexit.register(self.flush)

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        line = encode_ordered(
            {
                "timestamp": timestamp(self._clock.now()),
                "level": level,
                "trace_id": self._trace.trace_id,
                "module": module,
                "event": event,
                "data": tidy(data or {}),
            }
        )
        with self._changed:
            if self._held + len(line) > MAX_HELD_BYTES:
                self.lost += 1
                return
            self._held += len(line)
            self._waiting.append(line)
            self._changed.notify_all()

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything said so far is written or lost; False when the reader did not keep up."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._held, seconds)

    def _write_for_ever(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                lines = list(self._waiting)
                self._waiting.clear()
            written = _write_all(self._stream, b"".join(line + b"\n" for line in lines))
            with self._changed:
                self.lost += 0 if written else len(lines)
                self._held -= sum(map(len, lines))
                self._changed.notify_all()


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
