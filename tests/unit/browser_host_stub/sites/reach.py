"""Clients of running demo sites: httpx on the loopback port, and Chromium pages of one browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from playwright.async_api import Browser, Page, Request, async_playwright

from browser_host_stub.sites.server import DemoSites
from tests.unit.browser_host_stub.sites.conftest import CHROMIUM_ARGS, LOGIN, TODAY
from tests.unit.browser_host_stub.sites.test_server import reaching

OA = "https://oa.example.com"


@asynccontextmanager
async def signed_in(sites: DemoSites, host: str = "oa.example.com") -> AsyncIterator[httpx.AsyncClient]:
    """A client of one site that 张敏 has signed in with."""
    async with reaching(sites, host) as client:
        assert (await client.post("/login", data=LOGIN)).status_code == 303
        yield client


@dataclass
class Shop:
    """The sites and a Chromium that shows them; every page is a browser session of its own, signed in."""

    sites: DemoSites
    browser: Browser
    complaints: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def page(self, url: str) -> AsyncIterator[Page]:
        """A page at `url` after the login. `complaints` collects script errors and failed requests."""
        self.sites.reset()
        self.complaints.clear()
        context = await self.browser.new_context(locale="zh-CN", viewport={"width": 1366, "height": 768})
        context.set_default_timeout(20_000)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("requestfailed", self._failed)
        context.on("response", lambda answer: self.complaints.append(answer.url) if answer.status >= 400 else None)
        page = await context.new_page()
        try:
            # Leads to a page that asks the API nothing: no request is under way when `url` replaces it.
            await page.goto(f"{OA}/login?next=/notice/new")
            await page.fill("#username", LOGIN["username"])
            await page.fill("#password", LOGIN["password"])
            await page.click("#login-btn")
            await page.wait_for_selector(".notice-form")
            await page.goto(url)
            yield page
        finally:
            await context.close()

    def _failed(self, request: Request) -> None:
        # What is under way when a page is left is aborted, which is nobody's fault.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(request.url)


@asynccontextmanager
async def open_shop() -> AsyncIterator[Shop]:
    """Sites and browser while the block runs."""
    async with DemoSites(TODAY) as sites, async_playwright() as playwright:
        args = [
            *CHROMIUM_ARGS,
            f"--host-resolver-rules={sites.resolver_rules}",
            f"--ignore-certificate-errors-spki-list={sites.spki}",
        ]
        async with await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=args) as browser:
            yield Shop(sites, browser)
