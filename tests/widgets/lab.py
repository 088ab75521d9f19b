"""The gallery in a real Chromium, behind a real session: what the matrix acts through and where it looks."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.sites.lab.app import LabSite
from sgclaw.errors import SgClawError
from sgclaw.ports import Act, Browser, Observed
from sgclaw.widgets.browser import WidgetBrowser
from tests.attacks.injection.session import through_sgclaw
from tests.widgets.cells import Cell

_LATE = frozenset({"layui"})
"""Pages that draw their controls once more when all of their library is there."""


@dataclass
class Lab:
    """One browser on the gallery; `site.state` is what the pages' components hold."""

    site: LabSite
    browser: WidgetBrowser
    inner: Browser
    driver: ChromiumDriver
    base: str

    async def open(self, page: str) -> None:
        """Show a gallery page anew, with no state."""
        self.site.reset()
        await self.act("navigate", url=f"{self.base}/{page}.html")
        if page in _LATE:
            await self.act("waitForSelector", selector="body[data-state=ready]", timeout_ms=10_000)

    async def act(self, action: str, **params: object) -> Observed:
        return await self.browser.act(Act(action, params))

    async def carry_out(self, cell: Cell) -> None:
        """Do what a cell of the matrix says, and look at the site."""
        if cell.fails:
            before = dict(self.site.state)
            assert (await self.refused(*cell.acts[0])).code == cell.fails
            assert self.site.state == before
            return
        for action, params in cell.acts:
            await self.act(action, **params)
        await self.holds(cell.key, cell.holds)

    async def refused(self, action: str, params: Mapping[str, object]) -> SgClawError:
        with pytest.raises(SgClawError) as caught:
            await self.act(action, **params)
        return caught.value

    async def holds(self, key: str, value: object) -> None:
        """Wait until the component's model is this; the assertion shows what it is instead."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self.site.wait_for(key, value)
        assert self.site.state.get(key) == value


@contextlib.asynccontextmanager
async def lab(folder: Path) -> AsyncIterator[Lab]:
    """Everything running, for the length of the block."""
    site = LabSite()
    config = uvicorn.Config(site.app, host="127.0.0.1", port=0, lifespan="off", log_config=None, access_log=False)
    async with _serving(uvicorn.Server(config)) as port:
        driver = await ChromiumDriver.start(ChromiumOptions(downloads_dir=folder / "downloads"))
        base = f"http://127.0.0.1:{port}"
        try:
            async with through_sgclaw(driver, [base], ["127.0.0.1"], folder) as ends:
                assert ends.browser is not None
                yield Lab(site, WidgetBrowser(ends.browser), ends.browser, driver, base)
        finally:
            await driver.close()


@contextlib.asynccontextmanager
async def _serving(server: uvicorn.Server) -> AsyncIterator[int]:
    """Serve on a free port; uvicorn's own signal handling stays out of the way of the test runner's."""
    listener = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server.serve([listener]))
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = server.force_exit = True
        await serving
