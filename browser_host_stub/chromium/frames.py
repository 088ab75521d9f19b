"""Documents of one page: its main one, and those in frames of other origins, in the same process or in another one.

Rules of this file: one `World` per document. A document is entered through its frame element, and only when its
committed origin is listed; same-origin frames are the library's own affair and never come here. Nothing is kept alive
for a frame that is gone.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.planes import IDENTITY, Plane
from browser_host_stub.chromium.refs import Ref
from browser_host_stub.chromium.world import StaleWorldError, World
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.policy.origins import origin_of

INTO = "INTO"
"""Code of the library's answer that the rest of a selector lies in a frame only the host can enter."""
_OPAQUE = "null"
_BORROWED = "about:"
_MAX_KEPT = 512
"""Frames and places that are remembered; older ones are found again when they are needed."""
_NOT_LOADED = "框架还没有加载出文档"

RuleAgainst = Callable[[str], str | None]
"""The rule that refuses an address, None for one that is listed."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The frame element around a document: its place, its number there, and its number for the browser."""

    place: Place
    number: int
    node: int


@dataclass(frozen=True, slots=True)
class Place:
    """One document of a page. `number` is None for the main one, `owner` too."""

    world: World
    token: str
    origin: str
    number: int | None = None
    owner: Owner | None = None

    def ref(self, version: int, element: int) -> str:
        """How an element of this document is written on the wire."""
        return str(Ref(version, self.number, element))

    @property
    def root(self) -> Place:
        """The page's main document."""
        return self if self.owner is None else self.owner.place.root

    async def way(self) -> str:
        """The start of every selector into this document, empty for the main one."""
        if self.owner is None:
            return ""
        outer = self.owner.place
        step = (await outer.ask("selectorFor", self.owner.number))["selector"]
        return f"{await outer.way()}{step} >>> "

    @property
    def session_root(self) -> Place:
        """The outermost document that the same CDP session shows: what its geometry is relative to."""
        outer = self.owner.place if self.owner else None
        return self if outer is None or outer.world.session is not self.world.session else outer.session_root

    async def ask(self, name: str, *args: object) -> JsonObject:
        """Call the page library in this document; see `World.call_in`."""
        return await self.world.call_in(self.token, name, *args)


