"""Carrying a plan: order, evidence, reviews, the person, crashes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sgclaw.agent.planning.asking import TokenBudget
from sgclaw.agent.planning.board import Status, TaskBoard
from sgclaw.agent.planning.conductor import ACCEPTED, FINISHED, GIVEN_UP, GO_ON, ActorReport, plan_or_resume
from sgclaw.agent.planning.evidence import Fact, Rank
from sgclaw.context.parts import HandOff
from sgclaw.errors import BudgetExceededError
from tests.unit.agent.planning.room import (
    ACHIEVED,
    APPROVED,
    CARD_OK,
    CONTROLLED,
    CRITERION,
    ERP,
    FAILS,
    GOOD,
    HOLDS,
    NOTE,
    ONE,
    PARTS,
    REJECTED,
    REVISION,
    WROTE,
    Room,
    Step,
    board_with,
    card_of,
)

PRO, CON, REPLY = "您是正方", "您是反方", "评审没有通过"
ACCEPT: Step = (REPLY, {"answer": "ACCEPT"})
REJECT: Step = (REPLY, {"answer": "REJECT", "reason": "3 月已包含"})


def statuses(board: TaskBoard) -> dict[str, str]:
    return {card.id: card.status.value for card in board.cards}


@pytest.mark.requirement("PLAN-13")
async def test_cards_run_in_the_order_of_their_dependencies_with_hand_offs(tmp_path: Path) -> None:
    room = Room(tmp_path)
    board = board_with(card_of("b", depends_on=("a",)), card_of("a"))
    carried = await room.conductor(board, *CARD_OK, *CARD_OK).carry()
    assert (carried.outcome, room.hands.cards) == ("completed", ["a", "b"])
    assert room.hands.given == [(), (HandOff("a", NOTE),)]
    assert room.keeper.load("t-1") == carried.board.saved()


@pytest.mark.requirement("PLAN-13")
async def test_a_hand_off_of_another_length_is_written_anew(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hands.reports = [ActorReport("completed", GOOD.outputs, GOOD.evidence, "好了")]
    steps = (CRITERION, ("交接说明", {"hand_off": NOTE}), *CARD_OK[1:])
    carried = await room.conductor(board_with(card_of()), *steps).carry()
    assert carried.board.card("export").hand_off == NOTE


@pytest.mark.requirement("PLAN-09")
async def test_a_lying_toast_is_judged_by_nobody_and_waits_for_the_person(tmp_path: Path) -> None:
    room = Room(tmp_path)
    toast = Fact(rank=Rank.TOAST, origin=ERP, text="提交成功", changes=True)
    room.hands.reports = [ActorReport("completed", ("已提交，绝对成功",), (toast,), NOTE)]
    carried = await room.conductor(board_with(card_of()), CRITERION).carry()
    card = carried.board.card("export")
    assert (carried.outcome, card.status, card.reason) == ("waiting_human", Status.WAITING_HUMAN, "unverified")


@pytest.mark.requirement("PLAN-10")
@pytest.mark.parametrize(
    ("risk", "reviews", "authors"),
    [
        ("low", (), []),
        ("standard", ((ONE, APPROVED),), ["reviewer-1"]),
        ("high", ((PRO, APPROVED), (CON, APPROVED)), ["reviewer-1", "reviewer-2"]),
        (
            "high",
            ((PRO, APPROVED), (CON, REVISION), (PRO, APPROVED), (CON, APPROVED)),
            ["reviewer-1", "reviewer-2", "reviewer-1", "reviewer-2"],
        ),
    ],
)
async def test_the_risk_says_who_reviews(
    tmp_path: Path, risk: str, reviews: tuple[Step, ...], authors: list[str]
) -> None:
    carried = await Room(tmp_path).conductor(board_with(card_of(risk=risk)), CRITERION, HOLDS, *reviews).carry()
    assert carried.outcome == "completed"
    assert [review.author for review in carried.board.cards[0].reviews] == authors


@pytest.mark.requirement("PLAN-10")
async def test_a_debate_without_agreement_goes_to_the_person(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.someone.answers = [ACCEPTED]
    debate = ((PRO, APPROVED), (CON, REJECTED)) * 2
    carried = await room.conductor(board_with(card_of(risk="high")), CRITERION, HOLDS, *debate).carry()
    assert carried.outcome == "completed"
    assert carried.board.cards[0].reason == "person:reviewers_disagree"


@pytest.mark.requirement("PLAN-11")
@pytest.mark.parametrize(
    ("steps", "runs", "status"),
    [
        (((ONE, REVISION), ACCEPT, HOLDS, (ONE, APPROVED)), 2, "done"),
        (((ONE, REVISION), REJECT, HOLDS, (ONE, APPROVED)), 1, "done"),
        (((ONE, REJECTED), ACCEPT), 1, "failed"),
        (((ONE, REJECTED), (REPLY, {"answer": "PARTIAL", "reason": "一半"}), HOLDS, (ONE, APPROVED)), 2, "done"),
    ],
)
async def test_what_the_actor_answers_decides_what_follows(
    tmp_path: Path, steps: tuple[Step, ...], runs: int, status: str
) -> None:
    room = Room(tmp_path)
    carried = await room.conductor(board_with(card_of()), CRITERION, HOLDS, *steps).carry()
    assert (len(room.hands.ran), carried.board.cards[0].status) == (runs, status)


@pytest.mark.requirement("PLAN-11")
async def test_a_high_risk_change_is_not_made_again_for_a_revision(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hands.reports = [ActorReport("completed", ("已提交",), (WROTE,), NOTE)]
    steps = (CRITERION, HOLDS, (PRO, REVISION), (CON, REVISION), ACCEPT)
    carried = await room.conductor(board_with(card_of(risk="high")), *steps).carry()
    assert (len(room.hands.ran), carried.board.cards[0].reason) == (1, "changed_already")


@pytest.mark.requirement("PLAN-12")
@pytest.mark.parametrize(
    ("said", "outcome"),
    [([ACCEPTED], "completed"), ([GIVEN_UP], "failed"), ([], "waiting_human"), (["?"], "waiting_human")],
)
async def test_at_the_limit_of_rounds_the_person_decides(tmp_path: Path, said: list[str], outcome: str) -> None:
    room = Room(tmp_path)
    room.someone.answers = said
    steps = (CRITERION, FAILS, ACCEPT, FAILS, ACCEPT, FAILS)
    carried = await room.conductor(board_with(card_of()), *steps).carry()
    assert (carried.outcome, len(room.hands.ran), len(room.someone.asked)) == (outcome, 3, 1)


@pytest.mark.requirement("PLAN-14")
@pytest.mark.parametrize(("said", "runs"), [([], ["a"]), ([FINISHED], ["a", "b"])])
async def test_an_unknown_outcome_waits_for_the_person_and_is_never_retried(
    tmp_path: Path, said: list[str], runs: list[str]
) -> None:
    room = Room(tmp_path)
    room.hands.reports = [ActorReport("unknown", evidence=(WROTE,))]
    room.someone.answers = said
    board = board_with(card_of("a"), card_of("b", depends_on=("a",)))
    await room.conductor(board, CRITERION, *CARD_OK).carry()
    assert room.hands.cards == runs


@pytest.mark.requirement("PLAN-14")
async def test_a_cancelled_plan_goes_on_without_doing_anything_twice(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hands.reports = [GOOD, asyncio.CancelledError()]
    with pytest.raises(asyncio.CancelledError):
        await room.conductor(board_with(card_of("a"), card_of("b"), card_of("c")), *CARD_OK, CRITERION).carry()
    board = await plan_or_resume(room.crew(), "t-1", PARTS)
    assert isinstance(board, TaskBoard)
    assert statuses(board) == {"a": "done", "b": "waiting_human", "c": "pending"}
    carried = await room.conductor(board, *CARD_OK).carry()
    assert room.hands.cards == ["a", "b", "c"]
    assert (carried.outcome, len(room.someone.asked)) == ("waiting_human", 1)


@pytest.mark.requirement("PLAN-14")
async def test_a_crash_at_any_model_call_does_no_card_twice(tmp_path: Path) -> None:
    steps = (*CARD_OK, *CARD_OK)
    for calls in range(len(steps)):
        room = Room(tmp_path, budget=TokenBudget(100 * calls))
        with pytest.raises(BudgetExceededError):
            await room.conductor(board_with(card_of("a"), card_of("b")), *steps).carry()
        room.budget = TokenBudget(100_000)
        board = await plan_or_resume(room.crew(), "t-1", PARTS)
        assert isinstance(board, TaskBoard)
        rest = CARD_OK[1:] if any(card.status == "review" for card in board.cards) else ()
        free = sum(card.status == "pending" for card in board.cards)
        carried = await room.conductor(board, *rest, *(CARD_OK * free)).carry()
        assert (carried.outcome, room.hands.cards) == ("completed", ["a", "b"])


@pytest.mark.requirement("PLAN-16")
async def test_what_waits_for_a_failed_card_is_blocked(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.hands.reports = [ActorReport("failed", reason="not_found")]
    board = board_with(card_of("a"), card_of("b", depends_on=("a",)), card_of("c", depends_on=("b",)))
    carried = await room.conductor(board, CRITERION).carry()
    assert (carried.outcome, statuses(carried.board)) == ("failed", {"a": "failed", "b": "blocked", "c": "blocked"})


@pytest.mark.requirement("PLAN-07")
async def test_risk_control_raises_risks_before_anything_acts(tmp_path: Path) -> None:
    raised: Step = ("raised", {"raised": ["a", "nobody"], "stop": False, "why": "提交不能撤销"})
    board = board_with(card_of("rc", phase="risk_control"), card_of("a", depends_on=("rc",), risk="low"))
    steps = (raised, CRITERION, HOLDS, (PRO, APPROVED), (CON, APPROVED))
    carried = await Room(tmp_path).conductor(board, *steps).carry()
    assert (carried.outcome, carried.board.card("a").risk) == ("completed", "high")


@pytest.mark.requirement("PLAN-07")
@pytest.mark.parametrize(("said", "runs"), [([], []), ([GIVEN_UP], []), ([GO_ON], ["a"])])
async def test_a_stop_of_risk_control_is_for_the_person_to_lift(
    tmp_path: Path, said: list[str], runs: list[str]
) -> None:
    room = Room(tmp_path)
    room.someone.answers = said
    stop: Step = ("raised", {"raised": [], "stop": True, "why": "越出范围"})
    board = board_with(card_of("rc", phase="risk_control"), card_of("a", depends_on=("rc",)))
    await room.conductor(board, stop, *CARD_OK).carry()
    assert room.hands.cards == runs


def more(card_id: str) -> Step:
    card = {"id": card_id, "title": "补 3 月", "phase": "collect", "must_haves": ["3 月"]}
    return ("三个问题", {"goal_clear": True, "covered": False, "why": "缺 3 月", "next": "next_round", "cards": [card]})


@pytest.mark.requirement("PLAN-17")
async def test_the_final_review_opens_a_guarded_round(tmp_path: Path) -> None:
    room = Room(tmp_path)
    board = board_with(card_of("fin", phase="final_review"))
    carried = await room.conductor(board, more("march"), CONTROLLED, *CARD_OK, ACHIEVED).carry()
    assert (carried.outcome, room.hands.cards) == ("completed", ["r2-march"])
    assert list(statuses(carried.board)) == ["fin", "r2-march", "r2-final_review", "r2-risk_control"]


@pytest.mark.requirement("PLAN-17")
async def test_after_the_last_round_the_person_decides(tmp_path: Path) -> None:
    room = Room(tmp_path)
    board = board_with(card_of("fin", phase="final_review")).model_copy(update={"round": 3})
    carried = await room.conductor(board, more("march")).carry()
    assert (carried.outcome, carried.board.card("fin").reason) == ("waiting_human", "round_limit")


@pytest.mark.requirement("PLAN-17")
async def test_a_goal_that_is_unclear_is_never_achieved(tmp_path: Path) -> None:
    room = Room(tmp_path)
    unclear = {"goal_clear": False, "covered": True, "why": "目标不清", "next": "achieved"}
    steps = (("三个问题", unclear), ("不能是 achieved", {**unclear, "next": "ask_user"}))
    carried = await room.conductor(board_with(card_of("fin", phase="final_review")), *steps).carry()
    assert carried.board.card("fin").reason == "goal_unclear"
