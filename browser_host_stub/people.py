"""The person at the browser, whom nobody may ask without end: sgclaw chooses what is asked, the host how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from browser_host_stub.approvals import Approver
from sgclaw.protocol.limits import MAX_OUTSTANDING

MAX_ASKED_A_TASK = 10
"""Confirmations, and as many questions, of one task; nobody reads the eleventh with care."""
MAX_WAITING = MAX_OUTSTANDING
"""Confirmations and questions of all tasks that wait for the person at the same time."""


class Asking(StrEnum):
    """What a person is asked for."""

    APPROVAL = "approval"
    ANSWER = "answer"


class RunningTasks:
    """The tasks this host has submitted and not heard the end of; no other may act or ask."""

    def __init__(self) -> None:
        self._running: set[str] = set()

    def submitted(self, task_id: str) -> None:
        """From now on it may act."""
        self._running.add(task_id)

    def ended(self, task_id: str) -> None:
        """From now on it may not."""
        self._running.discard(task_id)

    def runs(self, task_id: str) -> bool:
        """Whether it may act now."""
        return task_id in self._running


class People:
    """Asks `approver` within the limits. `admit` reserves a place, which `approve` or `answer` gives back."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._asked: Counter[tuple[Asking, str]] = Counter()
        self._waiting = 0

    def has_room(self, kind: Asking, task_id: str) -> bool:
        """Whether this task may ask now."""
        return self._waiting < MAX_WAITING and self._asked[kind, task_id] < MAX_ASKED_A_TASK

    def admit(self, kind: Asking, task_id: str) -> bool:
        """Reserve a place if there is room."""
        if not self.has_room(kind, task_id):
            return False
        self._asked[kind, task_id] += 1
        self._waiting += 1
        return True

    async def approve(self, facts: Mapping[str, object]) -> bool:
        """The person's word on an act; anything but true is no."""
        try:
            return await self._approver.approve(facts) is True
        finally:
            self._waiting -= 1

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        """The person's answer to a question; None when nobody answers."""
        try:
            return await self._approver.answer(text, choices)
        finally:
            self._waiting -= 1
