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


async def leave(hands: Hands, spot: Spot, field: str, opened: str, tabs: int = 1) -> None:
    """Leave a field by Tab, which takes its text over and sends nothing; close what the next field opened by that.

    Escape goes to the field whose popup is open and nowhere else: a dialog around it would take it for itself.
    """
    for _ in range(tabs):
        await hands.press("Tab", field)
    if opened and await hands.exists(spot.page(opened)):
        await hands.press("Escape", spot.page(opened))


async def type_moment(hands: Hands, spot: Spot, parts: DateParts, text: str, opened: str) -> JsonObject:
    """Set one moment or a range: by typing, and where the field does not take that, on the calendar."""
    fields = [spot.inside(parts.field.format(n=each + 1)) for each in range(1 + parts.several)]
    if await hands.exists(fields[0] + ":disabled"):
        raise switched_off("控件")
    try:
        wanted = _as_many(moments(text), parts)
    except ActionError:
        # What was typed may stand in the field: leaving takes it out.
        await leave(hands, spot, fields[0], opened, parts.tabs)
        raise
    writable = parts.typed and (parts.wakes or await _writable(hands, fields[0]))
    entries = _entries(wanted, parts)
    if not writable or not await _typed(hands, spot, parts, dict(zip(fields, entries, strict=True)), opened):
        await _pick(hands, spot, parts, wanted)
        if not await _holds(hands, fields, entries, SETTLE_S, picked=True):
            raise not_taken(text, await _all(hands, fields))
    return {"typed": True, "value": await _all(hands, fields)}


def _as_many(wanted: list[Moment], parts: DateParts) -> list[Moment]:
    if len(wanted) == 1 + parts.several or parts.joint:
        return wanted
    raise _not_so_many(len(wanted))


def _not_so_many(count: int) -> ActionError:
    cause = "这个控件要一个范围，如 2026-03-01 ~ 2026-03-31" if count == 1 else "这个控件只要一个值，不是范围"
    return ActionError(ActionCode.BAD_PARAMS, cause)


def _entries(wanted: list[Moment], parts: DateParts) -> list[Moment]:
    """What each field is to hold: both ends of a range where there is one field for them."""
    if len(wanted) == 1 + parts.several:
        return wanted
    first, last = (each.to_the_second() for each in wanted)
    return [Moment(f"{first.text}{parts.joint}{last.text}", (*first.numbers, *last.day), last.time)]


async def _all(hands: Hands, fields: list[str]) -> str:
    return " ~ ".join([await hands.value(field) for field in fields])


async def _typed(hands: Hands, spot: Spot, parts: DateParts, entries: dict[str, Moment], opened: str) -> bool:
    """Type into the fields and leave them; whether the component kept it."""
    fields, wanted = list(entries), list(entries.values())
    for with_seconds in (True, False):
        for field, moment in entries.items():
            if parts.in_popup:
                await open_popup(hands, spot, parts.popup)
            if parts.wakes and not await _woken(hands, field):
                return False
            await hands.type(field, moment.typed(with_seconds=with_seconds))
            if parts.wakes and await hands.exists(spot.page(f"{parts.confirms}:not(:disabled)")):
                await hands.click(spot.page(parts.confirms))
        await leave(hands, spot, fields[-1], opened, parts.tabs)
        if parts.leaving:
            await hands.until(lambda: _gone(hands, spot.page(parts.leaving)))
        if await _holds(hands, fields, wanted, _TAKEN_S, picked=False):
            return True
        if not any(len(moment.time) == 2 for moment in wanted):
            break
    return False


async def _writable(hands: Hands, field: str) -> bool:
    return not await hands.exists(field + "[readonly]")


async def _woken(hands: Hands, field: str) -> bool:
    """Whether a click, which opens the popup, lets the field be written in."""
    await hands.click(field)
    return await hands.until(lambda: _writable(hands, field), _TAKEN_S)


