"""Tokens of what a model is shown of a page, against the snapshot of Playwright MCP on the same pages.

All pages of our view count together, and it has to refer to every operable element and name nearly all of them. Both
browsers start alike and hold the same session; tokens are those of o200k.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import quicktok  # type: ignore[import-untyped]  # ships no types
from playwright.async_api import async_playwright

from benchmarks.peers.playwright_mcp import Peer, PeerView, playwright_mcp
from benchmarks.rows import Row, absolute, relative
from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.demo_browser import LOGIN_URL, PERSON, DemoBrowser, demo_browser
from browser_host_stub.driver import JsonObject
from sgclaw.perception.changes import difference_text
from sgclaw.perception.diff import diff
from sgclaw.perception.model import View, short_ref, view_of
from sgclaw.perception.pages import text_view
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.results import Snapshot

TODAY: Final = date(2026, 4, 10)
PAGES: Final = (
    "https://erp.example.com/",
    "https://erp.example.com/report/finance",
    "https://finance.example.com/",
    "https://finance.example.com/compliance",
    "https://finance.example.com/reconciliation",
    "https://finance.example.com/vouchers",
    "https://hr.example.com/insurance/declare",
    "https://hr.example.com/salary/check",
    "https://hr.example.com/employees",
    "https://oa.example.com/",
)
QUICK_PAGES: Final = PAGES[:2] + PAGES[-1:]
BAR_RATIO, BAR_FIRST, BAR_UNNAMED, BAR_DIFF = 0.5, 2_000.0, 5.0, 300.0
_REF: Final = re.compile(r"\[(\d+(?:\.\d+)?)\]")
_LOOKS: Final = 12
_PAUSE_S: Final = 0.5
_ACT_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class _Seen:
    """One page: tokens of all pages of our view, of the first, of the diff after a click; and the peer's view."""

    url: str
    all_pages: int
    first: int
    total: int
    referenced: int
    unnamed: int
    changed: int
    peer: PeerView


def measure(quick: bool) -> list[Row]:
    """Tokens, references and names on demo pages, ours against the peer's."""
    return _rows(asyncio.run(_measure(QUICK_PAGES if quick else PAGES)))


def _rows(seen: Sequence[_Seen]) -> list[Row]:
    ours, theirs = sum(page.all_pages for page in seen), sum(tokens(page.peer.text) for page in seen)
    total, referenced = sum(page.total for page in seen), sum(page.referenced for page in seen)
    unnamed = sum(page.unnamed for page in seen)
    peers = sum(page.peer.operable for page in seen)
    where = f"{len(seen)} pages, {total} operable elements"
    note = "; ".join(f"{page.url.removeprefix('https://')} {page.all_pages}/{tokens(page.peer.text)}" for page in seen)
    return [
        relative("observation tokens", where, (ours, theirs, "tokens"), BAR_RATIO, note),
        absolute("elements without a ref", where, (total - referenced, ""), 0, f"peer refers to {peers}"),
        absolute("elements without a name", where, (100 * unnamed / max(1, referenced), "%"), BAR_UNNAMED),
        absolute("first page", "largest", (max(page.first for page in seen), "tokens"), BAR_FIRST),
        absolute("diff after a click", "largest", (max(page.changed for page in seen), "tokens"), BAR_DIFF),
    ]


def tokens(text: str) -> int:
    """Tokens by o200k."""
    return len(quicktok.get_encoding("o200k_base").encode(text))


async def _measure(urls: Sequence[str]) -> list[_Seen]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with demo_browser(folder / "ours", today=TODAY) as demo:
            options = ChromiumOptions(
                folder / "theirs", resolver_rules=(demo.sites.resolver_rules,), spki_pins=(demo.sites.spki,)
            )
            state = await _session(folder, options)
            with (folder / "peer.log").open("w", encoding="utf-8") as log:
                async with playwright_mcp(folder, options, state, log) as peer:
                    return [await _page(demo, peer, url) for url in urls]


async def _session(folder: Path, options: ChromiumOptions) -> Path:
    """The person's session, signed in as in our browser."""
    kept = folder / "state.json"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=options.executable, args=options.arguments())
        page = await browser.new_page()
        await page.goto(LOGIN_URL)
        account, password = PERSON
        await page.fill("[name=username]", account)
        await page.fill("[name=password]", password)
        await page.click("button[type=submit]")
        await page.wait_for_selector("nav")
        await page.context.storage_state(path=kept)
        await browser.close()
    return kept


async def _page(demo: DemoBrowser, peer: Peer, url: str) -> _Seen:
    view = await _settled(demo.driver, url)
    texts = text_view(view).pages
    refs = {ref for text in texts for ref in _REF.findall(text)}
    listed = [node for node in view.operable if short_ref(node.ref or "") in refs]
    return _Seen(
        url=url,
        all_pages=sum(map(tokens, texts)),
        first=tokens(texts[0]),
        total=max(view.interactive_total, len(view.operable)),
        referenced=len(listed),
        unnamed=sum(1 for node in listed if not node.name),
        changed=await _changed(demo.driver, view),
        peer=await peer.view(url),
    )


async def _settled(driver: ChromiumDriver, url: str) -> View:
    """The page once two looks in a row list the same elements."""
    await _act(driver, "navigate", url=url)
    view = await _look(driver)
    for _ in range(_LOOKS):
        await asyncio.sleep(_PAUSE_S)
        before, view = view, await _look(driver)
        if len(before.nodes) and before.refs == view.refs:
            break
    return view


async def _changed(driver: ChromiumDriver, view: View) -> int:
    """Tokens of the difference after a click on the page's first collapsed or plain field."""
    fields = [node for node in view.operable if node.role in ("combobox", "textbox") and not node.disabled]
    if not fields:
        return 0
    await _act(driver, "click", ref=fields[0].ref)
    await asyncio.sleep(_PAUSE_S)
    after = await _look(driver)
    return tokens(difference_text(diff(view.nodes, after.nodes), after.page, before=view))


async def _look(driver: ChromiumDriver) -> View:
    located = await driver.locate("getAomSnapshot", spec_of("getAomSnapshot").check({}), None)
    snapshot = Snapshot.model_validate(await driver.perform(located, _ACT_S))
    return view_of(located.page, snapshot.nodes, snapshot)


async def _act(driver: ChromiumDriver, action: str, **params: object) -> JsonObject:
    located = await driver.locate(action, spec_of(action).check(params), None)
    return await driver.perform(located, _ACT_S)
