"""One task from the host's `submit_task` to its `task_completed`, through a real process and an in-memory browser."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_host_stub.link import Faults
from sgclaw.audit.records import story
from sgclaw.audit.verify import verify
from sgclaw.protocol.messages import CancelTask, LogEntry, TaskState
from tests.support.agent import TRACE, Home, Running, running, skill
from tests.support.ports import eventually
from tests.support.wire import Approving

READ = """
  await browserAction('navigate', 'https://erp.example.com/');
  const title = await browserAction('getText', '#title');
  return { success: true, data: { message: `标题是${title}` } };"""
DOWNLOAD = """
  const file = await browserAction('download', '#file');
  return { success: true, data: { file: file.name, sha256: file.sha256 } };"""
CLAIM = """
  await browserAction('getText', '#title');
  return { success: true, data: { sha256: 'a'.repeat(64) } };"""
SUBMIT = """
  await browserAction('click', '#submit');
  await browserAction('waitForSelector', '.done', 1000);
  return { success: true, data: { message: await browserAction('getText', '.done') } };"""
CLICK = """
  try {
    await browserAction('click', '#go');
  } catch (error) {
    return { success: true, data: { swallowed: error.code } };
  }
  return { success: true, data: {} };"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def states(run: Running) -> list[str]:
    return [message.state.value for message in run.seen if isinstance(message, TaskState)]


