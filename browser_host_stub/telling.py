"""Page events on their way to sgclaw: what may be told, in order, and never more than a pipe bears.

A page can make events without end. They wait in a short queue that forgets its oldest ones and leaves at a steady pace;
how many were forgotten is told with the next one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from browser_host_stub.driver import BrowserEvent
from browser_host_stub.faults import well_formed
from sgclaw.policy.decide import is_listed
from sgclaw.policy.model import Policy
from sgclaw.protocol.messages import Message, PageEvent
from sgclaw.protocol.results import PageInfo

MAX_WAITING = 32
APART_S = 0.05
"""Between two events: at most 20 a second."""
BLANK = "about:blank"
"""The one address of no origin that is told: it shows nothing of anybody's."""
_MAX_TEXT = 500


class PageEvents:
    """The events of one session. `hear` takes them from the driver; `run` sends them until it is cancelled."""

    def __init__(
        self, policy: Policy, running: Callable[[str], int | None], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        self._policy, self._running, self._send = policy, running, send
        self._waiting: deque[PageEvent] = deque()
        self._dropped = 0
        self._woken = asyncio.Event()

    def hear(self, event: BrowserEvent) -> None:
        """Take one event; those of pages that are not on a listed origin are told to nobody."""
        told = self._told(event)
        if told is None:
            return
        again = [one for one in self._waiting if _same_kind(one, told)]
        for one in again or ([self._waiting[0]] if len(self._waiting) >= MAX_WAITING else []):
            self._waiting.remove(one)
            self._dropped += 1
        self._waiting.append(told)
        self._woken.set()

    async def run(self) -> None:
        """Send what waits, at its pace."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self._waiting:
                event = self._waiting.popleft()
                if self._dropped:
                    event = event.model_copy(update={"facts": {**event.facts, "dropped": self._dropped}})
                    self._dropped = 0
                await self._send(event)
                await asyncio.sleep(APART_S)

    def _told(self, event: BrowserEvent) -> PageEvent | None:
        page = event.page
        if page.url == BLANK:
            page = PageInfo(id=page.id, url=BLANK, version=page.version)
        elif not is_listed(self._policy, page.url):
            return None
        facts = {name: value[:_MAX_TEXT] if isinstance(value, str) else value for name, value in event.facts.items()}
        opener = facts.get("opener")
        seq = self._running(page.id) or (self._running(opener) if isinstance(opener, str) else None)
        by: dict[str, object] = {"by": "page"} if seq is None else {"by": "command", "seq": seq}
        shown = page.model_copy(update={"url": well_formed(page.url), "title": well_formed(page.title)})
        return PageEvent(event=event.kind, page=shown, facts=well_formed({**facts, **by}))


def _same_kind(one: PageEvent, other: PageEvent) -> bool:
    """Whether the later one says all that the earlier one said: where a page is now."""
    return one.event == other.event == "navigated" and one.page.id == other.page.id
