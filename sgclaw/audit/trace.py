"""Trace ids: one per agent session, the thread that joins log lines, ledger records and the host's own log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from pydantic import ConfigDict, TypeAdapter, ValidationError

from sgclaw.protocol.parts import TraceId

RANDOM_BYTES: Final = 4

_TRACE_ID: Final = TypeAdapter[str](TraceId, config=ConfigDict(defer_build=True))


@dataclass(slots=True)
class TraceHolder:
    """The trace id of this process: empty until the host's `init` names it."""

    trace_id: str = ""


def new_trace_id(today: date, random_bytes: bytes) -> str:
    """`sgclaw-YYYYMMDD-xxxxxxxx` from the day and exactly four random bytes."""
    if len(random_bytes) != RANDOM_BYTES:
        raise ValueError(f"a trace id takes {RANDOM_BYTES} random bytes, not {len(random_bytes)}")
    return f"sgclaw-{today:%Y%m%d}-{random_bytes.hex()}"


def is_trace_id(text: str) -> bool:
    """Whether the text has the form the wire accepts for a trace id."""
    try:
        _TRACE_ID.validate_python(text, strict=True)
    except ValidationError:
        return False
    return True
