"""What could be done on a page for an intent: steps that can be kept and used again, without any value in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.perception.find import find
from sgclaw.perception.model import View
from sgclaw.perception.roles import FIELD_ROLES, TICK_ROLES, is_operable
from sgclaw.perception.untrusted import shown
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import visible

DEFAULT_LIMIT: Final = 20
_NOT_WORD: Final = re.compile(r"[^0-9A-Za-z_\u4e00-\u9fff]+")
_MAX_PARAMETER: Final = 24


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible act. `arguments` hold `%parameter%` placeholders only; `description` is Chinese."""

    ref: str
    selector: str | None
    action: str
    description: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Offer:
    action: str
    argument: str | None
    description: str


_CLICK: Final = _Offer("click", None, "点击“{name}”")
_TYPE: Final = _Offer("type", "text", "在“{name}”中输入")
_SELECT: Final = _Offer("select", "value", "在“{name}”中选择")
_CHECK: Final = _Offer("check", "checked", "勾选或取消“{name}”")
_OFFERS: Final[Mapping[str, _Offer]] = {
    **dict.fromkeys(FIELD_ROLES, _TYPE),
    **dict.fromkeys(TICK_ROLES, _CHECK),
    "combobox": _SELECT,
    "listbox": _SELECT,
    "slider": _Offer("press", "key", "用方向键调整“{name}”"),
}


def candidates(view: View, intent_words: str | Sequence[str] = (), *, limit: int = DEFAULT_LIMIT) -> list[Candidate]:
    """Acts on elements that fit the words, best first; without words on all that are enabled, in reading order."""
    nodes = [match.node for match in find(view, intent_words)] if intent_words else list(view.operable)
    parameters: set[str] = set()
    chosen = [node for node in nodes if is_operable(node) and not node.disabled][:limit]
    return [_candidate(node, parameters) for node in chosen]


def _candidate(node: AomNode, taken: set[str]) -> Candidate:
    offer = _OFFERS.get(node.role, _CLICK)
    arguments = {offer.argument: f"%{_parameter(node, taken)}%"} if offer.argument else {}
    description = offer.description.format(name=shown(node.name) or "未命名")
    return Candidate(node.ref or "", node.selector, offer.action, description, arguments)


def _parameter(node: AomNode, taken: set[str]) -> str:
    """A name for the value after the element's own; a second one of the same name is numbered."""
    base = _NOT_WORD.sub("_", visible(node.name)).strip("_")[:_MAX_PARAMETER] or "值"
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name
