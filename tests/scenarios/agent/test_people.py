"""Tasks in which the person decides: yes, no, and stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from browser_host_stub.sites.oa.approvals import at_start
from sgclaw.audit.records import story
from sgclaw.llm.scenario import Step
from sgclaw.protocol.messages import CancelTask, Command, TaskCompleted
from tests.scenarios.agent.world import TODAY, Move, Person, Told, World, act, done, given_up, opened, read, wait, world
from tests.support.ports import eventually

LEGAL, OA = "https://legal.example.com", "https://oa.example.com"
NUMBER = "AP20260057"
WORDS = "建设工程"
SOON_S = 1.0
"""A cancel is confirmed within this."""


def others() -> dict[str, str]:
    """The state of every request at the start, but for the one that is decided."""
    return {one.id: one.status for one in at_start(TODAY) if one.id != NUMBER}


@pytest.mark.requirement("THINK-03")
async def test_a_final_act_is_done_once_after_a_persons_yes_and_read_again(tmp_path: Path) -> None:
    def tell(told: Told) -> Step:
        decided = told.found(rf"{NUMBER}.*({TODAY} \d\d:\d\d)")
        assert "已通过" in told.found(rf"({NUMBER}.*)")
        return done(f"单据 {NUMBER} 已通过。", (told.seq, decided))

    moves = [
        *opened(f"{OA}/approval/pending", ".approval-list[data-state=ready]"),
        lambda told: act("click", criterion="已办列表里显示已通过", ref=told.ref("通过", after=NUMBER)),
        lambda _: read(),
        lambda told: act("click", ref=told.ref("确定", after=f"确定通过单据 {NUMBER}")),
        lambda _: wait(".confirm-dialog", "hidden"),
        *opened(f"{OA}/approval/done", ".done-pager .layui-laypage"),
        tell,
    ]
    person = Person(yes=True)
    async with world(tmp_path, "claude", moves, person) as run:
        ended = await run.run(f"在 OA 把单据 {NUMBER} 审批通过")
        approvals = {one.id: one for one in run.sites.oa.state.approvals}
        acts = run.sites.oa.state.acts
        told = [record.event for record in story(run.audit, run.session.trace_id)]
    shown = [(facts["action"], facts["label"], facts["origin"]) for facts in person.shown]
    asked = f"审批通过 确定通过单据 {NUMBER} 吗？ · 确定"
    assert shown == [("click", "通过", OA), ("click", asked, OA)]
    assert NUMBER in str(person.shown[0]["context"])
    assert (approvals.pop(NUMBER).status, acts) == ("已通过", 1)
    assert {number: one.status for number, one in approvals.items()} == others()
    assert (ended.outcome, ended.error) == ("completed", None)
    assert [item.rank.value for item in ended.evidence] == ["re_query"]
    assert told.count("approval_given") == len(person.shown)


@pytest.mark.requirement("THINK-09")
async def test_after_a_no_nothing_has_happened_and_the_same_is_not_asked_twice(tmp_path: Path) -> None:
    def insist(told: Told) -> Step:
        assert "不要再试同样的操作" in told.text
        return act("click", ref=told.ref("驳回", after=NUMBER))

    def stop(told: Told) -> Step:
        assert "用户已经拒绝过这个操作" in told.text
        return given_up("您没有同意驳回，单据仍是待审批。")

    moves = [
        *opened(f"{OA}/approval/pending", ".approval-list[data-state=ready]"),
        lambda told: act("click", criterion="已驳回", ref=told.ref("驳回", after=NUMBER)),
        insist,
        stop,
    ]
    person = Person(yes=False)
    async with world(tmp_path, "claude", moves, person) as run:
        ended = await run.run(f"在 OA 驳回单据 {NUMBER}")
        state = run.sites.oa.state
        dialogs = await run.says("document.querySelectorAll('.layui-layer').length")
    assert [facts["label"] for facts in person.shown] == ["驳回"]
    assert ({one.id: one.status for one in state.approvals}, state.acts) == (others() | {NUMBER: "待审批"}, 0)
    assert dialogs == 0
    assert ended.error is not None
    assert (ended.outcome, ended.error.code, ended.error.facts) == ("failed", "NEEDS_HUMAN", {"reason": "given_up"})
    assert (ended.summary, ended.evidence) == ("您没有同意驳回，单据仍是待审批。", ())


def waits_for_the_model(run: World) -> bool:
    return run.provider.streaming.is_set()


def waits_for_the_page(run: World) -> bool:
    commands = [message for message in run.seen if isinstance(message, Command)]
    return any(each.params.get("selector") == ".never" for each in commands)


@pytest.mark.requirement("THINK-10")
@pytest.mark.parametrize(
    ("last", "answers", "waiting"),
    [
        (lambda _: Step(fault="stalls", says="下一步"), 4, waits_for_the_model),
        (lambda _: act("waitForSelector", selector=".never", timeout_ms=30_000), 5, waits_for_the_page),
    ],
    ids=["the model thinks", "the page is waited for"],
)
async def test_a_cancel_in_the_middle_ends_it_within_a_second_and_leaves_the_page(
    tmp_path: Path, last: Move, answers: int, waiting: Callable[[World], bool]
) -> None:
    moves: list[Move] = [
        *opened(f"{LEGAL}/contracts", ".open-contract[data-id=HT-2026-001]"),
        lambda told: act("type", criterion="看到结果", ref=told.ref("~合同台账"), text=WORDS),
        last,
    ]
    async with world(tmp_path, "openai", moves) as run:
        ended, took = await cancelled(run, waiting)
        run.check(ended, answers + run.script.more)
        page = await run.says("[location.href, document.querySelector('#contract-words').value]")
        await eventually(lambda: run.provider.hung_up == len(moves) - answers)
    assert took < SOON_S
    assert page == [f"{LEGAL}/contracts", WORDS]
    assert (ended.outcome, ended.evidence, run.states()[-1]) == ("aborted", (), "aborted")


async def cancelled(run: World, waiting: Callable[[World], bool]) -> tuple[TaskCompleted, float]:
    """The end of a task that the person cancels as soon as it waits, and the seconds until it was told."""
    work = asyncio.create_task(run.session.run(f"在 legal 系统查名称有“{WORDS}”的合同"))
    async with asyncio.timeout(60):
        while not waiting(run):
            await asyncio.wait({work}, timeout=0.01)
        began = asyncio.get_running_loop().time()
        await run.session.session.send(CancelTask(task_id="t1"))
        return await work, asyncio.get_running_loop().time() - began
