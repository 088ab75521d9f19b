"""Open pages: their ids, versions, dialogs, and the acts that move between them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Dialog, Page
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.dialogs import DialogDesk
from browser_host_stub.chromium.events import Events
from browser_host_stub.chromium.faults import page_gone
from browser_host_stub.chromium.frames import Documents, RuleAgainst, listed_origin
from browser_host_stub.chromium.guard import Stops
from browser_host_stub.chromium.leaving import Leaving
from browser_host_stub.chromium.tasks import Tasks
from browser_host_stub.chromium.world import StaleWorldError, World
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.results import PageInfo

MAX_URL = 8_000
"""Characters of an address that are told; the policy refuses longer ones, and the origin stands at the start."""
MAX_MESSAGE = 500
"""Characters of a dialog's message that an event tells."""
MAX_PAGES = 24
"""Pages open at the same time; a window that a page opens beyond them is closed before anybody sees it."""
_STOP_S = 1.0
_TITLE_S = 1.0


@dataclass(slots=True)
class OpenPage:
    """One page with what the driver knows about it."""

    id: str
    page: Page
    session: CDPSession
    world: World
    documents: Documents
    leaving: Leaving
    dialogs: DialogDesk
    stops: Stops
    opener: Page | None = None
    version: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    retreat: asyncio.Task[None] | None = None
    noting: asyncio.Task[None] | None = None
    """Writes down how the document that came last was asked for."""
    posted: set[int] = field(default_factory=set)
    """Entries of the page's history whose documents are answers to sent forms."""
    hidden: bool = False
    """A background page, or a window that one opened: acts go there by its id only."""
    ended_by_us: bool = False
    """It crashed, or its end was asked for: it did not close itself."""
    telling: bool = False
    """A navigation of it is about to be told."""

    @property
    def closed_itself(self) -> bool:
        """Whether its own script ended it."""
        return self.page.is_closed() and not self.ended_by_us

    @property
    def address(self) -> str:
        """The committed address, cut."""
        return self.page.url[:MAX_URL]

    async def frames(self) -> set[str]:
        """Ids of the page's frames; those of other processes are missing."""
        try:
            tree = await self.session.send("Page.getFrameTree")
        except PlaywrightError:
            return set()  # the page ended
        return _ids(tree["frameTree"])

    async def info(self, title: str | None = None) -> PageInfo:
        """Address, title (when not given) and version now; the title of a page that does not answer is empty."""
        if title is None:
            title = await self._title()
        return PageInfo(id=self.id, url=self.address, title=title, version=self.version)

    async def _title(self) -> str:
        if self.dialogs.current is not None:
            return ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TITLE_S):
                while True:
                    with contextlib.suppress(StaleWorldError):
                        return str((await self.world.call("pageState"))[0]["title"])
        return ""

    async def stop_loading(self) -> None:
        """Give up a navigation under way, so that it cannot land after its act was reported as failed."""
        if self.leaving.under_way:
            with contextlib.suppress(PlaywrightError, TimeoutError):  # the page ended, or hangs and lands nowhere
                async with asyncio.timeout(_STOP_S):
                    await self.session.send("Page.stopLoading")

    async def _entry(self, step: int) -> int | None:
        """Id of the entry of the history that many steps away."""
        history = await self.session.send("Page.getNavigationHistory")
        wanted = int(history["currentIndex"]) + step
        return int(history["entries"][wanted]["id"]) if 0 <= wanted < len(history["entries"]) else None

    async def can_step(self, step: int) -> bool:
        """Whether the page's history has an entry that many steps away."""
        return await self._entry(step) is not None

    async def repeats(self, step: int) -> bool:
        """Whether loading that entry again would send its form again."""
        if self.noting is not None:
            await asyncio.wait({self.noting})
        return bool(self.posted) and await self._entry(step) in self.posted

    async def note_entry(self, *, posted: bool) -> None:
        """Remember how the document that has just come was asked for."""
        with contextlib.suppress(PlaywrightError):  # the page ended
            entry = await self._entry(0)
            if entry is not None:
                (self.posted.add if posted else self.posted.discard)(entry)

    async def retreated(self, limit_s: float) -> None:
        """Wait until a page that got where it may not be shows nothing any more."""
        if self.retreat is not None:
            await asyncio.wait({self.retreat}, timeout=limit_s)

    async def leave(self) -> None:
        """Show nothing any more: the page has got where it may not be."""
        with contextlib.suppress(PlaywrightError):  # the page ended
            await self.session.send("Page.navigate", {"url": "about:blank"})


