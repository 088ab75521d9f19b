"""Example values for `sgclaw prompt show`: what each role would be told, without a running task. Shown as examples."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from sgclaw.context.parts import Experience, HandOff, L2Parts, Recalled, Reference, TaskContext
from sgclaw.context.untrusted import Untrusted

TRACE_ID: Final = "sgclaw-20260331-0001"
INSTRUCTION: Final = "导出本月合规报表"

_ERP: Final = "https://erp.example.com"
_TASK: Final = TaskContext(
    instruction=INSTRUCTION,
    title="导出 2026-03 合规报表",
    criterion="下载的文件期间为 2026-03，行数与页面总数一致",
    must_haves=("文件为 xlsx，期间为 2026-03", "行数与页面上的总数一致"),
    origins=(_ERP,),
    tags=frozenset({"report", "export"}),
)
_HAND_OFF: Final = HandOff(
    "task-1",
    "报表在“报表中心／合规”下，月份控件要先清空再输入，否则仍是上月。页面默认每页 20 行，总数显示在右下角。"
    "导出按钮点一次即可，文件约十秒后出现，不要重复点。",
)
_THREAD: Final = {
    "claim": ("task-2 核对 2026-03 合规报表的合计，风险 standard", "task-3 把报表上传到 OA，风险 high"),
    "mention": ("评审者：合计与上月相差 12%，@执行者 这一差异从哪里来？",),
    "discussion": ("规划者：按部门导出再合并，还是一次导出？", "执行者：一次导出超过 5000 行时会超时。"),
}
_STEP: Final = (
    "第 4 步 click “导出”（原选择器 #export-btn，页面上已不存在）",
    "候选：[31] 按钮“导出报表”，同一工具栏；[44] 按钮“导出日志”，页脚",
)
_PARTS: Final = L2Parts(
    task=_TASK,
    background=("业数融合一平台：报表在 ERP，审批在 OA", "财务期间按自然月，截止时间为次月 3 日"),
    upstream=(
        Untrusted("page", _ERP, "合规报表 2026-03 共 128 行"),
        _HAND_OFF.untrusted(),
    ),
    outputs=(Untrusted("note", "task-1", "已导出 compliance-2026-03.xlsx，128 行；证据：文件摘要与页面总数"),),
    step=tuple(Untrusted("page", _ERP, text) for text in _STEP),
    experiences=(
        Experience("e1", "导出前先确认月份控件显示的是目标月份", 0.9, frozenset({"export"})),
        Experience("e2", "报表页行数多时要等总数出现再读取", 0.75, frozenset({"report"})),
    ),
    recalled=(Recalled("导出合规报表：报表中心／合规／选月份／导出，5 步完成", _ERP, 0.82, date(2026, 2, 28)),),
)
REFERENCES: Final = (
    Reference("erp-monthly-report", "1.0.0", "导出 ERP 月度报表", ("erp.example.com",)),
    Reference("order-list", "1.2.0", "导出订单清单", ("erp.example.com",)),
)


def sample(role: str, instruction: str = INSTRUCTION) -> L2Parts:
    """The example values with this instruction; the list or thread is the one that goes with the role."""
    task = replace(_TASK, instruction=instruction)
    if role == "goal_review":
        task = replace(task, status="review", rounds=(1, 3))
    listed = tuple(Untrusted("note", "board", text) for text in _THREAD.get(role, ()))
    return replace(_PARTS, task=task, listed=listed)
