"""Acts that move between documents and pages, and the answer to dialogs."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Response
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from browser_host_stub.chromium.faults import navigation_failed, page_gone, refusal, timed_out
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_NAVIGATION_ERROR = re.compile(r"net::|interrupted by another navigation")
_SCRIPT_REDIRECT = re.compile(r'interrupted by another navigation to "https?:')
_ERROR_PAGE_S = 1.0
_REDIRECT_S = 5.0
_ANSWER_S = 3.0
"""For a page to answer at all: its scripts may be busy for a while."""
_LOAD_GRACE_MS = 2_000
"""How long images and the like may hold up an act after the document itself is there."""


async def _go(run: Run, move: Callable[[float], Awaitable[Response | None]], url: str) -> JsonObject:
    """Move, wait for the document (and shortly for the rest), and say where the page is."""
    page = run.page.page
    await _freed(run.page)
    try:
        response = await move(max(1.0, run.left_s * 1000))
    except PlaywrightTimeoutError:
        raise timed_out(run.located.action, run.deadline_s, {"url": url[:500]}) from None
    except PlaywrightError as error:
        if run.page.gone.is_set() or not _NAVIGATION_ERROR.search(error.message):
            raise
        if not _SCRIPT_REDIRECT.search(error.message):
            # The error page comes after the error; a navigation begun before it would be lost to it.
            await run.page.leaving.wait_settled(_ERROR_PAGE_S)
            raise navigation_failed(error, url) from None
        response = None
    await run.page.leaving.wait_settled(min(run.left_s, _REDIRECT_S))
    with contextlib.suppress(PlaywrightTimeoutError):  # the document is there; a slow picture is no reason to fail
        await page.wait_for_load_state("load", timeout=max(1.0, min(run.left_s * 1000, _LOAD_GRACE_MS)))
    info = await run.page.info()
    return {"url": info.url, "title": info.title, "status": response.status if response else None}


async def _freed(item: OpenPage) -> None:
    """Let go of a page that holds on: a script without end keeps the next document out, and so do its dialogs.

    Its script is stopped, which what is left anyway can bear. A page that does not even let itself be stopped, or that
    opens dialogs without end, is ended; that is told like a crash.
    """
    if not item.dialogs.storm:
        if await _answers(item):
            return
        with contextlib.suppress(PlaywrightError, TimeoutError):  # gone by itself, or as below
            async with asyncio.timeout(_ANSWER_S):
                await item.session.send("Runtime.terminateExecution")
        if await _answers(item):
            return
    with contextlib.suppress(PlaywrightError):  # the browser does not answer for what it ends
        await item.session.send("Page.crash")


async def _answers(item: OpenPage) -> bool:
    try:
        async with asyncio.timeout(_ANSWER_S):
            await item.session.send("Runtime.evaluate", {"expression": "0"})
    except TimeoutError:
        return False
    return True


async def navigate(run: Run) -> JsonObject:
    """Open an address. HTTP errors are answers (`status`), network errors are `NAVIGATION_FAILED`."""
    params = run.located.params
    url = params.url if isinstance(params, p.Navigate) else ""
    return await go_to(run, url)


async def go_to(run: Run, url: str) -> JsonObject:
    """Open an address in the page of the run."""
    page = run.page.page
    return await _go(run, lambda timeout: page.goto(url, timeout=timeout, wait_until="domcontentloaded"), url)


async def go_back(run: Run) -> JsonObject:
    """One step back in the page's history."""
    return await _history(run, -1)


async def go_forward(run: Run) -> JsonObject:
    """One step forward in the page's history."""
    return await _history(run, 1)


async def _history(run: Run, step: int) -> JsonObject:
    if not await run.page.can_step(step):
        raise ActionError(ActionCode.NAVIGATION_FAILED, "没有可以前往的历史页面", facts={"cause": "NO_HISTORY"})
    page = run.page.page
    move = page.go_back if step < 0 else page.go_forward
    return await _go(run, lambda timeout: move(timeout=timeout, wait_until="domcontentloaded"), page.url)


async def reload(run: Run) -> JsonObject:
    """Load the page again."""
    page = run.page.page
    return await _go(run, lambda timeout: page.reload(timeout=timeout, wait_until="domcontentloaded"), page.url)


async def list_pages(run: Run) -> JsonObject:
    """Every open page; entries of unlisted origins are withheld by the session, not here."""
    await run.pages.settle()
    pages = []
    for item in run.pages:
        try:
            pages.append((await item.info()).model_dump(mode="json"))
        except PlaywrightError:
            if not item.gone.is_set():
                raise
    return {"pages": pages, "withheld": 0}


async def switch_page(run: Run) -> JsonObject:
    """Make a page the one that acts go to when none is named."""
    params = run.located.params
    page = run.pages.make_default(params.page if isinstance(params, p.PageId) else "")
    await page.page.bring_to_front()
    info = await page.info()
    return {"url": info.url, "title": info.title, "status": None}


async def close_page(run: Run) -> JsonObject:
    """Close a page without asking it."""
    await close(run.page, run.left_s)
    return {"closed": True}


async def close(item: OpenPage, limit_s: float) -> None:
    """Close a page and wait until it is gone; raises `TimeoutError`."""
    item.ended_by_us = True
    await item.page.close()
    async with asyncio.timeout(limit_s):
        await item.gone.wait()


async def handle_dialog(run: Run) -> JsonObject:
    """Answer the dialog that was located."""
    params = run.located.params
    desk = run.page.dialogs
    if not isinstance(params, p.HandleDialog):
        raise TypeError(params)
    if desk.current is None or desk.current is not run.handle.dialog:
        raise refusal({"code": ActionCode.STALE_REF, "why": "对话框已经关闭"})
    record = await desk.answer(accept=params.accept, text=params.text)
    if record is None:
        raise page_gone(run.page.id)
    await run.page.leaving.wait_settled(min(run.left_s, 5.0))
    return {"handled": True, "message": record.message[:2_000]}


HANDLERS: Handlers = {
    "navigate": navigate,
    "goBack": go_back,
    "goForward": go_forward,
    "reload": reload,
    "listPages": list_pages,
    "switchPage": switch_page,
    "closePage": close_page,
    "handleDialog": handle_dialog,
}
