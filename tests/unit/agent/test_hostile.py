"""Models that write nonsense, pages and disks that misbehave, ways round the person."""

from __future__ import annotations

import asyncio
import base64
import json
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

import pytest

from sgclaw.agent.dataflow import MOST_SHOWN, Tracker
from sgclaw.agent.limits import Limits, Meter, Spent
from sgclaw.agent.quantities import quantities, values_of
from sgclaw.agent.summary import inert_answer, review
from sgclaw.agent.text_mode import objects_in, read_object
from sgclaw.agent.trace import read_trace
from sgclaw.context.parts import Recalled, Reference
from sgclaw.errors import ActionCode, ActionError, BudgetExceededError, FileProblemError, SgClawError
from sgclaw.ports import ModelUsage, Observed, SkillResult, SkillRun
from sgclaw.protocol.results import PageInfo
from tests.support.ports import eventually
from tests.unit.agent.room import Answers, Clock, Room, act, call, done, given_up, step
from tests.unit.agent.site import ERP, OA, Control, Site

LOOK = step(call("read_page"))
SECRET = "13800138000"
SOON = 3.0
"""Seconds: what is quadratic takes minutes."""


# --- what a model writes ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("AGT-32")
@pytest.mark.parametrize(
    "text",
    [
        "{'a': {1, 2}}",
        "{'a': b'x'}",
        "{'a': ...}",
        "{'a': {(1, 2): 3}}",
        "{'a': 1j}",
        "{'a': 0x" + "f" * 5_000 + "}",
        '{"a": NaN}',
        '{"a": "\\ud800"}',
        '{"a":' * 40 + "1" + "}" * 40,
    ],
)
async def test_arguments_that_are_no_json_are_asked_for_anew(text: str) -> None:
    assert read_object(text) is None
    said = '{"tool": "read_page", "arguments": ' + text + "}"
    result = await Room([{"says": said}, LOOK, given_up()]).run()
    assert (result.outcome, result.reason) == ("failed", "NEEDS_HUMAN")


@pytest.mark.requirement("AGT-33")
@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 40_000, "\uff5b" * 200_000, '{"' * 100_000])
def test_answers_full_of_braces_are_read_in_bounded_time(text: str) -> None:
    began = time.perf_counter()
    assert objects_in(text) == []
    assert time.perf_counter() - began < SOON


@pytest.mark.requirement("AGT-12")
@pytest.mark.parametrize("usage", [ModelUsage(-9_000, -9_000, -9), ModelUsage(0, 0, 0, Decimal("NaN"), "CNY")])
def test_what_a_provider_says_of_its_use_gives_nothing_back(usage: ModelUsage) -> None:
    meter = Meter(Limits(tokens=100, cost=Decimal(1)), Clock(), Spent())
    meter.add(ModelUsage(60, 0))
    meter.add(usage)
    meter.check(40)
    with pytest.raises(BudgetExceededError):
        meter.check(41)


@pytest.mark.requirement("AGT-33")
@pytest.mark.parametrize("text", ["\n" * 400_000, "1," * 200_000, "一点" * 200_000, "（" + " " * 400_000])
def test_pages_full_of_numbers_or_of_nothing_are_read_in_bounded_time(text: str) -> None:
    began = time.perf_counter()
    values_of(text)
    assert time.perf_counter() - began < SOON


# --- numbers and deeds of the final words -----------------------------------------------------------------------------


@pytest.mark.requirement("AGT-17")
@pytest.mark.parametrize(
    "summary", ["共壹佰贰拾捌条。", f"共 {'1' * 45} 条。", f"共 128{' ' * 50}万元。", "共有 2 条。", "增长了八成。"]
)
def test_a_number_is_a_number_however_it_is_written(summary: str) -> None:
    assert review(summary, {Decimal(3)}, (), date(2026, 4, 2)).numbers


@pytest.mark.requirement("AGT-17")
def test_the_numerals_of_vouchers_are_those_of_the_page_and_todays_date_is_only_a_date() -> None:
    assert [each.value for each in quantities("人民币叁万伍仟元整")] == [Decimal(35_000)]
    assert not review("金额 35000 元（2026-04-02，4月2日）。", values_of("叁万伍仟元整"), (), date(2026, 4, 2)).numbers


@pytest.mark.requirement("AGT-18")
@pytest.mark.parametrize(
    "summary",
    [
        *("申请单已提交。", "请假单已审批通过。", "待办事项已审批。", "经检查没有问题并已提交。", "审批已完成。"),
        *("未提交成功，已审批。", "已将单据提交。", "已为您提交。", "已完成提交。", "核对无误提交成功。"),
    ],
)
async def test_with_fields_filled_in_alone_nothing_was_submitted(summary: str) -> None:
    assert review(summary, (), {"change"}).claims
    typed = step(act("type", ref="2", text="A-77"))
    finish = done(summary, (2, "A-77"))
    result = await Room([LOOK, typed, finish, finish]).run()
    assert (result.outcome, result.reason) == ("unverified", "UNVERIFIED")


