"""`select` on lists of options."""

from __future__ import annotations

import re

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import JsonObject
from sgclaw.widgets.hands import SETTLE_S, Hands, missing, not_taken, switched_off
from sgclaw.widgets.listing import Listing
from sgclaw.widgets.model import GroupParts, ListParts, TreeParts
from sgclaw.widgets.paths import choose_in_tree
from sgclaw.widgets.popups import opened
from sgclaw.widgets.spot import Spot
from sgclaw.widgets.values import SEVERAL, STEP, plain, several

_FETCH_S = 10.0
"""For options that a server looks up."""
_SHUTS_S = 0.5
"""For a list to close of itself when one option is all it takes."""
_TITLED = ", "
_QUIET_S = 3.0
"""Without any change and without a sign of fetching for so long, a list is not about to show more."""


async def select_in_list(hands: Hands, spot: Spot, parts: ListParts, value: str) -> JsonObject:
    """Choose one option, or exactly the named ones where several may be chosen."""
    wanted = plain(value)
    async with opened(hands, spot, parts.popup, search=parts.search) as place:
        several_wanted = bool(parts.multiple) and await hands.exists(spot.page(parts.multiple))
        if parts.titled and parts.tree is None:
            label, several_wanted = await _choose_and_see(hands, spot, parts, place, wanted)
        elif parts.tree is not None and await hands.exists(f"{place} {parts.tree.container}"):
            label = await _choose_node(hands, spot, parts, f"{place} {parts.tree.container}", parts.tree, wanted)
        else:
            label = await _choose(hands, spot, parts, place, wanted, several_wanted)
    if several_wanted and parts.titled:
        await _all_titled(hands, spot, parts, label)
    elif several_wanted and parts.each and parts.tree is None:
        await _all_shown(hands, spot, parts, label)
    elif several_wanted:
        await _all_kept(hands, place, parts, label)
    else:
        shown = await _shown(hands, spot, parts, label)
        if shown != label:
            raise not_taken(label, shown)
    return {"value": label, "label": label}


async def _choose_node(hands: Hands, spot: Spot, parts: ListParts, place: str, tree: TreeParts, wanted: str) -> str:
    """In a tree that renders a part of its nodes, what is not there is searched for where the control lets one."""
    try:
        return await choose_in_tree(hands, place, tree, wanted)
    except ActionError as error:
        search = _search_of(spot, parts, place)
        if error.code != ActionCode.UNSUPPORTED_WIDGET or not search or not await hands.exists(search):
            raise
        told = error
    for step in reversed(wanted.split(STEP)):
        await hands.type(search, step.strip())
        await hands.calm(f"{place} {tree.nodes}")
        try:
            return await choose_in_tree(hands, place, tree, wanted)
        except ActionError as error:
            if error.code not in (ActionCode.UNSUPPORTED_WIDGET, ActionCode.NOT_FOUND):
                raise
    raise told


async def _all_kept(hands: Hands, place: str, parts: ListParts, label: str) -> None:
    """Once it is closed, a list that is still on the page must hold what was chosen: closing may take it away."""
    wanted = len(label.split(SEVERAL)) if label else 0
    kept = await hands.count(f"{place} {parts.option}{parts.chosen}")
    whole = await hands.exists(f"{place} {parts.option}") and not (
        parts.window and await hands.exists(f"{place} {parts.window}")
    )
    if whole and kept < wanted:
        raise not_taken(label, f"{kept} 项")


async def _all_shown(hands: Hands, spot: Spot, parts: ListParts, label: str) -> None:
    """The control itself must show each that was chosen, or say of how many it shows nothing."""
    asked = label.split(SEVERAL) if label else []
    seen: list[str] = []
    folded = 0

    async def as_wanted() -> bool:
        nonlocal seen, folded
        seen = await _shown_each(hands, spot, parts)
        rest = spot.inside(parts.rest)
        folded = await _number_in(hands, rest) if parts.rest and await hands.exists(rest) else 0
        return set(seen) <= set(asked) and len(seen) + folded == len(asked)

    if not await hands.until(as_wanted):
        raise not_taken(label, SEVERAL.join(seen) + (f" 等 {len(seen) + folded} 项" if folded else ""))


