"""What the browser itself tells of a page's layout and listeners, in the order of the document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.delegated import Hits, delegated
from browser_host_stub.driver import JsonObject

_STYLES = ("cursor", "visibility", "opacity", "pointer-events", "display")
_ELEMENT = 1
_COVERS = 400.0
"""Square pixels from which a drawn box may take clicks meant for what lies below."""
_PRESS = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend"})
_MAX_HOSTS = 200
"""Elements of one document whose closed shadow roots are looked into: each one costs a call of the browser."""
_WHEEL = frozenset({"wheel", "mousewheel", "DOMMouseScroll", "scroll"})
_BITS: Mapping[str, int] = {**dict.fromkeys(_PRESS, 1), **dict.fromkeys(_WHEEL, 2), "dblclick": 4}


@dataclass(slots=True)
class Element:
    """One element. `box` is x, y, width, height in its document, None without one; `text`: it shows text of its own."""

    tag: str
    parent: int
    """Place of the element around it in its document, -1 for none."""
    attributes: Mapping[str, str]
    box: tuple[float, float, float, float] | None = None
    styles: tuple[str, ...] = ("", "", "", "", "")
    clickable: bool = False
    text: bool = False
    listens: int = 0
    frame: Document | None = None
    end: int = 0
    """Place after the last element inside it."""
    node: int = 0
    """The browser's number of it."""
    told: JsonObject | None = None
    """What a custom element tells the browser alone; see internals.py."""
    dark: bool = False
    """In a closed shadow root, where no script of the page looks."""


@dataclass(slots=True)
class Document:
    """The elements of one document in document order, shadow trees before the children of their hosts."""

    elements: list[Element] = field(default_factory=list)
    drawn: list[list[int]] = field(default_factory=list)
    """Boxes of what style sheets add (`::before` and the like), as far as they could cover something."""
    hosts: list[int] = field(default_factory=list)
    """The browser's numbers of elements with closed shadow roots that are looked into; roots inside these not apart."""
    shut: bool = False
    """Closed shadow roots beyond those are left out."""

    def marks(self) -> JsonObject:
        """The listeners by place, as the page library reads them."""
        own = [[place, el.tag, el.listens] for place, el in enumerate(self.elements) if el.listens]
        frames = {str(place): el.frame.marks() for place, el in enumerate(self.elements) if el.frame}
        told = [[place, el.tag, el.told] for place, el in enumerate(self.elements) if el.told]
        return {"own": own, "told": told, "frames": frames, "count": len(self.elements), "drawn": self.drawn}


def every_document(document: Document) -> Iterator[Document]:
    """A document and those in its frames."""
    yield document
    for element in document.elements:
        if element.frame is not None:
            yield from every_document(element.frame)


async def layout_of(session: CDPSession, frame: str | None = None) -> Document:
    """The document of a frame, the outermost one of the session when None, with the frames its process draws."""
    captured, listeners, inner = await asyncio.gather(
        session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(_STYLES)}),
        _listeners(session),
        delegated(session),
    )
    made = _documents(captured, listeners)
    if made:
        _add(made[0][1], inner)
    wanted = [document for name, document in made if frame is None or name == frame]
    return wanted[0] if wanted else Document()


def _add(document: Document, found: Mapping[tuple[int, ...], Hits], path: tuple[int, ...] = ()) -> None:
    """Note the listeners that a container keeps for elements in it; none where the document has changed meanwhile."""
    hits, elements = found.get(path), document.elements
    if document.hosts:
        elements = [element for element in elements if not element.dark]
    if hits is None or hits.count != len(elements):
        return
    for place, bits in hits.bits.items():
        if place < len(elements):
            elements[place].listens |= bits
    for place, element in enumerate(elements):
        if element.frame is not None:
            _add(element.frame, found, (*path, place))


async def _listeners(session: CDPSession) -> Mapping[int, int]:
    """Kinds of listeners by node; none when the document has just ended.

    The document is named in the page's own world: asked in another one, the browser hands that world wrappers of nodes
    which its functions then refuse. No page can give another meaning to the name. It is in no object group: for one of
    a group the browser would describe every listening function, with its source.
    """
    try:
        named = await session.send("Runtime.evaluate", {"expression": "document"})
        document = {"objectId": named["result"]["objectId"]}
        reply = await session.send("DOMDebugger.getEventListeners", {**document, "depth": -1, "pierce": True})
        await session.send("Runtime.releaseObject", document)
    except PlaywrightError:
        return {}
    found: dict[int, int] = {}
    for listener in reply["listeners"]:
        bit = _BITS.get(listener["type"], 0)
        if bit and "backendNodeId" in listener:
            found[listener["backendNodeId"]] = found.get(listener["backendNodeId"], 0) | bit
    return found


