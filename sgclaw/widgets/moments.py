"""`type` into date, month, time, range and number fields: afterwards the component holds it, not only the field."""

from __future__ import annotations

import re

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import JsonObject
from sgclaw.widgets.choosing import clear_by_sign
from sgclaw.widgets.hands import SETTLE_S, Hands, not_taken, switched_off
from sgclaw.widgets.model import DateParts, NumberParts, Panel
from sgclaw.widgets.popups import open_popup
from sgclaw.widgets.spot import Spot
from sgclaw.widgets.values import Moment, moments, number

_MAX_TURNS = 250
"""Of a calendar's pages: twenty years by months."""
_TAKEN_S = 0.3
"""For a component to read a field that was left."""
_YEAR_MONTH = re.compile(r"(\d{4})\D+(\d{1,2})?")


async def leave(hands: Hands, spot: Spot, field: str, opened: str) -> None:
    """Leave a field by Tab, which takes its text over and sends nothing; close what the next field opened by that.

    Escape goes to the field whose popup is open and nowhere else: a dialog around it would take it for itself.
    """
    await hands.press("Tab", field)
    if opened and await hands.exists(spot.page(opened)):
        await hands.press("Escape", spot.page(opened))


async def type_moment(hands: Hands, spot: Spot, parts: DateParts, text: str, opened: str) -> JsonObject:
    """Set one moment or a range: by typing, and where the field does not take that, on the calendar."""
    count = 1 + parts.several
    fields = [spot.inside(parts.field.format(n=each + 1)) for each in range(count)]
    if await hands.exists(fields[0] + ":disabled"):
        raise switched_off("控件")
    try:
        wanted = _as_many(moments(text), count)
    except ActionError:
        await leave(hands, spot, fields[0], opened)  # what was typed may stand in the field: leaving takes it out
        raise
    writable = parts.typed and not await hands.exists(fields[0] + "[readonly]")
    if not writable or not await _typed(hands, spot, fields, wanted, opened):
        await _pick(hands, spot, parts, wanted)
        if not await _holds(hands, fields, wanted, SETTLE_S, picked=True):
            raise not_taken(text, await _all(hands, fields))
    return {"typed": True, "value": await _all(hands, fields)}


def _as_many(wanted: list[Moment], count: int) -> list[Moment]:
    if len(wanted) == count:
        return wanted
    cause = "这个控件要一个范围，如 2026-03-01 ~ 2026-03-31" if count == 2 else "这个控件只要一个值，不是范围"
    raise ActionError(ActionCode.BAD_PARAMS, cause)


async def _all(hands: Hands, fields: list[str]) -> str:
    return " ~ ".join([await hands.value(field) for field in fields])


async def _typed(hands: Hands, spot: Spot, fields: list[str], wanted: list[Moment], opened: str) -> bool:
    """Type into the fields and leave them; whether the component kept it."""
    for with_seconds in (True, False):
        for field, moment in zip(fields, wanted, strict=True):
            await hands.type(field, moment.typed(with_seconds=with_seconds))
        await leave(hands, spot, fields[-1], opened)
        if await _holds(hands, fields, wanted, _TAKEN_S, picked=False):
            return True
        if not any(len(moment.time) == 2 for moment in wanted):
            break
    return False


async def _holds(hands: Hands, fields: list[str], wanted: list[Moment], within_s: float, *, picked: bool) -> bool:
    async def all_shown() -> bool:
        for field, moment in zip(fields, wanted, strict=True):
            if not moment.shown_as(await hands.value(field), in_any_order=picked):
                return False
        return True

    return await hands.until(all_shown, within_s)


