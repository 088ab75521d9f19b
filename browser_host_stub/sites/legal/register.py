"""Contracts of the demo company as data: who owes what until when, and the rules of changing that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.dice import Dice

KINDS: Final[Mapping[str, Sequence[str]]] = {
    "采购合同": ("设备采购", "材料采购", "服务采购"),
    "工程合同": ("土建施工", "安装调试", "监理咨询"),
    "销售合同": ("售电服务", "设备租赁", "技术服务"),
    "其他合同": ("房屋租赁", "保密协议", "劳务派遣"),
}
DEPARTMENTS: Final[Mapping[str, Sequence[str]]] = {
    "集团本部": ("法务部", "财务部", "物资部", "信息中心"),
    "华东分公司": ("运维部", "工程部", "营销部"),
    "华南分公司": ("运维部", "工程部", "营销部"),
}
MEASURES: Final = ("书面催告", "约谈对方", "变更合同", "提起仲裁", "内部说明")
STATUSES: Final = ("审批中", "履约中", "已完结", "已终止")
CONTRACTS: Final = 64
_DUTIES: Final = (
    "支付预付款",
    "提交履约保函",
    "到货验收",
    "支付进度款",
    "竣工验收",
    "质保金结算",
    "出具发票",
    "提交结算资料",
)
_FIRMS: Final = ("恒远", "中泰", "嘉和", "瑞丰", "博通", "金桥", "东方海", "宏图", "安信", "明达", "同创", "华信")
_TRADES: Final = ("电力设备", "建设工程", "物资贸易", "信息技术", "工程咨询", "物业管理")


@dataclass(slots=True)
class Measure:
    """What was registered about a late duty."""

    kind: str
    department: tuple[str, ...]
    deadline: date
    penalty: Decimal
    notify: bool
    opinion: str
    files: tuple[str, ...]
    person: str


@dataclass(slots=True)
class Duty:
    """One thing a contract asks for until a day."""

    number: int
    name: str
    due: date
    amount: Decimal
    done: date | None = None
    note: str = ""
    measures: list[Measure] = field(default_factory=list)

    def late_days(self, today: date) -> int:
        """Days past the due day, 0 when it is done or not due."""
        return max(0, (today - self.due).days) if self.done is None else 0


@dataclass(slots=True)
class Contract:
    """One contract with its duties in order of their days."""

    id: str
    name: str
    kind: tuple[str, str]
    partner: str
    department: tuple[str, str]
    owner: str
    amount: Decimal
    signed: date
    ends: date
    status: str
    duties: list[Duty]
    clause: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A contract that somebody wants to have approved."""

    name: str
    kind: tuple[str, ...]
    partner: str
    department: tuple[str, ...]
    amount: Decimal
    signed: date
    ends: date
    clause: str
    duties: Sequence[tuple[str, date, Decimal]]


