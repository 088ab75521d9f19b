"""The ledger behind the demo ERP: finance vouchers that are the same on every machine and every day.

Generated from a seed per department and month. Only `Random.random()` is used, the one method whose sequence Python
promises to keep, so that figures quoted in tests and documents stay true.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from browser_host_stub.sites.erp.accounts import BUSINESSES, INPUT_TAX, SUBJECTS, Business

FIRST_MONTH, LAST_MONTH = "2025-01", "2035-12"
# The code is the prefix of the department's voucher numbers; the search box finds both.
DEPARTMENTS = {
    "财务部": "CW",
    "人力资源部": "RL",
    "采购部": "CG",
    "信息技术部": "XX",
    "市场部": "SC",
    "法务部": "FW",
    "行政部": "XZ",
}
PREPARERS = ("张敏", "李建国", "王芳", "陈志强", "刘洋", "赵丽娟")
STATUSES = ("已记账", "已记账", "已记账", "已审核")

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_MIN_ROWS, _MAX_ROWS = 20, 60
_ROWS_PER_VOUCHER = 3
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a voucher. Amounts are yuan with exactly two decimals; one of debit and credit is 0.00."""

    day: date
    number: str
    department: str
    subject_code: str
    subject_name: str
    summary: str
    debit: Decimal
    credit: Decimal
    preparer: str
    status: str


def is_month(text: str) -> bool:
    """Whether `text` is a month written YYYY-MM, in the ledger or not."""
    return _MONTH.fullmatch(text) is not None


def rows(month: str, department: str | None = None) -> tuple[Row, ...]:
    """The ledger's rows of a month, of one department or (None) of all, in the order the site shows and exports.

    A department-month has 20 to 60 rows and its debits equal its credits. Outside 2025-01 … 2035-12 there are none.
    `ValueError` when `month` is not YYYY-MM or the department does not exist.
    """
    if not is_month(month):
        raise ValueError(f"not a month written YYYY-MM: {month!r}")
    if department is not None and department not in DEPARTMENTS:
        raise ValueError(f"no such department: {department!r}")
    if not FIRST_MONTH <= month <= LAST_MONTH:
        return ()
    wanted = DEPARTMENTS if department is None else (department,)
    return tuple(row for name in wanted for row in _department_month(month, name))


def totals(lines: Sequence[Row]) -> tuple[Decimal, Decimal]:
    """Sum of debits and sum of credits, in yuan."""
    zero = Decimal("0.00")
    return sum((line.debit for line in lines), zero), sum((line.credit for line in lines), zero)


@functools.cache
def _department_month(month: str, department: str) -> tuple[Row, ...]:
    dice = random.Random(f"{month} {department}")  # noqa: S311 - repeatable demo figures, nothing secret
    at_least = _MIN_ROWS + int(dice.random() * (_MAX_ROWS - _ROWS_PER_VOUCHER - _MIN_ROWS + 1))
    businesses = BUSINESSES[""] + BUSINESSES[department]
    drafts: list[tuple[date, Business]] = []
    expected = 0
    while expected < at_least:
        business = _pick(dice, businesses)
        drafts.append((_pick(dice, _workdays(month)), business))
        expected += 3 if business.tax else 2
    drafts.sort(key=lambda draft: draft[0])
    result: list[Row] = []
    for serial, (day, business) in enumerate(drafts, 1):
        result += _voucher(dice, department, f"记-{DEPARTMENTS[department]}-{serial:04d}", (day, business))
    return tuple(result)


def _voucher(dice: random.Random, department: str, number: str, draft: tuple[date, Business]) -> list[Row]:
    day, business = draft
    net = Decimal(int((business.low + (business.high - business.low) * dice.random()) * 100)) / 100
    tax = (net * business.tax).quantize(Decimal("0.01"))
    preparer, status = _pick(dice, PREPARERS), _pick(dice, STATUSES)
    zero = Decimal("0.00")
    entries = [(business.debit, net, zero), (INPUT_TAX, tax, zero), (business.credit, zero, net + tax)]
    return [
        Row(
            day=day,
            number=number,
            department=department,
            subject_code=code,
            subject_name=SUBJECTS[code],
            summary=f"{day.month}月{business.summary}",
            debit=debit.quantize(Decimal("0.01")),
            credit=credit.quantize(Decimal("0.01")),
            preparer=preparer,
            status=status,
        )
        for code, debit, credit in entries
        if debit or credit
    ]


def _pick(dice: random.Random, choices: Sequence[_T]) -> _T:
    return choices[int(dice.random() * len(choices))]


@functools.cache
def _workdays(month: str) -> tuple[date, ...]:
    first = date.fromisoformat(f"{month}-01")
    days = (first + timedelta(days=offset) for offset in range(31))
    return tuple(day for day in days if day.month == first.month and day.weekday() < 5)