OnCommitted = Callable[[OpenPage, Mapping[str, Any]], None]
"""Called with each document that the main frame of a page has taken on, as the browser describes its frame."""


class PageTable:
    """Every page of the browser in the order of opening; one of them is the default."""

    def __init__(
        self,
        context: BrowserContext,
        tasks: Tasks,
        committed: OnCommitted,
        events: Events,
        rule_against: RuleAgainst,
    ) -> None:
        self._context = context
        self._rule_against = rule_against
        self._events = events
        self._opening = 0
        self._committed = committed
        self._tasks = tasks
        self._pages: dict[str, OpenPage] = {}
        self._minted = 0
        self._default: str | None = None
        self._pending: set[asyncio.Task[None]] = set()
        context.on("page", self._on_page)
        context.on("dialog", self._on_dialog)

    async def open(self) -> OpenPage:
        """A new blank page, registered; it may be one more than pages may open."""
        self._opening += 1
        try:
            page = await self._context.new_page()
            await self.settle()
            return self.of(page) or await self._adopt(page)
        finally:
            self._opening -= 1

    async def open_hidden(self) -> OpenPage:
        """A new blank page in the background; raises `ACTION_FAILED` when too many pages are open."""
        if len(self._pages) >= MAX_PAGES:
            cause = f"打开的页面已有 {MAX_PAGES} 个，不能再打开后台页面"
            raise ActionError(
                ActionCode.ACTION_FAILED, cause, next_step="请先关闭不用的页面", facts={"pages": MAX_PAGES}
            )
        item = await self.open()
        item.hidden = True
        shown = self._pages.get(self._default or "")
        if self._default == item.id:
            self._default = None
        elif shown is not None:
            await shown.page.bring_to_front()
        return item

    def opened_by(self, item: OpenPage) -> list[OpenPage]:
        """Windows that this page opened, and those that they opened."""
        own = [other for other in self if other.opener is item.page]
        return own + [further for other in own for further in self.opened_by(other)]

    async def settle(self) -> None:
        """Wait until pages the browser has just announced are registered."""
        while self._pending:
            await asyncio.wait(self._pending)

    def get(self, page_id: str | None) -> OpenPage:
        """The page of this id, or the default page; raises `PAGE_GONE`."""
        wanted = page_id if page_id is not None else self._default
        found = self._pages.get(wanted or "")
        if found is None or found.gone.is_set():
            raise page_gone(wanted or "")
        return found

    def of(self, page: Page | None) -> OpenPage | None:
        """The registered page of a Playwright page."""
        return next((item for item in self if item.page is page), None)

    def downloaded(self, page: Page, facts: JsonObject) -> None:
        """A download that this page set off has ended."""
        item = self.of(page)
        if item is not None:
            self._events.tell("download", item, **facts)

    async def stops_of(self, frame: str) -> Stops | None:
        """What belongs to the registered page that this frame is or is in."""
        for item in self:
            if item.leaving.main_frame == frame:
                return item.stops
        for item in self:
            if frame in await item.frames():
                return item.stops
        return None

    def make_default(self, page_id: str) -> OpenPage:
        """Let acts without a page go to this one."""
        found = self.get(page_id)
        self._default = page_id
        return found

    def __iter__(self) -> Iterator[OpenPage]:
        return iter(tuple(self._pages.values()))

    def all_gone(self) -> None:
        """The browser ended: every page with it."""
        for item in self:
            item.gone.set()

    def _on_page(self, page: Page) -> None:
        if len(self._pages) + len(self._pending) >= MAX_PAGES + self._opening:
            self._tasks.start(self._turn_away(page))
            return
        task = self._tasks.start(self._register(page))
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def _turn_away(self, page: Page) -> None:
        await _close(page)
        for item in self:
            item.leaving.window_arrived()

    async def _register(self, page: Page) -> None:
        try:
            await self._adopt(page)
        except PlaywrightError:
            # The popup closed before it could be registered: nobody has seen its id.
            return
        finally:
            for item in self:
                item.leaving.window_arrived()

    async def _adopt(self, page: Page) -> OpenPage:
        self._minted += 1
        number = self._minted
        opener = await page.opener()
        opened_by = self.of(opener)
        session = await self._context.new_cdp_session(page)
        await session.send("Page.enable")
        tree = await session.send("Page.getFrameTree")
        leaving = Leaving(session, str(tree["frameTree"]["frame"]["id"]))
        world = World(session)
        item = OpenPage(
            id=f"p{number}",
            page=page,
            session=session,
            world=world,
            documents=Documents(self._context, page, world, self._rule_against),
            leaving=leaving,
            dialogs=DialogDesk(
                self._tasks,
                session,
                lambda url: listed_origin(page, url, self._rule_against),
                self._tell_dialog,
            ),
            stops=Stops(leaving.submits),
            opener=opener,
            hidden=opened_by is not None and opened_by.hidden,
        )
        session.on("Page.javascriptDialogOpening", item.dialogs.opening)
        session.on("Page.frameNavigated", lambda event: self._navigated(item, event["frame"]))
        session.on("Page.navigatedWithinDocument", lambda event: self._moved_within(item, str(event["frameId"])))
        page.on("close", lambda _page: self._forget(item))
        page.on("crash", lambda _page: self._crashed(item))
        self._looked_at(item, tree["frameTree"]["frame"])
        self._pages[item.id] = item
        if self._default is None and not item.hidden:
            self._default = item.id
        self._events.tell("opened", item, **({"opener": opened_by.id} if opened_by else {}))
        if page.is_closed():
            self._forget(item)
        return item

    def _navigated(self, item: OpenPage, frame: Mapping[str, Any]) -> None:
        if "parentId" not in frame:
            item.version += 1
            self._looked_at(item, frame)
            self._events.navigated(item)

    def _moved_within(self, item: OpenPage, frame: str) -> None:
        """Another address of the same document, as routes of an application are: its elements stay, and their refs."""
        if frame == item.leaving.main_frame:
            self._events.navigated(item)

    def _looked_at(self, item: OpenPage, frame: Mapping[str, Any]) -> None:
        item.dialogs.new_document()
        self._committed(item, frame)

    def _crashed(self, item: OpenPage) -> None:
        """The page is lost, and no other one takes its place unasked: the next act must not land there."""
        item.ended_by_us = True
        item.gone.set()
        self._pages.pop(item.id, None)
        if self._default == item.id:
            self._default = None
        self._events.tell("crashed", item)
        self._tasks.start(_close(item.page))

    async def ensure_default(self) -> None:
        """Let acts without a page go to a new blank one when theirs is gone."""
        if self._default is None:
            await self.open()

    def _forget(self, item: OpenPage) -> None:
        item.gone.set()
        if self._pages.pop(item.id, None) is not None:
            self._events.tell("closed", item)
        if self._default == item.id:
            opener = self.of(item.opener)
            rest = [other.id for other in self if not other.hidden]
            self._default = opener.id if opener else (rest[-1] if rest else None)

    def _on_dialog(self, dialog: Dialog) -> None:
        item = self.of(dialog.page)
        if item is None:
            self._tasks.start(_dismiss_unknown(dialog))
        else:
            item.dialogs.arrived(dialog)

    def _tell_dialog(self, dialog: Dialog) -> None:
        item = self.of(dialog.page)
        if item is not None:
            self._events.tell("dialog", item, kind=dialog.type, message=dialog.message[:MAX_MESSAGE])


async def _close(page: Page) -> None:
    """What is left of a crashed page."""
    with contextlib.suppress(PlaywrightError):  # gone by itself
        await page.close()


async def _dismiss_unknown(dialog: Dialog) -> None:
    try:
        await dialog.dismiss()
    except PlaywrightError:
        # Its page closed first, and the dialog with it.
        return


def _ids(tree: Mapping[str, Any]) -> set[str]:
    children = (_ids(child) for child in tree.get("childFrames", ()))
    return {str(tree["frame"]["id"])}.union(*children)
