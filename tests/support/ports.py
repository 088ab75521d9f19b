"""Recording implementations of ports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from sgclaw.errors import AuditUnavailableError
from sgclaw.ports import Binding, Record, RecordKind


class RecordingLedger:
    """Keeps records in memory; `full` makes it refuse like a full disk."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.full = False
        self.full_after: int | None = None
        """Takes so many more records, then none."""
        self.synced: list[Record] = []

    def append(self, record: Record, *, sync: bool = False) -> None:
        if self.full_after is not None:
            self.full_after -= 1
            self.full = self.full_after < 0
        if self.full:
            raise AuditUnavailableError("账本无法写入")
        self.records.append(record)
        if sync:
            self.synced.append(record)

    def head(self) -> tuple[int, str]:
        return len(self.records), f"{len(self.records):064x}"

    def events(self) -> list[str]:
        return [record.event for record in self.records]

    def data(self, event: str) -> list[Mapping[str, object]]:
        return [record.data for record in self.records if record.event == event]


class RecordingLog:
    """Keeps log events in memory."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []
        self.data: list[tuple[str, Mapping[str, object]]] = []

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        self.events.append((event, level))
        self.data.append((event, dict(data or {})))


class RecordingRecords:
    """Keeps records of every class in memory."""

    def __init__(self) -> None:
        self.kept: list[tuple[RecordKind, Mapping[str, object]]] = []

    def write(self, kind: RecordKind, data: Mapping[str, object]) -> None:
        self.kept.append((kind, data))


class LoopClock:
    """The running loop's time and a fixed date."""

    def now(self) -> datetime:
        return datetime(2026, 4, 2, 8, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def binding(domain: str = "erp.example.com", on_person: Callable[[bool], None] = lambda begins: None) -> Binding:
    """A task's binding with an open gate and no skill."""
    gate = asyncio.Event()
    gate.set()
    return Binding(task_id="t1", domain=domain, gate=gate, on_person=on_person)


async def eventually(happened: Callable[[], object]) -> None:
    """Wait until `happened()` is true, some 30 s at most: machines may be slow."""
    for _ in range(30_000):
        if happened():
            return
        await asyncio.sleep(0.001)
    raise TimeoutError("what the test waits for did not happen")
