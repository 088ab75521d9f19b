"""What changed between two snapshots."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from sgclaw.perception.diff import Difference, apply, diff
from sgclaw.protocol.results import AomNode
from tests.unit.perception.pages import TREES, node, with_refs

PAGE = (
    node("navigation", "主导航", node("link", "首页", ref=1), node("link", "报表", ref=2)),
    node(
        "main",
        "",
        node("text", "共 3 条"),
        node("button", "提交", ref=3),
        node("checkbox", "全选", ref=4, checked=False),
    ),
)


def _flat(nodes: Sequence[AomNode]) -> list[AomNode]:
    return [flat for node in nodes for flat in (node.model_copy(update={"children": ()}), *_flat(node.children))]


@pytest.mark.requirement("SEE-01")
def test_a_page_that_did_not_change_has_no_difference() -> None:
    assert diff(PAGE, PAGE) == Difference()
    assert not diff(PAGE, PAGE)


@pytest.mark.requirement("SEE-01")
def test_new_and_changed_nodes_come_flat_in_reading_order_and_gone_ones_by_ref() -> None:
    after = (
        node("dialog", "确认", node("button", "确定", ref=9), ref=8),
        node("navigation", "主导航", node("link", "首页", ref=1)),
        node(
            "main",
            "",
            node("text", "共 4 条"),
            node("button", "提交", ref=3),
            node("checkbox", "全选", ref=4, checked=True),
        ),
    )
    assert diff(PAGE, after) == Difference(
        changed=(
            node("dialog", "确认", ref=8),
            node("button", "确定", ref=9),
            node("text", "共 4 条"),
            node("checkbox", "全选", ref=4, checked=True),
        ),
        removed=("1:2",),
    )


@pytest.mark.requirement("SEE-01")
def test_where_a_node_lies_and_how_it_is_found_is_no_change() -> None:
    before = (node("button", "提交", ref=3, bounds=(1, 2, 3, 4), selector="#a"),)
    after = (node("button", "提交", ref=3, bounds=(1, 90, 3, 4), selector="#b"),)
    assert not diff(before, after)


@pytest.mark.requirement("SEE-01")
def test_a_row_put_on_top_is_the_only_change_and_a_sorted_list_says_what_moved() -> None:
    rows = [node("row", f"合同 {n}", node("button", "编辑", ref=n), ref=100 + n) for n in range(5)]
    new = node("row", "合同 9", node("button", "编辑", ref=9), ref=109)
    assert [changed.ref for changed in diff((node("table", "", *rows),), (node("table", "", new, *rows),)).changed] == [
        "1:109",
        "1:9",
    ]
    swapped = (node("table", "", rows[4], *rows[:4]),)
    assert diff((node("table", "", *rows),), swapped) == Difference(changed=(node("row", "合同 4", ref=104),))


@pytest.mark.requirement("SEE-01")
def test_texts_without_refs_are_compared_by_place_role_and_name() -> None:
    before = (node("row", "甲", node("cell", "是")), node("row", "乙", node("cell", "否")))
    after = (node("row", "甲", node("cell", "否")), node("row", "乙", node("cell", "否")))
    assert diff(before, after) == Difference(changed=(node("cell", "否"),))


@pytest.mark.requirement("SEE-01")
@settings(max_examples=40)
@given(TREES, TREES)
def test_a_difference_applied_leaves_no_difference_in_any_element(old: list[AomNode], new: list[AomNode]) -> None:
    before, after = with_refs(old), with_refs(new)
    now = apply(before, diff(before, after))
    facts = ("ref", "role", "name", "value", "disabled", "checked", "covered")
    assert {tuple(getattr(n, f) for f in facts) for n in _flat(now)} == {
        tuple(getattr(n, f) for f in facts) for n in _flat(after)
    }


@pytest.mark.requirement("SEE-01")
@settings(max_examples=40)
@given(TREES, TREES)
def test_any_two_trees_can_be_compared(old: list[AomNode], new: list[AomNode]) -> None:
    found = diff(old, new)
    assert all(not changed.children for changed in found.changed)
    assert not diff(new, new)
    apply(old, found)


@pytest.mark.requirement("SEE-01")
def test_an_element_removed_from_around_others_leaves_them() -> None:
    before = (node("group", "外", node("button", "提交", ref=2), ref=1),)
    after = (node("button", "提交", ref=2),)
    assert apply(before, diff(before, after)) == after


@pytest.mark.requirement("SEE-01")
def test_twenty_thousand_nodes_in_reverse_order_are_compared_in_two_seconds_of_work() -> None:
    rows = [node("row", "", node("cell", f"{n}"), ref=n) for n in range(10_000)]
    started = time.process_time()
    found = diff((node("table", "", *rows),), (node("table", "", *reversed(rows)),))
    assert time.process_time() - started < 2
    assert len(found.changed) == 9_999
