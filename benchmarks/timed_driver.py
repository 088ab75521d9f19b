"""A driver that adds up the time spent inside another one."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator

from browser_host_stub.driver import IMPLICIT_WAIT_S, ArtifactStore, Driver, JsonObject, Located
from browser_host_stub.performing import Confinable
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import PageInfo


class TimedDriver:
    """`Driver` over a driver; `busy_ms` is the sum over all calls since it was last set to 0."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.busy_ms = 0.0

    @property
    def artifacts(self) -> ArtifactStore:
        return self._driver.artifacts

    @property
    def on_gone(self) -> asyncio.Event:
        return self._driver.on_gone

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.busy_ms += (time.perf_counter() - began) * 1_000

    def confine(self, check: Callable[[str], str | None]) -> None:
        """As the host confines the browser it drives."""
        if isinstance(self._driver, Confinable):
            self._driver.confine(check)

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        with self._timed():
            return await self._driver.locate(action, params, page, deadline_s=deadline_s)

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        with self._timed():
            return await self._driver.perform(located, deadline_s)

    async def page_info(self, page: str | None) -> PageInfo:
        with self._timed():
            return await self._driver.page_info(page)

    async def default_page(self) -> PageInfo:
        with self._timed():
            return await self._driver.default_page()

    async def close(self) -> None:
        await self._driver.close()
