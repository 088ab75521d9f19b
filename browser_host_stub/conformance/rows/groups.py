"""All groups in the order in which they are run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from browser_host_stub.conformance.rows.acts import ACTS
from browser_host_stub.conformance.rows.approvals import ASKED, LABELS, REFUSED, SILENT
from browser_host_stub.conformance.rows.commands import COMMANDS
from browser_host_stub.conformance.rows.ending import ENDING
from browser_host_stub.conformance.rows.errors import ERRORS
from browser_host_stub.conformance.rows.hello import HELLO
from browser_host_stub.conformance.rows.lines import ORDER, SIGN, STRICT
from browser_host_stub.conformance.rows.policy import DENIED, POLICY, own_policy
from browser_host_stub.conformance.rows.seeing import EVENTS, FRAMES, SECRETS, SEEN
from browser_host_stub.conformance.table import Group

_BEGINS: Final = ("hello.init",)
_ANSWERS: Final = ("hello.init", "sign.response")
_SHOWS: Final = (*_ANSWERS, "act.navigate")
_SNAPSHOTS: Final = (*_SHOWS, "act.getAomSnapshot")

GROUPS: Final[Sequence[Group]] = (
    Group("hello", "握手", HELLO.rows),
    Group("sign", "签名", SIGN.rows, _BEGINS),
    Group("order", "序号", ORDER.rows, _ANSWERS),
    Group("strict", "严格解码", STRICT.rows, _ANSWERS),
    Group("act", "操作表", ACTS.rows, _ANSWERS),
    Group("cmd", "操作的执行", COMMANDS.rows, _SHOWS),
    Group("err", "操作的错误", ERRORS.rows, _SHOWS),
    Group("policy", "来源与策略", POLICY.rows, _SHOWS),
    Group("denied", "策略的其余部分", DENIED.rows, _SHOWS, policy=own_policy),
    Group("yes", "确认（人同意）", ASKED.rows, _SHOWS, approve="yes"),
    Group("label", "确认（看什么）", LABELS.rows, _SHOWS),
    Group("no", "确认（人不同意）", REFUSED.rows, _SHOWS),
    Group("silent", "确认（人不说话）", SILENT.rows, _SHOWS, approve="silent", slow=True),
    Group("frame", "影子根和框架", FRAMES.rows, _SHOWS),
    Group("see", "快照、ref 和编号图", SEEN.rows, _SNAPSHOTS),
    Group("event", "页面事件", EVENTS.rows, _SHOWS),
    Group("secret", "机密", SECRETS.rows, _SHOWS),
    Group("end", "会话的结束", ENDING.rows, _SHOWS),
)
