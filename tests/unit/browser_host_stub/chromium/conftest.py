from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.driver import Driver, JsonObject, Located
from browser_host_stub.faults import well_formed
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.actions import spec_of
from tests.unit.browser_host_stub.chromium.site import Site


@dataclass(frozen=True)
class Tab:
    """A driver and a site, with the calls a session would make."""

    driver: ChromiumDriver
    site: Site

    async def locate(self, action: str, on: str | None = None, wait: float = 5.0, **params: object) -> Located:
        return await self.driver.locate(action, spec_of(action).check(params), on, deadline_s=wait)

    async def act(self, action: str, on: str | None = None, wait: float = 5.0, **params: object) -> JsonObject:
        """Locate and perform; the answer must be valid for the action's result model."""
        driver: Driver = self.driver
        located = await self.locate(action, on, wait, **params)
        data = well_formed(await driver.perform(located, 10.0))
        spec_of(action).result.model_validate_json(orjson.dumps(data), strict=True)
        return data

    async def refused(self, action: str, on: str | None = None, wait: float = 0.2, **params: object) -> ActionError:
        with pytest.raises(ActionError) as caught:
            await self.act(action, on, wait, **params)
        return caught.value

    async def open(self, body: str, path: str = "/page") -> JsonObject:
        """Show this body in the default page."""
        return await self.act("navigate", url=self.site.show(body, path))

    async def text(self, selector: str) -> object:
        return (await self.act("getText", selector=selector))["text"]


def options(folder: Path) -> ChromiumOptions:
    return ChromiumOptions(downloads_dir=folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tab]:
    site = Site()
    await site.start()
    driver = await ChromiumDriver.start(options(tmp_path_factory.mktemp("downloads")))
    try:
        yield Tab(driver, site)
    finally:
        await driver.close()
        await site.close()


def code(error: ActionError) -> ActionCode:
    return ActionCode(error.code)
