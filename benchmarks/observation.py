"""Tokens of what a model is shown of a page, against the snapshot of Playwright MCP on the same pages.

Ours are all pages of the view together: every operable element with its ref, name, value and states, structure, texts,
lists and messages, tables as a header and rows (20 rows of a table, 80 characters of a cell, 200 of a text). The peer's
is its whole tree: roles, names, refs, addresses of links and all text. Both browsers start alike, hold the same session
and are looked at once the page stands still and has a minimum of elements; tokens are those of o200k. The judge of
`tests/pages` opens each page a third time and says what a person could operate.
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
from browser_host_stub.demo_browser import LOGIN_URL, PERSON, demo_browser
from sgclaw.perception.changes import difference_text
from sgclaw.perception.diff import diff
from sgclaw.perception.model import View, short_ref, view_of
from sgclaw.perception.pages import text_view
from sgclaw.protocol.results import Snapshot
from tests.pages.corpus import DEMO_PAGES, FOLDER, PAGES
from tests.pages.judge import Judge, Judgement, judging
from tests.pages.large import NODES, large_page
from tests.pages.looking import act, every, operable, snapshot
from tests.pages.serve import serving

TODAY: Final = date(2026, 4, 10)
BAR_RATIO, BAR_FIRST, BAR_UNNAMED, BAR_DIFF, BAR_UNTOLD = 0.5, 2_000.0, 5.0, 300.0, 25.0
_REF: Final = re.compile(r"\[(\d+(?:\.\d+)?)\]")
_QUICK: Final = slice(None, None, 5)
_LARGE: Final = "large.html"
_LOOKS: Final = 12
_PAUSE_S: Final = 0.5
_SHARE: Final = 2
"""The minimum of elements to wait for is the corpus's lower bound by this: a miss is to be measured, not waited for."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Where it is, elements it has at the least, and whether it is one of ours."""

    url: str
    short: str
    least: int
    demo: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """One page: tokens of all pages of our view, of the first, of the diff after a click; what peer and judge say."""

    page: _Page
    all_pages: int
    first: int
    listed: int
    referenced: int
    unnamed: int
    changed: int
    untold: int
    peer: PeerView
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class _Eyes:
    driver: ChromiumDriver
    peer: Peer
    judge: Judge


def measure(quick: bool) -> list[Row]:
    """Tokens, references and names on pages of ours and of others, and the caps on a page of a thousand nodes."""
    seen, large = asyncio.run(_measure(quick))
    demo, others = [one for one in seen if one.page.demo], [one for one in seen if not one.page.demo]
    return [*_rows("demo", demo), *_rows("others'", others), *_large_rows(*large)]


def _rows(kind: str, seen: Sequence[_Seen]) -> list[Row]:
    ours, theirs = sum(one.all_pages for one in seen), sum(tokens(one.peer.text) for one in seen)
    listed, referenced = sum(one.listed for one in seen), sum(one.referenced for one in seen)
    peers, judged = sum(one.peer.operable for one in seen), sum(one.judgement.judged for one in seen)
    missed = sum(len(one.judgement.missed) for one in seen)
    words = sum(len(one.peer.words) for one in seen)
    where = f"{len(seen)} {kind} pages, {listed} operable elements"
    note = "; ".join(f"{one.page.short} {one.all_pages}/{tokens(one.peer.text)}" for one in seen)
    untold = 100 * sum(one.untold for one in seen) / max(1, words)
    return [
        relative("observation tokens", where, (ours, theirs, "tokens"), BAR_RATIO, note),
        absolute("words of the peer's we leave out", where, (untold, "%"), BAR_UNTOLD, f"of {words}; rows, cuts"),
        absolute("elements without a ref", where, (listed - referenced, ""), 0, f"peer refers to {peers}"),
        absolute("elements missed by the judge", where, (missed, ""), 0, f"judge finds {judged}"),
        absolute(
            "elements without a name", where, (_share(sum(one.unnamed for one in seen), listed), "%"), BAR_UNNAMED
        ),
        absolute("first page", f"largest of {kind}", (max(one.first for one in seen), "tokens"), BAR_FIRST),
        absolute("diff after a click", f"largest of {kind}", (max(one.changed for one in seen), "tokens"), BAR_DIFF),
    ]