class Documents:
    """Finds the documents of one page and remembers them while they are there."""

    def __init__(self, context: BrowserContext, page: Page, world: World, rule_against: RuleAgainst) -> None:
        self._context, self._page, self._world, self._rule_against = context, page, world, rule_against
        self._worlds: dict[str, World] = {}
        self._sessions: dict[Frame, tuple[str, CDPSession]] = {}
        self._tried: set[Frame] = set()
        self._owners: dict[tuple[str, int], tuple[str, int]] = {}
        self._numbers: dict[str, int] = {}
        self._places: dict[int, Place] = {}
        self._minted = 0
        page.on("framenavigated", self._moved)
        page.on("framedetached", self._moved)

    def _moved(self, frame: Frame) -> None:
        """A frame has another document, perhaps in another process, or is gone."""
        self._tried.discard(frame)
        if frame in self._sessions and (frame.is_detached() or frame == self._page.main_frame):
            self._forget(self._sessions[frame][0])

    async def main(self) -> Place:
        """The page's main document. Raises `StaleWorldError` while there is none."""
        token = await self._world.enter()
        return Place(self._world, token, self._world.origin)

    async def at(self, number: int) -> Place | None:
        """The document of this number, None when it is not there any more; raises `POLICY_DENIED` as `enter` does."""
        place = self._places.get(number)
        if place is None or not place.world.holds(place.token):
            return None
        await place.world.enter()
        return place

    async def frame_id(self, place: Place, element: int) -> str:
        """The browser's id of the frame in an element; raises `NOT_FOUND` when there is none."""
        return (await self._frame_in(place, element))[0]

    async def enter(self, place: Place, element: int) -> Place:
        """The document in the frame element of this number in `place`.

        Raises `POLICY_DENIED` when its committed origin is not listed (nothing of it was read), `NOT_FOUND` while it
        has no document yet, `STALE_REF` when the document of `place` ended.
        """
        frame, node = await self._frame_in(place, element)
        try:
            world = await self._world_of(frame, place)
            token = await world.enter()
        except StaleWorldError:
            self._owners.pop((place.token, element), None)
            raise _not_loaded() from None
        return self._placed(world, token, Owner(place, element, node))

    def _placed(self, world: World, token: str, owner: Owner) -> Place:
        number = self._numbers.get(token)
        if number is None:
            self._minted += 1
            number = self._numbers[token] = self._minted
        place = self._places[number] = Place(world, token, world.origin, number, owner)
        if len(self._places) > _MAX_KEPT:
            oldest = next(iter(self._places))
            self._numbers.pop(self._places.pop(oldest).token, None)
        return place

    async def _frame_in(self, place: Place, element: int) -> tuple[str, int]:
        """The browser's id of the frame in an element, and its number for the element."""
        known = self._owners.get((place.token, element))
        if known is not None:
            return known
        try:
            session, handle = await place.world.object_in(place.token, "byToken", element)
            described = (await session.send("DOM.describeNode", {"objectId": handle, "depth": 0}))["node"]
            await session.send("Runtime.releaseObject", {"objectId": handle})
        except PlaywrightError:
            raise _not_loaded() from None  # the element went while it was looked at
        if "frameId" not in described:
            raise _not_loaded()
        _make_room(self._owners)
        found = self._owners[place.token, element] = (str(described["frameId"]), int(described["backendNodeId"]))
        return found

    async def _world_of(self, frame: str, place: Place) -> World:
        """The world of a frame: on the session of the document around it, else on one of its own."""
        known = self._worlds.pop(frame, None)
        for world in [known] if known else []:
            if await _opens(world):
                self._worlds[frame] = world
                return world
        world = World(place.world.session, frame, self._judge)
        if not await _opens(world):
            session = await self._session_of(frame)
            world = World(session, frame, self._judge)
            if not await _opens(world):
                self._forget(frame)
                raise StaleWorldError
        _make_room(self._worlds)
        self._worlds[frame] = world
        return world

    def unlisted(self) -> Counter[str]:
        """How many frames the browser shows of each origin that is not listed, next to what is listed."""
        return Counter(_origin_of(frame.url) for frame in self._outermost_unlisted())

    async def boxes_of(self, origins: Collection[str]) -> list[tuple[float, float, float, float]]:
        """Left, top, right, bottom of those of these origins that are shown."""
        boxes = []
        for frame in self._outermost_unlisted():
            if _origin_of(frame.url) in origins:
                boxes += await _box_of(frame)
        return boxes

    def _outermost_unlisted(self) -> Iterator[Frame]:
        waiting = list(self._page.main_frame.child_frames)
        while waiting:
            frame = waiting.pop()
            origin = _origin_of(frame.url)
            if origin and (origin == _OPAQUE or self._rule_against(f"{origin}/") is not None):
                yield frame
            else:
                waiting += frame.child_frames

    def _judge(self, origin: str) -> None:
        rule = "origin.opaque" if origin == _OPAQUE else self._rule_against(f"{origin}/")
        if rule is not None:
            cause = "框架里的文档不在策略列出的来源内，没有读取"
            raise PolicyDeniedError(cause, facts={"rule": rule, "origin": origin[:300]})

    async def sandboxed(self, reached: Collection[str]) -> list[tuple[float, float, float, float]]:
        """Left, top, right, bottom of the shown frames of a listed address whose document has no origin or another one.

        The browser gives each a process of its own. `reached` are the frames that are known by their elements.
        """
        boxes = []
        for frame in self._page.frames[1:]:
            if not frame.is_detached() and not await self._is_open(frame, reached):
                boxes += await _box_of(frame)
        return boxes

    async def _is_open(self, frame: Frame, reached: Collection[str]) -> bool:
        known = await self._connected(frame)
        if known is None or known[0] in reached:
            return True
        try:
            await World(known[1], known[0], self._judge).enter()
        except PolicyDeniedError:
            return False
        except StaleWorldError:
            return True  # no document: nothing is shown
        return True

    async def _session_of(self, frame: str) -> CDPSession:
        """The session of a frame of another process; raises `StaleWorldError` when there is none."""
        for known, session in self._sessions.values():
            if known == frame:
                return session
        for item in self._page.frames[1:]:
            found = None if item in self._sessions else await self._connected(item)
            if found is not None and found[0] == frame:
                return found[1]
        raise StaleWorldError

    async def _connected(self, item: Frame) -> tuple[str, CDPSession] | None:
        """The browser's id and the session of a frame of another process, None for any other frame."""
        if item not in self._tried and item not in self._sessions:
            self._tried.add(item)
            with contextlib.suppress(PlaywrightError):  # of the process of the document around it, or gone
                session = await self._context.new_cdp_session(item)
                await session.send("Page.enable")
                tree = await session.send("Page.getFrameTree")
                self._sessions[item] = (str(tree["frameTree"]["frame"]["id"]), session)
        return self._sessions.get(item)

    def _forget(self, frame: str) -> None:
        self._worlds.pop(frame, None)
        for item in [item for item, (known, _) in self._sessions.items() if known == frame]:
            del self._sessions[item]
            self._tried.discard(item)

    async def through(self, target: str | int | None, name: str, *args: object, start: Place | None = None) -> Reached:
        """Call the library with a target, following its steps into the frames the library cannot enter.

        Raises as `enter` does, and `StaleWorldError` when a document on the way ended.
        """
        place = start if start is not None else await self.main()
        while True:
            answer, token = await place.world.call(name, target, *args)
            if token != place.token:
                if place.owner is not None:
                    raise StaleWorldError  # the frame was entered for another document
                place = Place(self._world, token, self._world.origin)
            if answer.get("code") != INTO or not isinstance(target, str):
                return Reached(answer, place, target)
            place, target = await self.enter(place, int(str(answer["frame"]))), str(answer["rest"])

    async def plane(self, place: Place) -> Plane:
        """From points of a document's viewport to those of the page's."""
        if place.owner is None:
            return IDENTITY
        step = await _out_of(place, place.owner)
        return step.then(await self.plane(place.owner.place.session_root))

    async def reach(self, place: Place, x: float, y: float, *, arms: bool) -> tuple[float, float]:
        """The point of the page at which the mouse meets a point of a document.

        Raises `COVERED_TARGET` or `HIDDEN_TARGET` when a document around it shows something else there. With `arms`
        mouse events that stay in a document around it are kept from the page until `disarm`.
        """
        while place.owner is not None:
            owner, outer = place.owner, place.owner.place
            step = await _out_of(place, owner)
            relative = outer.owner is not None and outer.session_root is not outer
            local = await _out_of(outer, outer.owner) if relative and outer.owner else IDENTITY
            x, y = local.back().of(*step.of(x, y))
            await outer.ask("passes", owner.number, x, y, arms)
            place = outer
        return x, y


