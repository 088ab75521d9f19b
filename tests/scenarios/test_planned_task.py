"""Long tasks in a real process: planned, carried card by card, stopped, and gone on with after the process died."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sgclaw.audit.records import story
from sgclaw.protocol.messages import CancelTask, LogEntry
from tests.support.agent import TRACE, Home, Running, running, skill
from tests.unit.agent.planning.room import ACHIEVED, CONTROLLED, CRITERION, HOLDS
from tests.unit.agent.planning.test_run import NOTED, card, plan, says
from tests.unit.agent.room import act, done, step

WORDS = "看看首页的标题写的是什么，再读一次标题，写明两次是否一样"
LATER = "sgclaw-20260402-0000beef"


def reads(seq: int) -> tuple[Mapping[str, object], ...]:
    """A card that reads the title with that command."""
    return (
        says(CRITERION),
        step(act("getText", criterion=None, selector="#title")),
        done("标题是财务系统。", (seq, "财务系统")),
        says(NOTED),
        says(HOLDS),
    )


PLAN = plan(card("first", "读一次标题"), card("again", "再读一次标题", depends_on=["first"]))
HANGS: Mapping[str, object] = {"fault": "silent"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("read-title", skill("read-title", "return { success: true };"))
    return home


def boards(home: Home) -> list[dict[str, str]]:
    """The statuses of the cards of every board that is kept."""
    kept = sorted((home.state / "traces").glob("*.board.json"))
    return [{each["id"]: each["status"] for each in json.loads(path.read_bytes())["cards"]} for path in kept]


async def second_card(home: Home) -> None:
    """Wait until the second card is taken: what the model is asked next hangs."""
    for _ in range(1_200):
        if any(each.get("again") == "claimed" for each in boards(home)):
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("the second card was not begun")


def lines(run: Running) -> list[str]:
    return [each.text for each in run.seen if isinstance(each, LogEntry) and "子任务" in each.text]


@pytest.mark.requirement("PLAN-20", "PLAN-24", "PLAN-25")
async def test_a_long_task_is_planned_and_carried_to_one_result(home: Home) -> None:
    home.recite([PLAN, says(CONTROLLED), *reads(2), *reads(3), says(ACHIEVED)])
    async with running(home) as run:
        ended = await run.hosted.run(WORDS)
    assert (ended.outcome, ended.usage.llm_calls) == ("completed", 13)
    assert ended.summary.splitlines()[0] == "各子任务都已完成。"
    assert [(item.rank.value, item.seq) for item in ended.evidence] == [("dom_state", 2), ("dom_state", 3)]
    assert lines(run)[0] == "任务拆分为子任务：读一次标题；再读一次标题"
    assert {"plan_made", "card_moved"} <= {record.event for record in story(home.audit, TRACE)}
    (board,) = (home.state / "traces").glob("*.board.json")
    assert board.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("PLAN-25")
async def test_a_persons_stop_ends_a_plan_for_good(home: Home) -> None:
    home.recite([PLAN, says(CONTROLLED), *reads(2), HANGS])
    async with running(home) as run:
        work = asyncio.create_task(run.hosted.run(WORDS))
        await second_card(home)
        began = asyncio.get_running_loop().time()
        await run.hosted.session.send(CancelTask(task_id="t1"))
        ended = await work
        took = asyncio.get_running_loop().time() - began
    assert (ended.outcome, ended.usage.llm_calls, boards(home)) == ("aborted", 7, [])
    assert took < 5


@pytest.mark.requirement("PLAN-25", "PLAN-14")
async def test_after_a_restart_the_same_task_goes_on_and_does_no_card_twice(home: Home) -> None:
    home.recite([PLAN, says(CONTROLLED), *reads(2), HANGS])
    async with running(home) as run:
        work = asyncio.create_task(run.hosted.run(WORDS))
        await second_card(home)
    await asyncio.wait({work}, timeout=20)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert [each["first"] for each in boards(home)] == ["done"]
    home.recite([*reads(2), says(ACHIEVED)])
    async with running(home, trace_id=LATER) as run:
        ended = await run.hosted.run(WORDS)
    assert (ended.outcome, ended.usage.llm_calls) == ("completed", 6)
    assert lines(run)[0] == "接着做上次没有做完的子任务：读一次标题；再读一次标题"
    moved = {record.data["card"] for record in story(home.audit, LATER) if record.event == "card_moved"}
    assert "first" not in moved
