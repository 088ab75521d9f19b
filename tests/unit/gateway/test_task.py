"""States, clocks, evidence and the queue."""

from __future__ import annotations

import asyncio

import pytest

from sgclaw.agent.states import ENDED, TRANSITIONS, step
from sgclaw.errors import ActionCode, ActionError, BusyError, SgClawError, WireError
from sgclaw.gateway.evidence import artifacts, collect, objection
from sgclaw.gateway.finish import Run, completion
from sgclaw.gateway.queue import MAX_QUEUED, TaskQueue
from sgclaw.gateway.task import StoppableDeadline, Task
from sgclaw.ports import Observed, SkillResult
from sgclaw.protocol.channel import dump
from sgclaw.protocol.limits import MAX_LINE_FROM_AGENT
from sgclaw.protocol.messages import SubmitTask
from sgclaw.protocol.parts import State
from sgclaw.protocol.results import Artifact
from sgclaw.protocol.strict import encode
from tests.support.ports import eventually

FILE = Artifact(id="f1", name="报表.xlsx", size=10, sha256="a" * 64, mime="application/octet-stream")


def observed(seq: int, action: str, value: object = None, **data: object) -> Observed:
    artifact = FILE if action == "download" else None
    return Observed(seq=seq, action=action, data=dict(data), value=value, duration_ms=1, artifact=artifact)


TRAIL = (
    observed(1, "navigate", url="https://erp.example.com/", status=200),
    observed(2, "click", clicked=True),
    *(observed(seq, "getText", f"第{seq}行") for seq in range(3, 8)),
    observed(8, "query", False),
    observed(9, "download"),
)


@pytest.mark.requirement("TASK-20")
def test_every_state_can_reach_an_end_and_ends_lead_nowhere() -> None:
    assert set(TRANSITIONS) == set(State)
    for ended in ENDED:
        assert TRANSITIONS[ended] == frozenset()
    for state in set(State) - ENDED:
        assert State.ABORTED in TRANSITIONS[state]


@pytest.mark.requirement("TASK-20")
def test_a_move_outside_the_table_is_our_own_bug() -> None:
    assert step(State.IDLE, State.PLANNING) is State.PLANNING
    with pytest.raises(SgClawError) as wrong:
        step(State.COMPLETED, State.EXECUTING)
    assert wrong.value.facts == {"from": "completed", "to": "executing"}


@pytest.mark.requirement("TASK-21")
async def test_a_deadline_stands_still_while_a_person_is_asked() -> None:
    deadline = StoppableDeadline(0.05)
    async with deadline.timeout:
        deadline.waiting(True)
        deadline.waiting(True)
        await asyncio.sleep(0.15)
        deadline.waiting(False)
        assert deadline.timeout.when() is None
        deadline.waiting(False)
    with pytest.raises(TimeoutError):
        async with StoppableDeadline(0.01).timeout:
            await asyncio.Event().wait()


@pytest.mark.requirement("TASK-22")
def test_evidence_is_the_last_response_the_last_texts_and_every_file_in_order() -> None:
    assert [(item.rank.value, item.seq) for item in collect(TRAIL)] == [
        ("response_status", 1),
        ("dom_state", 5),
        ("dom_state", 6),
        ("dom_state", 7),
        ("file_hash", 9),
    ]
    assert artifacts(TRAIL) == (FILE,)


@pytest.mark.requirement("TASK-22")
@pytest.mark.parametrize(
    ("data", "trail", "believed"),
    [
        ({"sha256": "a" * 64}, TRAIL, True),
        ({"sha256": "b" * 64}, TRAIL, False),
        ({"sha256": ["a" * 64]}, TRAIL, False),
        ({}, TRAIL, True),
        ({}, (), False),
        (None, (observed(1, "click", clicked=True),), False),
    ],
)
def test_a_claim_needs_an_act_that_supports_it(data: object, trail: tuple[Observed, ...], believed: bool) -> None:
    assert (objection(SkillResult(True, data), trail) is None) is believed


