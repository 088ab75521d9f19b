"""Finding elements by words, by numbers, and for an intent."""

from __future__ import annotations

import pytest

from sgclaw.errors import ActionError
from sgclaw.perception.candidates import Candidate, candidates
from sgclaw.perception.find import find, found_text
from sgclaw.perception.marks import marks_of, marks_text, resolve_target
from sgclaw.protocol.results import AomNode, SomLabel
from tests.unit.perception.pages import node, page_of, tokens


def row(number: int) -> AomNode:
    cells = (node("cell", f"HT-{number}"), node("cell", "甲公司"))
    return node(
        "row",
        "",
        *cells,
        node("cell", "", node("button", "提交审批", ref=number), node("button", "删除", ref=number + 50)),
    )


VIEW = page_of(
    node("navigation", "菜单", node("link", "合同管理", ref=1, selector="#m1")),
    node(
        "main",
        "",
        node("textbox", "合同编号", ref=2, value="HT-7"),
        node("combobox", "部门", ref=3),
        node("checkbox", "含附件", ref=4),
    ),
    node("table", "合同台账", row(11), row(12), ref=9),
    node("iframe", "内页", node("button", "确定", ref="2.1"), ref=300, origin="https://erp.example.com"),
)
LABELS = (
    SomLabel(id=1, ref="1:2", name="合同编号", bounds=(0, 0, 10, 10)),
    SomLabel(id=3, ref="1:11", name="提交审批", bounds=(0, 0, 10, 10)),
    SomLabel(id=4, name="[9]画布", bounds=(0, 0, 10, 10)),
)


@pytest.mark.requirement("SEE-13")
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("HT-12 提交", "1:12"),
        ("合同 编号", "1:2"),
        ("合同管理", "1:1"),
        ("部门", "1:3"),
        ("HT-11 删除", "1:61"),
        ("提交审批单", "1:11"),
        (["确定"], "1:2.1"),
    ],
)
def test_words_find_the_element_by_its_name_value_and_surroundings(query: str | list[str], first: str) -> None:
    assert find(VIEW, query)[0].node.ref == first


@pytest.mark.requirement("SEE-13")
def test_what_is_found_is_shown_with_what_is_around_it() -> None:
    told = found_text(VIEW, "HT-12 提交").splitlines()
    assert told[0] == "页面p1 版本1 找到2处"
    assert told[2:4] == ["[12]提交审批 @ 合同台账 > HT-12 甲公司", "[11]提交审批 @ 合同台账 > HT-11 甲公司"]
    assert found_text(VIEW, "没有这个") == "页面p1 版本1 找到0处"


@pytest.mark.requirement("SEE-13")
def test_a_long_list_of_finds_ends_at_the_cap_and_says_so() -> None:
    view = page_of(*(node("button", f"提交 {n}", ref=n) for n in range(1, 500)))
    told = found_text(view, "提交", cap=400)
    assert tokens(told) <= 400
    assert told.splitlines()[0].startswith("页面p1 版本1 找到499处，先列")


@pytest.mark.requirement("SEE-15")
def test_the_list_of_marks_says_number_name_and_kind() -> None:
    assert marks_text(LABELS, VIEW).splitlines()[2:-1] == [
        "[1] 合同编号 输入框=HT-7",
        "[3] 提交审批 按钮",
        "[4] ［9］画布",
    ]
    assert marks_of(LABELS) == {1: "1:2", 3: "1:11"}


@pytest.mark.requirement("SEE-15")
@pytest.mark.parametrize(
    ("target", "ref"),
    [
        ("[11]", "1:11"),
        ("11", "1:11"),
        (12, "1:12"),
        ("［12］", "1:12"),
        ("2.1", "1:2.1"),
        ("[2.1]", "1:2.1"),
        ("1:12", "1:12"),
        ("标记3", "1:11"),
        ("标记 [1]", "1:2"),
        ("mark 3", "1:11"),
        ("ref=12", "1:12"),
    ],
)
def test_a_number_is_the_element_it_was_shown_for(target: str | int, ref: str) -> None:
    assert resolve_target(target, VIEW, marks_of(LABELS)) == ref


@pytest.mark.requirement("SEE-15")
@pytest.mark.parametrize(
    ("target", "code", "facts"),
    [
        ("标记9", "NOT_FOUND", {"target": "9"}),
        ("77", "NOT_FOUND", {"target": "77", "alternatives": []}),
        ("5.1", "NOT_FOUND", {"target": "5.1"}),
        ("提交", "NOT_FOUND", {"target": "提交"}),
        ("3", "AMBIGUOUS_TARGET", {}),
        ("4:12", "STALE_REF", {"ref": "4:12", "ref_version": "4", "page_version": 1}),
        ("9" * 5000, "NOT_FOUND", {}),
    ],
)
def test_a_number_that_means_nothing_or_two_things_is_refused(target: str, code: str, facts: dict[str, object]) -> None:
    with pytest.raises(ActionError) as caught:
        resolve_target(target, VIEW, marks_of(LABELS))
    assert caught.value.code == code
    assert facts.items() <= caught.value.facts.items()


@pytest.mark.requirement("SEE-15")
def test_alternatives_of_an_unknown_number_are_the_same_number_in_other_frames() -> None:
    with pytest.raises(ActionError) as caught:
        resolve_target("5.1", VIEW)
    near = [found["ref"] for found in caught.value.facts["alternatives"]]  # type: ignore[attr-defined]
    assert near == ["1:1", "1:2.1"]


@pytest.mark.requirement("SEE-16")
def test_candidates_hold_placeholders_and_never_values() -> None:
    assert candidates(VIEW, "合同编号")[0] == Candidate(
        ref="1:2", selector=None, action="type", description="在“合同编号”中输入", arguments={"text": "%合同编号%"}
    )
    offered = candidates(VIEW)
    assert [(found.action, dict(found.arguments)) for found in offered[:4]] == [
        ("click", {}),
        ("type", {"text": "%合同编号%"}),
        ("select", {"value": "%部门%"}),
        ("check", {"checked": "%含附件%"}),
    ]
    assert "HT-7" not in repr(offered)


@pytest.mark.requirement("SEE-16")
def test_two_fields_of_one_name_get_two_placeholders_and_disabled_ones_none() -> None:
    view = page_of(
        node("textbox", "金额（元）", ref=1),
        node("textbox", "金额（元）", ref=2),
        node("textbox", "", ref=3),
        node("button", "存", ref=4, disabled=True),
    )
    assert [dict(found.arguments) for found in candidates(view)] == [
        {"text": "%金额_元%"},
        {"text": "%金额_元_2%"},
        {"text": "%值%"},
    ]
