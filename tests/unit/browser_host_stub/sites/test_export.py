import csv
import io
from datetime import datetime
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from browser_host_stub.sites.erp import data, export

WANTED = export.ReportFilter("2026-03", "财务部")
TITLES = ["凭证日期", "凭证字号", "部门", "科目编号", "科目名称", "摘要", "借方金额", "贷方金额", "制单人", "状态"]


def row_values(row: data.Row) -> list[str]:
    return [str(getattr(row, column.key)) for column in export.COLUMNS]


@pytest.mark.requirement("SITES-02")
def test_a_workbook_holds_typed_cells_equal_to_the_ledger() -> None:
    book = load_workbook(io.BytesIO(export.render(WANTED, "xlsx")))
    head, *lines = book.worksheets[0].iter_rows(values_only=True)
    assert book.sheetnames == ["2026-03 月度报表"]
    assert list(head) == TITLES
    for line, row in zip(lines, data.rows("2026-03", "财务部"), strict=True):
        assert isinstance(line[0], datetime)
        assert line[0].date() == row.day
        assert list(line[1:6]) == [row.number, row.department, row.subject_code, row.subject_name, row.summary]
        assert [Decimal(str(amount)) for amount in line[6:8]] == [row.debit, row.credit]
        assert list(line[8:]) == [row.preparer, row.status]


@pytest.mark.requirement("SITES-02")
def test_a_csv_file_starts_with_a_byte_order_mark_and_holds_the_ledger() -> None:
    content = export.render(WANTED, "csv")
    assert content.startswith(b"\xef\xbb\xbf")
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert lines == [TITLES, *(row_values(row) for row in data.rows("2026-03", "财务部"))]


@pytest.mark.requirement("SITES-02")
def test_the_same_filter_gives_the_same_bytes_without_any_clock_in_them() -> None:
    first = export.render(WANTED, "xlsx")
    book = load_workbook(io.BytesIO(first))
    assert export.render(WANTED, "xlsx") == first
    assert book.properties.created == book.properties.modified == datetime(2025, 1, 1)  # noqa: DTZ001 - as openpyxl reads
