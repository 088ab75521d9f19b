"""Time of one snapshot of a page of about 1,700 elements, against what browser and Playwright take on the same page.

The references run in a second browser in turn with ours, so that what else the machine does meets all alike:
`DOMSnapshot.captureSnapshot` alone (a part of ours), and `aria_snapshot(mode='ai')`, the whole of the peer's.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Final

from playwright.async_api import async_playwright

from benchmarks.rows import Row, absolute, relative
from benchmarks.series import Series, against
from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from tests.pages.corpus import FOLDER
from tests.pages.looking import act, settled
from tests.pages.serve import serving

PAGE: Final = "layui-src/examples/table.html"
BAR_MS, BAR_CAPTURE, BAR_PEER = 200.0, 4.0, 2.0
_TIMES, _QUICK_TIMES = 15, 5
_LEAST: Final = 60
_STYLES: Final = ("cursor", "visibility", "opacity", "pointer-events", "display")


def measure(quick: bool) -> list[Row]:
    """The median of a snapshot, and how it stands to both references."""
    ours, capture, peer, elements = asyncio.run(_measure(_QUICK_TIMES if quick else _TIMES))
    where = f"{elements} elements"
    return [
        absolute("snapshot of a page", where, (ours.median, "ms"), BAR_MS, f"best {ours.best:.0f}, {ours.spread}"),
        relative(
            "snapshot / capture alone", where, (ours.median, capture.median, "ms"), BAR_CAPTURE, against(ours, capture)
        ),
        relative("snapshot / aria_snapshot", where, (ours.median, peer.median, "ms"), BAR_PEER, against(ours, peer)),
    ]


async def _measure(times: int) -> tuple[Series, Series, Series, int]:
    ours, capture, peer = Series(), Series(), Series()
    with serving(FOLDER) as base, tempfile.TemporaryDirectory() as name:
        options = ChromiumOptions(downloads_dir=Path(name))
        driver = await ChromiumDriver.start(options)
        try:
            await settled(driver, f"{base}/{PAGE}", _LEAST)
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=options.executable, args=options.arguments())
                page = await browser.new_page(viewport={"width": 1280, "height": 800})
                await page.goto(f"{base}/{PAGE}", wait_until="networkidle")
                session = await page.context.new_cdp_session(page)
                elements = int(await page.evaluate("document.querySelectorAll('*').length"))
                for _ in range(times):
                    await _add(ours, lambda: act(driver, "getAomSnapshot"))
                    await _add(
                        capture, lambda: session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(_STYLES)})
                    )
                    await _add(peer, lambda: page.aria_snapshot(mode="ai"))
                await browser.close()
        finally:
            await driver.close()
    return ours, capture, peer, elements


async def _add(series: Series, work: Callable[[], Awaitable[object]]) -> None:
    start = perf_counter()
    await work()
    series.add((perf_counter() - start) * 1_000)
