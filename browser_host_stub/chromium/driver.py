"""The driver itself: starts Chromium, locates, dispatches acts, ends everything.

Every call is bounded and raced against the end of the page and of the browser, so a browser that dies is noticed at
once. Chromium is reached through a pipe that Playwright's node process owns: when this process dies, node ends and
Chromium with it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from playwright.async_api import Browser, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium import acting, navigating, reading, snapshot, som, storage, uploading, zombies
from browser_host_stub.chromium.artifacts import FolderArtifacts
from browser_host_stub.chromium.asking import tell
from browser_host_stub.chromium.downloads import Downloads
from browser_host_stub.chromium.events import Events
from browser_host_stub.chromium.faults import not_implemented, page_gone, refusal, timed_out, unexpected
from browser_host_stub.chromium.finding import find_element
from browser_host_stub.chromium.guard import Check, Guard, stopped
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.chromium.pages import OpenPage, PageTable
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import (
    Found,
    Handle,
    find_address,
    find_page,
    needs_of,
    reloads,
    sends_form,
)
from browser_host_stub.chromium.tasks import Tasks, drop, race
from browser_host_stub.chromium.watching import Watch
from browser_host_stub.driver import IMPLICIT_WAIT_S, Around, JsonObject, Located
from sgclaw.errors import ActionCode, ActionError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol import params as p
from sgclaw.protocol.actions import Compare, Risk, spec_of
from sgclaw.protocol.results import PageInfo

T = TypeVar("T")

HANDLERS: Handlers = {
    **acting.HANDLERS,
    **reading.HANDLERS,
    **snapshot.HANDLERS,
    **som.HANDLERS,
    **navigating.HANDLERS,
    **storage.HANDLERS,
    **uploading.HANDLERS,
    **zombies.HANDLERS,
}

_DONE_WHEN_A_DIALOG_OPENS: dict[str, JsonObject] = {
    "click": {"clicked": True},
    "press": {"pressed": True},
    "type": {"typed": True, "value": None},
}
"""Acts that a dialog interrupts after their effect: they answer, and the dialog waits for `handleDialog`."""

_BY_ADDRESS = frozenset({"goBack", "goForward", "reload", "closePage", "listPages", "switchPage", "zombieKill"})
"""Acts that must also work on a page whose scripts hang."""

_ON_ANY_PAGE = frozenset({"navigate", "listPages", "zombieSpawn"})
"""Acts that need no page of before."""

_SITES = ("http:", "https:")

_STEPS = {"reload": 0, "goBack": -1, "goForward": 1}

_AROUND_S = 2.0
"""For looking around a target, and for a page to leave where it may not be."""

_NO_DISPLAY = ("XServer", "$DISPLAY")
"""Words of Playwright and of Chromium about a window that has no screen to open on."""

_LOCATE_MARGIN_S = 1.0
"""A page that answers at all gets to say why the element is not operable before the call times out."""


_STOPPED_GRACE_S = 0.5
"""For an act whose page was kept from leaving: it mostly ends by itself, but what it waits for may never come."""


def _sets_off(action: str) -> bool:
    """Whether an act may be why its page leaves; what a page tries by itself while it is read or closed is its own."""
    spec = spec_of(action)
    return spec.risk not in (Risk.READ, Risk.SENSITIVE) and spec.compares is not Compare.NOTHING


class ChromiumDriver:
    """A `Driver` on one Chromium with one browser context."""

    def __init__(self, playwright: Playwright, browser: Browser, artifacts: FolderArtifacts) -> None:
        self._playwright = playwright
        self._browser = browser
        self._tasks = Tasks()
        self._events = Events(self._tasks)
        self.on_event = self._events.on_event
        self._closed = False
        self._pages: PageTable
        self._downloads: Downloads
        self._guard: Guard
        self.artifacts = artifacts
        self.on_gone = asyncio.Event()
        browser.on("disconnected", lambda _browser: self._gone())

    @classmethod
    async def start(cls, options: ChromiumOptions) -> ChromiumDriver:
        """Start Chromium with one blank page `p1`; raises `ActionError` when it does not start."""
        artifacts = await asyncio.to_thread(FolderArtifacts, options.downloads_dir)
        async with AsyncExitStack() as started:
            started.callback(artifacts.close)
            playwright = await _started_playwright(options)
            started.push_async_callback(playwright.stop)
            try:
                browser = await playwright.chromium.launch(
                    executable_path=options.executable,
                    headless=options.headless,
                    args=options.arguments(),
                    downloads_path=artifacts.incoming,
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
                driver = cls(playwright, browser, artifacts)
                await driver._open_context(options)
            except PlaywrightError as error:
                raise _not_started(error.message, options) from None
            started.pop_all()
        return driver

    async def _open_context(self, options: ChromiumOptions) -> None:
        width, height = options.viewport
        context = await self._browser.new_context(
            viewport={"width": width, "height": height},
            locale=options.locale,
            timezone_id=options.timezone,
            accept_downloads=True,
        )
        self._pages = PageTable(context, self._tasks, self._committed, self._events, self._rule_against)
        session = await self._browser.new_browser_cdp_session()
        self._guard = Guard(session, self._tasks, self._pages.stops_of)
        await self._guard.start()
        await Watch(session, self._tasks).start()
        ended = self._pages.downloaded
        self._downloads = Downloads(context, self.artifacts, self._tasks, self._refused_download, ended)
        await self._pages.open()

    def confine(self, check: Check) -> None:
        """Keep every page from addresses that `check` refuses (see `Guard`); an act that tries is `POLICY_DENIED`."""
        self._guard.confine(check)

    def _committed(self, item: OpenPage, frame: Mapping[str, Any]) -> None:
        """A document is in a page: one that got past the guard, prefetched perhaps, is left before it is looked at."""
        url = str(frame["url"])
        rule = None if "unreachableUrl" in frame else self._guard.rule_against(url)
        if rule is not None:
            item.stops.note(rule)
            item.retreat = self._tasks.start(item.leave())
        posted = self._guard.was_posted(str(frame["loaderId"]))
        if posted or item.posted:
            item.noting = self._tasks.start(item.note_entry(posted=posted))

    def _rule_against(self, url: str) -> str | None:
        return self._guard.rule_against(url)

    def _refused_download(self, url: str, page: Page) -> bool:
        rule = self._guard.rule_against(url)
        if rule is None:
            return False
        item = self._pages.of(page)
        if item is not None:
            item.stops.note(rule)
        return True

    def _gone(self) -> None:
        self.on_gone.set()
        self._pages.all_gone()

    async def locate(
        self, action: str, params: p.Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        """See `Driver.locate`."""
        if action not in HANDLERS:
            raise not_implemented(spec_of(action).name)
        compares = spec_of(action).compares
        of_page = params.page if isinstance(params, p.PageId) else page
        if of_page is None and action in _ON_ANY_PAGE and not self.on_gone.is_set():
            await self._pages.ensure_default()
        item = self._pages.get(of_page)
        work = self._find(item, action, params, min(deadline_s, IMPLICIT_WAIT_S))
        limit = max(deadline_s, getattr(params, "timeout_ms", 0) / 1000) + _LOCATE_MARGIN_S
        found, info = await self._bounded(item, action, limit, work)
        origin = None if compares is Compare.NOTHING else found.origin
        around = partial(self._around, found.handle, action)
        return Located(action, params, info, origin, found.facts, found.handle, found.repeats, around)

    async def _around(self, handle: Handle, action: str) -> Around:
        if handle.dialog is not None:
            return Around(f"dialog {handle.page.dialogs.number}")
        if handle.element is None:
            return Around(handle.token)
        seen = await self._bounded(handle.page, action, _AROUND_S, _state_around(handle))
        state = hashlib.sha256(str(seen["state"]).encode("utf-8", "surrogatepass")).hexdigest()
        return Around(f"{handle.token} {seen['element']}", state, str(seen["context"]))

    async def _find(self, item: OpenPage, action: str, params: p.Params, wait_s: float) -> tuple[Found, PageInfo]:
        if isinstance(params, p.HandleDialog):
            return await _find_dialog(item, wait_s), await item.info("")
        await _leave_no_dialog(item)
        needs = needs_of(action, params)
        if isinstance(params, p.Navigate):
            found = Found(Handle(item), str(origin_of(params.url)), title="")
        elif action in _BY_ADDRESS:
            found = replace(find_address(item), repeats=await _repeats(item, action))
        elif needs is None or not isinstance(params, p.OptionalTarget):
            found = await find_page(item)
        else:
            found = await find_element(item, params, needs, wait_s)
            if reloads(params):
                found = replace(found, repeats=await item.repeats(0))
        return found, await item.info(found.title)

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        """See `Driver.perform`."""
        handle = located.handle
        if not isinstance(handle, Handle):
            raise TypeError("located by another driver")
        item = handle.page
        if item.gone.is_set() or self.on_gone.is_set():
            raise page_gone(item.id)
        self._check_form(located)
        now = asyncio.get_running_loop().time()
        run = Run(located, handle, deadline_s, now, self._pages, self._downloads, self.artifacts)
        early = _DONE_WHEN_A_DIALOG_OPENS.get(located.action)
        desk = item.dialogs
        if handle.dialog is None:
            await _leave_no_dialog(item)
        desk.hold = early is not None
        with item.stops.watched(asks=_sets_off(located.action)):
            try:
                done = await self._bounded(item, located.action, deadline_s, HANDLERS[located.action](run), early)
            except ActionError:
                await item.retreated(_AROUND_S)
                item.stops.raise_if_any()
                raise
            finally:
                desk.hold = True
            await item.retreated(_AROUND_S)
            item.stops.raise_if_any()
            return done

    def _check_form(self, located: Located) -> None:
        """A form sent into a frame of another process is out of the guard's sight: its address is judged before."""
        address = located.target.form_action if located.target else None
        if address is None or not address.startswith(_SITES) or not sends_form(located):
            return
        rule = self._guard.rule_against(address)
        if rule is not None:
            raise stopped(rule)

    async def _bounded(
        self, item: OpenPage, action: str, deadline_s: float, work: Coroutine[object, object, T], early: T | None = None
    ) -> T:
        """Run to the end, to the deadline, to the death of the page, or to a dialog when `early` is its answer then."""
        enough = [item.gone, self.on_gone] + ([item.dialogs.opened] if early is not None else [])
        task = await race(work, deadline_s, item.stops.happened, *enough)
        if item.stops.happened.is_set() and not task.done():
            await asyncio.wait({task}, timeout=_STOPPED_GRACE_S)
        if task.done():
            return _outcome(task, item, action)
        if early is not None and item.dialogs.opened.is_set():
            if not item.dialogs.input_sent:
                await drop(task)
                raise item.dialogs.interrupted()
            self._tasks.adopt(task)
            return early
        if not item.gone.is_set() and not self.on_gone.is_set():
            await drop(task)
            item.stops.raise_if_any()
            await item.stop_loading()
            raise timed_out(action, deadline_s)
        # Closing is the purpose of closePage: its work ends right after its page.
        await asyncio.wait({task}, timeout=0.5)
        if task.done() and task.exception() is None:
            return task.result()
        await drop(task)
        raise page_gone(item.id)

    async def page_info(self, page: str | None) -> PageInfo:
        """See `Driver.page_info`."""
        item = self._pages.get(page)
        return await self._bounded(item, "page_info", IMPLICIT_WAIT_S, item.info())

    async def default_page(self) -> PageInfo:
        """See `Driver.default_page`; a new blank one when it was lost or closed."""
        if not self.on_gone.is_set():
            await self._pages.ensure_default()
        return await self.page_info(None)

    async def close(self) -> None:
        """See `Driver.close`."""
        if self._closed:
            return
        self._closed = True
        await self._tasks.close()
        if self._browser.is_connected():
            await self._browser.close()
        await self._playwright.stop()
        await asyncio.to_thread(self.artifacts.close)
        self._gone()


