"""Finds periods of time in Chinese office language: 上个月, 去年12月, 第一季度, 3月到5月, 本周一, 3月5日, 2026-03.

Nothing is rounded or guessed: what was said is returned with the grain it was said in, words with two readings come
back uncertain, and dates that do not exist (2月30日) come back as `None` so that someone asks. Texts are folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from sgclaw.gateway.understand.periods import (
    Base,
    Edge,
    Unit,
    When,
    day_of,
    half_of,
    month_near,
    month_of,
    quarter_of,
    week_of,
    year_of,
)
from sgclaw.skills.numbers import small


@dataclass(frozen=True, slots=True)
class Found:
    """A period and where the text says it. `anchored`: its year does not depend on what stands before it."""

    start: int
    end: int
    when: When | None
    anchored: bool = False


def _get(match: re.Match[str], name: str) -> str | None:
    """A group that this form may not have."""
    return match.groupdict().get(name)


_Handler = Callable[[re.Match[str], Base], When | None]


def _shifts(rows: str) -> dict[str, int]:
    """Word → steps from now, from rows of a number and its words."""
    return {word: int(row.split()[0]) for row in rows.strip().splitlines() for word in row.split()[1:]}


_YEARS: Final = _shifts("""
-2 前年
-1 去年 上年 上一年 上年度
0 今年 本年 当年 本年度 今年度
1 明年 下一年
2 后年
""")
_QUARTERS: Final = _shifts("""
-1 上 上个 上一 上一个
0 本 这 这个 当
1 下 下个 下一 下一个
""")
_MONTHS: Final = _shifts("""
-2 上上月 上上个月
-1 上月 上个月 上一个月
0 本月 这个月 当月 这月
1 下月 下个月 下一个月
2 下下月 下下个月
""")
_WEEKS: Final = _shifts("""
-2 上上周
-1 上周 上星期 上个星期 上一周
0 本周 这周 这一周 本星期 这星期 这个星期
1 下周 下星期 下个星期 下一周
2 下下周
""")
_DAYS: Final = _shifts("""
-3 大前天
-2 前天
-1 昨天 昨日
0 今天 今日
1 明天 明日
2 后天
3 大后天
""")


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_HAN_YEAR = "[一二][〇零○一二三四五六七八九]{3}"
_Y = rf"(?P<year>{_any(_YEARS)}|(?<!\d)(?:19|20)?\d\d\s*年度?|{_HAN_YEAR}年度?)(?:的|\s)*"
_HAN_MONTH = "(?<![十第])(?:十[一二]?|[一二三四五六七八九元正])"
_M = rf"(?:(?P<mrel>{_any(_MONTHS)})份?|(?P<month>(?<![\d.])\d{{1,2}}|{_HAN_MONTH})\s*月份?)"
_N = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_TO = r"\s*(?:到|至|-|~)\s*"
_LEFT = r"(?<![0-9a-z.\-/])"
_RIGHT = r"(?![0-9a-z]|[-/.]\d)"
_ISO_Y = r"(?P<year>(?:19|20)\d\d)"


def _year(match: re.Match[str], base: Base) -> int | None:
    text = _get(match, "year")
    if text is None:
        return None
    if text in _YEARS:
        return base.today.year + _YEARS[text]
    number = small(re.sub(r"\s|年度?", "", text))
    return number + 2000 if number is not None and number < 100 else number


def _month(match: re.Match[str], base: Base) -> When | None:
    year = _year(match, base)
    if match["mrel"]:
        return month_of(base.today.year, base.today.month + _MONTHS[match["mrel"]])
    number = 1 if match["month"] in {"元", "正"} else small(match["month"])
    if number is None or not 1 <= number <= 12:
        return None
    return month_near(number, base) if year is None else month_of(year, number)


def _on(month: When | None, text: str, base: Base | None = None) -> When | None:
    number = small(text)
    if month is None or number is None or not 1 <= number <= month.last.day:
        return None
    day = month.first.replace(day=number)
    if base and (day < base.today if base.forward else day > base.today):
        # A bare month-and-day on the wrong side of today belongs to the neighbouring year.
        year = day.year + (1 if base.forward else -1)
        return None if (day.month, day.day) == (2, 29) else day_of(day.replace(year=year))
    return day_of(day)


def _month_day(match: re.Match[str], base: Base) -> When | None:
    floating = match["year"] is None and match["mrel"] is None
    return _on(_month(match, base), match["day"], base if floating else None)


def _bare_day(match: re.Match[str], base: Base) -> When | None:
    here = month_of(base.today.year, base.today.month)
    found = _on(here, match["day"])
    if found is None or not (found.first < base.today if base.forward else found.first > base.today):
        return found
    shift = 1 if base.forward else -1
    return _on(month_of(here.first.year, here.first.month + shift), match["day"])


def _month_days(match: re.Match[str], base: Base) -> When | None:
    month = _month(match, base)
    return _range(_on(month, match["a"]), _on(month, match["b"]))


def _months(match: re.Match[str], base: Base) -> When | None:
    first, last = small(match["a"]), small(match["b"])
    if first is None or last is None or not (1 <= first <= 12 and 1 <= last <= 12):
        return None
    year = _year(match, base)
    start = month_near(first, base) if year is None else month_of(year, first)
    joined = _range(start, month_near(last, Base(start.first, forward=True)))
    return replace(joined, certain=False) if joined and match["sep"] in "、,和与及" else joined


def _range(start: When | None, end: When | None) -> When | None:
    if start is None or end is None or end.last < start.first:
        return None
    return When(start.first, end.last, min(start.unit, end.unit), whole=False)


def _iso(match: re.Match[str], _base: Base) -> When | None:
    try:
        month = month_of(int(match["year"]), date(2000, int(match["m"]), 1).month)
        return day_of(month.first.replace(day=int(match["d"]))) if "d" in match.groupdict() else month
    except ValueError:
        return None


def _quarter(match: re.Match[str], base: Base) -> When | None:
    here = (base.today.month + 2) // 3
    relative = _get(match, "qrel")
    if relative:
        return quarter_of(base.today.year, here + _QUARTERS[relative])
    number = small(match["q"]) or here
    year = _year(match, base)
    if year is None:
        year = base.today.year + ((number < here) if base.forward else -(number > here))
    return quarter_of(year, number)


def _half(match: re.Match[str], base: Base) -> When | None:
    number = 1 if match["half"] == "上" else 2
    year = _year(match, base)
    here = 1 if base.today.month <= 6 else 2
    if year is None:
        year = base.today.year + ((number < here) if base.forward else -(number > here))
    return half_of(year, number)


def _whole_year(match: re.Match[str], base: Base) -> When | None:
    year = _year(match, base)
    return None if year is None else year_of(year)


def _weekday(match: re.Match[str], base: Base) -> When | None:
    index = "一二三四五六日天".index(match["wd"])
    monday = week_of(base.today).first
    day = monday + timedelta(days=min(index, 6))
    if match["week"]:
        return day_of(day + timedelta(weeks=_WEEKS[match["week"]]))
    if day < base.today if base.forward else day > base.today:
        day += timedelta(weeks=1 if base.forward else -1)
    return day_of(day)


def _week(match: re.Match[str], base: Base) -> When | None:
    return week_of(base.today + timedelta(weeks=_WEEKS[match[0]]))


def _day_word(match: re.Match[str], base: Base) -> When | None:
    return day_of(base.today + timedelta(days=_DAYS[match[0]]))


def _days_ago(match: re.Match[str], base: Base) -> When | None:
    number = small(match["n"]) or 0
    return day_of(base.today + timedelta(days=-number if match["side"] == "前" else number))


def _last_days(match: re.Match[str], base: Base) -> When | None:
    number = small(match["n"])
    if not number:
        return None
    if match["u"] in {"个月", "月"}:
        # Whether the running month is one of them differs from office to office.
        first = month_of(base.today.year, base.today.month - number).first
        return When(first, base.today, Unit.MONTH, whole=False, certain=False)
    days = number * (1 if match["u"] in {"天", "日"} else 7)
    return When(base.today - timedelta(days=days - 1), base.today, Unit.DAY, whole=False)


def _month_spot(match: re.Match[str], base: Base) -> When | None:
    named = "month" in match.groupdict()
    return _spot(_month(match, base) if named else month_of(base.today.year, base.today.month), match["spot"])


def _year_spot(match: re.Match[str], base: Base) -> When | None:
    year = _year(match, base)
    return _spot(year_of(base.today.year if year is None else year), match["spot"])


def _spot(period: When | None, word: str) -> When | None:
    if period is None:
        return None
    if word in {"初", "月初", "年初"}:
        return day_of(period.first)
    if word in {"底", "末", "月底", "月末", "年底", "年末", "年终"}:
        return day_of(period.last)
    return replace(period, certain=False)


def _vague_month(_match: re.Match[str], base: Base) -> When | None:
    first = month_of(base.today.year, base.today.month - 2).first
    last = month_of(base.today.year, base.today.month - 1).last
    return When(first, last, Unit.MONTH, whole=False, certain=False)


def _same_period(match: re.Match[str], base: Base) -> When | None:
    year = _whole_year(match, base)
    return replace(year, certain=False) if year else None


_FORMS: Final[tuple[tuple[re.Pattern[str], _Handler], ...]] = tuple(
    (re.compile(pattern), handler)
    for pattern, handler in (
        (rf"{_LEFT}{_ISO_Y}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){_RIGHT}", _iso),
        (rf"{_LEFT}{_ISO_Y}(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d){_RIGHT}", _iso),
        (rf"{_LEFT}{_ISO_Y}[-/.](?P<m>\d{{1,2}}){_RIGHT}", _iso),
        (rf"{_LEFT}{_ISO_Y}(?P<m>0[1-9]|1[0-2]){_RIGHT}", _iso),
        (rf"{_LEFT}{_ISO_Y}[-/ ]?q(?P<q>[1-4]){_RIGHT}", _quarter),
        (rf"(?:{_Y})?(?<!\d)(?P<a>{_N})(?P<sep>{_TO}|[、,和与及])(?P<b>{_N})\s*月份?(?!\d)", _months),
        (rf"(?:{_Y})?{_M}的?\s*(?P<a>{_N})[日号]?{_TO}(?P<b>{_N})[日号]", _month_days),
        (
            rf"(?:{_Y})?{_M}的?\s*(?P<day>{_N})(?:[日号]|(?![\d.,]|[一二三四五六七八九十条个份元万千百笔张项名位]))",
            _month_day,
        ),
        (rf"(?:{_Y})?{_M}(?P<spot>底|末|初|中旬|上旬|下旬)", _month_spot),
        (r"(?P<spot>月底|月末|月初|月中)", _month_spot),
        (rf"{_Y}(?P<spot>初|底|末)", _year_spot),
        (r"(?P<spot>年初|年底|年末|年终)(?!奖)", _year_spot),
        (rf"(?:{_Y})?(?P<qrel>{_any(_QUARTERS)})季度?", _quarter),
        (rf"(?:{_Y})?第?(?P<q>[一二三四1-4])季度?", _quarter),
        (rf"(?:{_Y})?(?<![0-9a-z])q(?P<q>[1-4]){_RIGHT}", _quarter),
        (rf"(?:{_Y})?(?P<half>[上下])半年", _half),
        (rf"(?:{_Y})?{_M}", _month),
        (rf"(?P<week>{_any(_WEEKS)})?的?(?:周|星期|礼拜)(?P<wd>[一二三四五六日天])", _weekday),
        (rf"(?P<week>{_any(_WEEKS)})(?P<wd>[一二三四五六日天])", _weekday),
        (_any(_DAYS), _day_word),
        (rf"(?P<n>{_N})天(?P<side>前|后)", _days_ago),
        (
            r"(?:最近|近|过去)的?(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})(?P<u>天|日|周|个星期|个月|月)",
            _last_days,
        ),
        (_any(_WEEKS), _week),
        (r"(?<![以之个\d])前个?月", _vague_month),
        (rf"(?<![0-9a-z第.\-/])(?P<day>{_N})[号日](?![楼线文库机门柜仓院店桌常报志期历])", _bare_day),
        (rf"{_Y}同期", _same_period),
        (_Y, _whole_year),
    )
)
_JOIN: Final = re.compile(r"的?\s*(?:到|至|-|~|起至|开始到)\s*")
_EDGE: Final = re.compile(
    r"(?:的)?(?:(?P<before>以前|之前|前(?!\s*[\d一二三四五六七八九十]))|(?P<after>以来|之后|以后|后(?!勤)|起|开始))"
)
_FLOATING_START: Final = re.compile(
    r"\d{1,2}[月日号]|[一二三四五六七八九十元正]{1,3}[月日号]|第?[一二三四1-4]季|q[1-4]|[上下]半年|周|星期|礼拜"
)


def find_dates(text: str, base: Base) -> list[Found]:
    """Every period of a folded text, in order, without overlaps; ranges are joined."""
    chosen: list[Found] = []
    for found in sorted(_candidates(text, base), key=lambda item: (item.start, -item.end)):
        if not chosen or found.start >= chosen[-1].end:
            chosen.append(found)
    return [_with_edge(text, found) for found in _joined(text, chosen)]


def _candidates(text: str, base: Base) -> Iterator[Found]:
    for pattern, handler in _FORMS:
        for match in pattern.finditer(text):
            end = match.start() + len(match[0].rstrip().removesuffix("的"))
            floating = _FLOATING_START.match(match[0]) is not None
            yield Found(match.start(), end, handler(match, base), anchored=not floating)


def _joined(text: str, found: list[Found]) -> list[Found]:
    result: list[Found] = []
    for item in found:
        last = result[-1] if result else None
        if last is None or not _JOIN.fullmatch(text, last.end, item.start):
            result.append(item)
            continue
        when = item.when
        if last.when and when and not item.anchored:
            again = find_dates(text[item.start : item.end], Base(last.when.first, forward=True))
            when = again[0].when if again else None
        result[-1] = Found(last.start, item.end, _range(last.when, when), anchored=last.anchored)
    return result


def _with_edge(text: str, found: Found) -> Found:
    edge = _EDGE.match(text, found.end)
    if edge is None or found.when is None:
        return found
    side: Edge = "before" if edge["before"] else "after"
    return replace(found, end=edge.end(), when=replace(found.when, edge=side))
