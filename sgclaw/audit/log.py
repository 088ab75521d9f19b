"""The operation log: one JSON line an event on stderr, in the format of the specification (`spec/000` 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import BinaryIO

from sgclaw.audit.encode import encode_ordered, tidy
from sgclaw.audit.ledger import timestamp
from sgclaw.audit.trace import TraceHolder
from sgclaw.ports import Clock


class StderrLog:
    """`ports.Log` over a byte stream: UTF-8 whatever the console's code page is.

    Each line is `{timestamp, level, trace_id, module, event, data}` in this order, redacted, long texts as digests.
    A reader that went away or does not keep up costs its lines, never the caller; `lost` counts them.
    """

    def __init__(self, stream: BinaryIO, clock: Clock, trace: TraceHolder) -> None:
        self._stream = stream
        self._clock = clock
        self._trace = trace
        self._mutex = Lock()
        self.lost = 0

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
        with self._mutex:
            try:
                self._stream.write(line + b"\n")
                self._stream.flush()
            except (OSError, ValueError):  # ValueError: the stream was closed on our side
                self.lost += 1
