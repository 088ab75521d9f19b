"""Keeps pages where the policy wants them: a navigation to another place ends before a byte of it leaves.

One interception on the browser's own target, for documents only, sees the first request of every page, frame, popup
and redirect hop, without a race against the pages' registration. Main frames go to allowed addresses only; a frame
inside a page may show what it likes (its content is never read) but gets no form sent into it. A page's own
`fetch`, pictures and scripts are its own and not looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.tasks import Tasks
from sgclaw.errors import PolicyDeniedError

Check = Callable[[str], str | None]
"""The rule that refuses an address, None for one that may be opened."""

STOPPED = "stopped."
"""Prefix of the rule of an act whose page was kept from leaving."""
_DOCUMENTS = {"patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]}
_LOCAL = ("blob:", "data:", "about:")
"""Made by a page itself; nothing goes to anybody, and what they show has no listed address."""

_READS = ("GET", "HEAD")
_MAX_POSTED = 256
"""Documents under way at the same time whose method is remembered."""
_NOTHING_YET = ("", "about:blank")


def stopped(rule: str) -> PolicyDeniedError:
    """The error of an act that would have led to an address the rule refuses."""
    cause = "页面要去策略以外的地址，已在浏览器中拦下，页面留在原处"
    return PolicyDeniedError(cause, facts={"rule": STOPPED + rule})


class Stops:
    """What one page was kept from during the act that runs; between acts nobody asks."""

    def __init__(self, submits: Callable[[str], bool]) -> None:
        self.submits = submits
        self.happened = asyncio.Event()
        self._watching = False
        self._rule = ""

    def note(self, rule: str) -> None:
        """A navigation or download of this page was stopped; the first one of an act counts."""
        if self._watching:
            self._rule = self._rule or rule
            self.happened.set()

    @contextlib.contextmanager
    def watched(self, *, asks: bool = True) -> Iterator[None]:
        """An act runs in the block; one that sets nothing off by itself `asks` for no answer."""
        self._watching = asks
        try:
            yield
        finally:
            self._watching, self._rule = False, ""
            self.happened.clear()

    def raise_if_any(self) -> None:
        """Raise `POLICY_DENIED` when something was stopped. The address is not told: the page made it up."""
        if self._rule:
            raise stopped(self._rule)


OwnerOf = Callable[[str], Awaitable[Stops | None]]


class Guard:
    """Judges every document request of one browser; everything is allowed until `check` is set."""

    def __init__(self, session: CDPSession, tasks: Tasks, owner_of: OwnerOf) -> None:
        self._session, self._tasks, self._owner_of = session, tasks, owner_of
        self._check: Check = lambda _url: None
        self._posted: dict[str, None] = {}
        session.on("Fetch.requestPaused", lambda event: tasks.start(self._judge(event)))

    async def start(self) -> None:
        """Begin to intercept."""
        await self._session.send("Fetch.enable", _DOCUMENTS)

    def confine(self, check: Check) -> None:
        """From now on refuse what `check` refuses."""
        self._check = check

    def rule_against(self, url: str) -> str | None:
        """The rule that refuses this address, also for what a page made itself, whose maker is named in a `blob:`."""
        if url.startswith("blob:"):
            return self._check(url.removeprefix("blob:"))
        return None if url.startswith(_LOCAL) else self._check(url)

    def was_posted(self, loader: str) -> bool:
        """Whether the document of this loader is the answer to a sent form."""
        return loader in self._posted

    def _note_method(self, loader: str, method: str) -> None:
        self._posted.pop(loader, None)
        if method not in _READS:
            self._posted[loader] = None
            if len(self._posted) > _MAX_POSTED:
                del self._posted[next(iter(self._posted))]

    async def _judge(self, event: Mapping[str, Any]) -> None:
        request, number = event["request"], event["requestId"]
        self._note_method(str(event.get("networkId", "")), str(request["method"]))
        rule = None if request["url"].startswith(_LOCAL) else self._check(request["url"])
        try:
            if rule is not None and await self._stops(event, rule):
                await self._session.send("Fetch.failRequest", {"requestId": number, "errorReason": "Aborted"})
            else:
                await self._session.send("Fetch.continueRequest", {"requestId": number})
        except PlaywrightError:
            return  # the page ended, and its request with it

    async def _stops(self, event: Mapping[str, Any], rule: str) -> bool:
        """Whether this refused request must not go out; tells the page that asked for it."""
        frame = str(event.get("frameId", ""))
        targets = (await self._session.send("Target.getTargets"))["targetInfos"]
        page = next((target for target in targets if target["targetId"] == frame and target["type"] == "page"), None)
        owner = await self._owner_of(frame)
        if page is None and event["request"]["method"] in _READS and not (owner and owner.submits(frame)):
            return False
        if owner is None and page is not None and page["url"] in _NOTHING_YET:
            owner = await self._owner_of(str(page.get("openerId", "")))
            self._tasks.start(self._close(frame))
        if owner is not None:
            owner.note(rule)
        return True

    async def _close(self, target: str) -> None:
        """A window that was opened for the refused address only: it shows nothing, and nobody has seen it."""
        try:
            await self._session.send("Target.closeTarget", {"targetId": target})
        except PlaywrightError:
            return  # closed by the page that opened it