async def _choose_and_see(hands: Hands, spot: Spot, parts: ListParts, place: str, wanted: str) -> tuple[str, bool]:
    """For a list that only by staying open tells that several may be chosen; what was chosen, and whether it did."""
    listing = Listing(hands, place, parts.option)
    names = await listing.names()
    asked = [wanted] if wanted in names else several(wanted)
    for name in asked:
        if await hands.exists(await _find(hands, spot, parts, listing, name) + parts.chosen):
            continue
        await _take(hands, spot, parts, listing, name)
        if await hands.until(lambda: _shut(hands, spot, parts), _SHUTS_S):
            if len(asked) > 1:
                raise ActionError(ActionCode.BAD_PARAMS, f"这个列表只能选一项，现在选了“{name}”")
            return name, False
    await _drop_others(hands, parts, listing, asked)
    return SEVERAL.join(asked), True


async def _shut(hands: Hands, spot: Spot, parts: ListParts) -> bool:
    return not await hands.exists(spot.inside(parts.popup.opened))


async def _all_titled(hands: Hands, spot: Spot, parts: ListParts, label: str) -> None:
    asked, title = set(label.split(SEVERAL)) if label else set(), ""

    async def as_wanted() -> bool:
        nonlocal title
        title = plain(await hands.attribute(spot.inside(parts.titled), "title"))
        return set(filter(None, title.split(_TITLED))) == asked

    if not await hands.until(as_wanted):
        raise not_taken(label, title)


def _search_of(spot: Spot, parts: ListParts, place: str) -> str:
    if parts.search_below:
        return f"{place} {parts.search_below}"
    return spot.inside(parts.search) if parts.search else ""


async def _number_in(hands: Hands, place: str) -> int:
    found = re.search(r"\d+", await hands.text(place))
    return int(found[0]) if found else 0


async def _choose(hands: Hands, spot: Spot, parts: ListParts, place: str, wanted: str, multiple: bool) -> str:
    listing = Listing(hands, f"{place} {parts.within}".rstrip(), parts.option)
    if not multiple:
        await _take(hands, spot, parts, listing, wanted)
        return wanted
    names = await listing.names()
    asked = [wanted] if wanted in names else several(wanted)
    await _drop_others(hands, parts, listing, asked)
    await _drop_shown(hands, spot, parts, asked)
    for name in asked:
        option = await _find(hands, spot, parts, listing, name)
        if not await hands.exists(option + parts.chosen):
            option = await _take(hands, spot, parts, listing, name)
            if not await _taken(hands, spot, parts, option, name):
                raise not_taken(name, "")
    return SEVERAL.join(asked)


async def _taken(hands: Hands, spot: Spot, parts: ListParts, option: str, name: str) -> bool:
    """Whether it is chosen now: the option says so, or the control does, because the list may be another by then."""

    async def said() -> bool:
        return await hands.exists(option + parts.chosen) or (
            bool(parts.each) and name in await _shown_each(hands, spot, parts)
        )

    return await hands.until(said)


async def _shown_each(hands: Hands, spot: Spot, parts: ListParts) -> list[str]:
    shown = Listing(hands, spot.whole, parts.each)
    count = await hands.count(f"{spot.whole} {parts.each}")
    return [await hands.text(shown.nth(number)) for number in range(1, count + 1)]


async def _drop_shown(hands: Hands, spot: Spot, parts: ListParts, asked: list[str]) -> None:
    """Take away what the control shows and nobody asked for: a list may have rendered other options only."""
    shown = await _shown_each(hands, spot, parts) if parts.drops else []
    for number in range(len(shown), 0, -1):
        sign = f"{Listing(hands, spot.whole, parts.each).nth(number)} {parts.drops}"
        if shown[number - 1] not in asked and await hands.exists(sign):
            await hands.click(sign)


async def _take(hands: Hands, spot: Spot, parts: ListParts, listing: Listing, name: str) -> str:
    """Find and click one option; found anew where the list rendered anew before the click."""
    option = await _find(hands, spot, parts, listing, name)
    try:
        await _click(hands, parts, option, name)
    except ActionError as error:
        if error.code != ActionCode.NOT_FOUND:
            raise
        option = await _find(hands, spot, parts, listing, name)
        await _click(hands, parts, option, name)
    return option


async def _click(hands: Hands, parts: ListParts, option: str, name: str) -> None:
    if parts.disabled and await hands.exists(option + parts.disabled):
        raise switched_off(f"选项“{name}”")
    await hands.click(option)


