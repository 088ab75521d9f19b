"""The person at the browser, whom nobody may ask without end: sgclaw chooses what is asked, the host how often."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from browser_host_stub.approvals import Approver
from sgclaw.protocol.limits import APPROVAL_SECONDS, MAX_OUTSTANDING

MAX_ASKED_A_TASK = 10
"""Confirmations, and as many questions, of one task; nobody reads the eleventh with care. Tasks that this host did not
submit have as many together: sgclaw may run one that a person gave it directly, but names do not cost it anything."""
MAX_WAITING = MAX_OUTSTANDING
"""Confirmations and questions of all tasks that wait for the person at the same time."""


class Asking(StrEnum):
    """What a person is asked for."""

    APPROVAL = "approval"
    ANSWER = "answer"


class People:
    """Asks `approver` within the limits. `admit` reserves a place, which `approve` or `answer` gives back.

    Who says nothing about an act for `patience_s` has not agreed.
    """

    def __init__(self, approver: Approver, *, patience_s: float = APPROVAL_SECONDS) -> None:
        self._approver, self._patience_s = approver, patience_s
        self._asked: Counter[tuple[Asking, str | None]] = Counter()
        self._submitted: set[str] = set()
        self._waiting = 0

    def submitted(self, task_id: str) -> None:
        """This task is the host's own: it has its own count."""
        self._submitted.add(task_id)

    def has_room(self, kind: Asking, task_id: str) -> bool:
        """Whether this task may ask now."""
        return self._waiting < MAX_WAITING and self._asked[kind, self._counted(task_id)] < MAX_ASKED_A_TASK

    def admit(self, kind: Asking, task_id: str) -> bool:
        """Reserve a place if there is room."""
        if not self.has_room(kind, task_id):
            return False
        self._asked[kind, self._counted(task_id)] += 1
        self._waiting += 1
        return True

    def _counted(self, task_id: str) -> str | None:
        return task_id if task_id in self._submitted else None

    async def approve(self, facts: Mapping[str, object]) -> bool:
        """The person's word on an act; anything but true is no, and so is silence."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._approver.approve(facts) is True
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        """The person's answer to a question; None when nobody answers."""
        try:
            return await self._approver.answer(text, choices)
        finally:
            self._waiting -= 1
