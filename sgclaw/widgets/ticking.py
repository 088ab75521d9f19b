"""`check`: switches, stand-ins of boxes and round buttons, rows, nodes."""

from __future__ import annotations

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import JsonObject
from sgclaw.widgets.hands import Hands, switched_off
from sgclaw.widgets.model import TickParts, Twins
from sgclaw.widgets.spot import Spot

_DONE_S = 5.0
"""For a switch that asks a server before it moves."""
_MOST_CLICKS = 2
"""A half-ticked box becomes ticked first, and unticked then."""


async def tick(hands: Hands, spot: Spot, parts: TickParts, wanted: bool) -> JsonObject:
    """Bring it into the wanted state by clicks, each followed by looking."""
    if parts.twins is not None:
        spot = await _twin(hands, spot, parts.twins, parts.hand)
    state = await _state(hands, spot, parts)
    if parts.radio and state is not wanted and not wanted:
        raise ActionError(ActionCode.BAD_PARAMS, "单选项不能取消，请选择另一项")
    if state is not wanted and parts.off and await hands.exists(spot.inside(parts.off)):
        raise switched_off("控件")
    for _ in range(_MOST_CLICKS):
        if state is wanted:
            return {"checked": wanted}
        await hands.click(spot.inside(parts.hand))
        state = await _state_after(hands, spot, parts, state)
    if state is not wanted:
        raise ActionError(ActionCode.ACTION_FAILED, "点击后勾选状态没有变成要求的，页面可能拒绝了")
    return {"checked": wanted}


async def _twin(hands: Hands, spot: Spot, twins: Twins, part: str) -> Spot:
    """The drawing of the row that holds the part; whoever named another one meant the row."""
    await hands.reach(spot.whole)
    key = await hands.attribute(spot.whole, twins.key)
    for row in twins.rows:
        place = f'{twins.around}:has({spot.root}) {row}[{twins.key}="{key}"]'
        if key and '"' not in key and await hands.exists(spot.page(f"{place} {part}")):
            return Spot(spot.way, spot.target, place)
    raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "这一行没有可勾选的方框")


async def _state_after(hands: Hands, spot: Spot, parts: TickParts, before: bool | None) -> bool | None:
    """The state once it is another; raises `ACTION_FAILED` when it stays."""

    async def moved() -> bool:
        return await _state(hands, spot, parts) is not before

    if not await hands.until(moved, _DONE_S):
        raise ActionError(ActionCode.ACTION_FAILED, "点击后勾选状态没有改变，页面可能拒绝了")
    return await _state(hands, spot, parts)


async def _state(hands: Hands, spot: Spot, parts: TickParts) -> bool | None:
    """On, off, or None for half."""
    if await hands.exists(spot.inside(parts.on)):
        return True
    return None if parts.half and await hands.exists(spot.inside(parts.half)) else False
