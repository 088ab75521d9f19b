"""Periods of time as values, and the arithmetic of months and quarters."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from typing import Literal

Edge = Literal["", "before", "after"]


class Unit(IntEnum):
    """The grain a period was said in, finest first."""

    DAY = 1
    WEEK = 2
    MONTH = 3
    QUARTER = 4
    HALF = 5
    YEAR = 6


@dataclass(frozen=True, slots=True)
class When:
    """A period: first and last day, both included.

    `whole` says it is exactly one `unit`; False for ranges and for words with two readings (前月), whose readings all
    lie inside the period. `certain` is False for the latter. `edge` tells 「3月5日前」 from the day itself.
    """

    first: date
    last: date
    unit: Unit
    whole: bool = True
    certain: bool = True
    edge: Edge = ""


@dataclass(frozen=True, slots=True)
class Base:
    """What a period is relative to. `forward`: a month or day without a year is the nearest to come, not the last
    begun.
    """

    today: date
    forward: bool = False


def year_of(year: int) -> When:
    """The whole year."""
    return When(date(year, 1, 1), date(year, 12, 31), Unit.YEAR)


def half_of(year: int, half: int) -> When:
    """The first (1) or second (2) half of a year."""
    return When(date(year, half * 6 - 5, 1), month_of(year, half * 6).last, Unit.HALF)


def quarter_of(year: int, quarter: int) -> When:
    """A quarter; numbers outside 1–4 run into the neighbouring years."""
    year, index = year + (quarter - 1) // 4, (quarter - 1) % 4
    return When(date(year, index * 3 + 1, 1), month_of(year, index * 3 + 3).last, Unit.QUARTER)


def month_of(year: int, month: int) -> When:
    """A month; numbers outside 1–12 run into the neighbouring years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return When(date(year, month, 1), date(year, month, monthrange(year, month)[1]), Unit.MONTH)


def week_of(day: date) -> When:
    """Monday to Sunday around a day."""
    monday = day - timedelta(days=day.weekday())
    return When(monday, monday + timedelta(days=6), Unit.WEEK)


def day_of(day: date) -> When:
    """One day."""
    return When(day, day, Unit.DAY)


def month_near(month: int, base: Base) -> When:
    """A month said without its year."""
    here = base.today.month
    shift = (1 if month < here else 0) if base.forward else (-1 if month > here else 0)
    return month_of(base.today.year + shift, month)


def split(when: When, unit: Unit) -> list[When]:
    """The `unit`s that touch the period, in order: what a person may choose from."""
    parts: list[When] = []
    at = when.first
    while at <= when.last:
        part = around(at, unit)
        parts.append(part)
        at = part.last + timedelta(days=1)
    return parts


def around(day: date, unit: Unit) -> When:
    """The one `unit` that holds a day."""
    quarter = (day.month + 2) // 3
    return {
        Unit.DAY: lambda: day_of(day),
        Unit.WEEK: lambda: week_of(day),
        Unit.MONTH: lambda: month_of(day.year, day.month),
        Unit.QUARTER: lambda: quarter_of(day.year, quarter),
        Unit.HALF: lambda: half_of(day.year, (quarter + 1) // 2),
        Unit.YEAR: lambda: year_of(day.year),
    }[unit]()
