"""Runs of fixed length: what ten steps cost, and that sixty stay small and keep their rules to the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgclaw.agent.limits import Limits
from sgclaw.context import budgets
from sgclaw.context.history import cost
from sgclaw.context.texts import templates
from sgclaw.llm.careful import Traits
from sgclaw.tokens.counter import counter
from tests.unit.agent.long_runs import SIXTY, TEN, long_run
from tests.unit.agent.room import Room, call, done, step

HERE = Path(__file__).parent
WINDOW = 24_000
SLACK = 0.98
"""A record that is further above the truth than this would let growth pass."""


@pytest.mark.requirement("AGT-41")
async def test_ten_fixed_steps_take_no_more_tokens_than_recorded_and_the_record_is_not_loose() -> None:
    room = long_run(TEN)
    ended = await room.run()
    recorded = json.loads((HERE / "ten_steps.json").read_text("utf-8"))
    assert (ended.outcome, ended.usage.steps, ended.usage.llm_calls) == ("completed", 10, 10)
    assert recorded["tokens"] * SLACK <= ended.usage.tokens <= recorded["tokens"], recorded["how_to_update"]


@pytest.mark.requirement("AGT-42")
async def test_sixty_steps_end_well_within_the_usual_limits_and_a_small_window() -> None:
    room = long_run(SIXTY, traits=Traits("small", window=WINDOW))
    ended = await room.run()
    assert (ended.outcome, ended.usage.steps, len(room.recited.requests)) == ("completed", 60, 60)
    assert ended.usage.tokens <= Limits().tokens
    largest = max(cost(request.messages, counter()) for request in room.recited.requests)
    assert largest <= WINDOW - budgets.GENERATION


@pytest.mark.requirement("AGT-42")
async def test_the_rules_and_the_instruction_are_in_every_request_of_sixty_steps() -> None:
    room = long_run(SIXTY)
    await room.run()
    for request in room.recited.requests:
        assert request.messages[0].role == "system"
        assert request.messages[0].text.startswith(templates().iron_rules)
        assert [each.text for each in request.messages if each.role == "user" and each.keeps][:1] == [room.instruction]


@pytest.mark.requirement("AGT-42")
async def test_the_request_of_step_sixty_reads_as_reviewed() -> None:
    room = long_run(SIXTY)
    await room.run()
    told = "\n".join(
        f"===== {each.role}\n{each.text}{''.join(f'{call.name} {call.arguments}' for call in each.calls)}"
        f"{''.join(result.content for result in each.results)}"
        for each in room.messages(59)
    )
    assert f"{told}\n" == (HERE / "step60.txt").read_text("utf-8")


@pytest.mark.requirement("AGT-43")
async def test_a_second_look_can_be_quoted_though_nothing_is_new_on_it() -> None:
    look = step(call("read_page"))
    ended = await Room([look, look, done("报表共 128 行。", (2, "合规报表"))]).run()
    assert (ended.outcome, [item.seq for item in ended.evidence]) == ("completed", [2])
