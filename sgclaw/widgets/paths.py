"""`select` by a path: trees and columns that open one another."""

from __future__ import annotations

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import JsonObject
from sgclaw.widgets.hands import SETTLE_S, Hands, doubtful, missing, not_taken, switched_off
from sgclaw.widgets.kin import Kin, kin_of, part_of
from sgclaw.widgets.listing import Listing
from sgclaw.widgets.model import CascadeParts, TreeParts
from sgclaw.widgets.popups import opened
from sgclaw.widgets.spot import Spot
from sgclaw.widgets.values import SEVERAL, plain, rest_of, same_path, several

_LOAD_S = 10.0
"""For the next level, which a server may have to look up."""
_MAX_SIBLINGS = 500


async def select_in_tree(hands: Hands, spot: Spot, parts: TreeParts, value: str) -> JsonObject:
    """Tick (where there are boxes) or click the named nodes; nodes that are not named stay as they are."""
    label = await choose_in_tree(hands, spot.whole, parts, plain(value))
    return {"value": label, "label": label}


async def choose_in_tree(hands: Hands, tree: str, parts: TreeParts, wanted: str) -> str:
    """Choose the node of one path, or of several where the tree has boxes; returns the nodes' own names."""
    await hands.appears(f"{tree} {parts.nodes}")
    boxes = await hands.exists(f"{tree} {parts.checkbox}")
    chosen = []
    for path in several(wanted) if boxes else [wanted]:
        name, node = await _walk(hands, tree, parts, path)
        await _need_on(hands, node, parts.disabled, name)
        if boxes:
            await _tick(hands, part_of(parts, node, parts.checkbox), parts.ticked, path)
        else:
            await hands.click(f"{node} > {parts.content}")
            if parts.chosen and not await hands.appears(node + parts.chosen):
                raise not_taken(path, "")
        chosen.append(name)
    return SEVERAL.join(chosen)


async def _tick(hands: Hands, box: str, ticked: str, name: str) -> None:
    if await hands.exists(box + ticked):
        return
    await hands.click(box)
    if not await hands.appears(box + ticked):
        raise not_taken(name, "")


async def _walk(hands: Hands, tree: str, parts: TreeParts, path: str) -> tuple[str, str]:
    """Name and selector of the node a path leads to; opens what is closed on the way."""
    kin, rest = kin_of(tree, parts), path
    while True:
        name, node = await _child(hands, kin, parts, rest)
        left = rest_of(rest, name)
        if not left:
            return name, node
        kin, rest = await kin.below(hands, node), left  # before it moves: nodes that appear may be no siblings yet
        closed = part_of(parts, node, parts.expander)
        moves = await hands.exists(closed)
        if moves:
            await hands.click(closed)
        if not await hands.appears(kin.all, _LOAD_S):
            raise missing(left, [])
        if moves and parts.indent:
            await hands.calm(kin.all)


async def _child(hands: Hands, kin: Kin, parts: TreeParts, path: str) -> tuple[str, str]:
    """Name and selector of the one child that a path goes through; the longest name wins."""
    count = min(await hands.count(kin.all), _MAX_SIBLINGS)
    nodes = [kin.nth(number) for number in range(1, count + 1)]
    names = [await hands.text(f"{node} > {parts.content}") for node in nodes]
    fitting = [(name, node) for name, node in zip(names, nodes, strict=True) if rest_of(path, name) is not None]
    longest = max((len(name) for name, _node in fitting), default=0)
    best = [each for each in fitting if len(each[0]) == longest]
    if len(best) > 1:
        raise doubtful(best[0][0], len(best))
    if not best and parts.window and await hands.exists(f"{kin.tree} {parts.window}"):
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "这棵树只渲染了一部分节点，其中没有要找的，请先搜索或滚动到它")
    if not best:
        raise missing(path, names)
    return best[0]


async def select_in_columns(hands: Hands, spot: Spot, parts: CascadeParts, value: str) -> JsonObject:
    """Open column after column along a path; several paths where boxes allow it, added to what is chosen."""
    wanted = plain(value)
    async with opened(hands, spot, parts.popup) as place:
        multiple = await hands.exists(spot.page(parts.several))
        for path in several(wanted) if multiple else [wanted]:
            await _open_along(hands, place, parts, path)
    if not multiple:
        shown = ""

        async def as_wanted() -> bool:
            nonlocal shown
            shown = await _shown(hands, spot, parts)
            return same_path(shown, wanted)

        if not await hands.until(as_wanted, SETTLE_S):
            raise not_taken(wanted, shown)
    return {"value": wanted, "label": wanted}


async def _shown(hands: Hands, spot: Spot, parts: CascadeParts) -> str:
    place = spot.inside(parts.shown)
    if parts.value:
        return await hands.value(place)
    return await hands.text(place) if await hands.exists(place) else ""


async def _open_along(hands: Hands, place: str, parts: CascadeParts, path: str) -> None:
    rest = path
    for number in range(1, 20):
        column = f"{place} :nth-child({number} of {parts.column})"
        listing = Listing(hands, column, parts.option)
        if not await hands.appears(f"{column} {parts.option}", _LOAD_S):
            raise missing(rest, [])
        names = await listing.names()
        fitting = [name for name in names if rest_of(rest, name) is not None]
        if not fitting:
            raise missing(rest, names)
        name = max(fitting, key=len)
        option = await listing.one(name, names)
        left = rest_of(rest, name)
        if not left:
            await _choose(hands, option, parts, name)
            return
        await _need_on(hands, option, parts.disabled, name)
        if not await hands.exists(option + parts.active):
            await hands.click(option)
            await hands.wait(option + parts.active, "attached", _LOAD_S)
        rest = left
    raise ActionError(ActionCode.BAD_PARAMS, "路径太长")


async def _need_on(hands: Hands, option: str, disabled: str, name: str) -> None:
    if disabled and await hands.exists(option + disabled):
        raise switched_off(f"“{name}”")


async def _choose(hands: Hands, option: str, parts: CascadeParts, name: str) -> None:
    await _need_on(hands, option, parts.disabled, name)
    box = f"{option} {parts.checkbox}"
    if not await hands.exists(box):
        await hands.click(option)
    elif not await hands.exists(option + parts.ticked):
        await hands.click(box)
        if not await hands.appears(option + parts.ticked):
            raise not_taken(name, "")
