"""Everything that people can change in the OA, as plain objects, and what it holds at the start."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, timedelta

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.dice import Dice
from browser_host_stub.sites.frame.forms import Upload
from browser_host_stub.sites.oa import approvals, meetings
from browser_host_stub.sites.oa.approvals import Approval
from browser_host_stub.sites.oa.meetings import Booking

SEALS = ("公司公章", "合同专用章", "财务专用章", "法定代表人章")
PAPERS = ("合同协议", "投标文件", "证明材料", "授权委托", "其他")
NOTICE_KINDS = ("公司公告", "制度发布", "活动通知", "放假安排")
_NOTICES = (
    ("关于开展年度安全生产检查的通知", "各部门请于本周五前完成<b>自查</b>，并将自查表报行政部备案。"),
    ("差旅费管理办法（修订版）发布", "自下月起执行新标准：<ul><li>高铁二等座</li><li>住宿每晚不超过 450 元</li></ul>"),
    ("集团信息系统停机维护公告", "本周六 22:00 至 24:00 停机维护，期间 <b>OA、ERP</b> 暂停服务。"),
    ("春季职工运动会报名通知", "报名截止本月 20 日，请向各部门联络员报名。"),
    ("关于规范印章使用的通知", "用印须先在系统提交<b>用印申请</b>，审批通过后到行政部办理。"),
    ("节假日值班安排", "请各部门按附表安排值班人员，保持电话畅通。"),
    ("新版合同范本启用通知", "法务部已更新采购、销售两类合同范本，旧版停用。"),
    ("关于做好预算执行分析的通知", "请各部门于每月 5 日前报送上月预算执行情况。"),
)


@dataclass(slots=True)
class Notice:
    """A notice with rich text; `read` is 张敏's."""

    id: str
    title: str
    kind: str
    department: str
    published: date
    html: str
    read: bool = False

    def row(self) -> dict[str, object]:
        """What a list shows of it."""
        return {name: value for name, value in self.details().items() if name != "html"}

    def details(self) -> dict[str, object]:
        """The JSON form."""
        return asdict(self) | {"published": self.published.isoformat()}


@dataclass(frozen=True, slots=True)
class Paper:
    """One line of a seal request."""

    name: str
    kind: str
    copies: int


@dataclass(slots=True)
class SealRequest:
    """What shall be sealed, with which seal and why; `files` are the names of uploaded files."""

    id: str
    seal: str
    day: date
    reason: str
    papers: list[Paper]
    files: list[str]
    status: str = "审批中"

    def report(self) -> dict[str, object]:
        """The JSON form."""
        return asdict(self) | {"day": self.day.isoformat(), "copies": sum(paper.copies for paper in self.papers)}


@dataclass(slots=True)
class OaState:
    """The truth behind the OA's pages."""

    today: date
    approvals: list[Approval]
    bookings: list[Booking]
    notices: list[Notice]
    seals: list[SealRequest] = field(default_factory=list)
    uploads: dict[str, Upload] = field(default_factory=dict)
    acts: int = 0

    def approval(self, number: str) -> Approval:
        """By its number; refusal NO_APPROVAL."""
        found = next((one for one in self.approvals if one.id == number), None)
        if found is None:
            raise SiteError(404, "NO_APPROVAL", f"单据 {number} 不存在，请刷新列表")
        return found

    def moment(self) -> str:
        """The time of the next act: a minute after the one before it, from 09:00 of today on."""
        self.acts += 1
        minutes = 9 * 60 + self.acts
        return f"{self.today.isoformat()} {minutes // 60 % 24:02d}:{minutes % 60:02d}"


def at_start(today: date) -> OaState:
    """The OA on a working morning."""
    dice = Dice("oa notices")
    notices = [
        Notice(
            id=f"NT{100 + number}",
            title=title,
            kind=dice.pick(NOTICE_KINDS),
            department=dice.pick(("行政部", "人力资源部", "信息技术部", "财务部")),
            published=today - timedelta(days=3 * number),
            html=f"<p>各部门、各分公司：</p><p>{text}</p><p>特此通知。</p>",
            read=number > 2,
        )
        for number, (title, text) in enumerate(_NOTICES)
    ]
    return OaState(today, approvals.at_start(today), meetings.at_start(today), notices)