async def _pick(hands: Hands, spot: Spot, parts: DateParts, wanted: list[Moment]) -> None:
    panel = parts.panel
    if panel is None or any(moment.time or len(moment.day) not in (2, 3) for moment in wanted):
        fields = [spot.inside(parts.field.format(n=each + 1)) for each in range(len(wanted))]
        raise not_taken(" ~ ".join(moment.text for moment in wanted), await _all(hands, fields))
    place = await open_popup(hands, spot, parts.popup)
    for moment in wanted:
        await _turn_to(hands, place, panel, moment)
        cell = await _cell(hands, place, panel, moment)
        if await hands.exists(cell + panel.off):
            await hands.press("Escape", spot.inside(parts.field.format(n=1)))
            raise ActionError(ActionCode.DISABLED_TARGET, f"日历上的 {moment.text} 不可选")
        await hands.click(cell)
    if parts.confirms and await hands.exists(spot.page(parts.confirms)):
        await hands.click(spot.page(parts.confirms))


async def _turn_to(hands: Hands, place: str, panel: Panel, moment: Moment) -> None:
    """Turn the calendar's pages until the one with this moment is shown."""
    away = await _distance(hands, place, panel, moment)
    for _ in range(_MAX_TURNS):
        if away == (0, 0):
            return
        await hands.click(f"{place} {_step(panel, *away)}")
        before = away

        async def turned(seen: tuple[int, int] = before) -> bool:
            nonlocal away
            away = await _distance(hands, place, panel, moment)
            return away != seen

        if not await hands.until(turned):
            break
    raise ActionError(ActionCode.UNSUPPORTED_WIDGET, f"日历翻不到 {moment.text}")


def _step(panel: Panel, years: int, months: int) -> str:
    if years:
        return panel.next_year if years > 0 else panel.prev_year
    return panel.next_month if months > 0 else panel.prev_month


async def _distance(hands: Hands, place: str, panel: Panel, moment: Moment) -> tuple[int, int]:
    """Years and months from the page that is shown to the one that is wanted; months count for days only."""
    by_day = len(moment.day) == 3
    found = _YEAR_MONTH.search(await hands.text(f"{place} {panel.title if by_day else panel.month_title}") + " ")
    if found is None or (by_day and not found[2]):
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "看不出日历显示的是哪年哪月")
    return moment.day[0] - int(found[1]), moment.day[1] - int(found[2]) if by_day else 0


async def _cell(hands: Hands, place: str, panel: Panel, moment: Moment) -> str:
    year, month = moment.day[:2]
    if len(moment.day) == 2:
        row, column = divmod(month - 1, 4)
        css = panel.month_cell.format(iso=f"{year:04}-{month:02}", y=year, m=month, row=row + 1, column=column + 1)
        return f"{place} {css}"
    day = moment.day[2]
    before = await hands.count(f"{place} {panel.before}") if panel.before else 0
    row, column = divmod(before + day - 1, 7)
    iso = f"{year:04}-{month:02}-{day:02}"
    return f"{place} {panel.cell.format(iso=iso, y=year, m=month, d=day, row=row + 1, column=column + 1)}"


async def type_number(hands: Hands, spot: Spot, parts: NumberParts, text: str, opened: str) -> JsonObject:
    """Set a number; one that the component changes (a limit, a precision) is an error that says to what."""
    wanted, field = number(text), spot.inside(parts.field)
    if wanted is None:
        raise ActionError(ActionCode.BAD_PARAMS, f"“{text[:40]}”不是数字")
    await hands.type(field, text)
    await leave(hands, spot, field, opened)
    shown = ""

    async def as_wanted() -> bool:
        nonlocal shown
        shown = await hands.value(field)
        return number(shown) == wanted

    if not await hands.until(as_wanted, 0.5):
        raise not_taken(text, shown)
    return {"typed": True, "value": shown}


async def clear_moment(hands: Hands, spot: Spot, parts: DateParts, opened: str) -> None:
    """Empty the field or fields, and see that they stay empty."""
    fields = [spot.inside(parts.field.format(n=each + 1)) for each in range(1 + parts.several)]
    if parts.typed and not await hands.exists(fields[0] + "[readonly]"):
        for field in fields:
            await hands.do("clear", selector=field)
        await leave(hands, spot, fields[-1], opened)
    if any([await hands.value(field) for field in fields]):
        await clear_by_sign(hands, spot, parts.clears)
    left = [await hands.value(field) for field in fields]
    if any(left):
        raise not_taken("", " ~ ".join(left))
