"""The `Driver` over pages of plain data."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from browser_host_stub.driver import IMPLICIT_WAIT_S, Around, JsonObject, Located, StoredArtifact, TargetFacts
from browser_host_stub.memory.site import Element, Page, Site
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import Artifact, PageInfo

_POLL_S = 0.005
_MAX_HOPS = 20
STOPPED = "stopped."
"""Prefix of the rule of an act whose page was kept from leaving, as in every browser of the stub."""

Check = Callable[[str], str | None]
"""The rule that refuses an address, None for one that may be opened."""


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
        """Address → where it leads at once, which may lead on."""
        self._check: Check = lambda _url: None
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

    def confine(self, check: Check) -> None:
        """Keep every page from addresses that `check` refuses; an act that tries is `POLICY_DENIED`."""
        self._check = check

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        found = self._page(page)
        selector = getattr(params, "selector", None)
        if getattr(params, "ref", None) is not None:
            raise ActionError(ActionCode.STALE_REF, "内存浏览器没有快照编号")
        tolerant = action in ("waitForSelector", "query") or selector is None
        element = found.elements.get(str(selector)) if tolerant else self._one(found, str(selector))
        compares = spec_of(action).compares
        in_frame = element.frame if element and compares is Compare.FRAME else None
        origin = _origin(in_frame or found.url)
        if compares is Compare.TARGET_URL:
            origin = str(getattr(params, "url", ""))
        target = _facts(element) if element else None
        info = await self.page_info(page)
        return Located(
            action,
            params,
            info,
            origin,
            target,
            _Handle(found, selector, element),
            around=partial(_around, found, element),
        )

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
        try:
            return perform(self, handle, located.params)
        except PolicyDeniedError:
            handle.page.acts.pop()  # stopped before anything left the page
            raise

    async def _gone_or(self, deadline_s: float) -> None:
        """An act that never ends by itself: the browser dies, or time is up."""
        try:
            await asyncio.wait_for(self.on_gone.wait(), deadline_s)
        except TimeoutError:
            raise ActionError(ActionCode.TIMEOUT, "操作没有在期限内完成") from None

    def goto(self, page: Page, url: str) -> None:
        """Load an address into a page, following redirects; nothing is loaded when one of them is refused."""
        landed = self._landing(url)
        page.before, page.url = page.url, landed
        page.version += 1
        page.elements = self._elements(page.url)

    def open_page(self, url: str) -> Page:
        """A new page at an address, as a link with a target of its own opens it."""
        landed = self._landing(url)
        page = Page(f"p{len(self.pages) + 1}", landed, elements=self._elements(landed))
        self.pages[page.id] = page
        return page

    def _landing(self, url: str) -> str:
        hops = [url]
        while hops[-1] in self.redirects and len(hops) < _MAX_HOPS:
            hops.append(self.redirects[hops[-1]])
        for hop in hops:
            rule = self._check(hop)
            if rule is not None:
                cause = "页面要去策略以外的地址，已在浏览器中拦下，页面留在原处"
                raise PolicyDeniedError(cause, facts={"rule": STOPPED + rule})
        return hops[-1]


async def _around(page: Page, element: Element | None) -> Around:
    """The element itself, and every value of its page."""
    data = sorted((name, other.value) for name, other in page.elements.items() if other.value is not None)
    state = hashlib.sha256(repr(data).encode("utf-8", "surrogatepass")).hexdigest()
    return Around(str(id(element)), state, "；".join(f"{name}：{value}" for name, value in data))


def _origin(url: str) -> str:
    try:
        return str(origin_of(url))
    except PolicyDeniedError:
        return "null"


def _facts(element: Element) -> TargetFacts:
    return TargetFacts(
        tag=element.tag,
        label=element.label,
        name=element.text,
        href=element.href,
        form_action=element.form_action,
        value_preview=element.value,
    )


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


def _click(driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    element = _need(handle)
    if element.on_click is not None:
        element.on_click(handle.page)
    leads_to = element.form_action or element.href
    if leads_to is not None and element.opens_page:
        driver.open_page(leads_to)
    elif leads_to is not None:
        driver.goto(handle.page, leads_to)
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


def _store(_driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    handle.page.storage[str(getattr(params, "key", ""))] = str(getattr(params, "value", ""))
    return {"stored": True}


def _stored(_driver: MemoryDriver, handle: _Handle, params: Params) -> JsonObject:
    return {"value": handle.page.storage.get(str(getattr(params, "key", "")))}


def _scroll(_driver: MemoryDriver, _handle: _Handle, params: Params) -> JsonObject:
    return {"x": getattr(params, "x", 0), "y": getattr(params, "y", 0)}


def _reload(driver: MemoryDriver, handle: _Handle, _params: Params) -> JsonObject:
    driver.goto(handle.page, handle.page.url)
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
    "reload": _reload,
    "storageSet": _store,
    "storageGet": _stored,
    "scrollTo": _scroll,
    "listPages": _list_pages,
    "press": lambda _driver, _handle, _params: {"pressed": True},
    "hover": lambda _driver, _handle, _params: {"hovered": True},
    "clear": lambda _driver, _handle, _params: {"cleared": True},
    "clearStorage": lambda _driver, _handle, _params: {"cleared": True},
    "login": lambda _driver, _handle, _params: {"logged_in": True},
    "logout": lambda _driver, _handle, _params: {"logged_out": True},
}
