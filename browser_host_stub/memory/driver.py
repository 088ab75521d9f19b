"""The `Driver` over pages of plain data."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from browser_host_stub.driver import IMPLICIT_WAIT_S, Around, BrowserEvent, EventKind, Hear, JsonObject, Located
from browser_host_stub.memory.acting import PERFORM
from browser_host_stub.memory.artifacts import MemoryArtifacts
from browser_host_stub.memory.seeing import wait_for
from browser_host_stub.memory.site import Element, Page, Site
from browser_host_stub.memory.targets import Handle, dialog_facts, facts_of, find
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.protocol.params import HandleDialog, PageId, Params
from sgclaw.protocol.results import PageInfo

__all__ = ["STOPPED", "Check", "Knobs", "MemoryArtifacts", "MemoryDriver"]

_MAX_HOPS = 20
STOPPED = "stopped."
"""Prefix of the rule of an act whose page was kept from leaving, as in every browser of the stub."""

Check = Callable[[str], str | None]
"""The rule that refuses an address, None for one that may be opened."""


@dataclass
class Knobs:
    """What goes wrong in the browser: every act takes `delay_s`; acts named in `hang` never end."""

    delay_s: float = 0.0
    hang: set[str] = field(default_factory=set)


class MemoryDriver:
    """One in-memory browser with one page to start with. `pages` are its open ones; `default` is where acts go."""

    def __init__(self, site: Site, folder: Path, *, start: str = "about:blank") -> None:
        self._site = site
        self.redirects: dict[str, str] = {}
        """Address → where it leads at once, which may lead on."""
        self._check: Check = lambda _url: None
        self._hear: Hear | None = None
        self._storage: dict[str, dict[str, str]] = {}
        self._minted = 1
        self.knobs = Knobs()
        self.artifacts = MemoryArtifacts(folder)
        self.on_gone = asyncio.Event()
        self.pages = {"p1": Page("p1", start, elements=self._elements(start))}
        self.default: str | None = "p1"

    def _elements(self, url: str) -> dict[str, Element]:
        make = self._site.get(url)
        return make() if make else {}

    def _page(self, page: str | None) -> Page:
        wanted = page or self.default or ""
        found = self.pages.get(wanted)
        if self.on_gone.is_set() or found is None:
            raise ActionError(ActionCode.PAGE_GONE, "页面已经关闭", facts={"page": wanted})
        return found

    async def default_page(self) -> PageInfo:
        if self.default is None and not self.on_gone.is_set():
            self.default = self._new_page("about:blank").id
        return await self.page_info(None)

    async def page_info(self, page: str | None) -> PageInfo:
        return self.info(self._page(page))

    @staticmethod
    def info(page: Page) -> PageInfo:
        """What is told of an open page."""
        return PageInfo(id=page.id, url=page.url, title=page.title, version=page.version)

    async def close(self) -> None:
        self.on_gone.set()

    def confine(self, check: Check) -> None:
        """Keep every page from addresses that `check` refuses; an act that tries is `POLICY_DENIED`."""
        self._check = check

    def rule_against(self, url: str) -> str | None:
        """The rule that keeps pages from an address."""
        return self._check(url)

    def on_event(self, hear: Hear) -> None:
        """See `Telling.on_event`."""
        self._hear = hear

    def tell(self, kind: EventKind, page: Page, /, **facts: object) -> None:
        """Tell one event of a page as it is now."""
        if self._hear is not None:
            self._hear(BrowserEvent(kind, self.info(page), facts))

    def dialog_opened(self, page: Page) -> None:
        """Tell of the dialog that an act left open."""
        if page.dialog is not None:
            self.tell("dialog", page, kind=page.dialog.kind, message=page.dialog.message)

    def crash(self, page_id: str) -> None:
        """The page is lost; acts without a page find none until `default_page` makes one."""
        page = self.pages.pop(page_id)
        if self.default == page_id:
            self.default = None
        self.tell("crashed", page)

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        found = self._page(params.page if isinstance(params, PageId) else page)
        if not isinstance(params, HandleDialog) and found.dialog is not None:
            dialog, found.dialog = found.dialog, None
            dialog.on_answer(False, None)
        handle = find(found, action, params)
        element = handle.element
        compares = spec_of(action).compares
        in_frame = element.frame if element and compares is not Compare.TARGET_URL else None
        origin = self.origin_of(in_frame or found.url)
        if compares is Compare.TARGET_URL:
            origin = str(getattr(params, "url", ""))
        target = facts_of(element) if element else dialog_facts(handle.dialog) if handle.dialog else None
        around = partial(_around, found, element)
        return Located(action, params, self.info(found), origin, target, handle, around=around)

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        handle = located.handle
        if not isinstance(handle, Handle):
            raise TypeError("located by another driver")
        if located.action in self.knobs.hang:
            await self._gone_or(deadline_s)
        if self.knobs.delay_s:
            await asyncio.sleep(self.knobs.delay_s)
        page = self._page(handle.page.id)
        _check_still_there(handle, located.action)
        page.acts.append((located.action, handle.selector or ""))
        if located.action == "waitForSelector":
            return await wait_for(handle, located.params, deadline_s)
        try:
            return PERFORM[located.action](self, handle, located.params)
        except PolicyDeniedError:
            page.acts.pop()  # stopped before anything left the page
            raise

    async def _gone_or(self, deadline_s: float) -> None:
        """An act that never ends by itself: the browser dies, or time is up."""
        try:
            await asyncio.wait_for(self.on_gone.wait(), deadline_s)
        except TimeoutError:
            raise ActionError(ActionCode.TIMEOUT, "操作没有在期限内完成") from None

    def goto(self, page: Page, url: str) -> None:
        """Load an address into a page, following redirects; nothing is loaded when one of them is refused."""
        landed = self._landing(url)
        page.before, page.after, page.url = page.url, "", landed
        page.version += 1
        page.elements, page.numbers, page.dialog = self._elements(page.url), [], None
        self.tell("navigated", page)

    def open_page(self, url: str, *, opener: Page | None = None, hidden: bool = False) -> Page:
        """A new page at an address, as a link with a target of its own opens it."""
        page = self._new_page(self._landing(url), opener=opener, hidden=hidden)
        self.tell("navigated", page)
        return page

    def _new_page(self, url: str, *, opener: Page | None = None, hidden: bool = False) -> Page:
        self._minted = max(self._minted + 1, len(self.pages) + 1)
        page = Page(f"p{self._minted}", url, elements=self._elements(url))
        page.hidden = hidden or (opener is not None and opener.hidden)
        page.opener = opener.id if opener else None
        self.pages[page.id] = page
        self.tell("opened", page, **({"opener": opener.id} if opener else {}))
        return page

    def close_page(self, page: Page) -> None:
        """Close a page, and the windows of a background page with it; the default one is followed by its opener."""
        self.pages.pop(page.id, None)
        self.tell("closed", page)
        for child in [one for one in self.pages.values() if page.hidden and one.opener == page.id]:
            self.close_page(child)
        if self.default == page.id:
            seen = [one.id for one in self.pages.values() if not one.hidden]
            self.default = page.opener if page.opener in self.pages else (seen[-1] if seen else None)

    def storage_of(self, page: Page) -> dict[str, str]:
        """The items of the page's origin, shared by all its pages."""
        return self._storage.setdefault(self.origin_of(page.url), {})

    @staticmethod
    def origin_of(url: str) -> str:
        """The origin of an address, `null` for one without."""
        try:
            return str(origin_of(url))
        except PolicyDeniedError:
            return "null"

    def _landing(self, url: str) -> str:
        hops = [url]
        while hops[-1] in self.redirects and len(hops) < _MAX_HOPS:
            hops.append(self.redirects[hops[-1]])
        for hop in hops:
            rule = self._check(hop)
            if rule is not None:
                cause = "页面要去策略以外的地址，已在浏览器中拦下，页面留在原处"
                raise PolicyDeniedError(cause, facts={"rule": STOPPED + rule})
        return hops[-1]


def _check_still_there(handle: Handle, action: str) -> None:
    """What was located must still be in its document; acts that wait or change the document ask for nothing."""
    element, page = handle.element, handle.page
    if element is None or action == "waitForSelector":
        return
    if page.version != handle.version:
        raise ActionError(ActionCode.STALE_REF, "页面已经跳转", facts={"selector": handle.selector})
    if not any(element is known for known in page.elements.values()):
        raise ActionError(ActionCode.DETACHED_TARGET, "目标元素已从页面上移除", facts={"selector": handle.selector})


async def _around(page: Page, element: Element | None) -> Around:
    """The element itself, and every value of its page."""
    data = sorted((name, other.value) for name, other in page.elements.items() if other.value is not None)
    state = hashlib.sha256(repr(data).encode("utf-8", "surrogatepass")).hexdigest()
    return Around(str(id(element)), state, "；".join(f"{name}：{value}" for name, value in data))
