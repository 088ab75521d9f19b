"""The query of booked vouchers: the entries of the company's ledger by months, department and words, page by page."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from decimal import Decimal

from browser_host_stub.sites.erp import data
from browser_host_stub.sites.frame.answers import SiteError

MOST_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Query:
    """Months are written YYYY-MM and both included; an empty department or word means all."""

    first: str
    last: str
    department: str
    words: str


@functools.lru_cache(maxsize=32)
def found(query: Query) -> tuple[data.Row, ...]:
    """The entries of the query in the ledger's order. Refusals: BAD_MONTHS, BAD_DEPARTMENT."""
    months = _months(query.first, query.last)
    if query.department and query.department not in data.DEPARTMENTS:
        raise SiteError(400, "BAD_DEPARTMENT", "没有这个部门，请从列表中选择", "department")
    lines = [line for month in months for line in data.rows(month, query.department or None)]
    return tuple(line for line in lines if query.words in f"{line.number} {line.subject_name} {line.summary}")


def totals_cents(lines: tuple[data.Row, ...]) -> tuple[int, int]:
    """Debits and credits of the entries."""
    debit, credit = data.totals(lines)
    return cents(debit), cents(credit)


def cents(amount: Decimal) -> int:
    """An amount of the ledger, which has exactly two decimals."""
    return int(amount * 100)


def _months(first: str, last: str) -> list[str]:
    if not data.is_month(first) or not data.is_month(last):
        raise SiteError(400, "BAD_MONTHS", "月份格式应为 YYYY-MM，例如 2026-03", "first")
    ordinals = range(_ordinal(first), _ordinal(last) + 1)
    if not 1 <= len(ordinals) <= MOST_MONTHS:
        raise SiteError(400, "BAD_MONTHS", f"起始月份不能晚于结束月份，且跨度不超过 {MOST_MONTHS} 个月", "first")
    return [f"{ordinal // 12:04d}-{ordinal % 12 + 1:02d}" for ordinal in ordinals]


def _ordinal(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:]) - 1