async def _holds(hands: Hands, fields: list[str], wanted: list[Moment], within_s: float, *, picked: bool) -> bool:
    async def all_shown() -> bool:
        for field, moment in zip(fields, wanted, strict=True):
            if not moment.shown_as(await hands.value(field), in_any_order=picked):
                return False
        return True

    return await hands.until(all_shown, within_s)


async def _pick(hands: Hands, spot: Spot, parts: DateParts, wanted: list[Moment]) -> None:
    panel = parts.panel
    if panel is None or any(not _pickable(panel, moment) for moment in wanted):
        raise not_taken(" ~ ".join(moment.text for moment in wanted), "")
    place = await open_popup(hands, spot, parts.popup)
    if parts.ranged and await hands.exists(place + parts.ranged) is not (len(wanted) == 2):
        await hands.press("Escape", spot.inside(parts.field.format(n=1)))
        raise _not_so_many(len(wanted))
    for each, moment in zip((panel, parts.second or panel), wanted, strict=False):
        if moment.day:
            await _turn_to(hands, place, each, moment)
            await _press(hands, spot, parts, await _cell(hands, place, each, moment), moment)
        for cell in await _times(hands, place, each, moment):
            await _press(hands, spot, parts, cell, moment)
    if parts.confirms and await hands.exists(spot.page(parts.confirms)):
        await (hands.press("Enter") if parts.enters else hands.click(spot.page(parts.confirms)))
    if not parts.typed and not await hands.until(lambda: _gone(hands, place)):
        raise not_taken(" ~ ".join(moment.text for moment in wanted), "")  # the field may show it all the same


async def _gone(hands: Hands, place: str) -> bool:
    return not await hands.exists(place)


def _pickable(panel: Panel, moment: Moment) -> bool:
    days = (0, 1, 2, 3) if panel.year_cell else (0, 2, 3)
    return len(moment.day) in days and (not moment.time or bool(panel.time_cell))


async def _press(hands: Hands, spot: Spot, parts: DateParts, cell: str, moment: Moment) -> None:
    if parts.panel and await hands.exists(cell + parts.panel.off):
        await hands.press("Escape", spot.inside(parts.field.format(n=1)))
        raise ActionError(ActionCode.DISABLED_TARGET, f"日历上的 {moment.text} 不可选")
    if not await hands.exists(cell):
        await hands.press("Escape", spot.inside(parts.field.format(n=1)))
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, f"日历上没有 {moment.text}")
    await hands.click(cell)


async def _times(hands: Hands, place: str, panel: Panel, moment: Moment) -> list[str]:
    """The cells of the lists of hours, minutes and seconds, shown."""
    if not moment.time:
        return []
    if panel.times and await hands.exists(f"{place} {panel.times}"):
        await hands.click(f"{place} {panel.times}")
    at = enumerate(moment.to_the_second().time, 1)
    cells = [f"{place} {panel.time_cell.format(n=unit, at=number + 1)}" for unit, number in at]
    return [cell for cell in cells if await hands.exists(cell)]


async def _turn_to(hands: Hands, place: str, panel: Panel, moment: Moment) -> None:
    """Turn the calendar's pages until the one with this moment is shown."""
    away = await _distance(hands, place, panel, moment)
    listed = len(moment.day) == 1
    for _ in range(_MAX_TURNS):
        if await hands.exists(await _cell(hands, place, panel, moment)) if listed else away == (0, 0):
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
    title = f"{place} {panel.title if by_day else panel.month_title}"
    if not await hands.appears(title):
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, f"弹出的日历不能按{'日' if by_day else '月或年'}选择")
    found = _YEAR_MONTH.search(await hands.text(title) + " ")
    if found is None or (by_day and not found[2]):
        raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "看不出日历显示的是哪年哪月")
    return moment.day[0] - int(found[1]), moment.day[1] - int(found[2]) if by_day else 0


async def _cell(hands: Hands, place: str, panel: Panel, moment: Moment) -> str:
    if len(moment.day) == 1:
        return f"{place} {panel.year_cell.format(y=moment.day[0])}"
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
