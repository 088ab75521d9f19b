"""A run that must stop: its budget is used up, it goes in circles, its person does not answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sgclaw.protocol.parts import TaskOptions
from tests.scenarios.agent_mishaps.world_b import (
    A_CALL,
    FILLS,
    PUBLISH,
    TITLE,
    Move,
    View,
    world,
)
from tests.support.wire import Approving
from tests.unit.agent.room import call, step

DEAR = {"input": 5_990, "output": 10}


def dear(move: Move) -> Move:
    """The same move, said to have used 6,000 tokens."""

    def made(view: View) -> dict[str, object]:
        plain = move(view) if callable(move) else move
        assert isinstance(plain, dict)
        return {**plain, "usage": DEAR}

    return made


@pytest.mark.requirement("MISHAP-01")
async def test_a_budget_of_tokens_stops_the_run_before_the_call_it_has_no_room_for(tmp_path: Path) -> None:
    person = Approving()
    async with world(tmp_path, "claude", *map(dear, FILLS), person=person) as run:
        done = await run.run(PUBLISH, TaskOptions(budget_tokens=20_000))
        assert (run.published, person.shown) == ([], [])
        assert await run.page.input_value(".notice-subject") == TITLE
        run.answered(done, 18_000, 3)
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["limit"]) == ("failed", "BUDGET_EXCEEDED", "tokens")
    assert done.evidence == ()


@pytest.mark.requirement("MISHAP-09")
async def test_a_call_repeated_without_end_is_warned_of_then_stopped_typed_with_the_page_as_it_is(
    tmp_path: Path,
) -> None:
    person = Approving()
    looks = [step(call("read_page", mode="find", query="提交"))] * 5
    async with world(tmp_path, "openai", *FILLS, *looks, person=person) as run:
        done = await run.run(PUBLISH)
        assert (run.published, person.shown) == ([], [])
        assert await run.page.input_value(".notice-subject") == TITLE
        run.answered(done, 8 * A_CALL, 8)
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["reason"]) == ("failed", "NEEDS_HUMAN", "repeats")
    assert ["已经做了" in view.now for view in run.views[4:]] == [False, False, True, True]


class Absent(Approving):
    """A person who has gone away."""

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(text)
        await asyncio.Event().wait()
        return None


@pytest.mark.requirement("MISHAP-10")
async def test_a_question_nobody_answers_ends_the_task_at_its_deadline_with_the_page_as_it_is(tmp_path: Path) -> None:
    person = Absent()
    asks = step(call("ask_user", question="发布给全体员工还是仅财务部？", choices=["全体", "财务部"], deadline_s=10))
    async with world(tmp_path, "openai", *FILLS, asks, person=person) as run:
        done = await run.run(PUBLISH)
        assert (run.published, len(person.asked), person.shown) == ([], 1, [])
        assert await run.page.input_value(".notice-subject") == TITLE
        run.answered(done, 4 * A_CALL, 4)
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["reason"]) == ("failed", "NEEDS_HUMAN", "unanswered")