async def _started_playwright(options: ChromiumOptions) -> Playwright:
    """Playwright, started; half started it cannot be stopped, so being cancelled takes as long as starting."""
    starting = asyncio.ensure_future(async_playwright().start())
    try:
        await asyncio.wait({starting})
    except asyncio.CancelledError:
        await asyncio.wait({starting})
        if starting.exception() is None:
            await starting.result().stop()
        raise
    error = starting.exception()
    if error is not None:
        raise _not_started(str(error), options)
    return starting.result()


def _not_started(detail: str, options: ChromiumOptions) -> ActionError:
    facts = {"executable": str(options.executable), "detail": detail.partition("\n")[0][:200]}
    if not options.headless and any(word in detail for word in _NO_DISPLAY):
        return ActionError(
            ActionCode.ACTION_FAILED,
            "没有可用的显示器，Chromium 的窗口打不开",
            next_step="请去掉 --headed，或在有图形界面的终端里执行（DISPLAY 已设置且可用，例如 xvfb-run）",
            facts=facts,
        )
    return ActionError(
        ActionCode.ACTION_FAILED,
        "Chromium 没有启动",
        next_step="请确认已安装 Chromium（apt-get install chromium），并可用 sgclaw doctor 检查",
        facts=facts,
    )


async def _state_around(handle: Handle) -> JsonObject:
    if handle.place is not None:
        await tell(handle.place, handle.customs)
    return await handle.world.call_in(handle.token, "around", handle.element)


async def _repeats(item: OpenPage, action: str) -> bool:
    step = _STEPS.get(action)
    return step is not None and await item.repeats(step)


async def _find_dialog(item: OpenPage, wait_s: float) -> Found:
    desk = item.dialogs
    desk.hold = True
    if desk.current is None:
        try:
            async with asyncio.timeout(wait_s):
                await desk.opened.wait()
        except TimeoutError:
            raise refusal({"code": ActionCode.NOT_FOUND, "why": "页面没有打开的对话框"}) from None
    dialog = desk.current
    if dialog is None:
        raise refusal({"code": ActionCode.NOT_FOUND, "why": "对话框已经关闭"})
    return find_address(item, dialog)


async def _leave_no_dialog(item: OpenPage) -> None:
    """A dialog nobody answered would block the page: the next act dismisses it."""
    await item.dialogs.leave_none()


def _outcome(task: asyncio.Task[T], item: OpenPage, action: str) -> T:
    try:
        return task.result()
    except PlaywrightError as error:
        closed = item.gone.is_set() or item.page.is_closed() or "has been closed" in error.message
        raise (page_gone(item.id) if closed else unexpected(action, error)) from None