@dataclass(frozen=True, slots=True)
class Reached:
    """The answer of the last document on the way, that document, and what was asked there."""

    answer: JsonObject
    place: Place
    target: str | int | None


def _origin_of(url: str) -> str:
    """Origin of a frame's address; empty for one that has its parent's."""
    parts = urlsplit(url.removeprefix("blob:"))
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}".lower()
    return "" if parts.scheme in ("", "about", "javascript") else _OPAQUE


async def _box_of(frame: Frame) -> list[tuple[float, float, float, float]]:
    """Where the frame is shown: one box or none."""
    try:
        box = await (await frame.frame_element()).bounding_box()
    except PlaywrightError:
        return []  # the frame went
    return [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])] if box else []


async def _opens(world: World) -> bool:
    try:
        await world.enter()
    except StaleWorldError:
        return False
    return True


async def _out_of(place: Place, owner: Owner) -> Plane:
    """From a document's viewport to that of the outermost document its frame element shares a session with."""
    try:
        size = await place.ask("viewport")
        box = (await owner.place.world.session.send("DOM.getBoxModel", {"backendNodeId": owner.node}))["model"]
    except PlaywrightError:
        raise refusal({"code": ActionCode.HIDDEN_TARGET, "why": "框架没有显示在页面上"}) from None
    return Plane.spanned(box["content"], float(str(size["width"])), float(str(size["height"])))


def listed_origin(page: Page, url: str, rule_against: RuleAgainst) -> str | None:
    """Origin of a document of the page by its address, None when it is not listed; the page's own one is never judged.

    One without an address of its own (`about:srcdoc`) has that of the document around it; where frames of several
    documents show the same one, all of these must be listed.
    """
    main = _origin_or_none(page.url)
    if url == page.url:
        return main or _OPAQUE
    around = [url]
    if url.startswith(_BORROWED):
        around = [_lender(frame).url for frame in page.frames if frame.url == url]
    origins = [None if rule_against(address) else _origin_or_none(address) for address in around]
    known = [origin for origin in origins if origin is not None]
    if not known or len(known) < len(origins):
        return None
    return known[0] if len(set(known)) == 1 else main


def _lender(frame: Frame) -> Frame:
    while frame.url.startswith(_BORROWED) and frame.parent_frame is not None:
        frame = frame.parent_frame
    return frame


def _origin_or_none(url: str) -> str | None:
    try:
        return str(origin_of(url.removeprefix("blob:")))
    except PolicyDeniedError:
        return None


def _not_loaded() -> ActionError:
    return refusal({"code": ActionCode.NOT_FOUND, "why": _NOT_LOADED})


def _make_room(kept: dict[str, World] | dict[tuple[str, int], tuple[str, int]]) -> None:
    while len(kept) >= _MAX_KEPT:
        kept.pop(next(iter(kept)))  # type: ignore[call-overload]
