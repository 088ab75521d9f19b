from datetime import date
from decimal import Decimal

import pytest

from browser_host_stub.sites.erp import data

MONTHS = [f"{year}-{month:02d}" for year in (2025, 2026) for month in range(1, 13)]


@pytest.mark.requirement("SITES-01")
@pytest.mark.parametrize("month", MONTHS)
def test_a_department_month_has_20_to_60_rows_whose_debits_equal_its_credits(month: str) -> None:
    for department in data.DEPARTMENTS:
        lines = data.rows(month, department)
        debit, credit = data.totals(lines)
        assert 20 <= len(lines) <= 60
        assert debit == credit > 0
        assert {(line.day.strftime("%Y-%m"), line.department) for line in lines} == {(month, department)}
        assert {line.debit.as_tuple().exponent for line in lines} == {-2}
        assert list(lines) == sorted(lines, key=lambda line: line.day)


@pytest.mark.requirement("SITES-01")
def test_the_ledger_is_the_same_on_every_machine() -> None:
    lines = data.rows("2026-03", "财务部")
    assert len(lines) == 36
    assert lines[0] == data.Row(
        day=date(2026, 3, 3),
        number="记-CW-0001",
        department="财务部",
        subject_code="660302",
        subject_name="财务费用-手续费",
        summary="3月银行结算手续费",
        debit=Decimal("516.91"),
        credit=Decimal("0.00"),
        preparer="赵丽娟",
        status="已记账",
    )


@pytest.mark.requirement("SITES-01")
def test_all_departments_are_the_departments_one_after_the_other() -> None:
    joined = [line for name in data.DEPARTMENTS for line in data.rows("2025-11", name)]
    assert list(data.rows("2025-11")) == joined


@pytest.mark.requirement("SITES-01")
@pytest.mark.parametrize("month", ["2024-12", "2036-01"])
def test_a_month_outside_the_ledger_has_no_rows(month: str) -> None:
    assert data.rows(month) == ()


@pytest.mark.requirement("SITES-01")
@pytest.mark.parametrize(("month", "department"), [("2026-13", None), ("2026-3", None), ("2026-03", "保密部")])
def test_what_is_no_month_or_no_department_is_refused(month: str, department: str | None) -> None:
    with pytest.raises(ValueError, match=r"not a month|no such department"):
        data.rows(month, department)
