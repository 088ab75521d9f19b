"""How complete a snapshot is, and by what a page should be looked at: text, numbered picture, both, or a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sgclaw.perception.model import View, walk
from sgclaw.perception.roles import PICTURE_ROLES

COMPLETE_ABOVE: Final = 0.8
"""Share of the operable elements that must be listed; at this share or below the snapshot is not complete."""
VISUAL_SHARE: Final = 0.4
"""Share of the seen area that pictures fill on a page whose layout carries the meaning."""
_LARGE: Final = 40_000
"""Square pixels of a picture that is more than an icon or a portrait."""
_VISUAL_WORDS: Final = ("图表", "地图", "流程图", "拓扑", "甘特", "chart", "map", "diagram", "canvas")


class Tier(StrEnum):
    """What the next look at the page should be."""

    AOM = "aom"
    AOM_SOM = "aom+som"
    SOM = "som"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Completeness:
    """`share` of the page's operable elements that the snapshot lists, in 0..1; `reason` is Chinese."""

    complete: bool
    share: float
    listed: int
    total: int
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A tier and why."""

    tier: Tier
    reason: str


def completeness(view: View | None) -> Completeness:
    """The rule of the specification: empty, cut, or no more than 80 % listed is not complete; a blank page is."""
    if view is None:
        return Completeness(False, 0.0, 0, 0, "没有快照")
    listed, total = len(view.operable), view.interactive_total
    share = min(1.0, listed / total) if total else 1.0
    if view.cut:
        return Completeness(False, share, listed, total, "快照达到上限，被截断")
    if not view.nodes:
        reason = "空白页面" if view.blank else "页面不是空白，但快照没有内容"
        return Completeness(view.blank, 1.0 if view.blank else 0.0, listed, total, reason)
    if share <= COMPLETE_ABOVE:
        return Completeness(False, share, listed, total, f"只列出 {listed}/{total} 个可操作元素")
    return Completeness(True, share, listed, total, f"列出 {listed}/{total} 个可操作元素")


def visual_share(view: View) -> float:
    """Share of the area the view covers that large pictures and canvases fill, in 0..1."""
    pictures = total = 0
    for node, path in walk(view.nodes):
        if node.bounds is None:
            continue
        area = max(0, node.bounds[2]) * max(0, node.bounds[3])
        total = max(total, area)
        if node.role in PICTURE_ROLES and area >= _LARGE and not any(outer.role in PICTURE_ROLES for outer in path):
            pictures += area
    return min(1.0, pictures / max(total, 1))


def _names_visual(view: View) -> bool:
    return any(
        node.role in PICTURE_ROLES and any(word in node.name.lower() for word in _VISUAL_WORDS)
        for node, _ in walk(view.nodes)
    )


@dataclass(frozen=True, slots=True)
class _Look:
    state: Completeness
    view: View | None
    pictures: bool


_TABLE: Final[tuple[tuple[Callable[[_Look], bool], Tier, str], ...]] = (
    (lambda look: not look.state.complete and not look.pictures, Tier.PERSON, "快照不完整，也取不到截图"),
    (lambda look: not look.state.complete, Tier.SOM, "快照不完整"),
    (lambda look: look.pictures and look.view is not None and _only_pictures(look.view), Tier.SOM, "页面内容是图形"),
    (lambda look: look.pictures and look.view is not None and _visual(look.view), Tier.AOM_SOM, "版面以图形为主"),
    (lambda look: True, Tier.AOM, "快照完整"),
)
"""First row that holds decides."""


def choose(view: View | None, *, pictures: bool = True) -> Choice:
    """The tier to look at this page with; `pictures` says whether a numbered picture can be had and read."""
    state = completeness(view)
    look = _Look(state, view, pictures)
    tier, reason = next((tier, reason) for holds, tier, reason in _TABLE if holds(look))
    return Choice(tier, f"{reason}：{state.reason}")


def _visual(view: View) -> bool:
    return visual_share(view) >= VISUAL_SHARE or _names_visual(view)


def _only_pictures(view: View) -> bool:
    """A chart, a map or a drawing with nothing to operate beside it."""
    return not view.operable and _visual(view)
