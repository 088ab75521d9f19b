"""Selectors of a widget and its parts, made from the selector of whatever part of it was named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

INTO: Final = " >>> "
_LEVEL: Final = re.compile(r"^([^#.]*)(?:#[^.]*)?((?:\.[^.]+)*)$")


@dataclass(frozen=True, slots=True)
class Spot:
    """One widget on a page: `way` leads to its document, `root` matches its outermost element there."""

    way: str
    target: str
    root: str

    def inside(self, css: str) -> str:
        """A part below the root, the root itself for an empty text, the root in a state for `&.state`."""
        if css.startswith("&"):
            return f"{self.way}{self.root}{css[1:]}"
        return f"{self.way}{self.root} {css}" if css else f"{self.way}{self.root}"

    def page(self, css: str) -> str:
        """Anything in the same document; what begins with `&` is a state of the root."""
        return self.inside(css) if css.startswith("&") else f"{self.way}{css}"

    @property
    def whole(self) -> str:
        return self.inside("")


def spot_of(selector: str, root: str, *, beside: bool = False) -> Spot:
    """The widget of this root that the selector's element is, is in, or (`beside`) stands right before."""
    way, into, target = selector.rpartition(INTO)
    named = f":is({target})"
    place = f"{named} + {root}" if beside else f"{root}:is({named}, :has({named}))"
    return Spot(way + into, target, place)


def parse(compound: str) -> tuple[str, frozenset[str]]:
    """Tag (empty for any) and classes of `tag.class.class` or of a level such as `tag#id.class`."""
    match = _LEVEL.match(compound)
    if match is None:
        return compound, frozenset()
    return match[1], frozenset(filter(None, match[2].split(".")))


def fits(root: str, level: str) -> bool:
    """Whether an element written as a level of `within` is one of this root."""
    tag, classes = parse(root)
    its_tag, its_classes = parse(level)
    return tag in ("", its_tag) and classes <= its_classes


def first_fit(roots: Sequence[str], within: Sequence[str]) -> int | None:
    """Which root fits the innermost level; among those of one level the first."""
    for level in within:
        for index, root in enumerate(roots):
            if fits(root, level):
                return index
    return None
