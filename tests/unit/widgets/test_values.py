from decimal import Decimal

import pytest

from sgclaw.errors import ActionError
from sgclaw.widgets.values import is_range, lines, moments, number, plain, rest_of, same_path, several


@pytest.mark.requirement("WID-20")
@pytest.mark.parametrize(
    ("text", "shown", "same"),
    [
        ("2026-03-05", "2026-03-05", True),
        ("2026-03-05", "2026年03月05日", True),
        ("2026-03-05", "2026/3/5", True),
        ("2026-03-05", "2026-03-05 00:00:00", True),
        ("2026-03-05", "2026-03-05 00:00:01", False),
        ("2026-03-05", "2026-05-03", False),
        ("2026-03-05", "2026-03-50", False),
        ("2026-03-05", "", False),
        ("2026-03", "2026年3月", True),
        ("2026-03", "2026-03-05", False),
        ("2026", "2026", True),
        ("09:30", "09:30:00", True),
        ("09:30", "09:30:15", False),
        ("09:30:15", "09:30", False),
        ("2026-03-05 09:30", "2026-03-05 09:30:00", True),
    ],
)
def test_a_field_shows_a_moment_when_its_numbers_are_those_and_nothing_more(text: str, shown: str, same: bool) -> None:
    assert moments(text)[0].shown_as(shown) is same


@pytest.mark.requirement("WID-20")
def test_another_order_of_day_and_month_counts_only_where_a_day_was_picked() -> None:
    moment = moments("2026-03-05")[0]
    assert not moment.shown_as("05/03/2026")
    assert moment.shown_as("05/03/2026", in_any_order=True)


@pytest.mark.requirement("WID-20")
@pytest.mark.parametrize(
    "text", ["", "明天", "2026-3-", "26-03-05", "2026-03-05T", "09:3", "a ~ b", "2026-01 ~ 2026-02 ~ 2026-03"]
)
def test_any_other_writing_of_a_moment_is_refused(text: str) -> None:
    with pytest.raises(ActionError) as caught:
        moments(text)
    assert caught.value.code == "BAD_PARAMS"


@pytest.mark.requirement("WID-20")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-03-01 ~ 2026-03-31", True),
        ("2026-03-01 至 2026-03-31", True),
        ("09:00~18:00", True),
        ("2026-03-01", False),
        ("3 ~ 5", False),
        ("说明 ~ 备注", False),
    ],
)
def test_only_two_moments_are_a_range(text: str, found: bool) -> None:
    assert is_range(text) is found


@pytest.mark.requirement("WID-21")
@pytest.mark.parametrize(
    ("path", "name", "rest"),
    [
        ("浙江/杭州/西湖", "浙江", "杭州/西湖"),
        ("浙江 / 杭州", "浙江", "杭州"),
        ("浙江", "浙江", ""),
        ("浙江/杭州", "浙", None),
        ("A/B 组/甲", "A/B 组", "甲"),
        ("浙江/", "浙江", None),
        ("浙江", "", None),
    ],
)
def test_a_path_is_taken_step_by_step_by_the_names_that_are_there(path: str, name: str, rest: str | None) -> None:
    assert rest_of(path, name) == rest


@pytest.mark.requirement("WID-21")
def test_a_path_is_shown_whole_or_by_its_last_step() -> None:
    assert same_path("浙江 / 杭州", "浙江/杭州")
    assert same_path("杭州", "浙江/杭州")
    assert not same_path("浙江", "浙江/杭州")
    assert not same_path("", "浙江/杭州")


@pytest.mark.requirement("WID-21")
def test_several_values_are_each_counted_once() -> None:
    assert several("甲、乙、 甲 、") == ["甲", "乙"]
    assert several("") == []


@pytest.mark.requirement("WID-22")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", "42"),
        ("1,234.50", "1234.5"),
        ("¥1,234.50", "1234.5"),
        ("-3", "-3"),
        (".5", "0.5"),
        ("12 %", "12"),
        ("12-3", None),
        ("", None),
        ("甲", None),
        ("1e3", None),
    ],
)
def test_a_number_is_compared_by_its_value(text: str, value: str | None) -> None:
    assert number(text) == (None if value is None else Decimal(value))


@pytest.mark.requirement("WID-22")
def test_what_cannot_be_seen_does_not_count() -> None:
    assert plain(" 财\u200b务\u00a0 部\n") == "财务 部"
    assert lines("甲\n\n \u200b\n乙 丙") == ["甲", "乙 丙"]
