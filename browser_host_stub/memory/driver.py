"""The `Driver` over pages of plain data."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from browser_host_stub.driver import IMPLICIT_WAIT_S, JsonObject, Located, StoredArtifact, TargetFacts
from browser_host_stub.memory.site import Element, Page, Site
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import Artifact, PageInfo

_POLL_S = 0.005


@dataclass
class Knobs:
    """What goes wrong in the browser: every act takes `delay_s`; acts named in `hang` never end."""

    delay_s: float = 0.0
    hang: set[str] = field(default_factory=set)


class MemoryArtifacts:
    """Files kept in a folder, whole from the moment they are visible."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, StoredArtifact] = {}

    def get(self, artifact_id: str) -> StoredArtifact | None:
        return self._kept.get(artifact_id)

    def all(self) -> tuple[StoredArtifact, ...]:
        return tuple(self._kept.values())

    def add(self, name: str, content: bytes) -> Artifact:
        """Keep one file."""
        artifact = Artifact(
            id=f"f{len(self._kept) + 1}",
            name=name,
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            mime="application/octet-stream",
        )
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{artifact.id}-{name}"
        path.write_bytes(content)
        self._kept[artifact.id] = StoredArtifact(artifact, path)
        return artifact


@dataclass(frozen=True)
class _Handle:
    page: Page
    selector: str | None
    element: Element | None


class MemoryDriver:
    """One in-memory browser with one page to start with."""

    def __init__(self, site: Site, folder: Path, *, start: str = "about:blank") -> None:
        self._site = site
        self.redirects: dict[str, str] = {}
        self.knobs = Knobs()
        self.artifacts = MemoryArtifacts(folder)
        self.on_gone = asyncio.Event()
        self.pages = {"p1": Page("p1", start, elements=self._elements(start))}

    def _elements(self, url: str) -> dict[str, Element]:
        make = self._site.get(url)
        return make() if make else {}

    def _page(self, page: str | None) -> Page:
        found = self.pages.get(page or "p1")
        if self.on_gone.is_set() or found is None:
            raise ActionError(ActionCode.PAGE_GONE, "页面已经关闭", facts={"page": page})
        return found

    async def default_page(self) -> PageInfo:
        return await self.page_info(None)

    async def page_info(self, page: str | None) -> PageInfo:
        found = self._page(page)
        return PageInfo(id=found.id, url=found.url, title=found.title, version=found.version)

    async def close(self) -> None:
        self.on_gone.set()

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        found = self._page(page)
        selector = getattr(params, "selector", None)
        if getattr(params, "ref", None) is not None:
            raise ActionError(ActionCode.STALE_REF, "内存浏览器没有快照编号")
        tolerant = action in ("waitForSelector", "query") or selector is None
        element = found.elements.get(str(selector)) if tolerant else self._one(found, str(selector))
        origin = _origin(found.url)
        if spec_of(action).compares is Compare.TARGET_URL:
            origin = str(getattr(params, "url", ""))
        target = _facts(element) if element else None
        info = await self.page_info(page)
        return Located(action, params, info, origin, target, _Handle(found, selector, element))

    @staticmethod
    def _one(page: Page, selector: str) -> Element:
        element = page.elements.get(selector)
        if element is None:
            raise ActionError(ActionCode.NOT_FOUND, f"没有找到 {selector}", facts={"selector": selector})
        if element.count != 1:
            cause = f"{selector} 匹配了 {element.count} 个元素"
            raise ActionError(ActionCode.AMBIGUOUS_TARGET, cause, facts={"count": element.count})
        if not element.visible:
            raise ActionError(ActionCode.HIDDEN_TARGET, f"{selector} 没有显示", facts={"selector": selector})
        if not element.enabled:
            raise ActionError(ActionCode.DISABLED_TARGET, f"{selector} 不可用", facts={"selector": selector})
        return element

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        handle = located.handle
        if not isinstance(handle, _Handle):
            raise TypeError("located by another driver")
        if located.action in self.knobs.hang:
            await self._gone_or(deadline_s)
        if self.knobs.delay_s:
            await asyncio.sleep(self.knobs.delay_s)
        self._page(handle.page.id)
        perform = _PERFORM.get(located.action)
        if perform is None:
            raise ActionError(ActionCode.NOT_IMPLEMENTED, f"内存浏览器不支持 {located.action}")
        handle.page.acts.append((located.action, handle.selector or ""))
        if located.action == "waitForSelector":
            return await _wait(handle, located.params, deadline_s)
        return perform(self, handle, located.params)

    async def _gone_or(self, deadline_s: float) -> None:
        """An act that never ends by itself: the browser dies, or time is up."""
        try:
            await asyncio.wait_for(self.on_gone.wait(), deadline_s)
        except TimeoutError:
            raise ActionError(ActionCode.TIMEOUT, "操作没有在期限内完成") from None

    def goto(self, page: Page, url: str) -> None:
        """Load an address into a page, following one redirect."""
        page.before, page.url = page.url, self.redirects.get(url, url)
        page.version += 1
        page.elements = self._elements(page.url)


