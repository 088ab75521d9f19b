"""The compliance clues that the demo finance system starts with, the same for the same day."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from browser_host_stub.sites.frame.dice import Dice

CLUES_AT_START = 2400
DAYS_BACK = 540
CATEGORIES: dict[str, tuple[str, ...]] = {
    "费用报销": ("虚假发票", "超标准报销", "重复报销", "公款私用"),
    "采购招标": ("围标串标", "化整为零规避招标", "供应商关联关系", "先实施后签约"),
    "资金管理": ("大额支付未审批", "账外资金", "备用金长期挂账", "银行账户未备案"),
    "资产管理": ("资产账实不符", "低价处置资产", "资产长期闲置"),
    "税务合规": ("发票失控异常", "进项税额违规抵扣", "未按期申报"),
    "合同履约": ("阴阳合同", "超合同付款", "合同逾期未结算"),
}
UNITS = (
    "集团总部",
    "华东分公司",
    "华南分公司",
    "西南分公司",
    "北方分公司",
    "供应链公司",
    "数字科技公司",
    "物业服务公司",
)
LEVELS = ("高", "中", "低")
SOURCES = ("系统预警", "内部审计", "日常检查", "信访举报", "专项巡查")
OWNERS = ("李建国", "王芳", "陈志强", "刘洋", "赵丽娟", "周文博", "孙晓梅")
DRAFTED, RETURNED, REPORTED, CHECKING, CLOSED = "待提报", "已退回", "已提报", "核查中", "已办结"
STATUSES = (DRAFTED, RETURNED, REPORTED, CHECKING, CLOSED)

_SUPPLIERS = (
    *("华岳建材", "锦程物流", "博远信息", "天衡会展", "瑞禾办公", "中创机电", "恒泽工程", "云帆广告"),
    *("东屿商贸", "嘉木装饰", "启明印务", "宏图劳务"),
)
_STORIES = {
    "费用报销": "{party}开具的发票号码连续，报销单据的业务发生地与行程不一致，合计 {count} 笔。",
    "采购招标": "{party}与另外 {count} 家投标单位的联系电话、投保账号相同，疑似存在关联。",
    "资金管理": "向{party}付款 {count} 笔，付款申请单缺少分管领导审批意见。",
    "资产管理": "盘点发现 {count} 项资产无实物，账面由{party}代为保管，未见移交手续。",
    "税务合规": "{party}开具的 {count} 份发票状态异常，进项税额已抵扣尚未转出。",
    "合同履约": "与{party}的合同累计付款超出合同金额，补充协议缺失，涉及 {count} 个付款节点。",
}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a clue; `size` in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Step:
    """What somebody did to a clue."""

    day: date
    person: str
    text: str


@dataclass(frozen=True, slots=True)
class Clue:
    """One compliance clue. `amount_cents` is the sum in question; `version` grows with every change."""

    number: str
    title: str
    category: tuple[str, str]
    level: str
    unit: str
    amount_cents: int
    found: date
    due: date
    source: str
    owner: str
    status: str
    description: str
    remark: str = ""
    attachments: tuple[Attachment, ...] = ()
    log: tuple[Step, ...] = ()
    version: int = 1

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: it never changes, and thousands of them are copied with the state."""
        return self


@functools.lru_cache(maxsize=4)
def clues(today: date) -> tuple[Clue, ...]:
    """`CLUES_AT_START` clues found in the `DAYS_BACK` days up to `today`, newest first."""
    dice = Dice("clues")
    ages = sorted(dice.integer(0, DAYS_BACK - 1) for _ in range(CLUES_AT_START))
    serials: dict[str, int] = {}
    oldest_first = []
    for age in reversed(ages):
        found = today - timedelta(days=age)
        month = f"{found:%Y%m}"
        serials[month] = serials.get(month, 0) + 1
        oldest_first.append(_clue(dice, f"XS-{month}-{serials[month]:04d}", found, age))
    return tuple(reversed(oldest_first))


def _clue(dice: Dice, number: str, found: date, age: int) -> Clue:
    group = dice.pick(tuple(CATEGORIES))
    kind = dice.pick(CATEGORIES[group])
    party, unit = dice.pick(_SUPPLIERS), dice.pick(UNITS)
    amount = dice.integer(80_000, 90_000_000)
    status = _status(dice, age)
    # One open clue in nine has nobody responsible: the system refuses to report it.
    owner = "" if status == DRAFTED and dice.integer(0, 8) == 0 else dice.pick(OWNERS)
    files = dice.pick((0, 1, 1, 2, 2, 3, 1, 2, 3)) if amount >= 10_000_000 else dice.integer(0, 1)
    source = dice.pick(SOURCES)
    return Clue(
        number=number,
        title=f"{unit}{party}{kind}线索",
        category=(group, kind),
        level=LEVELS[0] if amount > 60_000_000 else LEVELS[1] if amount > 15_000_000 else LEVELS[2],
        unit=unit,
        amount_cents=amount,
        found=found,
        due=found + timedelta(days=dice.integer(20, 60)),
        source=source,
        owner=owner,
        status=status,
        description=_STORIES[group].format(party=party, count=dice.integer(2, 9)),
        attachments=tuple(Attachment(f"{kind}核查材料{n}.pdf", dice.integer(60, 900) * 1024) for n in range(files)),
        log=(Step(found, owner or "系统", f"登记线索，来源：{source}"),),
    )


def _status(dice: Dice, age: int) -> str:
    if age <= 45:
        return dice.pick((DRAFTED, DRAFTED, DRAFTED, REPORTED, RETURNED, CHECKING))
    return dice.pick((CLOSED, CLOSED, CLOSED, CHECKING, REPORTED))