class Working:
    """A `Work` that notes what it is told; task `t1` has a bug, tasks named `hang` never end by themselves."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def submitted(self, task: Task) -> None:
        self.told.append(("submitted", task.id))

    async def execute(self, task: Task) -> None:
        self.told.append(("execute", task.id))
        if task.id == "t1":
            raise ZeroDivisionError
        if task.id.startswith("hang"):
            try:
                await asyncio.Event().wait()
            finally:
                self.told.append(("stopped", task.id))

    async def give_up(self, task: Task, error: SgClawError) -> None:
        self.told.append((error.code, task.id))

    async def crashed(self, task: Task, bug: BaseException) -> None:
        self.told.append((type(bug).__name__, task.id))


def order(task_id: str) -> SubmitTask:
    return SubmitTask(task_id=task_id, instruction="做事")


@pytest.mark.requirement("TASK-23")
async def test_a_bug_in_one_task_is_reported_and_the_next_one_runs() -> None:
    work = Working()
    queue = TaskQueue(work)
    running = asyncio.create_task(queue.run())
    for name in ("t1", "t2"):
        queue.submit(order(name), "test")
    await eventually(lambda: ("execute", "t2") in work.told)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert work.told == [
        ("submitted", "t1"),
        ("submitted", "t2"),
        ("execute", "t1"),
        ("ZeroDivisionError", "t1"),
        ("execute", "t2"),
    ]


@pytest.mark.requirement("TASK-24")
async def test_a_queued_task_that_is_cancelled_ends_at_once_and_leaves_its_place() -> None:
    work = Working()
    queue = TaskQueue(work)
    running = asyncio.create_task(queue.run())
    for name in ("hang", "queued", "t3"):
        queue.submit(order(name), "test")
    await eventually(lambda: ("execute", "hang") in work.told)
    queue.cancel("queued", "user")
    await eventually(lambda: ("CANCELLED", "queued") in work.told)
    queue.cancel("hang", "user")
    await eventually(lambda: ("execute", "t3") in work.told)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.requirement("TASK-24")
async def test_every_queued_task_is_reported_when_the_session_ends() -> None:
    work = Working()
    queue = TaskQueue(work)
    running = asyncio.create_task(queue.run())
    for name in ("hang", "q1", "q2"):
        queue.submit(order(name), "test")
    await eventually(lambda: ("execute", "hang") in work.told)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert work.told[-3:] == [("stopped", "hang"), ("CANCELLED", "q1"), ("CANCELLED", "q2")]


@pytest.mark.requirement("TASK-08")
async def test_a_task_id_is_good_for_one_task_and_a_refused_one_may_come_again() -> None:
    queue = TaskQueue(Working())
    queue.submit(order("t1"), "test")
    with pytest.raises(WireError) as reused:
        queue.submit(order("t1"), "test")
    assert reused.value.code == "BAD_STATE"
    for number in range(MAX_QUEUED - 1):
        queue.submit(order(f"q{number}"), "test")
    for _ in range(2):
        with pytest.raises(BusyError):
            queue.submit(order("late"), "test")


@pytest.mark.requirement("TASK-25")
@pytest.mark.parametrize(
    "data",
    [
        {"message": "长" * 100_000},
        {"rows": ["x" * 1_000] * 2_000},
        {"deep": [1e300]},
        {"text": "\ud800"},
        "x" * 2_000_000,
        None,
    ],
)
async def test_every_end_fits_one_line_whatever_a_skill_returned(data: object) -> None:
    run = Run(result=SkillResult(True, data))
    completed = completion(Task(order("t1"), "test"), run, None)
    assert len(encode(dump(completed))) < MAX_LINE_FROM_AGENT
    assert completed.outcome == "completed"


@pytest.mark.requirement("TASK-25")
@pytest.mark.parametrize("size", [10, 19_990, 20_000, 3_000_000])
async def test_a_long_error_keeps_its_code(size: int) -> None:
    error = ActionError(ActionCode.NOT_FOUND, "错" * min(size, 50_000), facts={"seen": "x" * size})
    completed = completion(Task(order("t1"), "test"), Run(), error)
    assert completed.error is not None
    assert (completed.outcome, completed.error.code) == ("failed", "NOT_FOUND")
    assert len(encode(dump(completed))) < MAX_LINE_FROM_AGENT


@pytest.mark.requirement("TASK-21")
async def test_a_paused_task_does_not_use_up_its_time() -> None:
    task = Task(order("t1"), "test")
    task.deadline = StoppableDeadline(0.05)
    async with task.deadline.timeout:
        assert task.pause()
        assert not task.pause()
        await asyncio.sleep(0.1)
        assert task.resume()
        assert not task.resume()


@pytest.mark.requirement("TASK-25")
def test_what_leaves_is_redacted_and_cannot_steer_a_terminal() -> None:
    run = Run(result=SkillResult(True, {"message": "完成\x1b[2J\u202e\x00 密码：hunter22"}))
    summary = completion(Task(order("t1"), "test"), run, None).summary
    assert "hunter22" not in summary
    assert summary.isprintable()
