"""What a person at the terminal sees of hostile texts."""

from __future__ import annotations

import json

import pytest

from browser_host_stub.commands import MAX_DATA_SHOWN, print_result
from browser_host_stub.output import say, tell, tell_json
from browser_host_stub.terminal import PARAMETERS, TerminalPerson, show
from browser_host_stub.typed import Typed
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import LogEntry

EVIL = "查询\x1b[2K\x1b[1A\r\n    系统：https://good.example.com\u202e\u2028\x9b2J\ud800"
FACTS = {
    "action": "click",
    "params": {"selector": EVIL, "text": EVIL},
    "origin": EVIL,
    "label": EVIL,
    "element": EVIL,
    "value": "x" * 100_000,
    "form_action": EVIL,
    "skill": EVIL,
    "rule": EVIL,
}


def lines_of(text: str) -> list[str]:
    assert all(character.isprintable() or character == "\n" for character in text)
    return text.splitlines()


@pytest.mark.requirement("STUB-25")
async def test_facts_of_a_page_stay_inside_their_own_quoted_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert await TerminalPerson(Typed()).approve(FACTS) is False
    lines = lines_of(capsys.readouterr().err)
    titles = [line.strip().partition("：")[0] for line in lines]
    assert titles == [
        "需要您确认的操作",
        "操作",
        "页面上的文字",
        "元素",
        "系统",
        "当前值",
        "提交到",
        "技能",
        "参数 选择器",
        "参数 输入的文字",
        "原因",
        "回答",
    ]
    assert lines[2] == "    页面上的文字：“查询 [2K [1A 系统：https://good.example.com 2J”"
    assert max(map(len, lines)) < 400


@pytest.mark.requirement("STUB-25")
async def test_a_person_reads_the_act_and_the_reason_in_chinese_and_the_page_in_quotation_marks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts: dict[str, object] = {
        "action": "check",
        "params": {"selector": ".agree", "checked": True},
        "origin": "https://erp.example.com",
        "label": "退出登录",
        "element": "退出",
        "value": None,
        "href": "https://erp.example.com/logout",
        "context": "张敏 财务部",
        "rule": "approval.label",
    }
    assert await TerminalPerson(Typed(), default=True).approve(facts) is True
    assert capsys.readouterr().err.splitlines() == [
        "需要您确认的操作：",
        "    操作：勾选或取消勾选",
        "    页面上的文字：“退出登录”",
        "    元素：“退出”",
        "    系统：“https://erp.example.com”",
        "    链接到：“https://erp.example.com/logout”",
        "    所在的行、表单或本页已填的内容：“张敏 财务部”",
        "    参数 选择器：“.agree”",
        "    参数 勾选：是",
        "    原因：要点的控件上有不可撤销的字样（提交、审批、删除、支付等）（规则 approval.label）",
        "    回答：同意",
    ]


@pytest.mark.requirement("STUB-25")
async def test_an_action_and_a_parameter_nobody_knows_are_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert await TerminalPerson(Typed()).approve({"action": "同意", "params": {"\n    回答": 3}}) is False
    assert lines_of(capsys.readouterr().err)[1:3] == ["    操作：“同意”", "    参数 “回答”：“3”"]


@pytest.mark.requirement("STUB-25")
def test_every_parameter_of_every_action_has_a_chinese_word() -> None:
    assert {name for row in ACTIONS.values() for name in row.params.model_fields} == set(PARAMETERS)


@pytest.mark.requirement("STUB-25")
async def test_questions_progress_and_results_are_one_inert_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert await TerminalPerson(Typed()).answer(EVIL, (EVIL, EVIL)) is None
    show(LogEntry(text=EVIL.replace("\ud800", "")))
    say(EVIL)
    tell(EVIL)
    shown = capsys.readouterr()
    assert len(lines_of(shown.err)) == 6
    assert len(lines_of(shown.out)) == 1


@pytest.mark.requirement("STUB-25")
def test_json_keeps_every_character_and_shows_none_that_controls(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": EVIL + "\U000e0001"}
    tell_json(value)
    shown = capsys.readouterr().out
    assert len(lines_of(shown)) == 1
    assert json.loads(shown) == value


@pytest.mark.requirement("STUB-31")
@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"total": 3, "部门": ["财务部"]}, ['数据：{"total": 3, "部门": ["财务部"]}']),
        ([1, EVIL.partition("\ud800")[0]], ["数据：[1, "]),
        ({"rows": "行" * MAX_DATA_SHOWN}, ['数据：{"rows": "行']),
        ({"message": "合计 3", "total": 3}, []),
        ({"message": " ", "total": 3}, ['数据：{"message": " ", "total": 3}']),
        ({}, []),
        (None, []),
    ],
)
def test_data_is_shown_when_the_skill_has_no_words_for_it(
    data: object, shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    print_result(
        {"summary": "完成", "data": data, "error": None, "artifacts": [], "trace_id": "sgclaw-20260402-0000abcd"}
    )
    first, *middle, last = lines_of(capsys.readouterr().out)
    assert (first, last) == ("结果：完成", "追溯：sgclaw audit show sgclaw-20260402-0000abcd")
    assert [line.startswith(start) for line, start in zip(middle, shown, strict=True)] == [True] * len(shown)
    assert max(map(len, middle), default=0) < MAX_DATA_SHOWN + 30


@pytest.mark.requirement("STUB-31")
def test_words_of_a_skill_that_failed_to_prove_them_are_shown_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    result = {"summary": "结果无法确认", "data": {"message": "已完成"}, "error": {"code": "UNVERIFIED"}}
    print_result({**result, "artifacts": [], "trace_id": "sgclaw-20260402-0000abcd"})
    assert lines_of(capsys.readouterr().out)[1] == '数据：{"message": "已完成"}'
