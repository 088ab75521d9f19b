"""Bank reconciliation of one account and month: what is ticked off, what remains, and when it may be closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from browser_host_stub.sites.finance.bank_data import Books, Line
from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.money import yuan

DAYS_APART = 3
_KINDS = {
    ("bank", True): "银行已收企业未收",
    ("bank", False): "银行已付企业未付",
    ("ledger", True): "企业已收银行未收",
    ("ledger", False): "企业已付银行未付",
}


@dataclass(frozen=True, slots=True)
class Match:
    """Lines that settle each other: their sums are equal. `how` is 自动 or 手工."""

    id: str
    bank: tuple[str, ...]
    ledger: tuple[str, ...]
    how: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A line without a counterpart. `side` is bank or ledger, `kind` one of the four 未达账项."""

    side: str
    kind: str
    line: Line
    note: str


@dataclass(frozen=True, slots=True)
class Balance:
    """The 余额调节表 in cents: each side's closing balance and what it becomes with the other side's open lines."""

    bank_closing: int
    ledger_closing: int
    bank_adjusted: int
    ledger_adjusted: int


class Reconciliation:
    """The work on one account and month. `matches` by id; `notes` by line id; `confirmed_by` is empty while open."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.matches: dict[str, Match] = {}
        self.notes: dict[str, str] = {}
        self.confirmed_by = ""
        self._lines = {line.id: line for line in (*books.bank, *books.ledger)}
        self._serial = 0

    def match_of(self, line_id: str) -> Match | None:
        """The match a line is part of."""
        return next((match for match in self.matches.values() if line_id in (*match.bank, *match.ledger)), None)

    def differences(self) -> list[Difference]:
        """All lines without a counterpart, the bank's first, each side by day."""
        sides = (("bank", self._open(self.books.bank)), ("ledger", self._open(self.books.ledger)))
        return [
            Difference(side, _KINDS[side, line.cents > 0], line, self.notes.get(line.id, ""))
            for side, lines in sides
            for line in lines
        ]

    def balance(self) -> Balance:
        """Both sides' balances; the adjusted ones are equal when every match is right."""
        bank = self.books.opening_cents + _sum(self.books.bank)
        ledger = self.books.opening_cents + _sum(self.books.ledger)
        return Balance(
            bank, ledger, bank + _sum(self._open(self.books.ledger)), ledger + _sum(self._open(self.books.bank))
        )

    def auto(self) -> list[Match]:
        """Ticks off lines of equal sums at most DAYS_APART days apart where only one pair is possible; the matches."""
        self._must_be_open()
        pairs = self._certain_pairs()
        return [self._add((bank.id,), (ledger.id,), "自动") for bank, ledger in pairs]

    def manual(self, bank: list[str], ledger: list[str]) -> Match:
        """Ticks off the chosen lines of both sides. Refusals: NOTHING_CHOSEN, NO_LINE, ALREADY_MATCHED, SUMS_DIFFER."""
        self._must_be_open()
        ours, theirs = self._chosen(bank, self.books.bank), self._chosen(ledger, self.books.ledger)
        if not ours or not theirs:
            raise SiteError(400, "NOTHING_CHOSEN", "请在银行流水和企业账中各勾选至少一笔")
        gap = _sum(ours) - _sum(theirs)
        if gap:
            raise SiteError(
                422,
                "SUMS_DIFFER",
                f"两侧金额不等：银行 {yuan(_sum(ours))}，企业 {yuan(_sum(theirs))}，差额 {yuan(gap)}",
            )
        return self._add(tuple(line.id for line in ours), tuple(line.id for line in theirs), "手工")

    def undo(self, match_id: str) -> None:
        """Takes a match back. Refusals: NO_MATCH, CONFIRMED."""
        self._must_be_open()
        if self.matches.pop(match_id, None) is None:
            raise SiteError(404, "NO_MATCH", "该勾对记录不存在，请刷新后重试")

    def explain(self, line_ids: list[str], text: str) -> None:
        """Notes why lines have no counterpart. Refusals: NO_LINE, CONFIRMED."""
        self._must_be_open()
        if not self._lines.keys() >= set(line_ids):
            raise SiteError(404, "NO_LINE", "有记录不存在，请刷新后重试")
        self.notes |= dict.fromkeys(line_ids, text)

    def confirm(self, seen_differences: int, person: str) -> Balance:
        """Closes the month. `seen_differences` is the number of differences the person saw.

        Refusals: CONFIRMED, NOT_MATCHED (certain pairs are left), CHANGED_MEANWHILE, NOT_EXPLAINED.
        """
        self._must_be_open()
        left = len(self._certain_pairs())
        if left:
            raise SiteError(409, "NOT_MATCHED", f"还有 {left} 组可自动勾对，请先执行自动对账")
        differences = self.differences()
        if seen_differences != len(differences):
            raise SiteError(409, "CHANGED_MEANWHILE", f"差异已变为 {len(differences)} 笔，请刷新后重新确认")
        silent = sum(not difference.note for difference in differences)
        if silent:
            raise SiteError(422, "NOT_EXPLAINED", f"还有 {silent} 笔差异未填写说明")
        self.confirmed_by = person
        return self.balance()

    def _certain_pairs(self) -> list[tuple[Line, Line]]:
        by_sum: dict[int, tuple[list[Line], list[Line]]] = defaultdict(lambda: ([], []))
        for side, lines in enumerate((self.books.bank, self.books.ledger)):
            for line in self._open(lines):
                by_sum[line.cents][side].append(line)
        return [
            (bank[0], ledger[0])
            for bank, ledger in by_sum.values()
            if len(bank) == len(ledger) == 1 and abs((bank[0].day - ledger[0].day).days) <= DAYS_APART
        ]

    def _open(self, lines: Iterable[Line]) -> list[Line]:
        taken = {line_id for match in self.matches.values() for line_id in (*match.bank, *match.ledger)}
        return [line for line in lines if line.id not in taken]

    def _chosen(self, ids: list[str], side: Sequence[Line]) -> list[Line]:
        by_id = {line.id: line for line in side}
        for line_id in ids:
            if line_id not in by_id:
                raise SiteError(404, "NO_LINE", f"记录 {line_id} 不存在，请刷新后重试")
            if self.match_of(line_id) is not None:
                raise SiteError(409, "ALREADY_MATCHED", f"记录 {line_id} 已勾对，请先取消勾对")
        return [by_id[line_id] for line_id in dict.fromkeys(ids)]

    def _add(self, bank: tuple[str, ...], ledger: tuple[str, ...], how: str) -> Match:
        self._serial += 1
        match = Match(f"M{self._serial:04d}", bank, ledger, how)
        self.matches[match.id] = match
        return match

    def _must_be_open(self) -> None:
        if self.confirmed_by:
            raise SiteError(409, "CONFIRMED", f"{self.books.month} 已由{self.confirmed_by}确认对账，不能再修改")


def _sum(lines: Iterable[Line]) -> int:
    return sum(line.cents for line in lines)
