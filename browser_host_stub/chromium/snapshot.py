"""The snapshot of a page: what the page library sees, told what the browser knows of layout and listeners.

Frames of other origins are entered one by one, and only those whose committed origin the policy lists: of the others
the snapshot tells where they are and what they show, and nothing of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from browser_host_stub.chromium.counting import Count, count
from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.internals import MAX_ASKED, told_of
from browser_host_stub.chromium.layout import Document, every_document, layout_of
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.planes import IDENTITY, Plane
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.world import StaleWorldError
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionError, PolicyDeniedError
from sgclaw.protocol import params as p

Node = dict[str, Any]

_AGAIN_S: Final = 0.3
"""A page that changes while it is looked at is looked at again for so long."""
_MAX_ELEMENTS: Final = 10_000
"""Elements up to which the browser is asked for layout and listeners."""
_MAX_FRAMES: Final = 60
"""Frames of other origins that are entered."""
_LOOK_S: Final = 30.0
"""For a whole look where nothing waits for it; documents have a limit of their own."""
_LEAST_MS: Final = 300.0
_FRAMES_S: Final = 3.0
"""For all of them together."""


@dataclass(slots=True)
class Seen:
    """Nodes as the library made them, not yet in the shape of the wire, and how many there should be."""

    nodes: list[Node]
    total: int
    blank: bool
    cut: bool


@dataclass(slots=True)
class _Taking:
    page: OpenPage
    full: bool
    left: int
    until: float
    frames_until: float
    entered: int = 0
    cut: bool = False
    shut: bool = False
    """Some closed shadow roots were not looked into, or some custom elements not asked about."""

    async def look(self, place: Place, element: int | None, layout: Document | None = None) -> Seen:
        """One document with what the library itself reaches, and the frames of other origins in it."""
        document, seen, counted = await self._ask(place, element, layout)
        way, plane = await place.way(), await self.page.documents.plane(place)
        nodes = cast("list[Node]", seen["nodes"])
        self.left -= int(str(seen["made"]))
        self.cut = self.cut or self.shut or bool(seen["cut"])
        listed = list(every_node(nodes))
        frames = [(node, _take_out(document, node.pop("path"))) for node in listed if "path" in node]
        for node in listed:
            _place_node(node, place.ref, self.page.version, way, plane)
        if counted is None or frames:  # what is entered apart is counted there
            counted = await _counted(place, element, document, seen)
        total, blank = counted.total, counted.blank
        for node, inner in frames:
            part = await self._enter(place, node, inner)
            if part is not None:
                total, blank = total + part.total, blank and part.blank
        return Seen(nodes, total, blank, self.cut)

    async def _ask(
        self, place: Place, element: int | None, layout: Document | None
    ) -> tuple[Document | None, JsonObject, Count | None]:
        loop = asyncio.get_running_loop()
        start = loop.time()
        while True:
            document = layout or await _layout_of(place, (self.until - loop.time()) / 2)
            if document is not None:
                await _open_closed(place, document)
                self.shut = await _tell(place, document) or self.shut or document.shut
            marks = document.marks() if document else None
            most_ms = max(_LEAST_MS, (self.until - loop.time()) * 1000)
            wanted = {"full": self.full, "max_nodes": max(1, self.left), "marks": marks, "most_ms": most_ms}
            whole = document if element is None else None
            seen, counted = await asyncio.gather(place.ask("snapshot", element, wanted), _counted_meanwhile(whole))
            if seen["fits"] or loop.time() - start > _AGAIN_S:
                return document, seen, counted
            layout = None

    async def _enter(self, place: Place, node: Node, inner: Document | None) -> Seen | None:
        """The document inside a frame node becomes its children; None when it is not to be read or is not there."""
        if self.entered >= _MAX_FRAMES or self.left <= 0 or asyncio.get_running_loop().time() > self.frames_until:
            self.cut = True
            return None
        self.entered += 1
        try:
            there = await self.page.documents.enter(place, node["frame"])
            node["origin"] = there.origin
            part = await self.look(there, None, inner)
        except PolicyDeniedError as denied:
            node["origin"] = denied.facts.get("origin")
            return None
        except (ActionError, StaleWorldError):
            return None  # no document yet, or no longer
        node["children"] = [*node["children"], *part.nodes]
        return part


async def _layout_of(place: Place, within_s: float = _LOOK_S) -> Document | None:
    """None for a page so large that taking it apart would hold it up for seconds."""
    size = await place.ask("elementsNow")
    if int(str(size["count"])) > _MAX_ELEMENTS or size["deep"]:
        return None
    try:
        async with asyncio.timeout(within_s):
            return await layout_of(place.world.session, place.world.frame)
    except TimeoutError:
        return None


async def _open_closed(place: Place, document: Document) -> None:
    """The closed shadow roots of a document and of what the library itself reaches from there; others stay shut."""
    for part in every_document(document):
        if part.hosts:
            await place.world.open_closed(place.token, part.hosts)


async def _tell(place: Place, document: Document) -> bool:
    """Note what custom elements tell the browser alone; whether there are more of them than are asked about."""
    listed = [element for part in every_document(document) for element in part.elements if "-" in element.tag]
    if not listed:
        return False
    answer = await place.ask("definedAmong", sorted({element.tag for element in listed}))
    defined = cast("list[str]", answer["names"])
    customs = [element for element in listed if element.tag in defined and element.box is not None]
    asked = [element for element in customs[:MAX_ASKED] if element.told is None]
    told = await told_of(place.world.session, [{"backendNodeId": element.node} for element in asked])
    for element, said in zip(asked, told, strict=True):
        element.told = said
    return len(customs) > MAX_ASKED


async def _counted_meanwhile(document: Document | None) -> Count | None:
    """Counted while the page is at work on what was asked of it just now."""
    await asyncio.sleep(0)
    return None if document is None else count(document)


async def _counted(place: Place, element: int | None, document: Document | None, seen: JsonObject) -> Count:
    """How many elements should be there, and whether the document shows nothing."""
    if document is None:
        flat = await place.ask("flatCount", element)
        return Count(int(str(flat["total"])), bool(flat["blank"]))
    return count(document, cast("Sequence[int]", seen["scope"]) if element is not None else ())


def every_node(nodes: Sequence[Node]) -> Iterator[Node]:
    """All nodes in reading order."""
    for node in nodes:
        yield node
        yield from every_node(node.get("children", ()))


def _take_out(document: Document | None, path: Sequence[int]) -> Document | None:
    """The document in a frame of another origin, which is looked at apart."""
    if document is None:
        return None
    for step in path[:-1]:
        inner = document.elements[step].frame if step < len(document.elements) else None
        if inner is None:
            return None
        document = inner
    if not path or path[-1] >= len(document.elements):
        return None
    element = document.elements[path[-1]]
    found, element.frame = element.frame, None
    return found


def _place_node(node: Node, ref: Callable[[int, int], str], version: int, way: str, plane: Plane) -> None:
    """From the library's own document to the page: number, selector and place."""
    token = node.pop("token", None)
    if token is not None:
        node["ref"] = ref(version, token)
    if way and "selector" in node:
        node["selector"] = way + node["selector"]
    if plane != IDENTITY and "bounds" in node:
        x, y, width, height = node["bounds"]
        left, top = plane.of(x, y)
        right, bottom = plane.of(x + width, y + height)
        node["bounds"] = [round(left), round(top), round(right - left), round(bottom - top)]


