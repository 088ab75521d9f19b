"""A real Chromium on the pages of the cases, shared by the tests of one module."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from sgclaw.protocol.actions import spec_of
from tests.attacks.injection.pages import Pages

HOSTS: Final = ("erp.example.com", "oa.example.com")


@dataclass(frozen=True)
class Ground:
    """The pages, and the browser that opens them."""

    pages: Pages
    chromium: ChromiumDriver

    async def show(self, url: str) -> None:
        """Bring the browser to an address, past every check: the world moves, nobody acts."""
        self.chromium.confine(lambda _url: None)
        located = await self.chromium.locate("navigate", spec_of("navigate").check({"url": url}), None)
        await self.chromium.perform(located, 15.0)


@pytest_asyncio.fixture(name="ground", scope="module", loop_scope="module")
async def ground_of_module(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ground]:
    """One browser and one server for all cases of a module."""
    pages = Pages(HOSTS)
    await pages.start()
    options = ChromiumOptions(
        downloads_dir=tmp_path_factory.mktemp("files"),
        resolver_rules=pages.resolver_rules,
        spki_pins=(pages.spki,),
    )
    chromium = await ChromiumDriver.start(options)
    try:
        yield Ground(pages, chromium)
    finally:
        await chromium.close()
        await pages.close()
