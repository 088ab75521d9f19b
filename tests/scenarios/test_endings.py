"""Every submitted task ends in exactly one report, whatever happens around it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from sgclaw.audit.records import story
from sgclaw.protocol.messages import (
    Message,
    PanelRequest,
    PanelResult,
    Pause,
    ProtocolError,
    Resume,
    Shutdown,
    SubmitTask,
    TaskCompleted,
    TaskState,
)
from sgclaw.protocol.parts import TaskOptions
from tests.scenarios.test_crashes import agent_pid, ended
from tests.support.agent import TRACE, Home, running, skill
from tests.support.ports import eventually

CLICK = """
  await browserAction('click', '#go');
  return { success: true, data: { message: await browserAction('getText', '.done') } };"""
BIG = """
  await browserAction('getText', '#title');
  return { success: true, data: { message: '长'.repeat(30000), rows: 'x'.repeat(400000) } };"""
HUGE = """
  await browserAction('getText', '#title');
  return { success: true, data: { rows: Array(600).fill('x'.repeat(1000)) } };"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("clicks", skill("clicks", CLICK))
    home.add("big", skill("big", BIG))
    home.add("huge", skill("huge", HUGE))
    return home


def reports(seen: list[Message]) -> list[tuple[str, str, str | None]]:
    return [
        (item.task_id, item.outcome, item.error.code if item.error else None)
        for item in seen
        if isinstance(item, TaskCompleted)
    ]


@pytest.mark.requirement("TASK-25")
async def test_a_long_message_is_cut_and_the_task_stays_completed(home: Home) -> None:
    async with running(home) as run:
        done = await run.hosted.run("大结果", skill="big")
    assert (done.outcome, len(done.summary), len(done.data["rows"])) == ("completed", 20_000, 400_000)


@pytest.mark.requirement("TASK-25")
async def test_data_over_the_limit_is_left_out_and_named(home: Home) -> None:
    async with running(home) as run:
        done = await run.hosted.run("大结果", skill="huge")
    assert done.outcome in {"completed", "failed"}
    assert done.outcome == "failed" or done.data["omitted"] == "TOO_LARGE"


