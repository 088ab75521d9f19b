"""What an act changed, in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from sgclaw.perception.changes import DEFAULT_CAP, difference_text
from sgclaw.perception.diff import Difference, diff
from sgclaw.protocol.results import AomNode
from tests.unit.perception.pages import TREES, node, page_of, tokens, with_refs

BEFORE = page_of(node("main", "", node("checkbox", "全选", ref=12, checked=False), node("button", "新增", ref=7)))


@pytest.mark.requirement("SEE-14")
def test_new_changed_and_gone_are_told_with_refs() -> None:
    after = (
        node("main", "", node("checkbox", "全选", ref=12, checked=True)),
        node("dialog", "确认删除", node("text", "不可恢复"), node("button", "确定", ref=31), ref=30),
    )
    told = difference_text(diff(BEFORE.nodes, after), BEFORE.page, before=BEFORE)
    assert told.splitlines() == [
        "页面p1 版本1 变化 +3 ~1 -1",
        "<page origin=https://erp.example.com>",
        "+ #对话框 确认删除 不可恢复 [31]确定",
        "~ [12]勾选 全选{已勾}",
        "- [7]新增",
        "</page>",
    ]


@pytest.mark.requirement("SEE-14")
def test_no_change_is_said_in_one_line() -> None:
    assert difference_text(Difference(), BEFORE.page) == "页面p1 版本1 没有变化"


@pytest.mark.requirement("SEE-14")
def test_a_table_replaced_is_summed_up_within_the_cap_and_the_message_is_told_first() -> None:
    def table(start: int) -> AomNode:
        rows = (
            node("row", f"合同 {n}", node("button", "编辑", ref=5000 + n), ref=n) for n in range(start, start + 128)
        )
        return node("table", "台账", *rows, ref=9)

    before = page_of(table(100))
    after = (table(400), node("alert", "查询成功，共 128 条", ref=99))
    told = difference_text(diff(before.nodes, after), before.page, before=before)
    assert tokens(told) <= DEFAULT_CAP
    assert "+ #警告 查询成功，共 128 条" in told
    assert told.splitlines()[0] == "页面p1 版本1 变化 +257 -256"
    assert "另有: 新增 " in told
    assert "；移除 " in told


@pytest.mark.requirement("SEE-14")
@settings(max_examples=40)
@given(TREES, TREES)
def test_no_difference_exceeds_its_cap(old: list[AomNode], new: list[AomNode]) -> None:
    before = page_of(*with_refs(old))
    found = diff(before.nodes, with_refs(new))
    assert tokens(difference_text(found, before.page, before=before)) <= DEFAULT_CAP
    assert tokens(difference_text(found, before.page)) <= DEFAULT_CAP