@pytest.mark.requirement("TASK-01")
async def test_a_task_runs_its_skill_and_ends_completed_with_evidence_and_no_model_call(home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    async with running(home) as run:
        done = await run.hosted.run("读取标题", skill="read-title")
    assert (done.outcome, done.summary, done.data) == ("completed", "标题是财务系统", {"message": "标题是财务系统"})
    assert (done.usage.llm_calls, done.usage.tokens, done.steps) == (0, 0, 2)
    assert [(item.rank.value, item.seq) for item in done.evidence] == [("response_status", 1), ("dom_state", 2)]
    assert states(run) == ["planning", "executing", "evaluating", "completed"]
    assert [message.text for message in run.seen if isinstance(message, LogEntry)] == [
        "打开 https://erp.example.com/",
        "读取 #title 的文字",
    ]


@pytest.mark.requirement("TASK-02")
async def test_the_ledger_tells_the_whole_story_under_one_trace_id_and_verifies(home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    async with running(home) as run:
        await run.hosted.run("读取标题", skill="read-title")
    events = [record.event for record in story(home.audit, TRACE)]
    assert events == [
        "session_started",
        "task_submitted",
        "routed",
        "skill_started",
        "command",
        "command_done",
        "command",
        "command_done",
        "skill_finished",
        "task_finished",
        "session_ended",
    ]
    verified = verify(home.audit)
    assert [each.kind for each in verified.classes if each.records] == ["operation", "pipe"]
    assert verified.count == len(events) + 2  # the ledger commits to both files


@pytest.mark.requirement("TASK-03")
async def test_a_downloaded_file_is_an_artifact_with_its_digest(home: Home) -> None:
    home.add("get-file", skill("get-file", DOWNLOAD))
    async with running(home) as run:
        done = await run.hosted.run("下载文件", skill="get-file")
    assert done.outcome == "completed"
    assert [(item.name, item.sha256) for item in done.artifacts] == [("报表.csv", done.data["sha256"])]


@pytest.mark.requirement("TASK-03")
async def test_a_file_that_was_only_claimed_leaves_the_task_unverified(home: Home) -> None:
    home.add("claims", skill("claims", CLAIM))
    async with running(home) as run:
        done = await run.hosted.run("下载文件", skill="claims")
    assert (done.outcome, done.artifacts) == ("unverified", ())
    assert done.error is not None
    assert done.error.code == "UNVERIFIED"


@pytest.mark.requirement("TASK-04")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("  return { success: false, error: '没有权限' };", "SKILL_FAILED"),
        ("  throw new Error('坏了');", "SKILL_FAILED"),
        ("  await browserAction('click', '#nowhere');", "NOT_FOUND"),
        ("  await browserAction('navigate', 'https://evil.example.net/');", "POLICY_DENIED"),
        ("  await browserAction('eval', '1');", "UNKNOWN_ACTION"),
        ("  return 42;", "SANDBOX_TERMINATED"),
    ],
)
async def test_a_failed_run_says_its_cause_and_the_next_task_runs(body: str, code: str, home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    home.add("fails", skill("fails", body))
    async with running(home) as run:
        failed = await run.hosted.run("做事", skill="fails")
        again = await run.hosted.run("读取标题", skill="read-title")
    assert failed.outcome == "failed"
    assert failed.error is not None
    assert (failed.error.code, bool(failed.error.next_step)) == (code, True)
    assert again.outcome == "completed"


@pytest.mark.requirement("TASK-05")
async def test_an_irreversible_click_waits_for_the_person_and_runs_after_a_yes(home: Home) -> None:
    home.add("submits", skill("submits", SUBMIT))
    person = Approving(yes=True)
    async with running(home, approver=person) as run:
        done = await run.hosted.run("提交", skill="submits")
    assert (done.outcome, done.summary) == ("completed", "已完成")
    assert states(run) == ["planning", "executing", "confirming", "executing", "evaluating", "completed"]
    assert [shown["label"] for shown in person.shown] == ["提 交"]


@pytest.mark.requirement("TASK-05")
async def test_a_no_ends_the_task_without_the_click(home: Home) -> None:
    home.add("submits", skill("submits", SUBMIT))
    async with running(home, approver=Approving(yes=False)) as run:
        done = await run.hosted.run("提交", skill="submits")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("failed", "NEEDS_APPROVAL")
    assert run.driver.pages["p1"].acts == []


@pytest.mark.requirement("TASK-06")
async def test_a_lost_answer_to_a_changing_act_leaves_the_task_unverified_even_if_the_skill_hides_it(
    home: Home,
) -> None:
    home.add("clicks", skill("clicks", CLICK))
    async with running(home, faults=Faults(times=1, lose=True)) as run:
        done = await run.hosted.run("点击", skill="clicks")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("unverified", "UNKNOWN_OUTCOME")
    assert run.driver.pages["p1"].acts == [("click", "#go")]


@pytest.mark.requirement("TASK-07")
async def test_cancel_reaches_a_pending_act_within_a_second_and_the_next_task_runs(home: Home) -> None:
    home.add("clicks", skill("clicks", CLICK))
    home.add("read-title", skill("read-title", READ))
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        working = asyncio.create_task(run.hosted.run("点击", skill="clicks"))
        await eventually(lambda: run.driver.pages["p1"].version == 0 and "command" in [m.type for m in run.seen])
        await run.hosted.session.send(CancelTask(task_id="t1"))
        async with asyncio.timeout(1):
            done = await working
        again = await run.hosted.run("读取标题", skill="read-title")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("aborted", "CANCELLED")
    assert "点击 #go" in done.error.message
    assert again.outcome == "completed"


@pytest.mark.requirement("TASK-08")
async def test_tasks_run_one_at_a_time_in_order(home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    async with running(home) as run:
        done = await asyncio.gather(*(run.hosted.run("读取标题", skill="read-title") for _ in range(3)))
    assert [item.task_id for item in done] == ["t1", "t2", "t3"]
    assert states(run) == ["planning", "executing", "evaluating", "completed"] * 3


@pytest.mark.requirement("TASK-08")
async def test_a_full_queue_refuses_with_busy_and_loses_nothing(home: Home) -> None:
    home.add("clicks", skill("clicks", CLICK))
    async with running(home) as run:
        run.driver.knobs.hang.add("click")
        waiting = [asyncio.create_task(run.hosted.run("点击", skill="clicks"))]
        await eventually(lambda: "command" in [message.type for message in run.seen])
        waiting += [asyncio.create_task(run.hosted.run("点击", skill="clicks")) for _ in range(33)]
        async with asyncio.timeout(10):
            finished, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        refused = [task.result() for task in finished]
        assert [item.error.code for item in refused if item.error] == ["BUSY"]
        for number in range(1, 35):
            await run.hosted.session.send(CancelTask(task_id=f"t{number}"))
        async with asyncio.timeout(10):
            ended = await asyncio.gather(*waiting)
    assert sorted(item.outcome for item in ended) == ["aborted"] * 33 + ["failed"]


@pytest.mark.requirement("TASK-09")
async def test_an_instruction_that_fits_nothing_says_what_would_help(home: Home) -> None:
    home.add("read-title", skill("read-title", READ, header="读取页面标题"))
    async with running(home) as run:
        done = await run.hosted.run("帮我订一张机票")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("failed", "NO_MODEL")
    assert run.driver.pages["p1"].acts == []


@pytest.mark.requirement("TASK-11")
async def test_an_order_not_to_do_something_ends_as_stopped_without_acting(home: Home) -> None:
    home.add("read-title", skill("read-title", READ, header="读取页面标题"))
    async with running(home) as run:
        done = await run.hosted.run("不要读取页面标题")
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("aborted", "CANCELLED")
    assert run.driver.pages["p1"].acts == []


@pytest.mark.requirement("TASK-10")
async def test_a_tampered_skill_or_registry_is_refused_with_its_reason(home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    path = home.skills.root / "builtin" / "read-title.js"
    path.write_bytes(path.read_bytes().replace(b"#title", b"#name "))
    async with running(home) as run:
        by_name = await run.hosted.run("读取标题", skill="read-title")
        by_words = await run.hosted.run("读取标题")
    assert [item.error.code for item in (by_name, by_words) if item.error] == ["SKILL_REFUSED"] * 2
    assert by_name.error is not None
    assert by_name.error.facts["reason"] == "HASH_MISMATCH"
    assert run.driver.pages["p1"].acts == []
    (refused,) = [record for record in story(home.audit, TRACE) if record.event == "skill_refused"]
    assert {key: refused.data[key] for key in ("name", "file", "reason")} == {
        "name": "read-title",
        "file": "builtin/read-title.js",
        "reason": "HASH_MISMATCH",
    }
    assert len({refused.data["expected"], refused.data["actual"]}) == 2


@pytest.mark.requirement("TASK-10")
async def test_a_tampered_registry_refuses_the_set(home: Home) -> None:
    home.add("read-title", skill("read-title", READ))
    registry = home.skills.registry
    registry.write_bytes(registry.read_bytes().replace(b'"serial": 7', b'"serial": 8'))
    async with running(home) as run:
        done = await run.hosted.run("读取标题", skill="read-title")
    assert done.error is not None
    assert (done.error.code, done.error.facts["reason"]) == ("REGISTRY_REFUSED", "BAD_SIGNATURE")
    refused = [record.data for record in story(home.audit, TRACE) if record.event == "skill_refused"]
    assert [(data["file"], data["reason"]) for data in refused] == [("registry.json", "BAD_SIGNATURE")]