async def _drop_others(hands: Hands, parts: ListParts, listing: Listing, asked: list[str]) -> None:
    chosen = f"{parts.option}{parts.chosen}"
    kept = 0
    for _ in range(await hands.count(f"{listing.place} {chosen}")):
        option = f"{listing.place} :nth-child({kept + 1} of {chosen})"
        if await hands.count(option) != 1:
            raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "已选中的其它项不能逐一取消")
        if await hands.text(option) in asked:
            kept += 1
        else:
            await hands.click(option)


async def _find(hands: Hands, spot: Spot, parts: ListParts, listing: Listing, name: str) -> str:
    """The option of this name: as the list stands, else by its search, else by scrolling."""
    names = before = await listing.names()
    search = _search_of(spot, parts, listing.place)
    if name not in names and search and await hands.exists(search):
        await hands.type(search, name)
        names = await _awaited(hands, spot, parts, listing, name)
        if not names:
            raise missing(name, before)
    elif name not in names and parts.window and await hands.exists(f"{listing.place} {parts.window}"):
        names = await listing.scroll_to(name)
        await hands.reach(await listing.one(name, names))  # it renders anew for that, and the numbers change
        names = await _awaited(hands, spot, parts, listing, name)
    elif name not in names:
        names = await _awaited(hands, spot, parts, listing, name)
    return await listing.one(name, names)


async def _awaited(hands: Hands, spot: Spot, parts: ListParts, listing: Listing, name: str) -> list[str]:
    """The names once this one is among them, or once nothing more is coming."""
    names: list[str] = []

    async def there_or_changed() -> bool:
        nonlocal names
        before, names = names, await listing.names()
        return name in names or names != before or (bool(parts.busy) and await hands.exists(spot.page(parts.busy)))

    async def there() -> bool:
        return await hands.until(there_or_changed, _QUIET_S) is False or name in names

    await hands.until(there, _FETCH_S)
    return names


async def _shown(hands: Hands, spot: Spot, parts: ListParts, wanted: str) -> str:
    """What the control shows once it shows what was wanted, else what it shows when the time is up."""
    seen = ""

    async def as_wanted() -> bool:
        nonlocal seen
        place = spot.inside(parts.shown)
        seen = (await _read(hands, parts, place)) if await hands.exists(place) else ""
        return seen == wanted

    await hands.until(as_wanted, SETTLE_S)
    return seen


async def _read(hands: Hands, parts: ListParts, place: str) -> str:
    return await hands.value(place) if parts.value else await hands.text(place)


async def clear_list(hands: Hands, spot: Spot, parts: ListParts) -> None:
    """Take the choice away by the sign that appears under the mouse, unless there is none to take away."""
    if await _is_empty(hands, spot, parts):
        return
    await clear_by_sign(hands, spot, parts.clears)
    if not await hands.until(lambda: _is_empty(hands, spot, parts)):
        raise not_taken("", "原来的值")


async def _is_empty(hands: Hands, spot: Spot, parts: ListParts) -> bool:
    if parts.held:
        return not await hands.exists(spot.inside(parts.held))
    place = spot.inside(parts.shown)
    return not await hands.exists(place) or not await _read(hands, parts, place)


async def clear_by_sign(hands: Hands, spot: Spot, sign: str) -> None:
    """Click the sign that empties a control; raises `UNSUPPORTED_WIDGET` where there is none."""
    await hands.hover(spot.whole)
    if not sign or not await hands.appears(spot.inside(sign), 0.5):
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "这个控件没有清空按钮，不能清空")
    await hands.click(spot.inside(sign))


async def select_in_group(hands: Hands, spot: Spot, parts: GroupParts, value: str) -> JsonObject:
    """Choose one of the options on the page, or exactly the named ones where several may be chosen."""
    listing = Listing(hands, spot.whole, parts.option)
    names = await listing.each()
    wanted = plain(value)
    asked = [wanted] if wanted in names or not parts.several else several(wanted)
    options = {name: await listing.one(name, names) for name in asked}
    if parts.several:
        for name in names:
            option = options.get(name) or await listing.one(name, names)
            if await hands.exists(option + parts.chosen) and name not in asked:
                await hands.click(option)
    for name, option in options.items():
        if await hands.exists(option + parts.disabled):
            raise switched_off(f"选项“{name}”")
        if not await hands.exists(option + parts.chosen):
            await hands.click(option)
        if not await hands.appears(option + parts.chosen):
            raise not_taken(name, "")
    label = SEVERAL.join(asked)
    return {"value": label, "label": label}
