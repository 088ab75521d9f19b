"""One act in progress: what its handler gets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.artifacts import FolderArtifacts
from browser_host_stub.chromium.asking import tell
from browser_host_stub.chromium.downloads import Downloads
from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.pages import OpenPage, PageTable
from browser_host_stub.chromium.targets import Handle
from browser_host_stub.driver import JsonObject, Located
from sgclaw.errors import ActionCode, ActionError

_STILL_S = 0.05
_STILL_TRIES = 20
"""How often, and how far apart, the documents around a frame are asked whether the frame stands still."""
_SAME_POINT = 0.5
_NOT_SEEN = "目标所在的文档没有收到这次点击，它可能落到了页面此刻移过来的框架里"
_NOTHING_STRAY: JsonObject = {"stray": False, "lost": False}
_CHECKS = frozenset(
    {
        *("aim", "setField", "enterField", "focusKept", "focusStays", "focusIsOn", "choose"),
        *("fileInputFor", "checkedState"),
    }
)
"""Functions of the library that hold an element to what was judged, or read back what it tells."""
_GONE = (ActionCode.STALE_REF, ActionCode.DETACHED_TARGET)


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
        return await self.handle.world.call_in(self.handle.token, name, *args)

    async def on_element(self, name: str, *args: object) -> JsonObject:
        """Call the page library on the located element."""
        if name in _CHECKS:
            await self._tell()
        return await self.in_page(name, self.handle.element, *args)

    async def _tell(self) -> bool:
        """Let the library know what custom elements tell the browser now; whether that is new."""
        place = self.handle.place
        return place is not None and await tell(place, self.handle.customs)

    async def _aim(self) -> tuple[float, float]:
        """A custom element may have got another name while the library waited for it to stand still."""
        point = _point_of(await self.on_element("aim"))
        if await self._tell():
            try:
                await self.on_element("recheck")
            except ActionError:
                await self.in_page("disarm")
                raise
        return point

    async def aim(self) -> tuple[float, float]:
        """The point of the page for the mouse, once the element stands still and nothing covers it.

        From then on, until `landed`, mouse events that reach something else never reach the page.
        """
        place = self.handle.place
        if place is None or place.owner is None:
            return await self._aim()
        refused = refusal({"code": ActionCode.HIDDEN_TARGET, "why": "元素所在的框架一直在移动"})
        for _ in range(_STILL_TRIES):
            try:
                found = await self._aim_through(place)
            except ActionError:
                await self._disarm_around(place)
                raise
            if isinstance(found, tuple):
                return found
            refused = found or refused
            await asyncio.sleep(_STILL_S)
        await self._disarm_around(place)
        raise refused

    async def _aim_through(self, place: Place) -> tuple[float, float] | ActionError | None:
        """The point; the refusal of a document around the frame, which may pass now that it was scrolled; None while
        one moves.
        """
        documents = self.page.documents
        x, y = await self._aim()
        try:
            before = await documents.reach(place, x, y, arms=False)
            after = await documents.reach(place, x, y, arms=True)
        except ActionError as error:
            if error.code in _GONE or self.left_s == 0:
                raise
            await self.on_element("scrollFar")
            return error
        return after if before == after else None

    async def stands(self, at: tuple[float, float], *, pressed: bool) -> None:
        """Raise unless, now that the page has seen the mouse come (or `pressed` before), the element lies under it.

        What the page moved there instead, a frame too, is `COVERED_TARGET`; the guard of `aim` is then gone.
        """
        place = self.handle.place
        try:
            x, y = _point_of(await self.on_element("stands", pressed))
            if place is None or place.owner is None:
                return
            x, y = await self.page.documents.reach(place, x, y, arms=True)
            if abs(x - at[0]) > _SAME_POINT or abs(y - at[1]) > _SAME_POINT:
                raise refusal({"code": ActionCode.HIDDEN_TARGET, "why": "元素所在的框架在鼠标移上去时移动了"})
        except ActionError:
            with contextlib.suppress(ActionError):  # that document ended, and its guard with it
                await self.in_page("disarm")
            await self._disarm_around(place)
            raise

    async def landed(self, *, pressed: bool = True) -> None:
        """Take the guard of `aim` away; raises `COVERED_TARGET` when the mouse reached something else, or
        `DETACHED_TARGET` when the page had removed the element by then; `UNKNOWN_OUTCOME` when it was `pressed` and the
        element's document, which is still there, saw nothing of it.

        `STALE_REF` when the document ended: then the press led to another one, so it arrived.
        """
        try:
            verdict = await self.in_page("disarm")
        finally:
            stray = await self._disarm_around(self.handle.place)
        missed = verdict if verdict["verdict"] == "missed" else stray if verdict["verdict"] is None else None
        if missed is not None and missed.get("gone"):
            raise refusal({"code": ActionCode.DETACHED_TARGET, "why": "鼠标移上去时页面移除了它"})
        if missed is not None:
            raise refusal({"code": ActionCode.COVERED_TARGET, "covered_by": missed["element"]})
        if pressed and verdict["verdict"] is None:
            raise refusal({"code": ActionCode.UNKNOWN_OUTCOME, "why": _NOT_SEEN})

    async def _disarm_around(self, place: Place | None) -> JsonObject | None:
        """What the mouse reached in a document around the frame instead, if anything."""
        stray: JsonObject | None = None
        while place is not None and place.owner is not None:
            place = place.owner.place
            with contextlib.suppress(ActionError):  # that document ended, and its guard with it
                verdict = await place.ask("disarm")
                stray = stray if verdict["verdict"] is None else verdict
        return stray

    @contextlib.asynccontextmanager
    async def keys(self, *, single: bool = False) -> AsyncIterator[None]:
        """Keys pressed in the block go to the document of the element, or the act ends as `ACTION_FAILED`.

        When a document around its frame takes the focus, they are stopped there before the page sees them; a frame
        inside it does not keep the focus. After a `single` key has come to the element the focus may go anywhere.
        """
        around: list[tuple[Place, int]] = []
        place = self.handle.place
        while place is not None and place.owner is not None:
            around.append((place.owner.place, place.owner.number))
            place = place.owner.place
        stray, inside = False, _NOTHING_STRAY
        try:
            for outer, number in around:
                await outer.ask("holdKeys", number)
            await self.on_element("holdFocus", single)
            yield
        finally:
            with contextlib.suppress(ActionError, PlaywrightError):  # the document, or its window, ended
                inside = await self.in_page("freeKeys")
            for outer, _ in around:
                with contextlib.suppress(ActionError):  # that document ended, and its guard with it
                    stray = bool((await outer.ask("freeKeys"))["stray"]) or stray
        if stray:
            raise refusal({"code": ActionCode.ACTION_FAILED, "why": "页面把焦点移到了框架外面，其余按键没有送出"})
        if inside["lost"]:
            raise refusal({"code": ActionCode.UNKNOWN_OUTCOME, "why": "按键没有到达目标，焦点可能已被移到框架里"})
        if inside["stray"]:
            raise refusal({"code": ActionCode.ACTION_FAILED, "why": "焦点被移到框架里，没有输入完"})

    async def still_there(self) -> None:
        """Raise `STALE_REF` when another document than the located one is in the page."""
        state = await self.in_page("pageState")
        if state["origin"] != self.located.origin:
            raise refusal({"code": ActionCode.STALE_REF, "why": "页面已经跳转"})


def _point_of(answer: JsonObject) -> tuple[float, float]:
    point = answer["point"]
    return (float(point["x"]), float(point["y"])) if isinstance(point, dict) else (0.0, 0.0)


Handler = Callable[[Run], Coroutine[object, object, JsonObject]]
Handlers = Mapping[str, Handler]
