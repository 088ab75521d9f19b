"""Every library that is known; a further one is a file of rows and a name here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sgclaw.widgets.ant_design import ANT_DESIGN
from sgclaw.widgets.element_plus import ELEMENT_PLUS
from sgclaw.widgets.layui import LAYUI
from sgclaw.widgets.model import Library, Parts, Widget
from sgclaw.widgets.spot import first_fit, parse
from sgclaw.widgets.vxe import VXE

LIBRARIES: Final[tuple[Library, ...]] = (ELEMENT_PLUS, ANT_DESIGN, LAYUI, VXE)


def rows_for(kinds: tuple[type[Parts], ...]) -> list[Widget]:
    """The rows of these kinds, in the order in which they are tried."""
    return [widget for library in LIBRARIES for widget in library.widgets if isinstance(widget.parts, kinds)]


def recognised(rows: Sequence[Widget], within: Sequence[str], beside: str | None) -> Widget | None:
    """The row whose root is the innermost of what an element is in, or stands right behind it."""
    rows = [row for row in rows if _known_here(row, within)]
    behind = [row for row in rows if row.beside]
    index = first_fit([row.root for row in behind], [beside]) if beside else None
    if index is not None:
        return behind[index]
    around = [row for row in rows if not row.beside]
    index = first_fit([row.root for row in around], within)
    return None if index is None else around[index]


def _known_here(row: Widget, within: Sequence[str]) -> bool:
    """A bare tag says nothing: something of its library has to be around it."""
    if parse(row.root)[1]:
        return True
    prefix = next(each.prefix for each in LIBRARIES if each.name == row.library)
    return bool(prefix) and any(name.startswith(prefix) for level in within for name in parse(level)[1])


def opened_of(library: str) -> str:
    """What matches the field of a library whose popup is open."""
    return next(each.opened for each in LIBRARIES if each.name == library)
