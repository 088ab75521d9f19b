"""What a planner answers and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgclaw.agent.planning.asking import TokenBudget
from sgclaw.agent.planning.board import TaskBoard
from sgclaw.agent.planning.conductor import plan_or_resume
from sgclaw.agent.planning.plan import Plan, board_of, make_plan, next_round
from sgclaw.errors import BudgetExceededError, ModelError
from tests.unit.agent.planning.room import PARTS, Room

SINGLE = {"mode": "single", "why": "三步能办完"}


def planned(*cards: tuple[str, str, list[str]]) -> dict[str, object]:
    rows = [
        {"id": each, "title": each, "phase": phase, "must_haves": ["有产出"], "depends_on": needs, "why": "需要"}
        for each, phase, needs in cards
    ]
    return {"mode": "board", "why": "跨两个系统", "cards": rows}


def dependencies(plan: dict[str, object]) -> dict[str, tuple[str, ...]]:
    board = board_of(Plan.model_validate_json(json.dumps(plan)), "t-1", "办")
    return {card.id: card.depends_on for card in board.cards}


@pytest.mark.requirement("PLAN-05")
@pytest.mark.parametrize("around", ["{}", "好的。\n```json\n{}\n```\n请确认", "{{不是 {}"])
async def test_a_small_task_stays_one_loop_and_the_planner_says_why(tmp_path: Path, around: str) -> None:
    text = around.replace("{{", "{").replace("{}", json.dumps(SINGLE, ensure_ascii=False))
    room = Room(tmp_path)
    assert await plan_or_resume(room.crew(("是否需要拆分", text)), "t-1", PARTS) == Plan(
        mode="single", why="三步能办完"
    )
    assert room.keeper.load("t-1") is None


@pytest.mark.requirement("PLAN-06")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("我不会", "找不到 JSON"),
        ({"mode": "single"}, "why"),
        ({**SINGLE, "extra": 1}, "extra"),
        (planned(("a", "operate", ["b"]), ("b", "operate", ["a"])), "相互依赖"),
        (planned(("a", "operate", ["z"])), "不存在的 z"),
        (planned(("a", "party", [])), "没有阶段 party"),
        (planned(("a", "final_review", [])), "实际的子任务"),
    ],
)
async def test_a_wrong_plan_goes_back_with_what_is_wrong(tmp_path: Path, wrong: object, told: str) -> None:
    desk = Room(tmp_path).desk(("是否需要拆分", wrong), (told, SINGLE))
    assert (await make_plan(desk, PARTS)).mode == "single"


@pytest.mark.requirement("PLAN-06")
async def test_after_two_corrections_the_model_has_failed(tmp_path: Path) -> None:
    room = Room(tmp_path)
    with pytest.raises(ModelError) as failed:
        await make_plan(room.desk(("", "一"), ("", "二"), ("", "三")), PARTS)
    assert failed.value.facts["reason"] == "bad_answer"


@pytest.mark.requirement("PLAN-07")
def test_phases_that_were_left_out_are_added_where_they_belong() -> None:
    assert dependencies(planned(("read", "collect", []), ("write", "operate", ["read"]))) == {
        "read": ("risk_control",),
        "write": ("read", "risk_control"),
        "final_review": ("read", "write", "risk_control"),
        "risk_control": (),
    }


@pytest.mark.requirement("PLAN-07")
def test_phases_that_were_planned_are_kept_and_ordered() -> None:
    plan = planned(("end", "final_review", []), ("look", "research", []), ("risk", "risk_control", ["look"]))
    assert dependencies(plan) == {"end": ("look", "risk"), "look": (), "risk": ("look",)}


@pytest.mark.requirement("PLAN-15")
async def test_an_empty_budget_stops_before_the_next_call(tmp_path: Path) -> None:
    room = Room(tmp_path, budget=TokenBudget(50))
    with pytest.raises(BudgetExceededError):
        await make_plan(room.desk(("是否需要拆分", "不是计划"), ("", SINGLE)), PARTS)


@pytest.mark.requirement("PLAN-04")
async def test_a_new_board_is_kept_and_taken_up_without_asking_again(tmp_path: Path) -> None:
    room = Room(tmp_path)
    first = await plan_or_resume(room.crew(("是否需要拆分", planned(("a", "operate", [])))), "t-1", PARTS)
    assert isinstance(first, TaskBoard)
    assert await plan_or_resume(room.crew(), "t-1", PARTS) == first


@pytest.mark.requirement("PLAN-17")
def test_cards_of_a_further_round_have_ids_of_their_own_whatever_the_first_were_called() -> None:
    first = Plan.model_validate_json(json.dumps(planned(("r2-a", "operate", []), ("rr2-b", "operate", []))))
    further = Plan.model_validate_json(json.dumps(planned(("a", "operate", []), ("b", "operate", ["a"]))))
    board = next_round(board_of(first, "t-1", "办"), further.cards)
    assert {"r2-a", "rr2-b", "rrr2-a", "rrr2-b"} <= {card.id for card in board.cards}
    assert "rrr2-a" in board.card("rrr2-b").depends_on
