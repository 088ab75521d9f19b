"""Whole tasks with a plan: cards in the agent's loop, one budget, one memory of where values are from, one result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from sgclaw.agent.dataflow import Tracker
from sgclaw.agent.ending import AgentResult
from sgclaw.agent.limits import Limits
from sgclaw.agent.planning.actor import known_again
from sgclaw.agent.planning.board import MemoryBoard
from sgclaw.agent.planning.conductor import FINISHED, GIVEN_UP
from sgclaw.agent.planning.evidence import Fact, Rank
from sgclaw.agent.planning.run import PlannedRun
from sgclaw.agent.states import TRANSITIONS
from sgclaw.errors import ActionCode, ActionError, FileProblemError, SgClawError
from sgclaw.ports import JsonObject
from sgclaw.protocol.parts import State
from tests.support.ports import eventually
from tests.unit.agent.planning.room import (
    ACHIEVED,
    CONTROLLED,
    CRITERION,
    HOLDS,
    NOTE,
    Step,
    board_with,
    card_of,
)
from tests.unit.agent.room import Answers, Room, act, call, done, given_up, step
from tests.unit.agent.site import ERP, OA, Control, Site

WORDS = "先读出合规报表的行数，再导出报表，写明文件名"
LOOK = step(call("read_page"))
NOTED: Step = ("交接说明", {"hand_off": NOTE})


def says(asked: Step) -> dict[str, object]:
    """An answer of the model to a question of the planning roles."""
    heard, said = asked
    return {
        "expect": {"role": "user", "contains": heard},
        "says": json.dumps(said, ensure_ascii=False),
        "usage": {"input": 100, "output": 10},
    }


def card(card_id: str, title: str, **more: object) -> dict[str, object]:
    return {"id": card_id, "title": title, "phase": "operate", "must_haves": ["看得到结果"], "risk": "low", **more}


READ = card("read", "读取行数")
FETCH = card("fetch", "导出报表", depends_on=["read"])


def plan(*cards: Mapping[str, object]) -> dict[str, object]:
    return says(("请判断这项任务是否需要拆分", {"mode": "board", "why": "分两步", "cards": list(cards)}))


SINGLE = says(("请判断这项任务是否需要拆分", {"mode": "single", "why": "几步能办完"}))
FIRST = (says(CRITERION), LOOK, done("共 128 行。", (1, "共 128 行")), says(NOTED), says(HOLDS))


def second(seq: int) -> tuple[Mapping[str, object], ...]:
    """The card that downloads, whose download is that command."""
    return (
        says(CRITERION),
        LOOK,
        step(act("download", criterion=None, ref="3")),
        done("已导出 report.xlsx，共 128 行。", (seq, "report.xlsx")),
        says(NOTED),
        says(HOLDS),
    )


WHOLE = (plan(READ, FETCH), says(CONTROLLED), *FIRST, *second(3), says(ACHIEVED))


@dataclass
class Planned:
    """A run over pages in memory, and what was told of it."""

    room: Room
    keeper: MemoryBoard = field(default_factory=MemoryBoard)
    said: list[str] = field(default_factory=list)
    settled: list[SgClawError] = field(default_factory=list)

    def made(self) -> PlannedRun:
        def say(text: str, _: JsonObject) -> None:
            self.said.append(text)

        return PlannedRun(*self.room.given(), self.keeper, say, self.settled.append)

    async def run(self) -> AgentResult:
        async with asyncio.timeout(30):
            return await self.made().run()

    def told(self, event: str) -> list[Mapping[str, Any]]:
        return [record.data for record in self.room.ledger.records if record.event == event]

    @property
    def statuses(self) -> dict[str, str]:
        saved: Any = self.keeper.load("t1")
        return {each["id"]: each["status"] for each in saved["cards"]}


def planned(*steps: Mapping[str, object], words: str = WORDS, **more: Any) -> Planned:
    return Planned(Room(steps, instruction=words, **more))


@pytest.mark.requirement("PLAN-19")
async def test_a_small_task_is_one_loop_and_costs_no_extra_call() -> None:
    made = planned(LOOK, done("共 128 行。", (1, "共 128 行")), words="读出合规报表的行数")
    result = await made.run()
    assert (result.outcome, result.usage.llm_calls, made.said, made.told("plan_made")) == ("completed", 2, [], [])


@pytest.mark.requirement("PLAN-19", "PLAN-21", "PLAN-24")
async def test_a_planner_that_keeps_it_whole_is_told_of_and_its_call_counts() -> None:
    made = planned(SINGLE, LOOK, done("共 128 行。", (1, "共 128 行")))
    result = await made.run()
    assert (result.outcome, result.usage.llm_calls, result.usage.tokens, result.steps) == ("completed", 3, 330, 2)
    assert made.said == ["不拆分，直接办理：几步能办完"]
    assert made.told("plan_made") == [{"mode": "single", "why": "几步能办完", "sign": "clauses"}]


@pytest.mark.requirement("PLAN-19")
async def test_a_model_that_gives_no_plan_works_without_one() -> None:
    bad = {"says": "好的", "usage": {"input": 100, "output": 10}}
    made = planned(bad, bad, bad, LOOK, done("共 128 行。", (1, "共 128 行")))
    result = await made.run()
    assert (result.outcome, result.usage.llm_calls) == ("completed", 5)
    assert made.said == ["不拆分，直接办理：大模型没有给出可用的计划"]


@pytest.mark.requirement("PLAN-20", "PLAN-21", "PLAN-24")
async def test_a_board_is_carried_by_loops_to_one_result() -> None:
    made = planned(*WHOLE)
    result = await made.run()
    assert (result.outcome, result.reason) == ("completed", "")
    assert result.summary == (
        "各子任务都已完成。\n- 读取行数：完成。共 128 行。\n- 导出报表：完成。已导出 report.xlsx，共 128 行。"
    )
    assert [(each.rank.value, each.seq) for each in result.evidence] == [("dom_state", 1), ("file_hash", 3)]
    assert [each.name for each in result.artifacts] == ["report.xlsx"]
    assert (result.usage.llm_calls, result.usage.tokens, result.steps) == (14, 1_540, 5)
    assert set(made.statuses.values()) == {"done"}
    assert [each["mode"] for each in made.told("plan_made")] == ["board"]
    moves = [(each["card"], each["to"]) for each in made.told("card_moved") if each["card"] == "read"]
    assert moves == [("read", each) for each in ("claimed", "working", "review", "done")]
    assert made.said[0] == "任务拆分为子任务：读取行数；导出报表"
    assert "子任务「导出报表」完成" in made.said


@pytest.mark.requirement("PLAN-20")
async def test_the_states_of_all_loops_are_legal_for_one_task_and_end_where_it_can_complete() -> None:
    made = planned(*WHOLE)
    await made.run()
    states = [State.PLANNING, *made.room.states]
    assert [(a, b) for a, b in pairwise(states) if b not in TRANSITIONS[a]] == []
    assert states[-1] is State.EVALUATING


@pytest.mark.requirement("PLAN-20")
async def test_a_card_is_told_its_title_its_criterion_and_what_was_handed_on() -> None:
    made = planned(*WHOLE)
    await made.run()
    fetching = next(
        text
        for request in made.room.recited.requests
        if "标题：导出报表" in (text := "\n".join(each.text for each in request.messages)) and request.tools
    )
    assert "成功标准：下载的文件有 128 行" in fetching
    assert NOTE in fetching
    assert WORDS in fetching


@pytest.mark.requirement("PLAN-21")
async def test_the_limit_of_tokens_is_the_whole_tasks() -> None:
    made = planned(*WHOLE, limits=Limits(tokens=700))
    result = await made.run()
    assert (result.outcome, result.reason) == ("failed", "BUDGET_EXCEEDED")
    assert result.usage.tokens <= 800


def two_sites() -> Site:
    return Site(
        {
            f"{ERP}/report": lambda _: [Control("heading", "密级代号 青鸟九号")],
            f"{OA}/form": lambda _: [Control("textbox", "备注", value="")],
        },
        f"{ERP}/report",
    )


@pytest.mark.requirement("PLAN-22")
async def test_what_one_card_read_is_asked_about_before_another_card_sends_it_elsewhere() -> None:
    words = f"先看 {ERP} 的代号，再填到 {OA}"
    read = (says(CRITERION), LOOK, done("看到了代号。", (1, "青鸟九号")), says(NOTED), says(HOLDS))
    write = (
        says(CRITERION),
        step(act("navigate", criterion=None, url=f"{OA}/form")),
        step(act("type", criterion=None, ref=1, text="青鸟九号")),
        given_up(),
    )
    steps = (plan(card("read", "看代号"), card("fill", "填代号", depends_on=["read"])), says(CONTROLLED), *read, *write)
    site = two_sites()
    made = planned(*steps, words=words, site=site, page_url=f"{ERP}/report", person=Answers(["不允许"]))
    await made.run()
    asked = [each.text for each in made.room.person.asked]
    assert f"要把从 {ERP} 读到的内容发给 {OA}" in asked[0]
    assert [each.action for each in made.room.browser.done if each.action == "type"] == []


@pytest.mark.requirement("PLAN-22")
def test_what_an_earlier_process_handed_on_is_known_again_though_nobody_knows_where_from() -> None:
    fact = Fact(rank=Rank.DOM, origin=ERP, text="页面显示“青鸟九号”")
    kept = card_of(facts=(fact,), outputs=("代号白鹭",), hand_off=NOTE)
    tracker = Tracker(WORDS)
    known_again(tracker, board_with(kept))
    assert [
        flow.sources if (flow := tracker.flow(OA, each)) else () for each in ("青鸟九号", "代号白鹭", NOTE, "别的内容")
    ] == [
        (ERP,),
        ("note:export",),
        ("note:export",),
        (),
    ]


@pytest.mark.requirement("PLAN-23")
async def test_what_the_loop_cannot_prove_the_board_does_not_approve() -> None:
    unproved = (
        says(CRITERION),
        LOOK,
        step(act("click", criterion=None, ref="4")),
        *[done("做好了。")] * 2,
        says(NOTED),
    )
    made = planned(plan(card("go", "翻页")), says(CONTROLLED), *unproved)
    result = await made.run()
    assert (result.outcome, result.reason) == ("unverified", "UNVERIFIED")
    assert result.summary.splitlines()[:2] == ["子任务「翻页」的证据不足。", "- 翻页：等您决定"]
    assert [each["reason"] for each in made.told("escalated")] == ["unverified"]
    assert "证据不足以证明已经完成" in made.room.person.asked[0].text


@pytest.mark.requirement("PLAN-23")
@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [(None, "unverified", "UNKNOWN_OUTCOME"), (GIVEN_UP, "failed", "ACTION_FAILED"), (FINISHED, "completed", "")],
)
async def test_a_card_of_unknown_outcome_is_the_persons_to_settle(
    answer: str | None, outcome: str, reason: str
) -> None:
    begun = (says(CRITERION), LOOK, step(act("click", criterion=None, ref="4")), given_up())
    made = planned(plan(card("go", "翻页")), says(CONTROLLED), *begun, says(ACHIEVED), person=Answers([answer]))
    made.room.browser.faults["click"] = [ActionError(ActionCode.UNKNOWN_OUTCOME, "不知道是否已经生效")]
    fault = made.room.browser.faults["click"][0]
    result = await made.run()
    assert (result.outcome, result.reason) == (outcome, reason)
    assert [each.action for each in made.room.browser.acts].count("click") == 1
    assert made.settled == ([fault] if answer == FINISHED else [])


@pytest.mark.requirement("PLAN-25", "PLAN-21")
async def test_a_cancelled_board_goes_on_where_it_was_and_does_nothing_twice() -> None:
    made = planned(*WHOLE[:7], {"fault": "silent"})
    run = made.made()
    work = asyncio.create_task(run.run())
    await eventually(lambda: len(made.room.recited.requests) == 8)
    work.cancel()
    await asyncio.wait({work}, timeout=20)
    assert run.result is not None
    assert (run.result.outcome, run.result.usage.llm_calls, made.statuses["read"]) == ("aborted", 7, "done")
    again = planned(*second(2), says(ACHIEVED))
    again.keeper = made.keeper
    result = await again.run()
    assert again.told("plan_made")[0]["resumed"] is True
    assert again.said[0] == "接着做上次没有做完的子任务：读取行数；导出报表"
    assert "read" not in {each["card"] for each in again.told("card_moved")}
    assert (result.outcome, result.usage.llm_calls) == ("completed", 7)


@pytest.mark.requirement("PLAN-25")
async def test_a_board_of_other_words_or_that_is_over_is_planned_anew() -> None:
    made = planned(*WHOLE)
    await made.run()
    for words in (WORDS, f"{WORDS}。"):
        again = planned(SINGLE, given_up(), words=words)
        again.keeper = made.keeper
        await again.run()
        assert again.said == ["不拆分，直接办理：几步能办完"]


@pytest.mark.requirement("PLAN-25")
async def test_a_board_that_is_none_stops_the_task_before_anything_is_done() -> None:
    made = planned(given_up(), words="读出合规报表的行数")
    made.keeper.save("t1", {"cards": 7})
    result = await made.run()
    assert isinstance(result.error, FileProblemError)
    assert made.room.browser.acts == []
