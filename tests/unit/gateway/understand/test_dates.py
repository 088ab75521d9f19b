from datetime import date

import pytest

from sgclaw.gateway.understand.dates import find_dates
from sgclaw.gateway.understand.periods import Base, Unit, When

TODAY = date(2026, 3, 15)  # a Sunday

WHOLE = [
    ("本月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("这个月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("当月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("上月", "2026-02-01", "2026-02-28", Unit.MONTH),
    ("上个月", "2026-02-01", "2026-02-28", Unit.MONTH),
    ("上上个月", "2026-01-01", "2026-01-31", Unit.MONTH),
    ("下月", "2026-04-01", "2026-04-30", Unit.MONTH),
    ("去年12月", "2025-12-01", "2025-12-31", Unit.MONTH),
    ("今年3月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("明年一月", "2027-01-01", "2027-01-31", Unit.MONTH),
    ("2026年3月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("26年3月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("2026-03", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("2026/3", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("2026.3", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("202603", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("二〇二六年三月", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("三月份", "2026-03-01", "2026-03-31", Unit.MONTH),
    ("12月", "2025-12-01", "2025-12-31", Unit.MONTH),
    ("十一月", "2025-11-01", "2025-11-30", Unit.MONTH),
    ("本季度", "2026-01-01", "2026-03-31", Unit.QUARTER),
    ("上季度", "2025-10-01", "2025-12-31", Unit.QUARTER),
    ("第一季度", "2026-01-01", "2026-03-31", Unit.QUARTER),
    ("一季度", "2026-01-01", "2026-03-31", Unit.QUARTER),
    ("q1", "2026-01-01", "2026-03-31", Unit.QUARTER),
    ("第3季度", "2025-07-01", "2025-09-30", Unit.QUARTER),
    ("2026年第四季度", "2026-10-01", "2026-12-31", Unit.QUARTER),
    ("2026q1", "2026-01-01", "2026-03-31", Unit.QUARTER),
    ("去年q3", "2025-07-01", "2025-09-30", Unit.QUARTER),
    ("上半年", "2026-01-01", "2026-06-30", Unit.HALF),
    ("下半年", "2025-07-01", "2025-12-31", Unit.HALF),
    ("去年", "2025-01-01", "2025-12-31", Unit.YEAR),
    ("2026年度", "2026-01-01", "2026-12-31", Unit.YEAR),
    ("今天", "2026-03-15", "2026-03-15", Unit.DAY),
    ("昨天", "2026-03-14", "2026-03-14", Unit.DAY),
    ("大前天", "2026-03-12", "2026-03-12", Unit.DAY),
    ("3天前", "2026-03-12", "2026-03-12", Unit.DAY),
    ("本周一", "2026-03-09", "2026-03-09", Unit.DAY),
    ("上周五", "2026-03-06", "2026-03-06", Unit.DAY),
    ("周五", "2026-03-13", "2026-03-13", Unit.DAY),
    ("3月5日", "2026-03-05", "2026-03-05", Unit.DAY),
    ("2026年3月5号", "2026-03-05", "2026-03-05", Unit.DAY),
    ("三月三十一日", "2025-03-31", "2025-03-31", Unit.DAY),
    ("20260305", "2026-03-05", "2026-03-05", Unit.DAY),
    ("上个月5号", "2026-02-05", "2026-02-05", Unit.DAY),
    ("月底", "2026-03-31", "2026-03-31", Unit.DAY),
    ("上月底", "2026-02-28", "2026-02-28", Unit.DAY),
    ("年初", "2026-01-01", "2026-01-01", Unit.DAY),
    ("去年底", "2025-12-31", "2025-12-31", Unit.DAY),
    ("上周", "2026-03-02", "2026-03-08", Unit.WEEK),
]

RANGES = [
    ("3月到5月", "2026-03-01", "2026-05-31", Unit.MONTH),
    ("3-5月", "2026-03-01", "2026-05-31", Unit.MONTH),
    ("一到三月", "2026-01-01", "2026-03-31", Unit.MONTH),
    ("11月至2月", "2025-11-01", "2026-02-28", Unit.MONTH),
    ("去年一月至三月", "2025-01-01", "2025-03-31", Unit.MONTH),
    ("2025年12月到2026年2月", "2025-12-01", "2026-02-28", Unit.MONTH),
    ("2026年3月5日到8日", "2026-03-05", "2026-03-08", Unit.DAY),
    ("3月5日-8日", "2026-03-05", "2026-03-08", Unit.DAY),
    ("上周一到周五", "2026-03-02", "2026-03-06", Unit.DAY),
    ("最近7天", "2026-03-09", "2026-03-15", Unit.DAY),
]


def only(text: str, base: Base | None = None) -> When | None:
    """The one period of a text that is nothing else."""
    found = find_dates(text, base or Base(TODAY))
    assert [(item.start, item.end) for item in found] == [(0, len(text))]
    return found[0].when


@pytest.mark.requirement("ROUTE-05")
@pytest.mark.parametrize(("text", "first", "last", "unit"), WHOLE)
def test_a_period_is_found_with_the_grain_it_was_said_in(text: str, first: str, last: str, unit: Unit) -> None:
    assert only(text) == When(date.fromisoformat(first), date.fromisoformat(last), unit)


@pytest.mark.requirement("ROUTE-05")
@pytest.mark.parametrize(("text", "first", "last", "unit"), RANGES)
def test_a_range_is_one_period_that_is_no_whole_unit(text: str, first: str, last: str, unit: Unit) -> None:
    assert only(text) == When(date.fromisoformat(first), date.fromisoformat(last), unit, whole=False)


@pytest.mark.requirement("ROUTE-06")
@pytest.mark.parametrize("text", ["2月30日", "2026-13", "2026年13月", "2026-02-31", "20260231", "5月到13月"])
def test_a_date_that_does_not_exist_is_found_as_none(text: str) -> None:
    assert only(text) is None


@pytest.mark.requirement("ROUTE-06")
@pytest.mark.parametrize("text", ["前月", "近三个月", "3、4月", "去年同期", "月中"])
def test_words_with_two_readings_are_uncertain(text: str) -> None:
    when = only(text)
    assert when is not None
    assert not when.certain


@pytest.mark.parametrize(
    ("text", "edge"), [("3月5日之前", "before"), ("3月5日以前", "before"), ("3月5日以来", "after")]
)
def test_before_and_after_are_not_the_day_itself(text: str, edge: str) -> None:
    when = only(text)
    assert when is not None
    assert (when.first, when.edge) == (date(2026, 3, 5), edge)


@pytest.mark.parametrize(
    "text", ["a-1002", "2024-0315", "四个季度", "1号楼", "十分", "前10条", "以前", "个月", "v2.3.4"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert find_dates(text, Base(TODAY)) == []


@pytest.mark.parametrize(
    ("text", "first"), [("4月2日", "2026-04-02"), ("周五", "2026-03-20"), ("2号", "2026-04-02"), ("1月", "2027-01-01")]
)
def test_looking_forward_takes_the_nearest_to_come(text: str, first: str) -> None:
    when = only(text, Base(TODAY, forward=True))
    assert when is not None
    assert when.first == date.fromisoformat(first)


def test_the_year_turns_at_january() -> None:
    assert only("上个月", Base(date(2026, 1, 31))) == When(date(2025, 12, 1), date(2025, 12, 31), Unit.MONTH)
    assert only("上季度", Base(date(2026, 1, 31))) == When(date(2025, 10, 1), date(2025, 12, 31), Unit.QUARTER)
    assert only("昨天", Base(date(2024, 3, 1))) == When(date(2024, 2, 29), date(2024, 2, 29), Unit.DAY)
