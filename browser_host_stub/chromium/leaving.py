"""Whether an act has set a page moving: a navigation under way, or a window about to open."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from playwright.async_api import CDPSession

_POSTED_S = 0.25


class Leaving:
    """Follows the browser's own events for the main frame of one page.

    Chromium reports a navigation a click started before it answers the click, so a check right after an act sees it.
    """

    def __init__(self, session: CDPSession, main_frame: str) -> None:
        self.main_frame = main_frame
        self._settled = asyncio.Event()
        self._settled.set()
        self._posting: set[str] = set()
        self._posted = asyncio.Event()
        self._posted.set()
        self._window_opened = asyncio.Event()
        self._window_opened.set()
        for event in ("Page.frameRequestedNavigation", "Page.frameStartedNavigating"):
            session.on(event, self._started)
        for event in ("Page.frameNavigated", "Page.frameStoppedLoading", "Page.frameDetached"):
            session.on(event, self._ended)
        session.on("Page.windowOpen", lambda _event: self._window_opened.clear())

    def _started(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self.main_frame and event.get("disposition", "currentTab") == "currentTab":
            self._settled.clear()
        elif str(event.get("reason", "")).startswith("formSubmission"):
            self._posting.add(str(event.get("frameId")))
            self._posted.clear()

    def _ended(self, event: dict[str, Any]) -> None:
        if self.main_frame in (event.get("frameId"), event.get("frame", {}).get("id")):
            self._settled.set()
        self._posting -= {event.get("frameId"), event.get("frame", {}).get("id")}
        if not self._posting:
            self._posted.set()

    def submits(self, frame: str) -> bool:
        """Whether a form is on its way into this frame of the page."""
        return frame in self._posting

    def window_arrived(self) -> None:
        """A new page of the browser is registered."""
        self._window_opened.set()

    @property
    def under_way(self) -> bool:
        """Whether a navigation has begun and not ended."""
        return not self._settled.is_set()

    async def wait_settled(self, limit_s: float) -> None:
        """Return when nothing is under way any more, at the latest after `limit_s`.

        A form that is sent into a frame of the page gets a moment only: for it to be stopped, not for its answer.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(limit_s, _POSTED_S)):
                await self._posted.wait()
        waits = [asyncio.ensure_future(event.wait()) for event in (self._settled, self._window_opened)]
        await asyncio.wait(waits, timeout=limit_s)
        for wait in waits:
            wait.cancel()
