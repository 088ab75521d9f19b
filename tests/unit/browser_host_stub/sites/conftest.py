from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import date

import httpx
import pytest
from playwright.async_api import Page, async_playwright

from browser_host_stub.sites.erp.app import ErpSite
from browser_host_stub.sites.frame.gate import Framed
from browser_host_stub.sites.server import DemoSites

TODAY = date(2026, 4, 15)
LOGIN = {"username": "zhangmin", "password": "demo-only"}
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class ManualClock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def site(clock: ManualClock) -> ErpSite:
    return ErpSite(TODAY, clock)


@pytest.fixture
async def visitor(site: Framed) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the module's site (the ERP unless it has a `site` of its own) nobody has logged in with."""
    transport = httpx.ASGITransport(site.app)
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{site.host}", timeout=20) as client:
        yield client


@pytest.fixture
async def client(visitor: httpx.AsyncClient) -> httpx.AsyncClient:
    """A client logged in as 张敏."""
    answer = await visitor.post("/login", data=LOGIN)
    assert answer.status_code == 303
    return visitor


@pytest.fixture
async def sites() -> AsyncIterator[DemoSites]:
    async with DemoSites(TODAY) as running:
        yield running


def code(answer: httpx.Response) -> tuple[int, str]:
    """Status and code of a refusal."""
    return answer.status_code, answer.json()["error"]["code"]


OpenPage = Callable[[DemoSites, str], AbstractAsyncContextManager[Page]]


@pytest.fixture
def open_page() -> OpenPage:
    """Opens a page of a fresh Chromium that reaches the sites and accepts one certificate pin."""

    @asynccontextmanager
    async def opened(sites: DemoSites, spki: str) -> AsyncIterator[Page]:
        args = [
            *CHROMIUM_ARGS,
            f"--host-resolver-rules={sites.resolver_rules}",
            f"--ignore-certificate-errors-spki-list={spki}",
        ]
        async with (
            async_playwright() as playwright,
            await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=args) as browser,
        ):
            page = await browser.new_page(locale="zh-CN")
            page.set_default_timeout(20_000)
            yield page

    return opened