@pytest.mark.requirement("TASK-26")
async def test_a_broken_ledger_stops_the_task_and_the_report_still_comes(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        working = asyncio.create_task(run.hosted.run("点击", skill="clicks"))
        await eventually(lambda: "command" in [message.type for message in run.seen])
        for segment in home.audit.glob("ledger-*.jsonl"):
            with segment.open("ab") as ledger:
                ledger.write(b'{"n": 99, "foreign": true}\n')
        run.driver.on_gone.set()
        async with asyncio.timeout(10):
            done = await working
        after = await run.hosted.run("点击", skill="clicks")
    assert done.outcome == "failed"
    assert after.error is not None
    assert (after.outcome, after.error.code) == ("failed", "LEDGER_BROKEN")


@pytest.mark.requirement("TASK-24")
async def test_shutdown_reports_the_running_task_and_every_queued_one(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        for number in range(1, 5):
            order = SubmitTask(task_id=f"q{number}", instruction="点击", skill="clicks")
            await run.hosted.session.send(order)
        await eventually(lambda: "command" in [message.type for message in run.seen])
        await run.hosted.session.send(Shutdown())
        await eventually(lambda: len(reports(run.seen)) == 4)
    # The click was on the way and may have happened; the others never began.
    assert sorted(reports(run.seen)) == [
        ("q1", "unverified", "UNKNOWN_OUTCOME"),
        *((f"q{number}", "aborted", "CANCELLED") for number in range(2, 5)),
    ]
    events = [record.event for record in story(home.audit, TRACE)]
    assert (events.count("task_submitted"), events.count("task_finished"), events[-1]) == (4, 4, "session_ended")


@pytest.mark.requirement("TASK-31")
async def test_shutdown_stops_a_task_that_only_reads_and_says_who_ended_it(home: Home) -> None:
    home.add("reads", skill("reads", "  await browserAction('getText', '#title'); return { success: true };"))
    async with running(home) as run:
        run.driver.knobs.hang.add("getText")
        working = asyncio.create_task(run.hosted.run("读取", skill="reads"))
        await eventually(lambda: "command" in [message.type for message in run.seen])
        await run.hosted.session.send(Shutdown())
        async with asyncio.timeout(5):
            done = await working
    assert (done.outcome, done.error and (done.error.code, done.error.message)) == (
        "aborted",
        ("CANCELLED", "浏览器结束了会话，任务已停止"),
    )


@pytest.mark.requirement("TASK-29")
async def test_a_deadline_during_a_change_leaves_its_outcome_unknown(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        done = await run.hosted.run("点击", skill="clicks", limits=TaskOptions(deadline_s=2))
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts) == (
        "unverified",
        "UNKNOWN_OUTCOME",
        {"deadline_s": 2, "acts": ["点击 #go"], "because": "BUDGET_EXCEEDED"},
    )
    assert done.summary == (
        "任务超过 2 秒，已停止；不知道“点击 #go”是否已经生效。请在业务系统中核对该操作是否已经生效，再决定是否重做"
    )


@pytest.mark.requirement("TASK-08")
async def test_a_reused_task_id_is_refused_and_does_not_disturb_the_running_task(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        order = SubmitTask(task_id="same", instruction="点击", skill="clicks")
        await run.hosted.session.send(order)
        await eventually(lambda: "command" in [message.type for message in run.seen])
        await run.hosted.session.send(order)
        await eventually(lambda: any(isinstance(message, ProtocolError) for message in run.seen))
        assert reports(run.seen) == []
    refused = [message.code for message in run.seen if isinstance(message, ProtocolError)]
    assert refused == ["BAD_STATE"]


@pytest.mark.requirement("TASK-21")
async def test_a_takeover_longer_than_the_deadline_does_not_end_the_task(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.delay_s = 0.4
        working = asyncio.create_task(run.hosted.run("点击", skill="clicks", limits=TaskOptions(deadline_s=2)))
        await eventually(lambda: "command" in [message.type for message in run.seen])
        await run.hosted.session.send(Pause(task_id="t1"))
        await eventually(lambda: "已暂停" in [getattr(message, "detail", "") for message in run.seen])
        await asyncio.sleep(2.2)
        await run.hosted.session.send(Resume(task_id="t1"))
        async with asyncio.timeout(5):
            done = await working
    assert (done.outcome, done.summary) == ("completed", "已完成")
    details = [message.detail for message in run.seen if isinstance(message, TaskState)]
    assert "继续执行" in details


@pytest.mark.requirement("TASK-27")
async def test_a_panel_request_that_is_not_built_says_so(home: Home) -> None:
    async with running(home) as run:
        await run.hosted.session.send(PanelRequest(request_id="r1", method="memory.list"))
        await eventually(lambda: any(isinstance(message, PanelResult) for message in run.seen))
    (answer,) = [message for message in run.seen if isinstance(message, PanelResult)]
    assert answer.error is not None
    assert (answer.request_id, answer.error.code) == ("r1", "NOT_IMPLEMENTED")


PARENT = """
import subprocess, sys, time
command = [sys.executable, "-m", "sgclaw.cli.main", "pipe"]
child = subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.requirement("CRASH-07")
async def test_sgclaw_ends_with_its_parent_even_when_others_hold_the_pipe_open() -> None:
    to_agent, to_host = os.pipe(), os.pipe()
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PARENT,
        str(to_agent[0]),
        str(to_host[1]),
        stdout=asyncio.subprocess.PIPE,
        pass_fds=(to_agent[0], to_host[1]),
    )
    assert parent.stdout is not None
    process = psutil.Process(int(await parent.stdout.readline()))
    await eventually(lambda: any(thread.id for thread in process.threads()[1:]))
    parent.kill()
    await parent.wait()
    await eventually(lambda: ended(process))
    for fd in (*to_agent, *to_host):
        os.close(fd)


@pytest.mark.requirement("CRASH-06")
async def test_sigterm_ends_the_session_in_order_and_sigint_is_left_to_the_browser(home: Home) -> None:
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        working = asyncio.create_task(run.hosted.run("点击", skill="clicks"))
        await eventually(lambda: "command" in [message.type for message in run.seen])
        process = psutil.Process(agent_pid())
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGTERM)
        async with asyncio.timeout(5):
            done = await working
        await eventually(lambda: ended(process))
    assert (done.outcome, done.error and done.error.code) == ("unverified", "UNKNOWN_OUTCOME")
    assert "点击 #go" in done.summary
    last = list(story(home.audit, TRACE))[-1]
    assert (last.event, last.data["reason"]) == ("session_ended", "stopped")
