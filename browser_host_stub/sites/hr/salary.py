"""Salary slips, what looks wrong with them, and the decisions of the check."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.dice import Dice
from browser_host_stub.sites.hr.people import ACTIVE, CITY_OF, Person, people
from browser_host_stub.sites.money import yuan

PAY_DAY = 15
WAITING, PASSED, RETURNED = "待核验", "已通过", "已退回"
DECISIONS = {"pass": PASSED, "return": RETURNED}
SHORTEST_REASON, LONGEST_REASON = 5, 200
MOST_MONTHS = 6
FIRST_MONTH = "2025-01"


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something wrong with a slip: `kind` is one of five names, `text` says it with figures."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Slip:
    """What a person is paid for a month; amounts in cents, `net_cents` is what reaches the account."""

    id: str
    person: Person
    month: str
    paid: date
    basic_cents: int
    bonus_cents: int
    overtime_cents: int
    allowance_cents: int
    insurance_cents: int
    tax_cents: int
    last_net_cents: int
    anomalies: tuple[Anomaly, ...]

    @property
    def gross_cents(self) -> int:
        """Before deductions."""
        return self.basic_cents + self.bonus_cents + self.overtime_cents + self.allowance_cents

    @property
    def net_cents(self) -> int:
        """After deductions."""
        return self.gross_cents - self.insurance_cents - self.tax_cents


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a slip."""

    status: str
    reason: str
    person: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one slip of an order; `code` and `message` are empty when it went through."""

    id: str
    ok: bool
    code: str = ""
    message: str = ""


class SalaryCheck:
    """The check. `decisions` by slip id; a slip without one is waiting."""

    def __init__(self) -> None:
        self.decisions: dict[str, Decision] = {}

    def status(self, slip: Slip) -> str:
        """待核验, 已通过 or 已退回."""
        decision = self.decisions.get(slip.id)
        return decision.status if decision else WAITING

    def decide(self, ids: list[str], decision: str, reason: str, person: str) -> list[Outcome]:
        """Decides slip by slip: one that cannot be decided does not stop the others. `decision` is pass or return.

        Refusals of the whole order: NOTHING_CHOSEN, BAD_DECISION, BAD_REASON when a return has too short a reason.
        """
        if not ids:
            raise SiteError(400, "NOTHING_CHOSEN", "请先勾选要处理的工资单")
        if decision not in DECISIONS:
            raise SiteError(422, "BAD_DECISION", "处理方式只能是核验通过或退回", "decision")
        if decision == "return" and len(reason) < SHORTEST_REASON:
            raise SiteError(422, "BAD_REASON", f"退回须填写原因，至少 {SHORTEST_REASON} 个字", "reason")
        return [self._decide(slip_id, decision, reason, person) for slip_id in dict.fromkeys(ids)]

    def _decide(self, slip_id: str, decision: str, reason: str, person: str) -> Outcome:
        slip = slip_of(slip_id)
        if slip is None:
            return Outcome(slip_id, False, "NO_SLIP", "工资单不存在")
        if self.status(slip) != WAITING:
            return Outcome(slip_id, False, "DECIDED", f"{slip.person.name}的工资单{self.status(slip)}，不能重复处理")
        if decision == "pass" and slip.anomalies and len(reason) < SHORTEST_REASON:
            return Outcome(slip_id, False, "NEEDS_REASON", f"{slip.person.name}的工资单存在异常，通过须填写说明")
        self.decisions[slip_id] = Decision(DECISIONS[decision], reason, person)
        return Outcome(slip_id, True)


def slips_between(unit: str, first: date, last: date) -> tuple[Slip, ...]:
    """The unit's slips paid from `first` to `last`, newest month first. Refusals: BAD_UNIT, BAD_RANGE."""
    if unit not in CITY_OF:
        raise SiteError(422, "BAD_UNIT", "没有这个单位，请从列表中选择", "unit")
    ordinals = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    if first > last or len(ordinals) > MOST_MONTHS:
        raise SiteError(422, "BAD_RANGE", f"发薪日期起止有误，跨度不能超过 {MOST_MONTHS} 个月", "range")
    months = [f"{n // 12}-{n % 12 + 1:02d}" for n in reversed(ordinals)]
    listed = [slip for month in months if month >= FIRST_MONTH for slip in slips(unit, month)]
    return tuple(slip for slip in listed if first <= slip.paid <= last)


def slip_of(slip_id: str) -> Slip | None:
    """The slip with this id, e.g. GZ202603-HY00001."""
    month, _, number = slip_id.removeprefix("GZ").partition("-")
    person = _by_number().get(number)
    if person is None or len(month) != 6 or not month.isdecimal() or not 1 <= int(month[4:]) <= 12:
        return None
    listed = slips(person.unit, f"{month[:4]}-{month[4:]}")
    return next((slip for slip in listed if slip.id == slip_id), None)


@functools.lru_cache(maxsize=64)
def slips(unit: str, month: str) -> tuple[Slip, ...]:
    """The unit's slips of a month (YYYY-MM), one for each person who works there."""
    dice = Dice(f"salary {unit} {month}")
    staff = [person for person in people() if person.unit == unit and person.status == ACTIVE]
    return tuple(_slip(dice, person, month) for person in staff)


@functools.cache
def _by_number() -> dict[str, Person]:
    return {person.id: person for person in people()}


def _slip(dice: Dice, person: Person, month: str) -> Slip:
    basic = person.wage_cents * 7 // 10
    insurance = person.wage_cents * 105 // 1000
    bonus = person.wage_cents * dice.integer(15, 30) // 100
    hours = dice.integer(0, 20)
    hour_cents = basic // 174
    allowance = dice.pick((30_000, 50_000, 80_000))
    wrong = dice.pick(tuple(_WRONG)) if dice.integer(1, 100) <= 8 else ""
    hours += _WRONG.get(wrong, 0)
    overtime = hours * hour_cents * 3 // 2
    gross = basic + bonus + overtime + allowance
    right_tax = max(0, gross - insurance - 500_000) * 3 // 100
    tax = right_tax + (dice.integer(8_000, 60_000) if wrong == "个税差异" else 0)
    off = dice.integer(10_000, 40_000) if wrong == "社保扣款不符" else 0
    net = gross - insurance - off - tax
    last_net = net * (dice.integer(150, 180) if wrong == "实发波动" else dice.integer(94, 106)) // 100
    texts = {
        "实发波动": f"实发环比下降 {100 - net * 100 // last_net}%，上月 {yuan(last_net)}，本月 {yuan(net)}",
        "个税差异": f"代扣个税 {yuan(tax)}，按累计预扣应为 {yuan(right_tax)}",
        "社保扣款不符": f"社保扣款 {yuan(insurance + off)}，申报个人部分 {yuan(insurance)}",
        "加班超限": f"当月加班 {hours} 小时，超过 36 小时上限",
        "银行卡异常": "收款银行卡与上月不一致，且未见变更申请",
    }
    return Slip(
        id=f"GZ{month.replace('-', '')}-{person.id}",
        person=person,
        month=month,
        paid=date.fromisoformat(f"{month}-{PAY_DAY}"),
        basic_cents=basic,
        bonus_cents=bonus,
        overtime_cents=overtime,
        allowance_cents=allowance,
        insurance_cents=insurance + off,
        tax_cents=tax,
        last_net_cents=last_net,
        anomalies=(Anomaly(wrong, texts[wrong]),) if wrong else (),
    )


_WRONG = {"实发波动": 0, "个税差异": 0, "社保扣款不符": 0, "加班超限": 40, "银行卡异常": 0}
"""What can be wrong with a slip, and how many hours of overtime that adds."""