def _origin(url: str) -> str:
    try:
        return str(origin_of(url))
    except PolicyDeniedError:
        return "null"


def _facts(element: Element) -> TargetFacts:
    return TargetFacts(tag=element.tag, label=element.label, name=element.text, value_preview=element.value)


def _need(handle: _Handle) -> Element:
    if handle.element is None:
        raise ActionError(ActionCode.NOT_FOUND, "没有找到目标元素")
    return handle.element


def _navigate(driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    url = str(getattr(params, "url", ""))
    driver.goto(handle.page, url)
    if not handle.page.elements:
        raise ActionError(ActionCode.NAVIGATION_FAILED, "网址打不开")
    return {"url": handle.page.url, "title": handle.page.title, "status": 200}


def _click(_driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    element = _need(handle)
    if element.on_click is not None:
        element.on_click(handle.page)
    return {"clicked": True}


def _type(_driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    _need(handle).value = str(getattr(params, "text", ""))
    return {"typed": True, "value": handle.element.value if handle.element else None}


def _select(_driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    _need(handle).value = str(getattr(params, "value", ""))
    return {"value": str(getattr(params, "value", ""))}


def _get_text(_driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    return {"text": _need(handle).text}


def _download(driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    element = _need(handle)
    if element.file is None:
        raise ActionError(ActionCode.DOWNLOAD_FAILED, "点击后没有文件下载")
    return {"artifact": driver.artifacts.add(*element.file).model_dump()}


_FACTS: Mapping[str, Callable[[Page, Element | None, str], object]] = {
    "exists": lambda _page, element, _name: element is not None,
    "visible": lambda _page, element, _name: element is not None and element.visible,
    "enabled": lambda _page, element, _name: element is not None and element.enabled,
    "count": lambda _page, element, _name: element.count if element else 0,
    "value": lambda _page, element, _name: element.value if element else None,
    "attribute": lambda _page, element, name: element.attributes.get(name) if element else None,
    "url": lambda page, _element, _name: page.url,
    "title": lambda page, _element, _name: page.title,
}


def _query(_driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    read = _FACTS[str(getattr(params, "fact", ""))]
    return {"value": read(handle.page, handle.element, str(getattr(params, "name", "")))}


async def _wait(handle: _Handle, params: Params, deadline_s: float) -> JsonObject:
    wanted = getattr(params, "state", "visible") in ("visible", "attached")
    seconds = min(deadline_s, float(getattr(params, "timeout_ms", 0)) / 1000)
    until = asyncio.get_running_loop().time() + seconds
    while True:
        element = handle.page.elements.get(handle.selector or "")
        if (element is not None and element.visible) is wanted:
            return {"found": True}
        if asyncio.get_running_loop().time() >= until:
            raise ActionError(ActionCode.TIMEOUT, f"等待 {handle.selector} 超时", facts={"selector": handle.selector})
        await asyncio.sleep(_POLL_S)


def _snapshot(_driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    nodes = [
        {"role": element.tag, "name": element.text, "value": element.value, "selector": selector}
        for selector, element in handle.page.elements.items()
        if element.visible
    ]
    return {"nodes": nodes, "interactive_total": len(nodes), "blank": not nodes}


def _go_back(driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    driver.goto(handle.page, handle.page.before or handle.page.url)
    return {"url": handle.page.url, "title": handle.page.title}


def _list_pages(driver: MemoryDriver, _handle: _Handle, _params: Params) -> JsonObject:
    pages = [
        {"id": page.id, "url": page.url, "title": page.title, "version": page.version} for page in driver.pages.values()
    ]
    return {"pages": pages, "withheld": 0}


_PERFORM: Mapping[str, Callable[[MemoryDriver, _Handle, Params], JsonObject]] = {
    "navigate": _navigate,
    "click": _click,
    "type": _type,
    "select": _select,
    "getText": _get_text,
    "download": _download,
    "query": _query,
    "waitForSelector": lambda _driver, _handle, _params: {"found": True},
    "getAomSnapshot": _snapshot,
    "goBack": _go_back,
    "listPages": _list_pages,
    "press": lambda _driver, _handle, _params: {"pressed": True},
    "hover": lambda _driver, _handle, _params: {"hovered": True},
    "clear": lambda _driver, _handle, _params: {"cleared": True},
    "clearStorage": lambda _driver, _handle, _params: {"cleared": True},
    "logout": lambda _driver, _handle, _params: {"logged_out": True},
}
