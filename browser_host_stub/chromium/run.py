"""One act in progress: what its handler gets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass

from browser_host_stub.chromium.artifacts import FolderArtifacts
from browser_host_stub.chromium.downloads import Downloads
from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.pages import OpenPage, PageTable
from browser_host_stub.chromium.targets import Handle
from browser_host_stub.driver import JsonObject, Located
from sgclaw.errors import ActionCode


@dataclass(frozen=True, slots=True)
class Run:
    """A located act with the rooms of the driver it may use."""

    located: Located
    handle: Handle
    deadline_s: float
    started: float
    pages: PageTable
    downloads: Downloads
    artifacts: FolderArtifacts

    @property
    def page(self) -> OpenPage:
        """The page the act is on."""
        return self.handle.page

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.started + self.deadline_s - asyncio.get_running_loop().time())

    async def in_page(self, name: str, *args: object) -> JsonObject:
        """Call the page library in the located document."""
        return await self.page.world.call_in(self.handle.token, name, *args)

    async def on_element(self, name: str, *args: object) -> JsonObject:
        """Call the page library on the located element."""
        return await self.in_page(name, self.handle.element, *args)

    async def still_there(self) -> None:
        """Raise `STALE_REF` when another document than the located one is in the page."""
        state = await self.in_page("pageState")
        if state["origin"] != self.located.origin:
            raise refusal({"code": ActionCode.STALE_REF, "why": "页面已经跳转"})


Handler = Callable[[Run], Coroutine[object, object, JsonObject]]
Handlers = Mapping[str, Handler]