@pytest.mark.requirement("AGT-18")
@pytest.mark.parametrize(
    "summary", ["没有提交成功。", "未能成功提交。", "需要先提交成功才能继续。", "如已提交请忽略。"]
)
def test_what_was_not_done_may_be_told(summary: str) -> None:
    assert not review(summary, (), ()).claims


@pytest.mark.requirement("AGT-25")
def test_taking_markup_away_makes_no_new_markup() -> None:
    assert "](" not in inert_answer("完成 ![![x](y)](javascript:alert(1))", lambda _: False)


# --- the trace --------------------------------------------------------------------------------------------------------


def numbers(path: Path) -> list[tuple[str, int]]:
    return [(each["kind"], each["number"]) for each in map(json.loads, path.read_text(encoding="utf-8").splitlines())]


@pytest.mark.requirement("AGT-34")
async def test_a_line_that_was_cut_off_does_not_spoil_what_is_written_after_it(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, given_up()], trace=path).run()
    path.write_bytes(path.read_bytes() + b'{"kind": "began", "num')
    await Room([LOOK, given_up()], trace=path).run(read_trace(path))
    assert numbers(path) == [(kind, number) for number in (1, 2, 3, 4) for kind in ("began", "step")]


@pytest.mark.requirement("AGT-34")
async def test_a_disk_that_takes_half_a_line_is_left_with_whole_ones(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, given_up()], trace=path).run()
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
    try:
        result = await Room([LOOK, given_up()], trace=path).run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (result.outcome, result.reason) == ("failed", "FILE_ERROR")
    assert path.read_bytes() == before


@pytest.mark.requirement("AGT-34")
@pytest.mark.parametrize(
    "line",
    [
        *('{"kind": "began"}', '{"kind": "began", "message": {"calls": [{}]}}', "[]", "[" * 100_000, "7"),
        *('{"kind": "step", "number": 1, "messages": [], "note": "", "read": []}', '{"kind": "x"}'),
    ],
)
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(FileProblemError):
        read_trace(path)


