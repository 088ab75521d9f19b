"""Questions that stay open, answers as they stand, and skills that are switched off: what the person is told."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Final

import pytest

from sgclaw.gateway.report import followed_by
from sgclaw.gateway.router import Answered, AskInput, Route, Router, RouteRequest, RunSkill
from sgclaw.protocol.messages import TaskCompleted
from sgclaw.skills.signing import sign_skill
from tests.unit.gateway.room import gateway, order
from tests.unit.gateway.skills import skill
from tests.unit.skills.folder import GOOD, Folder, resigned, script

TODAY: Final = date(2026, 11, 30)
NO: Final = {"type": "string", "description": "凭证号", "x-ask": "要提交哪一张凭证？请给出凭证号"}


def voucher(**schema: object) -> Router:
    return Router([skill("voucher", "提交凭证。", ("提交凭证",), {"no": {**NO, **schema}}, ("no",))])


def answered(router: Router, reply: str, text: str = "提交凭证") -> Route:
    first = router.route(RouteRequest(text, TODAY))
    assert isinstance(first, AskInput)
    return router.route(RouteRequest(text, TODAY, answers=(Answered(first, reply),)))


def value(route: Route, name: str = "no") -> object:
    return route.inputs[name] if isinstance(route, RunSkill) else None


# --- an answer as it stands -----------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-21")
@pytest.mark.parametrize(
    "reply",
    [
        *("记-009", "12", "记账凭证 12", "记账凭证", "12号", "记字12号", "转字第0012号", "20260301", "2026-03-05"),
        *("银付-2026-03-0012", "SAP 4711/B", "FY26#12", "no. 12", "A-1002", "付款申请单 7", "审批单-12", "张三"),
    ],
)
def test_an_answer_to_the_question_for_a_number_of_something_is_that_number(reply: str) -> None:
    assert value(answered(voucher(), reply)) == reply


@pytest.mark.requirement("ROUTE-21")
@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("  记-009  ", "记-009"),
        ("「记-009」", "记-009"),
        ("记-009。", "记-009"),
        ("凭证号是 记-009", "记-009"),
        ("凭证号：A-1002", "A-1002"),
        ("编号12", "12"),
    ],
)
def test_what_stands_around_the_number_is_left_out(reply: str, number: str) -> None:
    assert value(answered(voucher(), reply)) == number


@pytest.mark.requirement("ROUTE-21")
@pytest.mark.parametrize(
    "reply",
    [
        *("3月", "财务部", "1.5万", "三百", "第3个", "不要 12", "不知道", "凭证号", "就是上次那个", "我想看看", "，"),
        *("提交凭证12", "删除3号供应商", "A-1002和A-1003"),
    ],
)
def test_a_sentence_or_a_value_of_another_kind_is_no_number_and_is_asked_again(reply: str) -> None:
    assert isinstance(answered(voucher(), reply), AskInput)


@pytest.mark.requirement("ROUTE-21")
@pytest.mark.parametrize(
    ("schema", "reply", "taken"),
    [
        ({"pattern": "^记-[0-9]+$"}, "记-009", True),
        ({"pattern": "^记-[0-9]+$"}, "付-009", False),
        ({"minLength": 3}, "12", False),
        ({"maxLength": 3}, "记-009", False),
        ({"type": ["string", "null"]}, "记-009", True),
    ],
)
def test_an_answer_the_schema_refuses_is_asked_again(schema: dict[str, object], reply: str, taken: bool) -> None:
    assert (value(answered(voucher(**schema), reply)) == reply) is taken


@pytest.mark.requirement("ROUTE-21")
def test_a_list_of_texts_gets_the_answer_as_its_only_item() -> None:
    notes = {"type": "array", "items": {"type": "string"}, "description": "备注"}
    router = Router([skill("notes", "记备注。", ("记备注",), {"notes": notes}, ("notes",))])
    assert value(answered(router, "请尽快", "记备注"), "notes") == ["请尽快"]


@pytest.mark.requirement("ROUTE-07")
@pytest.mark.parametrize(
    ("kinds", "reply", "taken"),
    [
        (["string", "null"], "记-009", "记-009"),
        (["null", "integer"], "三百", 300),
        (["array", "null"], "记-009", ["记-009"]),
        (["null"], "记-009", None),
    ],
)
def test_an_input_of_several_types_is_read_as_the_first_that_is_not_null(
    kinds: list[str], reply: str, taken: object
) -> None:
    schema = {"type": kinds, "items": {"type": ["string", "null"]}}
    assert value(answered(voucher(**schema), reply)) == taken


@pytest.mark.requirement("ROUTE-21")
def test_numbers_keep_their_reader() -> None:
    count = {"type": "integer", "description": "条数"}
    router = Router([skill("rows", "抽查凭证。", ("抽查凭证",), {"count": count}, ("count",))])
    assert value(answered(router, "三百", "抽查凭证"), "count") == 300
    assert isinstance(answered(router, "记-009", "抽查凭证"), AskInput)


# --- the text of a question -----------------------------------------------------------------------------------------


@pytest.mark.requirement("ROUTE-22")
@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("请给出凭证号", "请给出凭证号。例如：A-1"),
        ("请给出凭证号 ", "请给出凭证号。例如：A-1"),
        ("哪一张（必填）", "哪一张（必填）。例如：A-1"),
        ("哪一张？", "哪一张？例如：A-1"),
        ("哪一张?", "哪一张?例如：A-1"),
        ("请给出凭证号：", "请给出凭证号：例如：A-1"),
        ("哪一张？例如：B-2", "哪一张？例如：B-2"),
    ],
)
def test_the_examples_of_a_question_stand_behind_a_stop(asked: str, text: str) -> None:
    first = voucher(**{"x-ask": asked, "x-examples": ["A-1"]}).route(RouteRequest("提交凭证", TODAY))
    assert isinstance(first, AskInput)
    assert first.question.text == text


@pytest.mark.requirement("ROUTE-22")
def test_parts_of_a_message_have_one_stop_between_them() -> None:
    assert [followed_by(text, "乙") for text in ("甲", "甲。", "甲！", "甲 ", "")] == [
        "甲。乙",
        "甲。乙",
        "甲！乙",
        "甲。乙",
        "乙",
    ]
    assert followed_by("甲", "") == "甲"


# --- questions that stay open ---------------------------------------------------------------------------------------

PARAMS: Final = {
    "type": "object",
    "required": ["note", "rows", "format"],
    "properties": {
        "note": {"type": "string", "description": "备注"},
        "rows": {"type": "integer", "description": "条数"},
        "format": {"type": "string", "enum": ["xlsx", "csv"], "description": "格式"},
    },
}


def folder_of(path: Path, *triggers: str) -> Folder:
    folder = Folder(path / "skills")
    for number, trigger in enumerate(triggers):
        header = f" * @triggers {trigger}\n * @params {json.dumps(PARAMS, ensure_ascii=False)}\n"
        folder.write(f"builtin/notes-{number}.js", script(f"notes-{number}", extra=header))
    folder.sign()
    return folder


async def told(folder: Folder, *answers: str, **more: object) -> TaskCompleted:
    async with gateway(folder.use(), answers=answers) as room:
        room.submit(order(**{"instruction": "登记备注", "skill": None, **more}))  # type: ignore[arg-type]
        return await room.ended()


@pytest.mark.requirement("TASK-32")
@pytest.mark.parametrize(
    ("inputs", "parameter", "option"),
    [
        ({}, "note", "--input note=…"),
        ({"note": "无"}, "rows", "--input rows:=…"),
        ({"note": "无", "rows": 3}, "format", "--input format=…"),
    ],
)
async def test_an_input_nobody_gave_is_named_with_the_way_to_give_it(
    inputs: dict[str, object], parameter: str, option: str, tmp_path: Path
) -> None:
    report = await told(folder_of(tmp_path, "登记备注"), inputs=inputs)
    assert report.error is not None
    assert (report.error.code, report.error.facts["parameter"], report.error.facts["skill"]) == (
        "NEEDS_HUMAN",
        parameter,
        "notes-0",
    )
    assert report.error.next_step == f"请重新提交任务并给出这一项：命令行用 {option}，侧边栏里请在询问时回答"


@pytest.mark.requirement("TASK-32")
@pytest.mark.parametrize(
    ("triggers", "instruction", "option"),
    [
        (("登记备注", "登记备注"), "登记备注", "--skill 名称（notes-0、notes-1）"),
        (("登记备注",), "打印备注", "--skill notes-0"),
    ],
)
async def test_a_choice_nobody_made_is_named_with_the_way_to_make_it(
    triggers: tuple[str, ...], instruction: str, option: str, tmp_path: Path
) -> None:
    report = await told(folder_of(tmp_path, *triggers), instruction=instruction)
    assert report.error is not None
    assert report.error.facts["skills"] == [f"notes-{number}" for number in range(len(triggers))]
    assert report.error.next_step == f"请重新提交任务并指明技能：命令行用 {option}，侧边栏里请在询问时选择"


@pytest.mark.requirement("TASK-32")
async def test_a_question_asked_too_often_says_which_one(tmp_path: Path) -> None:
    report = await told(folder_of(tmp_path, "登记备注"), *["随便"] * 9)
    assert report.error is not None
    assert (report.error.message, report.error.facts["parameter"]) == ("问了多次仍不能确定要做什么", "note")
    assert "--input note=…" in report.error.next_step


# --- switched off ---------------------------------------------------------------------------------------------------

ENABLE: Final = "如需使用，请执行 sgclaw skill enable notes-0"


@pytest.mark.requirement("TASK-33")
@pytest.mark.parametrize("wanted", [None, "notes-0", "notes-0@1.0.0"])
async def test_a_skill_switched_off_here_is_told_with_the_command_that_takes_it_back(
    wanted: str | None, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, "登记备注")
    folder.state.switch("notes-0", on=False)
    report = await told(folder, skill=wanted)
    assert report.error is not None
    assert (report.error.code, report.error.facts["reason"]) == ("SKILL_REFUSED", "SWITCHED_OFF")
    assert "该技能已在本机停用" in report.error.message
    assert report.error.next_step == ENABLE


@pytest.mark.requirement("TASK-33")
async def test_a_skill_its_publisher_switched_off_is_told_as_that(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "登记备注")
    source = (folder.root / "builtin/notes-0.js").read_bytes()
    folder.sign_entries(resigned(sign_skill(GOOD, "builtin/notes-0.js", source), enabled=False))
    by_words, by_name = await told(folder), await told(folder, skill="notes-0")
    for report in (by_words, by_name):
        assert report.error is not None
        assert (report.error.code, report.error.facts["reason"]) == ("SKILL_REFUSED", "DISABLED")
        assert report.error.next_step == "如需使用，请发布方在清单中启用后重新签名"


@pytest.mark.requirement("TASK-33")
async def test_beside_others_a_skill_switched_off_is_named_when_nothing_fits(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "登记备注", "查询快递")
    folder.state.switch("notes-0", on=False)
    report = await told(folder)
    assert report.error is not None
    assert report.error.code == "NO_MODEL"
    assert "；notes-0：该技能已在本机停用" in report.error.message
    assert "被拒绝加载" not in report.error.message
    assert report.error.next_step.endswith(f"；notes-0：{ENABLE}")
