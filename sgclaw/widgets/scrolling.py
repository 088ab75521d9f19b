"""Bringing an element to the page that a list or a table renders only when it is scrolled to."""

from __future__ import annotations

import re
from typing import Final

from sgclaw.errors import ActionError
from sgclaw.widgets.hands import GONE, Hands
from sgclaw.widgets.spot import INTO
from sgclaw.widgets.table import LIBRARIES

_HEAD: Final = re.compile(r"([^\s>+~,(]+)[\s>]+[^\s>]")
"""What a selector of several steps begins with."""
_TURN_S: Final = 0.6
"""For a window to render its next rows."""


async def bring(hands: Hands, selector: str) -> bool:
    """Scroll such a region to its end and back until the selector matches; False without one.

    Only a region that the selector itself begins at or around (`#list .row button`) is scrolled: what is missing
    elsewhere must not move a table that has nothing to do with it.
    """
    way, into, last = selector.rpartition(INTO)
    head = _HEAD.match(last)
    if head is None:
        return False
    for library in LIBRARIES:
        for window in library.windows:
            place = f"{way}{into}:is({window.place}):is({head[1]}, :is({head[1]}) *)"
            if await hands.count(place) == 1 and await _scrolled(hands, f"{place} {window.row}", selector):
                return True
    return False


async def _scrolled(hands: Hands, row: str, selector: str) -> bool:
    for edge in ("last-", ""):
        end = f"{row}:nth-{edge}child(1)"
        seen = await hands.text(end) if await hands.exists(end) else ""
        while seen:
            seen = await _turned(hands, end, seen)
            if await hands.exists(selector):
                return True
    return False


async def _turned(hands: Hands, end: str, seen: str) -> str:
    """Scroll to the row at the edge; the text of the one that is there then, empty when it is still the same."""
    try:
        await hands.reach(end)
    except ActionError as error:
        if error.code not in GONE:
            raise  # else it was rendered anew just then
    now = seen

    async def another() -> bool:
        nonlocal now
        now = await hands.text(end)
        return now != seen

    return now if await hands.until(another, _TURN_S) else ""
