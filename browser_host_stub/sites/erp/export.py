"""Report files: the rows of a filter as a real workbook or text table, byte for byte the same each time."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from browser_host_stub.sites.erp import data

ALL_DEPARTMENTS = "全部部门"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the report: `key` is the field of `data.Row`, `width` is in characters of the workbook."""

    key: str
    title: str
    width: int
    number_format: str = "General"


COLUMNS = (
    Column("day", "凭证日期", 12, "yyyy-mm-dd"),
    Column("number", "凭证字号", 14),
    Column("department", "部门", 14),
    Column("subject_code", "科目编号", 12),
    Column("subject_name", "科目名称", 32),
    Column("summary", "摘要", 26),
    Column("debit", "借方金额", 16, "#,##0.00"),
    Column("credit", "贷方金额", 16, "#,##0.00"),
    Column("preparer", "制单人", 10),
    Column("status", "状态", 10),
)


@dataclass(frozen=True, slots=True)
class ReportFilter:
    """What a report shows: a month of the ledger (YYYY-MM) and one department, or None for all."""

    month: str
    department: str | None

    @property
    def title(self) -> str:
        return f"{self.month} {self.department or ALL_DEPARTMENTS}"


def file_name(wanted: ReportFilter, form: str) -> str:
    """The name a report is saved under, e.g. 月度报表_2026-03_财务部.xlsx."""
    return f"月度报表_{wanted.month}_{wanted.department or ALL_DEPARTMENTS}.{form}"


def render(wanted: ReportFilter, form: str) -> bytes:
    """The report file. `form` is a key of `FORMATS`. Row 1 holds the titles of `COLUMNS`; nothing follows the rows."""
    return FORMATS[form].write(wanted, data.rows(wanted.month, wanted.department))


def _cells(row: data.Row) -> list[str | date | Decimal]:
    return [getattr(row, column.key) for column in COLUMNS]


def _write_csv(_wanted: ReportFilter, lines: Sequence[data.Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.title for column in COLUMNS])
    writer.writerows([str(cell) for cell in _cells(row)] for row in lines)
    # Without the byte order mark Excel reads Chinese CSV in the local code page.
    return text.getvalue().encode("utf-8-sig")


def _write_xlsx(wanted: ReportFilter, lines: Sequence[data.Row]) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet(f"{wanted.month} 月度报表")
    sheet.freeze_panes = "A2"
    sheet.append([column.title for column in COLUMNS])
    for row in lines:
        sheet.append(_cells(row))
    for position, column in enumerate(COLUMNS, 1):
        letter = get_column_letter(position)
        sheet.column_dimensions[letter].width = column.width
        head, *cells = sheet[letter]
        head.font, head.fill = Font(bold=True, color="FFFFFF"), PatternFill("solid", fgColor="1F4E9E")
        head.alignment = Alignment(horizontal="center")
        for cell in cells:
            cell.number_format = column.number_format
    packed = io.BytesIO()
    book.save(packed)
    return _without_clock(packed.getvalue())


def _without_clock(workbook: bytes) -> bytes:
    """The workbook without the time of saving, which openpyxl puts into its properties and every archive entry."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb">\d{4}-\d\d-\d\dT[^<]*<", b">2025-01-01T00:00:00Z<", content)
            # The entry's default date is 1980-01-01, the archive format's zero.
            target.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return result.getvalue()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format a report can have."""

    mime: str
    write: Callable[[ReportFilter, Sequence[data.Row]], bytes]


FORMATS = {
    "xlsx": Format("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _write_xlsx),
    "csv": Format("text/csv; charset=utf-8", _write_csv),
}
