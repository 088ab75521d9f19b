"""The independent judge: what a person could operate on a page, and what a list of selectors leaves out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, JSHandle, Page, async_playwright

from browser_host_stub.chromium.options import ChromiumOptions

_HERE = Path(__file__).parent
_PRESSES = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup"})
_QUIET_MS = 300
_HOVER_MS = 50
_ANSWER_MS = 100
_SAMPLES = 2


@dataclass(frozen=True, slots=True)
class Judgement:
    """`judged` elements can be operated, `missed` of them stand for no selector; `wrong` selectors match not one."""

    judged: int
    listed: int
    wrong: list[str]
    missed: list[str]


@cache
def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


class Judge:
    """A browser of its own: the page under test is opened there a second time and never touched."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context

    async def sign_in(self, url: str, name: str, password: str) -> None:
        """As a person does."""
        page = await self._context.new_page()
        await page.goto(url)
        await page.fill("[name=username]", name)
        await page.fill("[name=password]", password)
        await page.click("button[type=submit]")
        await page.wait_for_selector("nav")
        await page.close()

    async def judge(self, url: str, selectors: Sequence[str]) -> Judgement:
        """Compare what the page at `url` offers with `selectors`."""
        page = await self._context.new_page()
        page.on("dialog", lambda dialog: dialog.dismiss())
        await page.goto(url, wait_until="load")
        await page.wait_for_load_state("networkidle")
        await page.wait_for_timeout(_QUIET_MS)
        listening = await _listening(await self._context.new_cdp_session(page), page)
        judged = await page.evaluate_handle(f"(listening) => ({_source('judge.js').strip()})(listening)", listening)
        matched = await page.evaluate_handle(
            f"(given) => ({_source('match.js').strip()})(given)", {"judged": judged, "selectors": list(selectors)}
        )
        found: dict[str, Any] = await matched.evaluate("({ judged, listed, wrong }) => ({ judged, listed, wrong })")
        missed = await _missed(page, matched)
        await page.close()
        return Judgement(**found, missed=missed)


async def _missed(page: Page, matched: JSHandle) -> list[str]:
    """Of what no selector stands for, all but what merely listens and answers a real click with nothing.

    Component libraries listen on each cell and head of every table, for features most tables do not use. Of those that
    look alike (same column, same classes) a few are clicked. A cell in a listed row counts when the click changes the
    cell itself: the row is not all it is for then.
    """
    source = _source("trying.js").strip()
    groups: dict[str, list[int]] = {}
    missed: list[str] = []
    for place, tried in enumerate(await matched.evaluate(f"(matched) => ({source}).groups(matched.tries)")):
        if tried["weak"]:
            groups.setdefault(tried["group"], []).append(place)
        else:
            missed.append(tried["told"])
    for places in groups.values():
        for place in places[:_SAMPLES]:
            answer = await _tried(page, matched, place)
            if answer is not None:
                missed.append(f"{answer} ({len(places)} alike)")
                break
    return missed


async def _tried(page: Page, matched: JSHandle, place: int) -> str | None:
    """What the element is when a click on it changes something."""
    source = _source("trying.js").strip()
    at = await matched.evaluate(f"(matched, place) => ({source}).before(matched.tries[place])", place)
    if at is None:
        return None
    await page.mouse.move(at["x"], at["y"])
    await page.wait_for_timeout(_HOVER_MS)
    await matched.evaluate(f"(matched, place) => ({source}).watch(matched.tries[place])", place)
    await page.mouse.click(at["x"], at["y"])
    await page.wait_for_timeout(_ANSWER_MS)
    told: str | None = await matched.evaluate(f"(matched, place) => ({source}).answer(matched.tries[place])", place)
    if told is not None:
        await page.wait_for_timeout(_QUIET_MS)
    return told


async def _listening(session: CDPSession, page: Page) -> Any:
    """A set, in the page, of the elements that have listeners of a press."""
    document = await session.send("Runtime.evaluate", {"expression": "document"})
    asked = {"objectId": document["result"]["objectId"], "depth": -1, "pierce": True}
    listeners = (await session.send("DOMDebugger.getEventListeners", asked))["listeners"]
    nodes = {item["backendNodeId"] for item in listeners if item["type"] in _PRESSES}
    await session.send("Runtime.evaluate", {"expression": "globalThis.judgedListening = new Set()"})
    for node in sorted(nodes):
        resolved = await session.send("DOM.resolveNode", {"backendNodeId": node})
        call = "function () { if (this.nodeType === 1) globalThis.judgedListening.add(this); }"
        await session.send(
            "Runtime.callFunctionOn", {"functionDeclaration": call, "objectId": resolved["object"]["objectId"]}
        )
    return await page.evaluate_handle("globalThis.judgedListening")


@contextlib.asynccontextmanager
async def judging(options: ChromiumOptions) -> AsyncIterator[Judge]:
    """A judge while the block runs."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=options.executable, args=options.arguments())
        try:
            yield Judge(await browser.new_context(viewport={"width": 1280, "height": 800}, locale="zh-CN"))
        finally:
            await browser.close()
