"""Acts of the in-memory browser that only look."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from browser_host_stub.driver import JsonObject
from browser_host_stub.memory.site import Element, Page
from browser_host_stub.memory.targets import Handle, operable, ref_of, role_of
from browser_host_stub.scrub import stored_value
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

if TYPE_CHECKING:
    from browser_host_stub.memory.driver import MemoryDriver

_POLL_S = 0.005
_PNG = b"\x89PNG\r\n\x1a\n"
_ROW_HEIGHT = 24
_FIELDS = ("input", "textarea", "select")


def get_text(_driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    """Text of an element; of a field its value, of a password field nothing."""
    element = need(handle)
    if element.is_secret:
        return {"text": ""}
    return {"text": element.value if element.tag in _FIELDS and element.value else element.text}


def get_html(_driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    """The element as HTML, without what it holds."""
    element = need(handle)
    shown = "".join(f' {name}="{html.escape(value)}"' for name, value in element.attributes.items())
    return {"html": f"<{element.tag}{shown}>{html.escape(element.text)}</{element.tag}>"}


_FACTS: Mapping[str, Callable[[Page, Element | None, str], object]] = {
    "exists": lambda _page, element, _name: element is not None,
    "visible": lambda _page, element, _name: element is not None and element.visible,
    "enabled": lambda _page, element, _name: element is not None and element.enabled and not element.readonly,
    "count": lambda _page, element, _name: element.count if element else 0,
    "value": lambda _page, element, _name: element.value if element and not element.is_secret else None,
    "attribute": lambda _page, element, name: element.attributes.get(name) if element else None,
    "url": lambda page, _element, _name: page.url,
    "title": lambda page, _element, _name: page.title,
}


def query(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """One fact."""
    read = _FACTS[str(getattr(params, "fact", ""))]
    return {"value": read(handle.page, handle.element, str(getattr(params, "name", "")))}


_REACHED: Mapping[str, Callable[[Element | None], bool]] = {
    "visible": lambda element: element is not None and element.visible,
    "attached": lambda element: element is not None,
    "hidden": lambda element: element is None or not element.visible,
    "detached": lambda element: element is None,
}


async def wait_for(handle: Handle, params: p.Params, deadline_s: float) -> JsonObject:
    """Poll until the state is there; raises `TIMEOUT`."""
    reached = _REACHED[str(getattr(params, "state", "visible"))]
    seconds = min(deadline_s, float(getattr(params, "timeout_ms", 0)) / 1000)
    until = asyncio.get_running_loop().time() + seconds
    while not reached(handle.page.elements.get(handle.selector or "")):
        if asyncio.get_running_loop().time() >= until:
            raise ActionError(ActionCode.TIMEOUT, f"等待 {handle.selector} 超时", facts={"selector": handle.selector})
        await asyncio.sleep(_POLL_S)
    return {"found": True}


def screenshot(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """A picture that shows nothing, with the marks it would have."""
    marks = []
    if isinstance(params, p.Screenshot) and params.som_overlay:
        shown = [node for node in _nodes(driver, handle.page) if node.pop("operable")]
        marks = [
            {"id": number, **{name: node[name] for name in ("selector", "ref", "name", "bounds")}}
            for number, node in enumerate(shown, 1)
        ]
    artifact = driver.artifacts.add("screenshot.png", _PNG, "image/png")
    return {"artifact": artifact.model_dump(), "som_labels": marks}


def scroll_to(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """Move the page; an element moves nothing."""
    if isinstance(params, p.ScrollTo) and handle.element is None:
        handle.page.scroll = params.x, params.y
    return dict(zip("xy", handle.page.scroll, strict=True))


def extract_table(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """Columns and rows, and whether they are all."""
    table = need(handle).table
    if table is None:
        raise ActionError(ActionCode.NOT_FOUND, "其中没有表格", facts={"selector": handle.selector})
    rows = table.rows[: params.max_rows if isinstance(params, p.ExtractTable) else None]
    whole = len(rows) == len(table.rows) and table.total in (None, len(rows))
    shown: JsonObject = {"columns": list(table.columns), "rows": [list(row) for row in rows], "row_count": len(rows)}
    return {**shown, "page_total": table.total, "complete": whole}


def storage_get(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """An item of the origin's storage, without secrets."""
    key = str(getattr(params, "key", ""))
    return {"value": stored_value(key, driver.storage_of(handle.page).get(key))}


def snapshot(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    """Every element that shows, in order; `interactive_total` counts what can be operated, listed or not."""
    most = params.max_nodes if isinstance(params, p.Snapshot) else 0
    full = isinstance(params, p.Snapshot) and params.detail == "full"
    nodes = _nodes(driver, handle.page, only=handle.element, full=full)
    total = sum(bool(node.pop("operable")) for node in nodes)
    framed = _framed(driver, handle.page, nodes[:most])
    return {"nodes": framed, "interactive_total": total, "blank": not nodes, "cut": len(nodes) > most}


def _nodes(driver: MemoryDriver, page: Page, *, only: Element | None = None, full: bool = False) -> list[JsonObject]:
    """Flat; `frame` and `operable` are for this file."""
    nodes: list[JsonObject] = []
    for selector, element in page.elements.items():
        unseen = element.frame is not None and driver.rule_against(element.frame) is not None
        if not element.visible or unseen or (only is not None and element is not only):
            continue
        node = _node(page, selector, element, len(nodes))
        nodes.append({**node, **({"identity": _identity(element)} if full else {})})
    return nodes


def _node(page: Page, selector: str, element: Element, place: int) -> JsonObject:
    marks = {"disabled": not element.enabled, "readonly": element.readonly, "covered": element.covered_by is not None}
    return {
        "role": role_of(element) or ("button" if operable(element) else "status"),
        "name": element.text,
        "value": None if element.is_secret else element.value,
        "bounds": [0, place * _ROW_HEIGHT, 200, _ROW_HEIGHT],
        "selector": selector,
        "ref": ref_of(page, element),
        "checked": element.checked,
        "row_count": len(element.table.rows) if element.table else None,
        **{name: True for name, state in marks.items() if state},
        "operable": operable(element),
        **({"origin": element.frame} if element.frame else {}),
    }


def _identity(element: Element) -> JsonObject:
    identity: JsonObject = {"tag": element.tag, "text": element.text, "attributes": dict(element.attributes)}
    return {**identity, "id": element.attributes.get("id"), "within": list(element.within)}


def _framed(driver: MemoryDriver, page: Page, nodes: list[JsonObject]) -> list[JsonObject]:
    """Elements of a frame inside its node; a frame of an unlisted origin is there, and empty."""
    outer = [node for node in nodes if "origin" not in node]
    frames = dict.fromkeys(element.frame for element in page.elements.values() if element.frame and element.visible)
    for frame in frames:
        inside = [node for node in nodes if node.get("origin") == frame]
        children = [{name: value for name, value in node.items() if name != "origin"} for node in inside]
        outer.append({"role": "iframe", "origin": driver.origin_of(frame), "children": children})
    return outer


def need(handle: Handle) -> Element:
    """The element of an act that cannot do without one."""
    if handle.element is None:
        raise ActionError(ActionCode.NOT_FOUND, "没有找到目标元素")
    return handle.element
