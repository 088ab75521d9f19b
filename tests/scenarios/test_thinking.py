"""Tasks no skill fits, carried out by the agent in a real process with the scripted model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sgclaw.audit.records import story
from sgclaw.audit.verify import verify
from sgclaw.protocol.messages import CancelTask, TaskState
from tests.support.agent import TRACE, Home, Running, running, skill
from tests.support.ports import eventually
from tests.support.wire import Approving
from tests.unit.agent.room import act, call, done, given_up, step

LOOK = step(call("read_page"))
READ = "return { success: true, data: await browserAction('getText', '#title') };"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("read-title", skill("read-title", READ))
    return home


def states(run: Running) -> list[str]:
    return [message.state.value for message in run.seen if isinstance(message, TaskState)]


@pytest.mark.requirement("AGT-31")
async def test_without_a_fitting_skill_the_model_finishes_the_task_with_evidence_and_its_cost(home: Home) -> None:
    home.recite(
        [
            LOOK,
            step(act("getText", selector="#title")),
            done("标题是财务系统。", (3, "财务系统"), data={"title": "财务系统"}),
        ]
    )
    async with running(home) as run:
        ended = await run.hosted.run("看看首页的标题写的是什么")
    assert (ended.outcome, ended.summary, ended.data) == ("completed", "标题是财务系统。", {"title": "财务系统"})
    assert [(item.rank.value, item.seq) for item in ended.evidence] == [("dom_state", 3)]
    assert (ended.usage.llm_calls, ended.usage.tokens, ended.skill, ended.steps) == (3, 330, None, 3)
    assert states(run)[0] == "planning"
    assert states(run)[-2:] == ["evaluating", "completed"]
    assert verify(home.audit).count > 0
    told = [record.event for record in story(home.audit, TRACE)]
    assert {"agent_started", "command", "task_finished"} <= set(told)


@pytest.mark.requirement("AGT-31")
async def test_a_skill_that_fits_runs_without_a_model_though_one_is_configured(home: Home) -> None:
    home.recite([given_up()])
    async with running(home) as run:
        ended = await run.hosted.run("随便", skill="read-title")
    assert (ended.outcome, ended.usage.llm_calls) == ("completed", 0)


@pytest.mark.requirement("AGT-31")
async def test_without_a_model_the_end_is_as_before(home: Home) -> None:
    async with running(home) as run:
        ended = await run.hosted.run("看看首页的标题写的是什么")
    assert ended.error is not None
    assert (ended.outcome, ended.error.code) == ("failed", "NO_MODEL")


@pytest.mark.requirement("AGT-31")
@pytest.mark.parametrize(("yes", "clicked"), [(True, True), (False, False)])
async def test_a_final_act_of_the_model_takes_the_persons_yes(home: Home, yes: bool, clicked: bool) -> None:
    home.recite([LOOK, step(act("click", selector="#submit")), given_up("没有可以核对的结果。")])
    person = Approving(yes=yes)
    async with running(home, approver=person) as run:
        ended = await run.hosted.run("看看首页，然后点一下那个按钮")
        acts = [name for page in run.driver.pages.values() for name, _ in page.acts]
    assert (len(person.shown), "click" in acts) == (1, clicked)
    assert ended.outcome == "failed"


@pytest.mark.requirement("AGT-31", "AGT-23")
async def test_a_cancel_reaches_the_call_of_the_model(home: Home) -> None:
    home.recite([LOOK, {"fault": "silent"}])
    async with running(home) as run:
        work = asyncio.create_task(run.hosted.run("看看首页的标题写的是什么"))
        await eventually(lambda: states(run)[-2:] == ["observing", "executing"])
        began = asyncio.get_running_loop().time()
        await run.hosted.session.send(CancelTask(task_id="t1"))
        ended = await work
    assert asyncio.get_running_loop().time() - began < 3
    assert (ended.outcome, ended.usage.llm_calls) == ("aborted", 1)


@pytest.mark.requirement("AGT-31")
async def test_a_skill_run_by_the_model_is_evidence_of_the_same_task(home: Home) -> None:
    home.add(
        "fetch-file",
        skill(
            "fetch-file",
            "return { success: true, data: await browserAction('download', '#file') };",
            actions="download",
        ),
    )
    home.recite(
        [step(call("run_skill", name="fetch-file", criterion="文件已下载")), done("已下载 报表.csv。", (2, "报表.csv"))]
    )
    async with running(home) as run:
        ended = await run.hosted.run("看看首页的标题写的是什么")
    assert (ended.outcome, [item.rank.value for item in ended.evidence]) == ("completed", ["file_hash"])
    assert [item.name for item in ended.artifacts] == ["报表.csv"]
