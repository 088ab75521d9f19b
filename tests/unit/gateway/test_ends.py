"""Every way a task can end, by what was open at the time: a changing act that may have happened is never forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal

import pytest

from sgclaw.errors import (
    ActionCode,
    ActionError,
    AuditUnavailableError,
    HostGoneError,
    NeedsApprovalError,
    SandboxError,
    SgClawError,
)
from sgclaw.gateway.ends import end_of
from sgclaw.gateway.task import Task
from sgclaw.gateway.watched import Doubt
from sgclaw.ports import Act, Browser, SkillResult
from sgclaw.protocol.messages import CancelTask, Pause, Shutdown, TaskCompleted
from sgclaw.skills.catalogue import Catalogue
from tests.support.ports import eventually
from tests.unit.gateway.room import Body, Room, gateway, order
from tests.unit.skills.folder import Folder, script

Stop = Callable[[Room, Task], Awaitable[None]]
Open = Literal["changing", "reading", "none"]
ACTS: Final[dict[Open, Act | None]] = {
    "changing": Act("click", {"selector": "#submit"}),
    "reading": Act("getText", {"selector": "#title"}),
    "none": None,
}
CHECK: Final = "请在业务系统中核对"


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    folder = Folder(tmp_path / "skills")
    folder.write("builtin/works.js", script("works"))
    folder.sign()
    return folder.load()


# --- how a task ends ------------------------------------------------------------------------------------------------


class Left:
    """A skill body that leaves its act behind, under way, and ends by itself."""

    def __init__(self, ends: Callable[[Browser], Awaitable[SkillResult]]) -> None:
        self._ends = ends
        self._acts: set[asyncio.Task[object]] = set()

    def body(self, act: Act | None) -> Body:
        async def run(browser: Browser) -> SkillResult:
            if act is not None:
                self._acts.add(asyncio.create_task(_swallowed(browser, act)))
                await asyncio.sleep(0)  # it starts
            return await self._ends(browser)

        return run

    async def close(self) -> None:
        for act in self._acts:
            act.cancel()
        await asyncio.gather(*self._acts, return_exceptions=True)


async def _swallowed(browser: Browser, act: Act) -> object:
    return await browser.act(act)


def _raises(error: BaseException) -> Callable[[Browser], Awaitable[SkillResult]]:
    async def ends(_browser: Browser) -> SkillResult:
        raise error

    return ends


async def _succeeds(_browser: Browser) -> SkillResult:
    return SkillResult(True, {"message": "已完成"})


async def _fails(_browser: Browser) -> SkillResult:
    return SkillResult(False, error="没有权限。")


async def _goes_over_its_steps(browser: Browser) -> SkillResult:
    while True:
        try:
            await asyncio.wait_for(browser.act(Act("wait", {"ms": 1})), 0.001)
        except TimeoutError:
            continue


BY_ITSELF: Final[tuple[tuple[str, Callable[[Browser], Awaitable[SkillResult]], tuple[str, str | None]], ...]] = (
    ("success", _succeeds, ("completed", None)),
    ("failure", _fails, ("failed", "SKILL_FAILED")),
    ("steps", _goes_over_its_steps, ("failed", "BUDGET_EXCEEDED")),
    ("sandbox", _raises(SandboxError("脚本占用内存超过上限，已终止")), ("failed", "SANDBOX_TERMINATED")),
    ("host gone", _raises(HostGoneError("与浏览器的连接已断开")), ("aborted", "CANCELLED")),
    ("ledger", _raises(AuditUnavailableError("账本无法写入")), ("failed", "AUDIT_UNAVAILABLE")),
    ("a no", _raises(NeedsApprovalError("没有得到您的确认")), ("failed", "NEEDS_APPROVAL")),
    ("bug", _raises(ZeroDivisionError()), ("failed", "INTERNAL")),
)


async def _deadline(room: Room, task: Task) -> None:
    del room
    assert task.deadline is not None
    task.deadline.timeout.reschedule(asyncio.get_running_loop().time())


async def _cancel(room: Room, _task: Task) -> None:
    await room.tell(CancelTask(task_id="t1"))


async def _shutdown(room: Room, _task: Task) -> None:
    await room.tell(Shutdown())


async def _session_over(room: Room, _task: Task) -> None:
    room.serving.cancel()


FROM_OUTSIDE: Final[tuple[tuple[str, Stop, tuple[str, str]], ...]] = (
    ("deadline", _deadline, ("failed", "BUDGET_EXCEEDED")),
    ("cancel", _cancel, ("aborted", "CANCELLED")),
    ("shutdown", _shutdown, ("aborted", "CANCELLED")),
    ("session over", _session_over, ("aborted", "CANCELLED")),
)


def _check(report: TaskCompleted, opened: Open, plainly: tuple[str, str | None], *, by_person: bool = False) -> None:
    got = (report.outcome, report.error.code if report.error else None)
    if opened != "changing":
        assert got == plainly
        assert CHECK not in report.summary
        return
    assert got == (plainly if by_person else ("unverified", "UNKNOWN_OUTCOME"))
    assert report.error is not None
    assert "点击 #submit" in report.error.message
    assert CHECK in report.error.next_step
    assert report.error.facts["acts"] == ["点击 #submit"]
    assert not [word for word in ("限额", "重新提交", "重试") if word in report.summary]


@pytest.mark.requirement("TASK-29")
@pytest.mark.parametrize("opened", ACTS)
@pytest.mark.parametrize(("ends", "plainly"), [row[1:] for row in BY_ITSELF], ids=[row[0] for row in BY_ITSELF])
async def test_whatever_a_run_ends_with_an_open_change_is_what_is_reported(
    ends: Callable[[Browser], Awaitable[SkillResult]],
    plainly: tuple[str, str | None],
    opened: Open,
    catalogue: Catalogue,
) -> None:
    left = Left(ends)
    async with gateway(catalogue, left.body(ACTS[opened])) as room:
        room.submit(order(options={"max_steps": 5}))
        report = await room.ended()
        await left.close()
    _check(report, opened, plainly)


@pytest.mark.requirement("TASK-29")
@pytest.mark.parametrize("opened", ACTS)
@pytest.mark.parametrize(("stop", "plainly"), [row[1:] for row in FROM_OUTSIDE], ids=[row[0] for row in FROM_OUTSIDE])
async def test_whoever_stops_a_task_an_open_change_is_what_is_reported(
    stop: Stop, plainly: tuple[str, str], opened: Open, catalogue: Catalogue
) -> None:
    act = ACTS[opened]
    started = asyncio.Event()

    async def body(browser: Browser) -> SkillResult:
        started.set()
        if act is not None:
            await browser.act(act)
        await asyncio.Event().wait()
        return SkillResult(True)

    async with gateway(catalogue, body) as room:
        task = room.submit(order())
        await eventually(lambda: started.is_set() and (act is None or room.browsers[0].sent))
        await stop(room, task)
        report = await room.ended()
    _check(report, opened, plainly, by_person=stop is _cancel)


@pytest.mark.requirement("TASK-29")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (ActionError(ActionCode.UNKNOWN_OUTCOME, "连接中断"), ("unverified", "UNKNOWN_OUTCOME")),
        (ActionError(ActionCode.NOT_FOUND, "没有这个元素"), ("failed", "BUDGET_EXCEEDED")),
        (ZeroDivisionError(), ("unverified", "UNKNOWN_OUTCOME")),
    ],
)
async def test_an_answered_change_is_in_doubt_only_when_the_answer_says_so(
    answer: Exception, expected: tuple[str, str], catalogue: Catalogue
) -> None:
    async def body(browser: Browser) -> SkillResult:
        try:
            await browser.act(Act("click", {"selector": "#submit"}))
        except SgClawError:
            await asyncio.Event().wait()
        return SkillResult(True)

    async with gateway(catalogue, body) as room:
        room.fails = answer
        task = room.submit(order())
        await eventually(lambda: room.browsers and room.browsers[0].sent)
        if not isinstance(answer, ZeroDivisionError):
            await _deadline(room, task)
        report = await room.ended()
    assert (report.outcome, report.error and report.error.code) == expected
    assert ("点击 #submit" in report.summary) is (expected[0] == "unverified")


# --- what is not under way ------------------------------------------------------------------------------------------


async def _submits(browser: Browser) -> SkillResult:
    await browser.act(Act("click", {"selector": "#submit"}))
    return SkillResult(True)


@pytest.mark.requirement("TASK-30")
@pytest.mark.parametrize("stop", [_cancel, _shutdown, _session_over])
async def test_an_act_the_host_holds_for_a_person_has_not_happened(stop: Stop, catalogue: Catalogue) -> None:
    async with gateway(catalogue, _submits) as room:
        room.held = True
        task = room.submit(order())
        await eventually(lambda: "confirming" in [getattr(message, "state", "") for message in room.panel.told])
        await stop(room, task)
        report = await room.ended()
    assert (report.outcome, room.browsers[0].sent) == ("aborted", [])
    assert "#submit" not in report.summary


@pytest.mark.requirement("TASK-29")
async def test_an_act_sent_after_the_yes_is_under_way(catalogue: Catalogue) -> None:
    async with gateway(catalogue, _submits) as room:
        room.held = True
        task = room.submit(order())
        await eventually(lambda: room.browsers)
        room.browsers[0].decided.set()
        await eventually(lambda: room.browsers[0].sent)
        await _deadline(room, task)
        report = await room.ended()
    _check(report, "changing", ("failed", "BUDGET_EXCEEDED"))
    assert report.error is not None
    assert (report.error.facts["because"], report.error.facts["deadline_s"]) == ("BUDGET_EXCEEDED", 900)


@pytest.mark.requirement("TASK-30")
async def test_an_act_that_waits_for_a_pause_to_end_has_not_happened(catalogue: Catalogue) -> None:
    go = asyncio.Event()

    async def body(browser: Browser) -> SkillResult:
        await go.wait()
        return await _submits(browser)

    async with gateway(catalogue, body) as room:
        task = room.submit(order())
        await eventually(lambda: room.browsers)
        await room.tell(Pause(task_id="t1"))
        go.set()
        await eventually(lambda: task.steps)
        await _cancel(room, task)
        report = await room.ended()
    assert (report.outcome, report.error and report.error.message, room.browsers[0].sent) == (
        "aborted",
        "任务已停止",
        [],
    )


@pytest.mark.requirement("TASK-29")
async def test_what_was_typed_is_not_told_with_the_act(catalogue: Catalogue) -> None:
    async def body(browser: Browser) -> SkillResult:
        await browser.act(Act("type", {"selector": "#code", "text": "not-to-be-told"}))
        return SkillResult(True)

    async with gateway(catalogue, body) as room:
        task = room.submit(order())
        await eventually(lambda: room.browsers and room.browsers[0].sent)
        await _deadline(room, task)
        report = await room.ended()
    assert report.outcome == "unverified"
    assert "#code" in report.summary
    assert "not-to-be-told" not in report.model_dump_json()


# --- the words ------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("TASK-31")
async def test_an_orderly_end_of_the_session_is_told_as_one(catalogue: Catalogue) -> None:
    async def body(_browser: Browser) -> SkillResult:
        await asyncio.Event().wait()
        return SkillResult(True)

    async with gateway(catalogue, body) as room:
        task = room.submit(order())
        await eventually(lambda: room.browsers)
        room.submit(order(task_id="t2"))
        await _shutdown(room, task)
        await eventually(lambda: len(room.panel.ended) == 2)
    assert {(item.task_id, item.summary) for item in room.panel.ended} == {
        (name, "浏览器结束了会话，任务已停止。如仍需要，请重新提交任务") for name in ("t1", "t2")
    }
    assert [data["by"] for data in room.ledger.data("cancelled")] == ["host", "host"]


@pytest.mark.requirement("TASK-29")
def test_every_change_in_doubt_is_named_once_and_the_answer_that_came_leads() -> None:
    lost = ActionError(ActionCode.UNKNOWN_OUTCOME, "10 秒内没有回答，不知道“点击 #a”是否已经生效", facts={"seq": 4})
    told = end_of(HostGoneError("与浏览器的连接已断开"), (Doubt("点击 #a", lost), Doubt("勾选 #b")))
    assert told is not None
    assert (told.code, told.cause, told.facts) == (
        "UNKNOWN_OUTCOME",
        "10 秒内没有回答，不知道“点击 #a”是否已经生效；不知道“勾选 #b”是否已经生效",
        {"seq": 4, "acts": ["点击 #a", "勾选 #b"], "because": "HOST_GONE"},
    )


@pytest.mark.requirement("TASK-25")
async def test_a_cause_that_ends_with_a_stop_gets_no_second_one(catalogue: Catalogue) -> None:
    async with gateway(catalogue, _fails) as room:
        room.submit(order())
        report = await room.ended()
    assert report.summary.startswith("没有权限。执行到了哪一步")
