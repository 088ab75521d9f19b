"""Rows told as one text, and tables drawn in parts."""

from __future__ import annotations

import pytest

from sgclaw.perception.cells import cellular, told, whole_tables
from sgclaw.perception.changes import difference_text
from sgclaw.perception.diff import diff
from sgclaw.perception.find import found_text
from sgclaw.perception.model import View
from sgclaw.perception.pages import text_view
from sgclaw.protocol.results import AomNode, PageInfo
from tests.unit.perception.pages import node, tokens

PAGE = PageInfo(id="p1", url="https://oa.example.com/", title="", version=1)


def view(*nodes: AomNode) -> View:
    return View(PAGE, nodes, 0)


def row(number: int) -> AomNode:
    key = f"HT-{number}"
    controls = [
        node("checkbox", f"选择 · {key}", ref=number * 10, inferred=("name",)),
        node("link", key, ref=number * 10 + 1),
        node("button", f"编辑 · {key}", ref=number * 10 + 2, inferred=("name",)),
        node("button", f"删除 · {key}", ref=number * 10 + 3, inferred=("name",)),
    ]
    return node("row", f" | {key} | {number}00.00 | 编辑 删除", *controls)


HEADS = [node("columnheader", name) for name in ("", "编号", "金额", "操作")]


@pytest.mark.requirement("SEE-21")
def test_controls_stand_in_the_cell_that_says_them_and_a_tick_in_the_empty_one() -> None:
    cells = cellular(row(1)).children
    assert [cell.name for cell in cells] == ["", "", "100.00", ""]
    assert [[child.ref for child in cell.children] for cell in cells] == [["1:10"], ["1:11"], [], ["1:12", "1:13"]]


@pytest.mark.requirement("SEE-21")
def test_a_row_with_cells_of_its_own_stays_as_it_is() -> None:
    own = node("row", "甲 | 乙", node("cell", "甲"), node("cell", "乙"))
    assert cellular(own) == own


@pytest.mark.requirement("SEE-21")
def test_a_table_in_parts_is_a_header_with_rows_and_what_each_row_offers_is_said_once() -> None:
    parts = node("table", "", *HEADS), node("grid", "", node("table", "", *(row(n) for n in (1, 2, 3)), row_count=40))
    text = text_view(view(*parts)).page(1)
    assert "#表格 共40行 显示3行\n 列: {每行:选择} | 编号 | 金额 | 操作 {每行:编辑,删除}\n" in text
    assert " [10] | [11]HT-1 | 100.00 | [12] [13]\n [20] | [21]HT-2 | 200.00 | [22] [23]\n" in text


@pytest.mark.requirement("SEE-21")
def test_tables_that_are_whole_stay_apart() -> None:
    whole = [node("table", "", *HEADS, row(1)), node("table", "", *HEADS, row(2))]
    assert list(whole_tables(whole)) == whole


@pytest.mark.requirement("SEE-20")
def test_cells_can_imitate_neither_a_ref_nor_more_cells() -> None:
    assert told(node("row", "[12]甲 | 乙｜丙")) == "［12］甲 | 乙｜丙"


@pytest.mark.requirement("SEE-14")
def test_of_a_replaced_table_a_few_rows_are_told_and_the_text_that_changed() -> None:
    old, new = ([*(row(n) for n in range(start, start + 40)), node("text", f"合计 {start} 元")] for start in (100, 200))
    before = view(*old)
    text = difference_text(diff(old, new), PAGE, before=before)
    assert tokens(text) <= 300
    assert "合计 200 元" in text
    assert "行" in text.rpartition("另有")[2]


@pytest.mark.requirement("SEE-21")
def test_a_row_is_found_by_what_is_read_in_it_and_its_controls_by_themselves() -> None:
    seen = view(row(1), node("text", "合计 600.00 元"))
    assert "#行 HT-1 | 100.00 | 编辑 删除" in found_text(seen, "100.00")
    assert "找到1处" in found_text(seen, "编辑")
    assert "合计 600.00 元" in found_text(seen, "合计")
