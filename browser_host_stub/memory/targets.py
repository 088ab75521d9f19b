"""From a selector or a ref to one element that the act may touch, or the error that names why not."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from browser_host_stub.driver import JsonObject, TargetFacts
from browser_host_stub.memory.site import Dialog, Element, Page
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.params import HandleDialog, Params, WaitForSelector

_MOST_ALTERNATIVES = 5
_ROLES: Mapping[str, str] = {
    "a": "link",
    "button": "button",
    "input": "textbox",
    "textarea": "textbox",
    "select": "combobox",
    "table": "table",
    **{f"h{level}": "heading" for level in range(1, 7)},
}
_ANY_STATE = frozenset({"getHtml", "query", "scrollTo"})
_SEEN_ONLY = frozenset({"getText", "extractTable", "hover", "getAomSnapshot", "pageScreenshot"})
_NOT_SEEN = frozenset({"upload", "press"})
"""Acts that need an element which is not disabled, and need not see it."""
_BY_MOUSE = frozenset({"click", "type", "clear", "select", "check", "hover", "download"})
_TYPED = frozenset({"type", "clear"})


@dataclass(frozen=True)
class Handle:
    """What `perform` acts on."""

    page: Page
    selector: str | None = None
    element: Element | None = None
    version: int = 0
    dialog: Dialog | None = None


def role_of(element: Element) -> str:
    """Its role, stated or by its tag; empty for what is only text."""
    if element.role or element.checked is None:
        return element.role or _ROLES.get(element.tag, "")
    return "checkbox"


def operable(element: Element) -> bool:
    """Whether a person can do something with it."""
    plain = role_of(element) in ("", "heading", "table")
    return not plain or any((element.on_click, element.href, element.form_action, element.file, element.label))


def facts_of(element: Element) -> TargetFacts:
    """What a target shows."""
    return TargetFacts(
        tag=element.tag,
        role=element.role,
        label=element.label,
        name=element.text,
        href=element.href,
        form_action=element.form_action,
        value_preview=None if element.is_secret else element.value,
    )


def dialog_facts(dialog: Dialog) -> TargetFacts:
    """The open dialog as a target."""
    return TargetFacts("dialog", "alertdialog", dialog.message, type=dialog.kind)


def ref_of(page: Page, element: Element) -> str:
    """`<version>:<n>`, and `<version>:<f>.<n>` in a frame."""
    number = page.number_of(element)
    if element.frame is None:
        return f"{page.version}:{number}"
    frames = list(dict.fromkeys(one.frame for one in page.elements.values() if one.frame is not None))
    return f"{page.version}:{frames.index(element.frame) + 1}.{number}"


def find(page: Page, action: str, params: Params) -> Handle:
    """Resolve what the act is on; raises `ActionError`. Acts that wait, and facts of absence, take any answer."""
    if isinstance(params, HandleDialog):
        if page.dialog is None:
            raise _refused(ActionCode.NOT_FOUND, "页面没有打开的对话框")
        return Handle(page, dialog=page.dialog, version=page.version)
    selector, ref = getattr(params, "selector", None), getattr(params, "ref", None)
    if ref is not None:
        selector = _selector_of(page, ref)
    element = page.elements.get(selector) if selector is not None else None
    tolerant = isinstance(params, WaitForSelector) or getattr(params, "fact", "") in ("exists", "count")
    if selector is not None and not tolerant:
        element = _one(page, selector)
        _check_state(page, selector, element, action)
    return Handle(page, selector, element, page.version)


def _selector_of(page: Page, ref: str) -> str:
    version, _, number = ref.partition(":")
    if version != str(page.version):
        raise _refused(
            ActionCode.STALE_REF,
            f"编号属于页面的第 {version} 版，现在是第 {page.version} 版",
            ref=ref,
            version=version,
            now=page.version,
        )
    place = number.rpartition(".")[2]
    known = page.numbers[int(place) - 1] if place.isdecimal() and 0 < int(place) <= len(page.numbers) else None
    if known is None:
        raise _refused(ActionCode.STALE_REF, "快照中没有这个编号", ref=ref, alternatives=[])
    for selector, element in page.elements.items():
        if element is known:
            return selector
    same = [selector for selector, element in page.elements.items() if _identity(element) == _identity(known)]
    if len(same) == 1:
        return same[0]
    alternatives = _nearest(page, known.text)
    raise _refused(ActionCode.DETACHED_TARGET, "目标元素已从页面上移除", ref=ref, alternatives=alternatives)


def _identity(element: Element) -> tuple[object, ...]:
    return element.tag, role_of(element), element.text, element.frame, element.attributes


def _one(page: Page, selector: str) -> Element:
    element = page.elements.get(selector)
    if element is None:
        alternatives = _nearest(page, selector)
        raise _refused(ActionCode.NOT_FOUND, f"没有找到 {selector}", selector=selector, alternatives=alternatives)
    if element.count != 1:
        cause = f"{selector} 匹配了 {element.count} 个元素"
        raise _refused(ActionCode.AMBIGUOUS_TARGET, cause, count=element.count)
    return element


def _check_state(page: Page, selector: str, element: Element, action: str) -> None:
    if action in _ANY_STATE:
        return
    if not element.visible and action not in _NOT_SEEN:
        cause, facts = f"{selector} 没有显示", _standing(element)
        raise _refused(
            ActionCode.HIDDEN_TARGET, cause, selector=selector, alternatives=_nearest(page, selector), **facts
        )
    if element.covered_by is not None and action in _BY_MOUSE:
        covered = {"element": element.covered_by, "text": ""}
        raise _refused(ActionCode.COVERED_TARGET, f"{selector} 被 {element.covered_by} 遮挡", covered_by=covered)
    if action in _SEEN_ONLY:
        return
    if not element.enabled or (element.readonly and action in _TYPED):
        why = "不可用" if not element.enabled else "是只读的"
        raise _refused(ActionCode.DISABLED_TARGET, f"{selector} {why}", selector=selector, **_standing(element))


def unsupported(element: Element, why: str) -> ActionError:
    """The error of an intent that this element does not take."""
    return _refused(ActionCode.UNSUPPORTED_WIDGET, why, **_standing(element))


def _standing(element: Element) -> JsonObject:
    return {"within": list(element.within)} if element.within else {}


def _nearest(page: Page, wanted: str) -> list[JsonObject]:
    def closeness(item: tuple[str, Element]) -> float:
        return max(difflib.SequenceMatcher(None, wanted, text).ratio() for text in (item[0], item[1].text))

    candidates = [item for item in list(page.elements.items())[:200] if item[1].visible and operable(item[1])]
    best = sorted(candidates, key=closeness, reverse=True)[:_MOST_ALTERNATIVES]
    return [{"selector": selector, "role": role_of(one), "name": one.text[:80]} for selector, one in best]


def _refused(code: ActionCode, cause: str, **facts: object) -> ActionError:
    return ActionError(code, cause, facts=facts)
