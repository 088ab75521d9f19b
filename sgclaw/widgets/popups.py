"""Opening and closing what hangs below a control."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from sgclaw.errors import ActionCode, ActionError
from sgclaw.widgets.hands import Hands, switched_off
from sgclaw.widgets.model import Popup
from sgclaw.widgets.spot import Spot

_SHUT = (ActionCode.TIMEOUT, ActionCode.NOT_FOUND, ActionCode.COVERED_TARGET, ActionCode.HIDDEN_TARGET)


_MOST_KEYS = 2
"""The first Escape may only empty a search field."""
_AT_ONCE_S = 0.5
"""In which a popup opens that has something to show."""


async def open_popup(hands: Hands, spot: Spot, popup: Popup, *, search: str = "") -> str:
    """Open it unless it is open; the selector of the one that belongs to this control, good also once it is closed.

    A list with a `search` field may have nothing to open for: then the selector is that of the one that will open.
    """
    place = spot.page(popup.place)
    if popup.off and await hands.exists(spot.inside(popup.off)):
        raise switched_off("控件")
    if not popup.opened or not await hands.exists(spot.inside(popup.opened)):
        await hands.click(spot.inside(popup.opens))
    try:
        await hands.wait(place, within_s=_AT_ONCE_S)
        own = await hands.attribute(place, "id")
    except ActionError as error:
        if error.code not in (ActionCode.TIMEOUT, ActionCode.NOT_FOUND):
            raise
        if popup.on_focus:
            await hands.press("Tab", spot.inside(popup.keys))
            await hands.click(spot.inside(popup.opens))
        if search and await hands.exists(spot.inside(search)):
            return place
        await hands.wait(place)
        own = await hands.attribute(place, "id")
    return spot.page(f'[id="{own}"]') if own and '"' not in own else place


async def close_popup(hands: Hands, spot: Spot, popup: Popup) -> None:
    """Close it unless it is closed, so that it covers nothing the next act needs."""
    for _ in range(_MOST_KEYS):
        if not await hands.exists(spot.inside(popup.opened)):
            return
        if popup.closes:
            await hands.click(spot.inside(popup.closes))
        else:
            await hands.press("Escape", spot.inside(popup.keys))


@contextlib.asynccontextmanager
async def opened(hands: Hands, spot: Spot, popup: Popup, *, search: str = "") -> AsyncIterator[str]:
    """The popup, open for the block and closed behind it; the block's own error is the one that is told."""
    place = await open_popup(hands, spot, popup, search=search)
    try:
        yield place
    except ActionError as error:
        if error.code != ActionCode.UNKNOWN_OUTCOME:
            await _shut(hands, spot, popup)
        raise
    await close_popup(hands, spot, popup)


async def _shut(hands: Hands, spot: Spot, popup: Popup) -> None:
    try:
        await close_popup(hands, spot, popup)
    except ActionError as error:
        if error.code not in _SHUT:
            raise
