"""`select` on two lists with buttons between them."""

from __future__ import annotations

from sgclaw.ports import JsonObject
from sgclaw.widgets.hands import Hands, missing, not_taken, switched_off
from sgclaw.widgets.listing import Listing
from sgclaw.widgets.model import TransferParts
from sgclaw.widgets.spot import Spot
from sgclaw.widgets.values import SEVERAL, several


async def select_in_transfer(hands: Hands, spot: Spot, parts: TransferParts, value: str) -> JsonObject:
    """Bring exactly the named items to the right."""
    wanted = several(value)
    left, right = (Listing(hands, spot.inside(side), parts.option) for side in (parts.left, parts.right))
    on_left, on_right = await _items(left), await _items(right)
    for name in wanted:
        if name not in on_left and name not in on_right:
            raise missing(name, [*on_left, *on_right])
    away, over = [name for name in on_right if name not in wanted], [name for name in wanted if name not in on_right]
    await _all_on(parts, right, on_right, away)
    await _all_on(parts, left, on_left, over)
    await _move(hands, parts, right, away, spot.inside(parts.to_left))
    await _move(hands, parts, left, over, spot.inside(parts.to_right))

    async def as_wanted() -> bool:
        return sorted(await _items(right)) == sorted(wanted)

    if not await hands.until(as_wanted):
        raise not_taken(value, SEVERAL.join(await _items(right)))
    label = SEVERAL.join(wanted)
    return {"value": label, "label": label}


async def _items(listing: Listing) -> list[str]:
    count = await listing.hands.count(f"{listing.place} {listing.option}")
    return [await listing.hands.text(listing.nth(number)) for number in range(1, count + 1)]


async def _all_on(parts: TransferParts, side: Listing, items: list[str], names: list[str]) -> None:
    """Before anything moves: none of these may be switched off."""
    for number, name in enumerate(items, 1):
        if name in names and await side.hands.exists(side.nth(number) + parts.disabled):
            raise switched_off(f"“{name}”")


async def _move(hands: Hands, parts: TransferParts, side: Listing, names: list[str], button: str) -> None:
    """Tick these and nothing else, then press the button."""
    if not names:
        return
    for number, name in enumerate(await _items(side), 1):
        item = side.nth(number)
        if (await hands.exists(item + parts.ticked)) == (name in names):
            continue
        await hands.click(f"{item} {parts.hand}" if parts.hand else item)
    await hands.click(button)
