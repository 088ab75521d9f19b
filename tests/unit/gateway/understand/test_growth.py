"""Reading an order takes work in proportion to its length: it is done on the loop that serves everything else."""

import sys
from collections.abc import Callable
from datetime import date
from types import FrameType

import pytest

from sgclaw.gateway.understand.frame import read_frame
from sgclaw.gateway.understand.periods import Base
from sgclaw.gateway.understand.reading import read
from sgclaw.gateway.understand.spans import find_spans

TODAY = date(2026, 3, 15)
CHARACTERS = 24_000
"""Twelve times what is read of an order: a pattern that looks back over it takes a minute, and the timeout sees it."""
PIECES = (
    *(
        " ",
        "不要",
        "不是",
        "是不",
        "没",
        "不吗",
        "吗 ",
        "了 ",
        "?",
        "已",
        "等",
        "的",
        "上月",
        "上月到",
        "去年的",
        "26 年",
    ),
    *(
        "3月5日",
        "三点",
        "3:",
        "上午 ",
        "1天",
        "1,",
        "1 ",
        "三",
        "三百元",
        "一万",
        "部",
        "财务部",
        "第",
        "前",
        "a-",
        "a1",
    ),
    *("“a”", "“", "'", "备注 ", "备注是", "备注填写,", "意见", "《a"),
)


def steps_of(work: Callable[[], object]) -> int:
    """How many Python and C calls the work takes: no clock is involved."""
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return steps


def understand(text: str) -> None:
    read_frame(text)
    find_spans(text, text, Base(TODAY))


@pytest.mark.requirement("ROUTE-14")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", PIECES)
def test_work_on_an_order_grows_with_its_length_only(piece: str) -> None:
    whole = (piece * CHARACTERS)[:CHARACTERS]
    eighth = whole[: CHARACTERS // 8]
    understand(eighth)  # words and patterns are loaded once
    assert steps_of(lambda: understand(whole)) <= 9 * steps_of(lambda: understand(eighth)) + 500


@pytest.mark.requirement("ROUTE-14")
@pytest.mark.parametrize("text", ["一" + "万" * 1_999, "一" + "亿" * 1_999, "9" * 1_999 + "亿", "九" * 2_000])
def test_a_number_longer_than_any_amount_is_no_number(text: str) -> None:
    assert [span for span in read(text, TODAY).spans if span.kind == "number"] == []


@pytest.mark.requirement("ROUTE-04")
@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("可以不导出明细吗?", True),
        ("可以导出,没有明细么 ?", True),
        ("可以不导出,明细吗", False),
        ("可以导出吗,不", False),
        ("可以导出吗", False),
    ],
)
def test_a_no_in_the_clause_that_asks_makes_a_doubt(text: str, doubt: bool) -> None:
    assert (read_frame(text).doubt == "这句话里有“不”又像是在提问") is doubt
