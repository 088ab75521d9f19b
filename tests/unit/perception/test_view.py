"""The text a model gets of a page."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.perception.model import View, short_ref, view_of
from sgclaw.perception.pages import LEAST_CAP, text_view
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, PageInfo
from sgclaw.redact import hint
from sgclaw.tokens.bound import estimate
from tests.unit.perception.pages import PAGE_TEXT, TREES, node, page_of, tokens, with_refs

REF = re.compile(r"\[(\d+(?:\.\d+)?)\]")


def body(view: View, cap: int = 2_000) -> str:
    """All lines inside the block of a view that is one page."""
    text = text_view(view, cap=cap).pages
    assert len(text) == 1
    return "\n".join(text[0].splitlines()[2:-1])


def contracts(rows: int) -> AomNode:
    """A table as a host lists it that knows cells."""
    heads = [node("columnheader", name) for name in ("合同编号", "金额", "状态", "操作")]
    lines = [
        node(
            "row",
            "",
            *(node("cell", text) for text in (f"HT-2026-{n:04}", f"{n * 137.5:,.2f}", "已审批" if n % 3 else "待审批")),
            node("cell", "", node("button", "编辑", ref=100 + 2 * n), node("button", "删除", ref=101 + 2 * n)),
        )
        for n in range(rows)
    ]
    return node("table", "合同台账", node("row", "", *heads), *lines, row_count=128, ref=9)


@pytest.mark.requirement("SEE-10")
def test_a_page_reads_like_this() -> None:
    view = page_of(
        node("navigation", "主导航", node("link", "首页", ref=1), node("link", "报表", ref=2, focused=True)),
        node(
            "main",
            "筛选",
            node("text", "月份"),
            node("combobox", "月份", ref=4, value="2026-03", expanded=False),
            node("textbox", "密码", ref=5, value="hunter2"),
            node("checkbox", "全", ref=6, checked=True),
            node("button", "删", ref=7, inferred=("role", "name"), disabled=True),
            node("button", "", ref=8),
        ),
        contracts(3),
        node("iframe", "公告", origin="https://other.example.com", ref=300),
        node("iframe", "内页", node("button", "确定", ref="2.1"), origin="https://erp.example.com", ref=301),
    )
    assert body(view).splitlines() == [
        "合规报表 /report",
        "#导航 主导航: [1]首页 [2]报表{焦点}",
        f"#正文 筛选: [4]下拉 月份=2026-03 [5]输入框 密码={hint('密码')} [6]勾选 全{{已勾}} [7]~删{{禁用}} [8]未命名",
        "#表格 合同台账 共128行 显示3行",
        " 列: 合同编号 | 金额 | 状态 | 操作 {每行:编辑,删除}",
        " HT-2026-0000 | 0.00 | 待审批 | [100] [101]",
        " HT-2026-0001 | 137.50 | 已审批 | [102] [103]",
        " HT-2026-0002 | 275.00 | 已审批 | [104] [105]",
        "#框架 来自 https://other.example.com 公告{内容未读}",
        "#框架 内页",
        " [2.1]确定",
    ]


@pytest.mark.requirement("SEE-10")
def test_controls_that_a_host_tells_apart_by_their_row_become_a_line_for_each_row() -> None:
    def control(name: str, row: int, ref: int, **facts: object) -> AomNode:
        return node("button", f"{name} · HT-{row}", ref=ref, inferred=("name",), **facts)

    table = node(
        "grid",
        "",
        node("columnheader", "编号", node("button", "排序：编号", ref=1, inferred=("role", "name"))),
        *(control(name, row, row * 10 + place) for row in (1, 2, 3) for place, name in enumerate(("查看", "编辑"))),
        control("查看", 4, 40, disabled=True),
        control("查看", 5, 50),
        node("link", "金额有误", ref=52),
        control("编辑", 5, 51),
        row_count=5,
    )
    assert body(page_of(table)).splitlines()[1:] == [
        "#表格 共5行",
        " 列: [1]编号",
        " {每行:查看,编辑}",
        " HT-1: [10] [11]",
        " HT-2: [20] [21]",
        " HT-3: [30] [31]",
        " HT-4: [40]~查看{禁用}",
        " HT-5: [50] [52]金额有误 [51]",
    ]


@pytest.mark.requirement("SEE-10")
def test_an_open_dialog_comes_first_and_what_it_covers_is_told_once() -> None:
    behind = [node("button", f"菜单{n}", ref=n, covered=True) for n in range(1, 9)]
    dialog = node("dialog", "确认删除", node("text", "确认删除"), node("button", "确定", ref=50), ref=60)
    lines = body(page_of(node("main", "", *behind, dialog))).splitlines()
    assert lines[1:3] == ["#对话框 确认删除: [50]确定", "#对话框之外（8 个元素被遮住，不再逐个标出）"]
    assert "被遮}" not in "\n".join(lines)


@pytest.mark.requirement("SEE-11")
def test_the_head_says_which_document_how_old_and_how_complete() -> None:
    facts = AomFacts(interactive_total=10, blank=False)
    view = view_of(
        PageInfo(id="p1", url="https://erp.example.com/", version=7), (node("button", "提交", ref=1),), facts, 5.0
    )
    head = text_view(view, now=8.2).page(1).splitlines()[0]
    assert head == "页面p1 版本7 3秒前 第1/1页 不完整：只列出 1/10 个可操作元素"


@pytest.mark.requirement("SEE-12")
@given(TREES, st.sampled_from([LEAST_CAP, 500, 2_000]))
def test_every_operable_element_is_on_exactly_one_page_and_no_page_exceeds_the_cap(
    trees: list[AomNode], cap: int
) -> None:
    view = page_of(*with_refs(trees))
    pages = text_view(view, cap=cap).pages
    written = Counter(ref for text in pages for ref in REF.findall(text))
    assert written == Counter(short_ref(element.ref or "") for element in view.operable)
    for text in pages:
        assert tokens(text) <= cap


@pytest.mark.requirement("SEE-12")
@given(st.lists(PAGE_TEXT, min_size=1, max_size=60))
def test_a_page_of_any_text_stays_within_the_cap(names: list[str]) -> None:
    view = page_of(node("table", "", *(node("row", "", *(node("cell", name) for name in names)) for _ in range(12))))
    for text in text_view(view, cap=800).pages:
        assert tokens(text) <= 800


@pytest.mark.requirement("SEE-12")
def test_a_long_table_goes_on_under_its_own_head() -> None:
    pages = text_view(page_of(contracts(100), node("button", "提交", ref=1))).pages
    assert len(pages) > 1
    for number, text in enumerate(pages, start=1):
        assert f"第{number}/{len(pages)}页" in text.splitlines()[0]
        assert tokens(text) <= 2_000
        assert (
            number == 1
            or text.splitlines()[2] == "#表格 合同台账 共128行 显示100行 列: 合同编号 | 金额 | 状态 | 操作(续)"
        )


@pytest.mark.requirement("SEE-12")
def test_pages_before_a_change_stay_as_they_were() -> None:
    before, after = page_of(contracts(100)), page_of(contracts(100), node("button", "提交", ref=1))
    assert text_view(before).pages[0].splitlines()[1:] == text_view(after).pages[0].splitlines()[1:]


@pytest.mark.requirement("SEE-12")
def test_a_page_of_a_thousand_nodes_starts_with_at_most_two_thousand_tokens() -> None:
    sections = [
        node(
            "group", f"分组{g}", *(node("button", f"操作{g}-{n}", ref=g * 100 + n + 1) for n in range(48)), ref=9000 + g
        )
        for g in range(20)
    ]
    pages = text_view(page_of(*sections)).pages
    assert tokens(pages[0]) <= 2_000
    assert sum(map(tokens, pages)) < 9_000


@pytest.mark.requirement("SEE-12")
def test_the_estimate_is_within_a_quarter_of_a_real_tokenizer_on_a_chinese_page() -> None:
    text = text_view(
        page_of(
            contracts(40),
            node("main", "", *(node("button", name, ref=n) for n, name in enumerate("提交审批导出驳回", 1))),
        )
    ).page(1)
    assert tokens(text) <= estimate(text) <= 1.25 * tokens(text)


@pytest.mark.requirement("SEE-13")
def test_a_part_of_a_page_is_a_view_of_its_own() -> None:
    view = page_of(node("main", "", node("button", "提交", ref=1)), contracts(3))
    part = view.within("1:9")
    assert part is not None
    assert [element.ref for element in part.operable] == [f"1:{n}" for n in range(100, 106)]
    assert "局部，可操作6" in text_view(part).page(1).splitlines()[0]
    assert view.within("1:77") is None
