"""Numbered pictures in words, and from what a model or a person writes to the element that is meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from sgclaw.errors import ActionCode, ActionError, Facts
from sgclaw.perception import wording
from sgclaw.perception.model import SHORT_REF, View, short_ref
from sgclaw.perception.pages import DEFAULT_CAP
from sgclaw.perception.roles import OPERABLE_WORDS
from sgclaw.perception.untrusted import block, shown
from sgclaw.protocol.results import AomNode, SomLabel
from sgclaw.tokens.bound import SLACK, estimate

_MAX_ALTERNATIVES: Final = 5
_MARK: Final = re.compile(r"\s*(?:标记|标号|mark)\s*[\[#]?\s*(\d{1,6})\s*\]?\s*", re.IGNORECASE)
_SHORT: Final = re.compile(rf"\s*(?:ref\s*=?\s*)?\[?\s*({SHORT_REF})\s*\]?\s*", re.IGNORECASE)
_FULL: Final = re.compile(rf"\s*\[?\s*(\d{{1,16}}):({SHORT_REF})\s*\]?\s*")


def marks_of(labels: Sequence[SomLabel]) -> dict[int, str]:
    """Wire ref by the number on the picture; a label without a ref cannot be a target and is left out."""
    return {label.id: label.ref for label in labels if label.ref is not None}


def marks_text(labels: Sequence[SomLabel], view: View, *, cap: int = DEFAULT_CAP) -> str:
    """The list that goes with a picture: `[3] 导出报表 按钮`, within `cap` tokens; the head says what is left out."""
    head = f"页面{view.page.id} 版本{view.page.version} 标记{len(labels)}个"
    room = cap - estimate(head) - estimate(block(view.origin, "")) - SLACK * 2
    lines: list[str] = []
    for label in labels:
        line = _label_line(label, view.node(label.ref) if label.ref else None)
        room -= estimate(line) + 1
        if room < 0:
            head += f"，列出{len(lines)}个"
            break
        lines.append(line)
    return f"{head}\n{block(view.origin, chr(10).join(lines))}"


def _label_line(label: SomLabel, node: AomNode | None) -> str:
    if node is None:
        return f"[{label.id}] {shown(label.name) or '未命名'}"
    word = OPERABLE_WORDS.get(node.role) or "按钮"
    name = wording.name_of(node) or shown(label.name) or "未命名"
    return f"[{label.id}] {name} {word}{wording.value_of(node)}{wording.states(node)}"


def resolve_target(target: str | int, view: View, marks: Mapping[int, str] | None = None) -> str:
    """The wire ref meant by `[17]`, `17`, `2.17`, `标记3` or a whole ref.

    Where a picture was shown, a bare number may be a mark or a ref. Both, for different elements: `AMBIGUOUS_TARGET`.
    Neither: `NOT_FOUND`. A whole ref of another version of the page: `STALE_REF` with both versions.
    """
    text = unicodedata.normalize("NFKC", str(target))[:80]
    if found := _MARK.fullmatch(text):
        return _of_mark(int(found[1]), view, marks or {})
    if found := _FULL.fullmatch(text):
        return _of_full(int(found[1]), found[2], view)
    if found := _SHORT.fullmatch(text):
        return _of_short(found[1], view, marks or {})
    raise _error(ActionCode.NOT_FOUND, "这不是一个元素编号", view, {"target": shown(text)})


def _of_mark(number: int, view: View, marks: Mapping[int, str]) -> str:
    if number not in marks:
        raise _error(ActionCode.NOT_FOUND, f"截图上没有标记 {number}", view, {"target": str(number)})
    return _fresh(marks[number], view)


def _of_full(version: int, short: str, view: View) -> str:
    return _known(_fresh(f"{version}:{short}", view), view)


def _of_short(short: str, view: View, marks: Mapping[int, str]) -> str:
    as_ref = f"{view.page.version}:{short}"
    meant = {as_ref} if view.node(as_ref) is not None else set()
    if short.isdigit() and int(short) in marks:
        meant.add(_fresh(marks[int(short)], view))
    if len(meant) > 1:
        raise _error(
            ActionCode.AMBIGUOUS_TARGET,
            f"{short} 既是截图标记，又是另一个元素的编号",
            view,
            {"alternatives": [_about(view.node(ref), ref) for ref in sorted(meant)]},
        )
    return meant.pop() if meant else _known(as_ref, view)


def _fresh(ref: str, view: View) -> str:
    """The ref if it is of this version of the page."""
    version = ref.partition(":")[0]
    if version != str(view.page.version):
        raise _error(
            ActionCode.STALE_REF,
            f"编号来自页面版本 {version}，现在是版本 {view.page.version}",
            view,
            {"ref": ref, "ref_version": version, "page_version": view.page.version},
        )
    return ref


def _known(ref: str, view: View) -> str:
    if view.node(ref) is None:
        near = [_about(node, node.ref) for node in view.operable if _near(node, ref)]
        raise _error(
            ActionCode.NOT_FOUND,
            f"快照里没有编号 {short_ref(ref)}",
            view,
            {"target": short_ref(ref), "alternatives": near[:_MAX_ALTERNATIVES]},
        )
    return ref


def _near(node: AomNode, ref: str) -> bool:
    """The same number in another frame: what is mistaken most often."""
    return node.ref is not None and short_ref(node.ref).rpartition(".")[2] == short_ref(ref).rpartition(".")[2]


def _about(node: AomNode | None, ref: str | None) -> dict[str, object]:
    if node is None:
        return {"ref": ref}
    return {"ref": ref, "selector": node.selector, "role": node.role, "name": shown(node.name)}


def _error(code: ActionCode, cause: str, view: View, facts: Facts) -> ActionError:
    return ActionError(code, cause, facts={"page": view.page.id, **facts})