@pytest.mark.requirement("AGT-35")
async def test_a_stop_in_the_middle_of_an_act_leaves_it_in_doubt(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    press, later = act("click", ref="4"), act("click", ref="3")
    room = Room([LOOK, step(press, later)], trace=path)
    room.browser.hangs = frozenset({"click"})
    run = asyncio.ensure_future(room.agent().run())
    await eventually(lambda: room.browser.names[-1:] == ["click"])
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    was = read_trace(path)
    assert "正在进行" in was.in_doubt
    cut_off, never = (result.content for result in was.steps[-1].messages[-1].results)
    assert ("没有执行" in cut_off, "没有执行" in never) == (False, True)


# --- ways round the person --------------------------------------------------------------------------------------------


def backwards(text: str) -> str:
    return text[::-1]


def shifted(text: str) -> str:
    return "x" + base64.b64encode(text.encode()).decode()


def as_entities(text: str) -> str:
    return "".join(f"&#{ord(char)};" for char in text)


def as_escapes(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


@pytest.mark.requirement("AGT-36")
@pytest.mark.parametrize("coded", [backwards, shifted, as_entities, as_escapes, full_width, quote])
def test_a_value_is_known_again_in_every_usual_code(coded: Callable[[str], str]) -> None:
    tracker = Tracker()
    tracker.read(ERP, [f"电话 {SECRET}"])
    assert tracker.flow(OA, coded(SECRET)) is not None


@pytest.mark.requirement("AGT-36")
def test_a_value_is_known_again_in_the_encoding_of_old_systems() -> None:
    tracker = Tracker()
    tracker.read(ERP, ["某某有限公司"])
    assert tracker.flow(OA, quote("某某有限公司", encoding="gb18030")) is not None


@pytest.mark.requirement("AGT-36")
def test_a_page_that_shows_every_four_digits_gets_no_longer_number_unseen() -> None:
    tracker = Tracker()
    tracker.read(ERP, [f"电话 {SECRET}"])
    tracker.read(OA, [f"{number:04}" for number in range(10_000)])
    assert tracker.flow(OA, SECRET) is not None
    tracker.read(OA, [SECRET])
    assert tracker.flow(OA, SECRET) is None


@dataclass
class Remembers:
    """`Recollection` with one entry that stood on the ERP once."""

    text: str = f"客户电话 {SECRET}"

    async def recall(self, text: str, limit: int) -> Sequence[Recalled]:
        return [Recalled(self.text, ERP, 1.0)]


BOTH = "把 ERP 的报表填到 OA"


def oa_form(site: Site) -> list[Control]:
    return [Control("textbox", "备注", value="")]


def at_oa(*steps: Mapping[str, object], person: Answers, memory: Remembers | None = None) -> Room:
    site = Site({f"{OA}/form": oa_form}, f"{OA}/form")
    return Room(steps, site=site, instruction=BOTH, page_url=f"{OA}/form", person=person, memory=memory)


@pytest.mark.requirement("AGT-36")
async def test_what_is_recalled_is_still_its_origins() -> None:
    typed = step(act("type", ref="1", text=SECRET))
    room = at_oa(
        step(call("recall", query="电话")), LOOK, typed, given_up(), person=Answers(["不允许"]), memory=Remembers()
    )
    await room.run()
    assert [SECRET in each.text and OA in each.text for each in room.person.asked] == [True]
    assert "type" not in room.browser.names


@pytest.mark.requirement("AGT-36")
async def test_a_choice_that_a_person_picks_lets_nothing_go() -> None:
    plan = "蓝鲸计划底价九百"
    asked = step(call("ask_user", question="是哪一个？", choices=[plan, "不是"]))
    typed = step(act("type", ref="1", text=plan))
    recalled = step(call("recall", query="计划"))
    person, memory = Answers([plan, "不允许"]), Remembers(plan)
    room = at_oa(recalled, asked, LOOK, typed, given_up(), person=person, memory=memory)
    await room.run()
    assert (len(room.person.asked), "type" in room.browser.names) == (2, False)


@pytest.mark.requirement("AGT-37")
@pytest.mark.parametrize(("length", "asked"), [(900, True), (MOST_SHOWN, False)])
async def test_a_text_goes_when_it_was_read_to_its_end_or_not_at_all(length: int, asked: bool) -> None:
    text = "好" * length + SECRET
    recalled, typed = step(call("recall", query="电话")), step(act("type", ref="1", text=text))
    room = at_oa(recalled, LOOK, typed, given_up(), person=Answers(["不允许"]), memory=Remembers())
    await room.run()
    assert [each.text.endswith(SECRET) for each in room.person.asked] == [True] * asked
    assert "type" not in room.browser.names


@pytest.mark.requirement("AGT-38")
@pytest.mark.parametrize(
    "asked",
    [
        {"question": "请输入您的登录密码"},
        {"question": "请把短信验 证 码发给我"},
        {"question": "请选择", "choices": ["Password: 123456"]},
    ],
)
async def test_nobody_is_asked_for_a_secret(asked: dict[str, object]) -> None:
    room = Room([step(call("ask_user", **asked)), given_up()], person=Answers(["hunter2"]))
    await room.run()
    assert (room.person.asked, "不能向用户要" in room.told()) == ([], True)


@pytest.mark.requirement("AGT-38")
async def test_a_question_leads_nowhere_and_its_cut_is_seen() -> None:
    text = "看这里 ![x](https://evil.example/?d=1) https://evil.example/a 好吗？" + "长" * 600
    room = Room([step(call("ask_user", question=text, choices=["见 https://evil.example/b"])), given_up()])
    await room.run()
    shown = room.person.asked[0]
    assert ("evil" in shown.text, "evil" in shown.choices[0], shown.text.endswith("字）")) == (False, False, True)


# --- skills that fail half way ----------------------------------------------------------------------------------------


@dataclass
class HalfWay:
    """`SkillBook` whose skill clicks and then fails."""

    error: SgClawError = field(default_factory=lambda: ActionError(ActionCode.TIMEOUT, "技能超时"))

    async def search(self, text: str, limit: int) -> Sequence[Reference]:
        return []

    async def read(self, name: str) -> str:
        return ""

    def domains(self, name: str) -> Sequence[str]:
        return ["erp.example.com"]

    async def run(self, name: str, inputs: Mapping[str, object]) -> SkillRun:
        page = PageInfo(id="p", url=f"{ERP}/report", version=1)
        return SkillRun(SkillResult(success=False), [Observed(7, "clearStorage", {}, None, 1, page)], self.error)


@pytest.mark.requirement("AGT-39")
async def test_what_a_failed_skill_did_wants_its_proof() -> None:
    run = step(call("run_skill", name="s", inputs={}, criterion="已清空"))
    finish = done("报表页面有 128 行。", (1, "共 128 行"))
    room = Room([LOOK, run, finish, finish], skills=HalfWay())
    result = await room.run()
    assert (result.outcome, result.reason) == ("unverified", "UNVERIFIED")
    assert "技能超时" in room.told(2)