def _large_rows(nodes: int, first: int, changed: int) -> list[Row]:
    where = f"a page of {nodes} nodes, its table replaced"
    return [
        absolute("first page", where, (first, "tokens"), BAR_FIRST),
        absolute("diff after a click", where, (changed, "tokens"), BAR_DIFF),
    ]


def _share(part: int, whole: int) -> float:
    return 100 * part / max(1, whole)


def tokens(text: str) -> int:
    """Tokens by o200k."""
    return len(quicktok.get_encoding("o200k_base").encode(text))


async def _measure(quick: bool) -> tuple[list[_Seen], tuple[int, int, int]]:
    with tempfile.TemporaryDirectory() as name, serving(FOLDER) as base, serving(Path(name)) as own:
        folder = Path(name)
        (folder / _LARGE).write_text(large_page(), encoding="utf-8")
        demo = [_Page(page.url, page.id, page.operable // _SHARE, demo=True) for page in DEMO_PAGES]
        others = [_Page(f"{base}/{page.path}", page.id, page.operable // _SHARE, demo=False) for page in PAGES]
        async with demo_browser(folder / "ours", today=TODAY) as browser:
            options = ChromiumOptions(
                folder / "theirs", resolver_rules=(browser.sites.resolver_rules,), spki_pins=(browser.sites.spki,)
            )
            state = await _session(folder, options)
            with (folder / "peer.log").open("w", encoding="utf-8") as log:
                async with playwright_mcp(folder, options, state, log) as peer, judging(options) as judge:
                    await judge.sign_in(LOGIN_URL, *PERSON)
                    eyes = _Eyes(browser.driver, peer, judge)
                    pages = [*demo[_QUICK], *others[_QUICK]] if quick else [*demo, *others]
                    return [await _page(eyes, page) for page in pages], await _large(browser.driver, f"{own}/{_LARGE}")


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


async def _page(eyes: _Eyes, page: _Page) -> _Seen:
    shot = await _settled(eyes.driver, page.url, page.least)
    view = await _view(eyes.driver, shot)
    texts = text_view(view).pages
    refs = {ref for text in texts for ref in _REF.findall(text)}
    peer = await eyes.peer.view(page.url, page.least // _SHARE)
    whole = "".join("".join(texts).split()).lower()
    return _Seen(
        page=page,
        all_pages=sum(map(tokens, texts)),
        first=tokens(texts[0]),
        listed=len(view.operable),
        referenced=sum(short_ref(node.ref or "") in refs for node in view.operable),
        unnamed=sum(not node.name for node in view.operable),
        changed=await _changed(eyes.driver, view, _to_click(view)),
        untold=sum(word.lower() not in whole for word in peer.words),
        peer=peer,
        judgement=await eyes.judge.judge(page.url, [str(node.selector) for node in operable(shot)]),
    )


async def _settled(driver: ChromiumDriver, url: str, least: int) -> Snapshot:
    """The page once two looks in a row list the same elements, `least` of them or more; else as it is at last."""
    await act(driver, "navigate", url=url)
    shot = await snapshot(driver)
    for _ in range(_LOOKS):
        await asyncio.sleep(_PAUSE_S)
        before, shot = [node.ref for node in operable(shot)], await snapshot(driver)
        if len(before) >= least and before == [node.ref for node in operable(shot)]:
            break
    return shot


def _to_click(view: View) -> str | None:
    """The page's first field, else whatever is first and neither leads away nor is out of reach."""
    free = [node for node in view.operable if not (node.disabled or node.covered) and node.role != "link"]
    fields = [node for node in free if node.role in ("combobox", "textbox", "tab")]
    return next((node.selector for node in (*fields, *free)), None)


async def _large(driver: ChromiumDriver, url: str) -> tuple[int, int, int]:
    """Nodes of a large page, tokens of its first page and of the difference when its table is replaced."""
    shot = await _settled(driver, url, NODES // _SHARE)
    view = await _view(driver, shot)
    changed = await _changed(driver, view, "#next")
    return len(list(every(shot.nodes))), tokens(text_view(view).pages[0]), changed


async def _changed(driver: ChromiumDriver, view: View, selector: str | None) -> int:
    """Tokens of the difference after a click."""
    if selector is None:
        return 0
    await act(driver, "click", selector=selector)
    after = await _view(driver, await snapshot(driver))
    return tokens(difference_text(diff(view.nodes, after.nodes), after.page, before=view))


async def _view(driver: ChromiumDriver, shot: Snapshot) -> View:
    return view_of(await driver.page_info(None), shot.nodes, shot)
