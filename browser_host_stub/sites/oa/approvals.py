"""Approvals: what colleagues asked for, who decided, and what 张敏 may decide."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.dice import Dice
from browser_host_stub.sites.oa.organisation import Member, members

KINDS = ("费用报销", "请假申请", "采购申请", "出差申请", "用印申请", "合同会签")
PENDING, APPROVED, REJECTED = "待审批", "已通过", "已驳回"
LIMIT = Decimal("500000.00")
"""What 张敏 may decide; above it the general manager does."""
_OPEN, _DONE = 26, 34
_REASONS = {
    "费用报销": ("客户拜访差旅费", "部门办公用品", "季度培训费", "展会布展费用", "业务招待费"),
    "请假申请": ("年休假", "事假", "病假", "婚假", "陪护假"),
    "采购申请": ("研发服务器扩容", "会议室投影设备", "办公电脑更新", "实验耗材补充", "安防摄像头更换"),
    "出差申请": ("苏州工厂验收", "成都项目启动会", "深圳供应商考察", "西安客户回访", "北京行业论坛"),
    "用印申请": ("投标文件用印", "供货协议用印", "授权委托书用印", "收入证明用印"),
    "合同会签": ("设备采购框架合同", "软件服务续约合同", "厂房租赁补充协议", "物流运输年度合同"),
}
_MONEY = {
    "费用报销": (300, 18_000),
    "采购申请": (8_000, 260_000),
    "出差申请": (1_200, 9_000),
    "合同会签": (60_000, 480_000),
}


@dataclass(slots=True)
class Step:
    """One station of a flow: who, what came of it ("" while it waits), when, and in which words."""

    station: str
    person: str
    result: str = ""
    at: str = ""
    opinion: str = ""


@dataclass(slots=True)
class Approval:
    """One request. `amount` is yuan, or None where no money is asked for; `submitted` is `YYYY-MM-DD HH:MM`."""

    id: str
    kind: str
    title: str
    applicant: str
    department: str
    submitted: str
    amount: Decimal | None
    urgent: bool
    reason: str
    status: str = PENDING
    steps: list[Step] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """What a list shows of it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "applicant": self.applicant,
            "department": self.department,
            "submitted": self.submitted,
            "amount": "" if self.amount is None else str(self.amount),
            "urgent": self.urgent,
            "status": self.status,
            "decided": next((step.at for step in self.steps if step.person == "张敏"), ""),
            "opinion": next((step.opinion for step in self.steps if step.person == "张敏"), ""),
        }

    def details(self) -> dict[str, object]:
        """Everything about it."""
        return self.row() | {"reason": self.reason, "steps": [asdict(step) for step in self.steps]}

    def decide(self, approve: bool, opinion: str, at: str) -> None:
        """张敏 decides. Refusals: DECIDED, OVER_LIMIT, NO_OPINION for a rejection without words."""
        if self.status != PENDING:
            raise SiteError(409, "DECIDED", f"单据 {self.id} {self.status}，不能重复审批，请刷新列表")
        if approve and self.amount is not None and self.amount > LIMIT:
            raise SiteError(403, "OVER_LIMIT", f"单据 {self.id} 金额超过您的审批权限（{LIMIT:,} 元），请转交总经理审批")
        if not approve and not opinion:
            raise SiteError(422, "NO_OPINION", "驳回时必须填写审批意见", "opinion")
        self.status = APPROVED if approve else REJECTED
        step = next(step for step in self.steps if step.person == "张敏")
        step.result, step.at, step.opinion = ("通过" if approve else "驳回"), at, opinion


def at_start(today: date) -> list[Approval]:
    """The requests of the last weeks, newest first: 26 wait, 34 are decided; two are beyond 张敏's limit."""
    dice = Dice("oa approvals")
    made = [_approval(dice, today, number) for number in range(1, _OPEN + _DONE + 1)]
    for approval in made[:_DONE]:
        day = approval.submitted[:10]
        approve = dice.integer(1, 8) > 1 or (approval.amount or 0) > LIMIT
        opinion = (
            dice.pick(("同意", "同意，请按流程办理", "情况属实，同意")) if approve else "材料不全，请补充后重新提交"
        )
        approval.amount = min(approval.amount, LIMIT) if approval.amount is not None else None
        approval.decide(approve, opinion, f"{day} {dice.integer(14, 17)}:{dice.integer(10, 59)}")
    for approval, amount in zip(
        (one for one in made[_DONE:] if one.kind == "合同会签"), (860_000, 1_280_000), strict=False
    ):
        approval.amount = Decimal(amount).quantize(Decimal("0.01"))
    return made[::-1]


def _approval(dice: Dice, today: date, number: int) -> Approval:
    # Each kind comes by turns, so that every filter finds some.
    kind = KINDS[number % len(KINDS)]
    who: Member = dice.pick(members())
    reason = dice.pick(_REASONS[kind])
    amount = dice.money(*_MONEY[kind]) if kind in _MONEY else None
    day = today - timedelta(days=(_OPEN + _DONE - number) // 2)
    # Nobody agrees to their own request.
    manager = next(one for one in members() if one.department == who.department and one.id != who.id)
    submitted = f"{day.isoformat()} 0{dice.integer(8, 9)}:{dice.integer(10, 59)}"
    return Approval(
        id=f"AP{today.year}{number:04d}",
        kind=kind,
        title=f"{who.name}的{kind} - {reason}",
        applicant=who.name,
        department=who.department,
        submitted=submitted,
        amount=amount,
        urgent=dice.integer(1, 6) == 1,
        reason=f"因{reason}，按公司制度提出{kind}，请予审批。",
        steps=[
            Step("发起申请", who.name, "提交", submitted),
            Step("部门经理", manager.name, "通过", f"{day.isoformat()} 10:{dice.integer(10, 59)}", "同意"),
            Step("财务主管", "张敏"),
        ],
    )
