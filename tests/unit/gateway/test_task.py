"""States, clocks, evidence and the queue."""

from __future__ import annotations

import asyncio

import pytest

from sgclaw.errors import BusyError, SgClawError
from sgclaw.gateway.evidence import artifacts, collect, objection
from sgclaw.gateway.lifecycle import ENDED, TRANSITIONS, step
from sgclaw.gateway.queue import TaskQueue
from sgclaw.gateway.task import StoppableDeadline, Task
from sgclaw.ports import Observed, SkillResult
from sgclaw.protocol.messages import SubmitTask
from sgclaw.protocol.parts import State
from sgclaw.protocol.results import Artifact
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


@pytest.mark.requirement("TASK-23")
async def test_a_bug_in_one_task_is_reported_and_the_next_one_runs() -> None:
    ran: list[str] = []
    crashed: list[tuple[str, str]] = []

    async def execute(task: Task) -> None:
        ran.append(task.id)
        if task.id == "t1":
            raise ZeroDivisionError

    async def report(task: Task, bug: BaseException) -> None:
        crashed.append((task.id, type(bug).__name__))

    queue = TaskQueue(execute, report)
    running = asyncio.create_task(queue.run())
    for name in ("t1", "t2"):
        queue.submit(SubmitTask(task_id=name, instruction="做事"), "test")
    await eventually(lambda: ran == ["t1", "t2"])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert crashed == [("t1", "ZeroDivisionError")]


@pytest.mark.requirement("TASK-08")
async def test_a_task_id_in_use_is_refused() -> None:
    async def never(task: Task) -> None:
        await asyncio.Event().wait()

    async def report(task: Task, bug: BaseException) -> None:
        raise AssertionError(bug)

    queue = TaskQueue(never, report)
    queue.submit(SubmitTask(task_id="t1", instruction="做事"), "test")
    with pytest.raises(BusyError):
        queue.submit(SubmitTask(task_id="t1", instruction="做事"), "test")
