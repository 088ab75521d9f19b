"""The list of differences as a workbook."""

from __future__ import annotations

import io
from collections.abc import Sequence

from openpyxl import Workbook
from openpyxl.styles import Font

from browser_host_stub.sites.finance.bank_data import Books
from browser_host_stub.sites.finance.matching import Difference

MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TITLES = ("序号", "未达类型", "记录编号", "日期", "凭证/流水号", "对方单位", "摘要", "金额", "差异说明")
_WIDTHS = (6, 18, 14, 12, 20, 22, 18, 16, 30)


def differences(books: Books, listed: Sequence[Difference]) -> bytes:
    """Row 1 names account and month, row 2 holds `TITLES`, then the differences and a line 合计 with their sum."""
    book = Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet("差异明细")
    sheet.append([f"{books.account.name} {books.month} 银行对账差异明细"])
    sheet.append(list(TITLES))
    for place, item in enumerate(listed, 1):
        line = item.line
        named = (place, item.kind, line.id, line.day, line.reference, line.party, line.summary)
        sheet.append([*named, line.cents / 100, item.note])
    sheet.append(["合计", *[""] * 6, sum(item.line.cents for item in listed) / 100, ""])
    for row in (sheet[1], sheet[2], sheet[sheet.max_row]):
        for cell in row:
            cell.font = Font(bold=True)
    for column, width in zip("ABCDEFGHI", _WIDTHS, strict=True):
        sheet.column_dimensions[column].width = width
    for cell in sheet["H"]:
        cell.number_format = "#,##0.00"
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()