async def look(
    page: OpenPage, place: Place, element: int | None, *, full: bool, max_nodes: int, within_s: float = _LOOK_S
) -> Seen:
    """Everything operable and the structure around it; nodes carry `operable` and `away` (not in view) besides.

    What is not seen in about `within_s` is left out, and told.
    """
    now = asyncio.get_running_loop().time()
    taking = _Taking(page, full, max_nodes, now + within_s, now + min(within_s, _FRAMES_S))
    seen = await taking.look(place, element)
    if taking.cut:
        notes = [node for node in seen.nodes if node["role"] == "note"]
        name = notes[0]["name"] if notes else f"快照不完整：{'封闭的影子根或自定义元素' if taking.shut else '框架'}太多"
        seen.nodes = [node for node in seen.nodes if node["role"] != "note"]
        seen.nodes.append({"role": "note", "name": f"{name}，页面可操作的元素有 {seen.total} 个"})
    seen.cut = taking.cut
    return seen


async def snapshot_of(
    page: OpenPage, place: Place, element: int | None = None, *, detail: str = "brief", max_nodes: int = 2_000
) -> JsonObject:
    """The snapshot of the document of `place`; data of `results.Snapshot`.

    `element` is the number of a kept element to look below. Raises `STALE_REF` when the document has ended.
    """
    seen = await look(page, place, element, full=detail == "full", max_nodes=max_nodes)
    for node in every_node(seen.nodes):
        _finish(node)
    cut = {"cut": True} if seen.cut else {}
    return {"nodes": seen.nodes, "interactive_total": seen.total, "blank": seen.blank, **cut}


_OWN_WORDS: Final = ("operable", "away", "frame")


def _finish(node: Node) -> None:
    for word in _OWN_WORDS:
        node.pop(word, None)
    for name in ("origin", "selector"):
        if node.get(name, "") is None:
            del node[name]
    identity = node.get("identity")
    if identity is not None and identity["id"] is None:
        del identity["id"]
    if not node.get("children"):
        node.pop("children", None)


async def place_of(run: Run) -> Place:
    """The document the located element is in, or the page's main one."""
    if run.handle.place is not None:
        return run.handle.place
    return await run.page.documents.main()


async def aom_snapshot(run: Run) -> JsonObject:
    """See `snapshot_of`; of the target when there is one."""
    params = run.located.params
    if not isinstance(params, p.Snapshot):
        raise TypeError(params)
    place = await place_of(run)
    return await snapshot_of(run.page, place, run.handle.element, detail=params.detail, max_nodes=params.max_nodes)


HANDLERS: Handlers = {"getAomSnapshot": aom_snapshot}
