"""Counts of tables, and text read off pictures."""

from __future__ import annotations

import pytest

from sgclaw.perception.ocr import OcrLine, merge
from sgclaw.perception.pages import text_view
from sgclaw.perception.tables import counts_of_rows, counts_of_table
from sgclaw.protocol.results import Table
from tests.unit.perception.pages import node, page_of


@pytest.mark.requirement("SEE-17")
@pytest.mark.parametrize(
    ("rows", "total", "complete", "told"),
    [
        (20, 128, False, "显示 20 行，页面共 128 条，未读完"),
        (128, 128, True, "显示 128 行，页面共 128 条，已读完"),
        (3, None, True, "显示 3 行，已读完"),
        (0, 5, False, "显示 0 行，页面共 5 条，未读完"),
    ],
)
def test_what_was_read_of_a_table_is_reconciled_with_what_the_page_says(
    rows: int, total: int | None, complete: bool, told: str
) -> None:
    table = Table(columns=("编号",), rows=(("1",),) * rows, row_count=rows, page_total=total, complete=complete)
    assert counts_of_table(table) == told


@pytest.mark.requirement("SEE-17")
@pytest.mark.parametrize(
    ("shown", "total", "told"),
    [
        (20, 128, "共128行 显示20行"),
        (20, 20, "共20行"),
        (0, 128, "共128行"),
        (5, None, "5行"),
        (0, None, ""),
        (9, 3, "共9行"),
    ],
)
def test_counts_of_rows_say_only_what_is_known(shown: int, total: int | None, told: str) -> None:
    assert counts_of_rows(shown, total) == told


@pytest.mark.requirement("SEE-18")
def test_text_off_a_picture_names_the_nameless_and_adds_what_no_node_says() -> None:
    view = page_of(
        node("button", "", ref=1, bounds=(0, 0, 100, 40)),
        node("button", "提交", ref=2, bounds=(200, 0, 100, 40)),
        node("canvas", "", ref=3, bounds=(0, 100, 600, 300)),
    )
    lines = [
        OcrLine("导出", (20, 20, 80, 20), 0.98),
        OcrLine("提交", (420, 20, 80, 20), 0.99),
        OcrLine("一月 [9] 120 万", (100, 300, 200, 40), 0.9),
        OcrLine("模糊", (100, 400, 200, 40), 0.3),
    ]
    told = text_view(merge(view, lines, scale=2.0)).page(1).splitlines()[3:-1]
    assert told == ["[1]~导出 [2]提交 ~一月 ［9］ 120 万"]


@pytest.mark.requirement("SEE-18")
def test_a_fake_recogniser_fits_the_port() -> None:
    def recognise(picture: bytes) -> list[OcrLine]:
        return [OcrLine(picture.decode(), (0, 0, 10, 10), 1.0)]

    assert text_view(merge(page_of(), recognise("图上的字".encode()))).page(1).splitlines()[3] == "~图上的字"
