"""Acts of the in-memory browser that do something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from browser_host_stub.driver import JsonObject
from browser_host_stub.memory import seeing
from browser_host_stub.memory.seeing import need
from browser_host_stub.memory.site import Element, Page
from browser_host_stub.memory.targets import Handle, unsupported
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

if TYPE_CHECKING:
    from browser_host_stub.memory.driver import MemoryDriver

Act = Callable[["MemoryDriver", Handle, p.Params], JsonObject]


def _landed(page: Page, *, status: int | None = None) -> JsonObject:
    return {"url": page.url, "title": page.title, "status": status}


def _navigate(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    driver.goto(handle.page, str(getattr(params, "url", "")))
    if not handle.page.elements:
        raise ActionError(ActionCode.NAVIGATION_FAILED, "网址打不开")
    return _landed(handle.page, status=200)


def _press_button(driver: MemoryDriver, handle: Handle) -> None:
    element, page = need(handle), handle.page
    if element.on_click is not None:
        element.on_click(page)
        driver.dialog_opened(page)
    leads_to = element.form_action or element.href
    if leads_to is not None and element.opens_page:
        driver.open_page(leads_to, opener=page)
    elif leads_to is not None:
        driver.goto(page, leads_to)


def _click(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    _press_button(driver, handle)
    return {"clicked": True}


def _within(element: Element) -> JsonObject:
    return {"within": list(element.within)} if element.within else {}


def _type(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    element = need(handle)
    if not isinstance(params, p.Type):
        raise TypeError(params)
    before = "" if params.clear else element.value or ""
    element.value = before + params.text
    return {"typed": True, "value": None if element.is_secret else element.value, **_within(element)}


def _clear(_driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    need(handle).value = ""
    return {"cleared": True}


def _select(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    element, wanted = need(handle), str(getattr(params, "value", ""))
    if element.tag != "select" and not element.options:
        raise unsupported(element, "不是原生下拉框")
    options = element.options or ((wanted, wanted),)
    found = [one for one in options if one[0] == wanted] or [one for one in options if one[1] == wanted]
    if len(found) != 1:
        code = ActionCode.AMBIGUOUS_TARGET if found else ActionCode.NOT_FOUND
        labels = [label for _value, label in options[:50]]
        raise ActionError(code, "下拉框中没有这一项，或不止一项", facts={"options": labels})
    element.value, label = found[0]
    return {"value": element.value, "label": label, **_within(element)}


def _check(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    element = need(handle)
    if element.checked is None:
        raise unsupported(element, "不是可勾选的元素")
    element.checked = isinstance(params, p.Check) and params.checked
    return {"checked": element.checked, **_within(element)}


def _upload(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    element = need(handle)
    stored = driver.artifacts.get(str(getattr(params, "file", "")))
    if stored is None:
        raise ActionError(ActionCode.BAD_PARAMS, "没有这个编号的文件", facts={"file": getattr(params, "file", "")})
    if element.files is None:
        raise unsupported(element, "点击后没有打开文件选择框")
    name, size = stored.artifact.name, stored.artifact.size
    element.files.append((name, size))
    return {"uploaded": True, "name": name, "size": size}


def _download(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    element = need(handle)
    if element.file is None:
        raise ActionError(ActionCode.DOWNLOAD_FAILED, "点击后没有文件下载")
    artifact = driver.artifacts.add(*element.file)
    told = {"name": artifact.name, "size": artifact.size, "sha256": artifact.sha256, "artifact": artifact.id}
    driver.tell("download", handle.page, **told)
    return {"artifact": artifact.model_dump()}


def _step(driver: MemoryDriver, page: Page, *, forward: bool) -> JsonObject:
    left, address = page.url, page.after if forward else page.before
    if not address:
        raise ActionError(ActionCode.NAVIGATION_FAILED, "没有可以前往的历史页面", facts={"cause": "NO_HISTORY"})
    driver.goto(page, address)
    page.before, page.after = (left, "") if forward else ("", left)
    return _landed(page)


def _reload(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    before = handle.page.before
    driver.goto(handle.page, handle.page.url)
    handle.page.before = before
    return _landed(handle.page)


def _list_pages(driver: MemoryDriver, _handle: Handle, _params: p.Params) -> JsonObject:
    return {"pages": [driver.info(page).model_dump() for page in driver.pages.values()], "withheld": 0}


def _switch_page(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    driver.default = handle.page.id
    return _landed(handle.page)


def _close_page(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    driver.close_page(handle.page)
    return {"closed": True}


def _spawn(driver: MemoryDriver, _handle: Handle, params: p.Params) -> JsonObject:
    page = driver.open_page(str(getattr(params, "url", "")), hidden=True)
    return {"page": page.id, "url": page.url}


def _kill(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    if not handle.page.hidden:
        facts = {"page": handle.page.id}
        raise ActionError(ActionCode.BAD_PARAMS, "这不是后台页面，请用 closePage 关闭", facts=facts)
    driver.close_page(handle.page)
    return {"closed": True}


def _handle_dialog(_driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    dialog = handle.dialog
    if dialog is None or handle.page.dialog is not dialog:
        raise ActionError(ActionCode.STALE_REF, "对话框已经关闭")
    handle.page.dialog = None
    if isinstance(params, p.HandleDialog):
        dialog.on_answer(params.accept, params.text)
    return {"handled": True, "message": dialog.message[:2_000]}


def _store(driver: MemoryDriver, handle: Handle, params: p.Params) -> JsonObject:
    driver.storage_of(handle.page)[str(getattr(params, "key", ""))] = str(getattr(params, "value", ""))
    return {"stored": True}


def _clear_storage(driver: MemoryDriver, handle: Handle, _params: p.Params) -> JsonObject:
    driver.storage_of(handle.page).clear()
    return {"cleared": True}


PERFORM: Mapping[str, Act] = {
    "navigate": _navigate,
    "click": _click,
    "type": _type,
    "clear": _clear,
    "select": _select,
    "check": _check,
    "upload": _upload,
    "download": _download,
    "goBack": lambda driver, handle, _params: _step(driver, handle.page, forward=False),
    "goForward": lambda driver, handle, _params: _step(driver, handle.page, forward=True),
    "reload": _reload,
    "listPages": _list_pages,
    "switchPage": _switch_page,
    "closePage": _close_page,
    "zombieSpawn": _spawn,
    "zombieKill": _kill,
    "handleDialog": _handle_dialog,
    "storageSet": _store,
    "storageGet": seeing.storage_get,
    "clearStorage": _clear_storage,
    "getText": seeing.get_text,
    "getHtml": seeing.get_html,
    "query": seeing.query,
    "pageScreenshot": seeing.screenshot,
    "scrollTo": seeing.scroll_to,
    "extractTable": seeing.extract_table,
    "getAomSnapshot": seeing.snapshot,
    "press": lambda _driver, _handle, _params: {"pressed": True},
    "hover": lambda _driver, _handle, _params: {"hovered": True},
    "login": lambda _driver, _handle, _params: {"logged_in": True},
    "logout": lambda _driver, _handle, _params: {"logged_out": True},
}
"""Every act of the table but `waitForSelector`, which takes its time."""