def _documents(captured: Mapping[str, Any], listeners: Mapping[int, int]) -> list[tuple[str, Document]]:
    """Every document with the browser's id of its frame, the outermost one first."""
    strings: list[str] = captured["strings"]
    made = [_Reader(raw, strings, listeners) for raw in captured["documents"]]
    for reader in made:
        inner = reader.rare("contentDocumentIndex")
        for node, document in inner.items():
            if node in reader.place:
                reader.document.elements[reader.place[node]].frame = made[document].document
    frames = [strings[raw["frameId"]] for raw in captured["documents"]]
    return [(frame, reader.document) for frame, reader in zip(frames, made, strict=True)]


class _Reader:
    """Turns one document of a capture into elements."""

    def __init__(self, raw: Mapping[str, Any], strings: list[str], listeners: Mapping[int, int]) -> None:
        self._raw = raw["nodes"]
        self._strings = strings
        self.place: dict[int, int] = {}
        self.document = Document()
        self._read_nodes(listeners)
        self._read_layout(raw["layout"])

    def rare(self, name: str) -> Mapping[int, int]:
        """Values that few nodes have, by node."""
        data = self._raw[name]
        return dict(zip(data["index"], data["value"], strict=True))

    def _read_nodes(self, listeners: Mapping[int, int]) -> None:
        raw, strings = self._raw, self._strings
        shadows = self.rare("shadowRootType").items()  # the roots themselves are no nodes here
        closed = {node for node, kind in shadows if strings[kind] == "closed"}
        dark: set[int] = set()
        hosts: set[int] = set()
        left_out = set(self._raw["pseudoType"]["index"])
        clickable = set(raw["isClickable"]["index"])
        nodes = zip(
            raw["nodeType"], raw["parentIndex"], raw["nodeName"], raw["backendNodeId"], raw["attributes"], strict=True
        )
        elements, place = self.document.elements, self.place
        for index, (kind, parent, name, backend, attributes) in enumerate(nodes):
            if kind != _ELEMENT:
                continue
            if closed and (parent in dark or (index in closed and _host(parent, hosts))):
                dark.add(index)
            if index in left_out or parent in left_out or (closed and index in closed and index not in dark):
                left_out.add(index)
                continue
            place[index] = len(elements)
            pairs = {strings[attributes[i]]: strings[attributes[i + 1]] for i in range(0, len(attributes), 2)}
            elements.append(
                Element(
                    strings[name].lower(),
                    place.get(parent, -1),
                    pairs,
                    clickable=index in clickable,
                    listens=listeners.get(backend, 0),
                    node=backend,
                    dark=index in dark,
                )
            )
        self.document.hosts = [raw["backendNodeId"][host] for host in sorted(hosts)]
        self.document.shut = len(left_out & closed) > 0
        _close(elements)

    def _read_layout(self, layout: Mapping[str, Any]) -> None:
        strings, elements, parents = self._strings, self.document.elements, self._raw["parentIndex"]
        added = set(self._raw["pseudoType"]["index"])
        rows = zip(layout["nodeIndex"], layout["bounds"], layout["styles"], layout["text"], strict=True)
        for node, bounds, styles, text in rows:
            if node in self.place:
                element = elements[self.place[node]]
                element.box = (bounds[0], bounds[1], bounds[2], bounds[3])
                element.styles = tuple(strings[style] for style in styles)
            elif node in added:
                if bounds[2] * bounds[3] >= _COVERS:
                    self.document.drawn.append([round(length) for length in bounds])
            elif text >= 0 and parents[node] in self.place and strings[text].strip():
                elements[self.place[parents[node]]].text = True


def _host(node: int, hosts: set[int]) -> bool:
    """Whether the closed root of a node is looked into."""
    if len(hosts) < _MAX_HOSTS:
        hosts.add(node)
    return node in hosts


def _close(elements: Iterable[Element]) -> None:
    """Note where each element ends."""
    listed = list(elements)
    for place, element in enumerate(listed):
        element.end = place + 1
    for element in reversed(listed):
        if element.parent >= 0:
            listed[element.parent].end = max(listed[element.parent].end, element.end)
