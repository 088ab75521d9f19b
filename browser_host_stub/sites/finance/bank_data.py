"""Bank statements and the bank ledgers that go with them, the same on every machine, and differences in between."""

from __future__ import annotations

import functools
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from browser_host_stub.sites.frame.dice import Dice

FIRST_MONTH, LAST_MONTH = "2025-01", "2035-12"


@dataclass(frozen=True, slots=True)
class Account:
    """A bank account of the company; the number is masked as the bank's own lists show it."""

    code: str
    name: str
    number: str
    subject: str


ACCOUNTS = {
    account.code: account
    for account in (
        Account("ICBC", "工商银行基本户", "6222 **** **** 0188", "100201 银行存款-工商银行基本户"),
        Account("CCB", "建设银行一般户", "6217 **** **** 2036", "100202 银行存款-建设银行一般户"),
        Account("ABC", "农业银行专户", "6228 **** **** 5571", "100203 银行存款-农业银行专户"),
    )
}


@dataclass(frozen=True, slots=True)
class Line:
    """One movement of the account. `cents` is above zero for money received, below for money paid.

    In a bank statement `reference` is the bank's serial number, in the ledger the voucher's number.
    """

    id: str
    day: date
    reference: str
    party: str
    summary: str
    cents: int


@dataclass(frozen=True, slots=True)
class Books:
    """A month of an account as the bank and as the company booked it; both start from `opening_cents`."""

    account: Account
    month: str
    opening_cents: int
    bank: tuple[Line, ...]
    ledger: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    day: date
    party: str
    summary: str
    cents: int


_RECEIVED = (
    ("昌盛商贸有限公司", "货款回笼"),
    ("永和百货连锁", "销售收款"),
    ("金桥物流集团", "运费结算"),
    ("远洋设备租赁", "租金收入"),
    ("个人客户汇总", "POS 收款"),
    ("本行", "存款利息"),
)
_PAID = (
    ("华岳建材有限公司", "支付材料款"),
    ("博远信息技术公司", "软件服务费"),
    ("市供电公司", "电费"),
    ("市自来水公司", "水费"),
    ("员工报销户", "差旅费报销"),
    ("税务局待解缴户", "缴纳增值税"),
    ("社保基金专户", "社会保险费"),
    ("瑞禾办公用品店", "办公用品采购"),
    ("本行", "账户管理费"),
)


@functools.lru_cache(maxsize=16)
def books(code: str, month: str) -> Books:
    """The books of account `code` in `month` (YYYY-MM between FIRST_MONTH and LAST_MONTH)."""
    dice = Dice(f"bank {code} {month}")
    opening = dice.integer(1_200_000_000, 2_600_000_000)
    bank: list[_Draft] = []
    ledger: list[_Draft] = []
    drafts = [_draft(dice, month) for _ in range(dice.integer(80, 100))]
    # Two customers who pay the same sum on the same day cannot be told apart by sums and dates.
    twins = [_Draft(drafts[0].day, "永和百货连锁", "销售收款", 4_860_000)] * 2
    bank += twins
    ledger += twins
    for place, draft in enumerate(drafts):
        # The first ones try every kind of difference, so that no month is without one.
        kind = place if place < len(_KINDS) else dice.integer(0, 299)
        on_bank, in_ledger = _KINDS.get(kind, _both)(dice, draft)
        bank += on_bank
        ledger += in_ledger
    return Books(ACCOUNTS[code], month, opening, _numbered("B", month, bank), _numbered("L", month, ledger))


def _draft(dice: Dice, month: str) -> _Draft:
    received = dice.integer(1, 100) <= 45
    party, summary = dice.pick(_RECEIVED if received else _PAID)
    cents = dice.integer(20_000, 26_000_000)
    day = date.fromisoformat(f"{month}-01").replace(day=dice.integer(1, _days(month) - 4))
    return _Draft(day, party, summary, cents if received else -cents)


def _both(dice: Dice, draft: _Draft) -> tuple[list[_Draft], list[_Draft]]:
    return [draft], [_later(draft, dice.integer(0, 2), draft.cents)]


def _bank_only(_dice: Dice, draft: _Draft) -> tuple[list[_Draft], list[_Draft]]:
    return [draft], []


def _ledger_only(_dice: Dice, draft: _Draft) -> tuple[list[_Draft], list[_Draft]]:
    return [], [draft]


def _mistyped(_dice: Dice, draft: _Draft) -> tuple[list[_Draft], list[_Draft]]:
    """The company booked the sum with two digits swapped: the difference is a multiple of nine."""
    digits = str(abs(draft.cents))
    swapped = int(digits[1] + digits[0] + digits[2:])
    return [draft], [_later(draft, 1, swapped if draft.cents > 0 else -swapped)]


def _split(_dice: Dice, draft: _Draft) -> tuple[list[_Draft], list[_Draft]]:
    """One payment of the bank that the company booked as two."""
    part = abs(draft.cents) * 3 // 10 * (1 if draft.cents > 0 else -1)
    return [draft], [_later(draft, 1, part), _later(draft, 1, draft.cents - part)]


_KINDS = {
    0: _bank_only,
    1: _ledger_only,
    2: _mistyped,
    3: _split,
    4: _bank_only,
    5: _ledger_only,
    6: _split,
    7: _bank_only,
    8: _ledger_only,
}


def _later(draft: _Draft, days: int, cents: int) -> _Draft:
    return _Draft(draft.day.replace(day=draft.day.day + days), draft.party, draft.summary, cents)


def _days(month: str) -> int:
    return monthrange(int(month[:4]), int(month[5:]))[1]


def _numbered(prefix: str, month: str, drafts: list[_Draft]) -> tuple[Line, ...]:
    compact = month.replace("-", "")
    lines = []
    for serial, draft in enumerate(sorted(drafts, key=lambda draft: draft.day), 1):
        reference = f"{compact}{draft.day.day:02d}{serial:06d}" if prefix == "B" else f"记-银-{serial:04d}"
        lines.append(
            Line(f"{prefix}{compact}{serial:03d}", draft.day, reference, draft.party, draft.summary, draft.cents)
        )
    return tuple(lines)
