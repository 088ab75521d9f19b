"""Which instructions are small enough to go without a plan."""

from __future__ import annotations

import pytest

from sgclaw.agent.planning.small import why_planned


@pytest.mark.requirement("PLAN-19")
@pytest.mark.parametrize(
    "instruction",
    [
        "导出本月合规报表",
        "在 ERP 导出本月合规报表",
        "看看首页的标题写的是什么",
        "看看首页，然后点一下那个按钮",
        "请打开财务系统，查询张三上个月的报销单",
        "在OA里，提交我的请假申请。",
        "请把李四的手机号改成新的",
        "",
    ],
)
def test_one_piece_of_work_in_one_system_is_small(instruction: str) -> None:
    assert why_planned(instruction, 1) is None


@pytest.mark.requirement("PLAN-19")
@pytest.mark.parametrize(
    ("instruction", "sign"),
    [
        ("导出报表，然后发给财务", "clauses"),
        ("导出报表并发送给财务", "clauses"),
        ("把每一条逾期的合同都标记一下", "repeats"),
        ("导出一月、二月的报表", "lists"),
        ("第一步导出，第二步上传", "numbered"),
        ("核对 ERP 和财务的金额", "compares"),
        ("如果审批通过就打印", "waits"),
        ("导出" + "很长的" * 30 + "报表", "long"),
    ],
)
def test_every_sign_of_more_work_asks_the_planner(instruction: str, sign: str) -> None:
    assert why_planned(instruction, 1) == sign


@pytest.mark.requirement("PLAN-19")
def test_two_systems_ask_the_planner() -> None:
    assert why_planned("导出报表", 2) == "systems"