class Register:
    """All contracts; every change goes through a method that refuses what the rules do not allow."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.partners = tuple(f"{firm}{trade}有限公司" for firm in _FIRMS for trade in _TRADES)
        dice = Dice("contracts")
        made = [_contract(dice, today, number, dice.pick(self.partners)) for number in range(1, CONTRACTS + 1)]
        self.contracts: dict[str, Contract] = {contract.id: contract for contract in made}

    def contract(self, number: str) -> Contract:
        """One contract. Refusal: NO_CONTRACT."""
        found = self.contracts.get(number)
        if found is None:
            raise SiteError(404, "NO_CONTRACT", f"没有编号为 {number} 的合同")
        return found

    def late(self) -> Iterator[tuple[Contract, Duty]]:
        """Duties of running contracts that are past their day, the latest first."""
        found = [
            (contract, duty)
            for contract in self.contracts.values()
            if contract.status == "履约中"
            for duty in contract.duties
            if duty.late_days(self.today)
        ]
        yield from sorted(found, key=lambda pair: (pair[1].due, pair[0].id))

    def duty(self, number: str, index: int) -> Duty:
        """One duty of a running contract. Refusals: NO_CONTRACT, NOT_RUNNING, NO_DUTY."""
        contract = self.contract(number)
        if contract.status != "履约中":
            raise SiteError(409, "NOT_RUNNING", f"合同{contract.status}，不能登记履约情况")
        found = next((duty for duty in contract.duties if duty.number == index), None)
        if found is None:
            raise SiteError(404, "NO_DUTY", "合同中没有这个履约节点")
        return found

    def fulfil(self, number: str, index: int, day: date, note: str) -> None:
        """Register a duty as done. Refusals: DONE, INVALID for a day to come or before signing."""
        duty, contract = self.duty(number, index), self.contract(number)
        if duty.done is not None:
            raise SiteError(409, "DONE", f"“{duty.name}”已于 {duty.done} 登记完成")
        if not contract.signed <= day <= self.today:
            raise SiteError(422, "INVALID", f"完成日期应在 {contract.signed} 和今天之间", "day")
        duty.done, duty.note = day, note
        if all(each.done for each in contract.duties):
            contract.status = "已完结"

    def register(self, number: str, index: int, measure: Measure) -> None:
        """Register what is done about a late duty. Refusals: NOT_LATE, INVALID."""
        duty = self.duty(number, index)
        if not duty.late_days(self.today):
            raise SiteError(409, "NOT_LATE", f"“{duty.name}”没有逾期，无需处置")
        _check_department(measure.department)
        if measure.deadline < self.today:
            raise SiteError(422, "INVALID", "整改期限不能早于今天", "deadline")
        if measure.penalty > duty.amount:
            raise SiteError(422, "INVALID", f"违约金不能超过节点金额 {duty.amount}", "penalty")
        duty.measures.append(measure)

    def terminate(self, number: str, reason: str) -> None:
        """End a running contract before its time. Refusal: NOT_RUNNING."""
        contract = self.contract(number)
        if contract.status != "履约中":
            raise SiteError(409, "NOT_RUNNING", f"合同{contract.status}，不能终止")
        contract.status, contract.reason = "已终止", reason

    def add(self, draft: Draft) -> Contract:
        """Take a new contract in for approval. Refusals: INVALID with the field, SAME_NAME."""
        _check(draft, self.partners)
        if any(contract.name == draft.name for contract in self.contracts.values()):
            raise SiteError(409, "SAME_NAME", f"已有名为“{draft.name}”的合同，请核对是否重复登记", "name")
        number = f"HT-{self.today.year}-{len(self.contracts) + 1:03d}"
        contract = Contract(
            id=number,
            name=draft.name,
            kind=(draft.kind[0], draft.kind[1]),
            partner=draft.partner,
            department=(draft.department[0], draft.department[1]),
            owner="张敏",
            amount=draft.amount,
            signed=draft.signed,
            ends=draft.ends,
            status="审批中",
            duties=[Duty(place + 1, *duty) for place, duty in enumerate(draft.duties)],
            clause=draft.clause,
        )
        self.contracts[number] = contract
        return contract


def _check(draft: Draft, partners: Sequence[str]) -> None:
    if len(draft.kind) != 2 or draft.kind[1] not in KINDS.get(draft.kind[0], ()):
        raise SiteError(422, "INVALID", "请选择合同类别", "kind")
    _check_department(draft.department)
    if draft.partner not in partners:
        raise SiteError(422, "INVALID", "请从列表中选择合同相对方", "partner")
    if draft.ends <= draft.signed:
        raise SiteError(422, "INVALID", "终止日期应晚于签订日期", "ends")
    if draft.amount <= 0:
        raise SiteError(422, "INVALID", "合同金额应大于 0", "amount")
    if sum(amount for _, _, amount in draft.duties) > draft.amount:
        raise SiteError(422, "INVALID", "履约节点金额合计不能超过合同金额", "duties")
    if any(not draft.signed <= due <= draft.ends for _, due, _ in draft.duties):
        raise SiteError(422, "INVALID", "履约节点日期应在合同期限内", "duties")


def _check_department(path: Sequence[str]) -> None:
    if len(path) != 2 or path[1] not in DEPARTMENTS.get(path[0], ()):
        raise SiteError(422, "INVALID", "请选择责任部门", "department")


def _contract(dice: Dice, today: date, number: int, partner: str) -> Contract:
    group = dice.pick(tuple(KINDS))
    kind = dice.pick(KINDS[group])
    unit = dice.pick(tuple(DEPARTMENTS))
    signed = today - timedelta(days=dice.integer(40, 500))
    ends = signed + timedelta(days=dice.integer(360, 900))
    amount = dice.money(80_000, 9_000_000)
    status = dice.pick(("履约中", "履约中", "履约中", "履约中", "审批中", "已完结", "已终止"))
    return Contract(
        id=f"HT-{today.year}-{number:03d}",
        name=f"{partner[: partner.index('有限')][:6]}{kind}合同",
        kind=(group, kind),
        partner=partner,
        department=(unit, dice.pick(DEPARTMENTS[unit])),
        owner=dice.person(),
        amount=amount,
        signed=signed,
        ends=ends,
        status=status,
        duties=_duties(dice, today, signed, amount, finished=status == "已完结"),
    )


def _duties(dice: Dice, today: date, signed: date, amount: Decimal, *, finished: bool) -> list[Duty]:
    names = dice.shuffled(_DUTIES)[: dice.integer(3, 5)]
    share = (amount / len(names)).quantize(Decimal("0.01"))
    duties = []
    for place, name in enumerate(names):
        due = signed + timedelta(days=30 + place * dice.integer(40, 90))
        done = due - timedelta(days=dice.integer(0, 9)) if due < today and dice.integer(1, 100) <= 80 else None
        if finished:
            done = min(due, today)
        duties.append(Duty(place + 1, name, due, share, done))
    return duties
