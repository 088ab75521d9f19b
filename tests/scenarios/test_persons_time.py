"""A person's time is nobody's deadline: approvals, pauses and take-overs through a real process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sgclaw.protocol.messages import CancelTask, Command, Message, Pause, Resume, Takeover, TaskState
from sgclaw.protocol.parts import TaskOptions
from tests.support.agent import Home, running, skill
from tests.support.ports import eventually

DEADLINE = TaskOptions(deadline_s=4)
LONGER_S = 4.3
SUBMIT = (
    "await browserAction('click', '#submit'); return { success: true, data: await browserAction('getText', '.done') };"
)
READS = """
  for (let i = 0; i < 100; i++) await browserAction('waitForSelector', '#title', 1000);
  return { success: true, data: await browserAction('getText', '#title') };"""


@dataclass
class Slow:
    """A person who says yes after a time."""

    seconds: float

    async def approve(self, facts: Mapping[str, object]) -> bool:
        await asyncio.sleep(self.seconds)
        return True

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        return None


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    for name, body in (("submits", SUBMIT), ("reads", READS)):
        made.skills.write(f"builtin/{name}.js", skill(name, body))
    made.skills.sign()
    return made


@pytest.mark.requirement("TASK-28")
async def test_an_approval_may_take_longer_than_the_task_has(home: Home) -> None:
    async with running(home, approver=Slow(LONGER_S)) as run:
        done = await run.hosted.run("提交", skill="submits", limits=DEADLINE)
    assert (done.outcome, done.data) == ("completed", "已完成")


@pytest.mark.requirement("TASK-29")
async def test_a_change_the_person_approved_and_no_answer_to_it_leaves_its_outcome_unknown(home: Home) -> None:
    async with running(home, approver=Slow(0)) as run:
        run.driver.knobs.hang.add("click")
        done = await run.hosted.run("提交", skill="submits", limits=DEADLINE)
    assert [message.approval_id is not None for message in run.seen if isinstance(message, Command)] == [False, True]
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["acts"]) == (
        "unverified",
        "UNKNOWN_OUTCOME",
        ["点击 #submit"],
    )


@pytest.mark.requirement("TASK-30")
async def test_a_change_the_person_is_still_asked_about_has_not_happened_when_the_task_is_cancelled(
    home: Home,
) -> None:
    async with running(home, approver=Slow(60)) as run:
        working = asyncio.create_task(run.hosted.run("提交", skill="submits"))
        await eventually(lambda: "confirming" in [getattr(message, "state", "") for message in run.seen])
        await run.hosted.session.send(CancelTask(task_id="t1"))
        done = await working
    assert (done.outcome, done.error and done.error.message) == ("aborted", "任务已停止")
    assert run.driver.pages["p1"].acts == []


@pytest.mark.requirement("TASK-28")
@pytest.mark.parametrize("stop", [Pause, Takeover])
async def test_no_act_starts_and_no_clock_runs_until_the_person_lets_the_task_go_on(
    stop: type[Pause | Takeover], home: Home
) -> None:
    async with running(home) as run:
        acts = run.driver.pages["p1"].acts
        working = asyncio.create_task(run.hosted.run("读取", skill="reads", limits=DEADLINE))
        await eventually(lambda: acts)
        await run.hosted.session.send(stop(task_id="t1"))
        await eventually(lambda: details(run.seen)[-1:] in (["已暂停"], ["您已接管页面"]))
        at_rest = len(acts)
        await asyncio.wait({working}, timeout=LONGER_S)
        assert (len(acts) - at_rest <= 1, working.done()) == (True, False)
        await run.hosted.session.send(Resume(task_id="t1"))
        done = await working
    assert (done.outcome, done.data, len(acts)) == ("completed", "财务系统", 101)


def details(seen: list[Message]) -> list[str]:
    return [message.detail for message in seen if isinstance(message, TaskState) and message.detail]
