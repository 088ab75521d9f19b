"""Tools of another server in a real process: pinned, asked about, called, and gone when the task is over."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from sgclaw.agent.planning.conductor import FINISHED, GIVEN_UP
from sgclaw.audit.records import story
from sgclaw.protocol.messages import CancelTask, LogEntry
from sgclaw.toolbox.box import McpToolbox
from sgclaw.toolbox.listing import pins_of
from sgclaw.toolbox.pins import write_pins
from sgclaw.toolbox.settings import ServerSettings, ToolboxSettings
from tests.support.agent import TRACE, Home, running, skill
from tests.support.wire import Approving
from tests.unit.agent.planning.room import ACHIEVED, CONTROLLED, CRITERION
from tests.unit.agent.planning.test_run import card, plan, says
from tests.unit.agent.room import call, given_up, step
from tests.unit.toolbox.room import HERE

HONEST = str(HERE / "honest.py")
WORDS = "看看首页的标题写的是什么"


async def pinned(folder: Path) -> Path:
    """The pins of everything the honest server lists."""
    settings = ToolboxSettings(
        {"calc": ServerSettings((sys.executable, HONEST, "stdio"))}, inherited={"PATH": os.defpath}
    )
    pins = folder / "pins.json"
    async with McpToolbox(settings, pins) as box:
        (report,) = await box.survey()
    write_pins(pins, {"calc": pins_of(report)})
    return pins


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.add("read-title", skill("read-title", "return { success: true };"))
    settings = tmp_path / "settings.toml"
    pins = await pinned(tmp_path)
    settings.write_text(
        f'[mcp]\npins = "{pins}"\n[mcp.servers.calc]\ncommand = "{sys.executable}"\n'
        f'args = ["{HONEST}", "stdio"]\nwithout_asking = ["wait", "die"]\n',
        encoding="utf-8",
    )
    home.settings["SGCLAW_SETTINGS"] = str(settings)
    return home


async def called(home: Home) -> None:
    """Wait until a call is under way: the server has been started and listed by then."""
    for _ in range(1_200):
        if any(each.event == "foreign_tool_called" for each in story(home.audit, TRACE)):
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("no tool was called")


def servers() -> list[psutil.Process]:
    """The honest servers that run below this process."""
    found = []
    for each in psutil.Process().children(recursive=True):
        try:
            if HONEST in each.cmdline():
                found.append(each)
        except psutil.Error:
            continue
    return found


@pytest.mark.requirement("TOOL-16", "TOOL-18", "TOOL-20")
@pytest.mark.parametrize(("word", "events"), [("允许", ["called", "answered"]), ("不允许", ["refused"])])
async def test_a_tool_of_a_server_is_called_after_the_persons_yes_and_ends_with_the_task(
    home: Home, word: str, events: list[str]
) -> None:
    home.recite([step(call("calc__add", left=20, right=22, task_criterion="算出和")), given_up("没有可以核对的结果。")])
    person = Approving(said=word)
    async with running(home, approver=person) as run:
        ended = await run.hosted.run(WORDS)
        left = servers()
    assert (ended.outcome, left) == ("failed", [])
    assert len(person.asked) == 1
    assert '服务：calc，工具：add\n参数（发出的原文）：{"left": 20, "right": 22}' in person.asked[0]
    told = [record.event for record in story(home.audit, TRACE)]
    assert [each for each in told if each.startswith("foreign_tool")] == [f"foreign_tool_{each}" for each in events]


@pytest.mark.requirement("TOOL-19", "TOOL-20")
async def test_a_cancel_ends_the_server_within_a_second_and_names_the_open_call(home: Home) -> None:
    home.recite([step(call("calc__wait", task_criterion="等到")), given_up()])
    async with running(home) as run:
        work = asyncio.create_task(run.hosted.run(WORDS))
        await called(home)
        began = time.monotonic()
        await run.hosted.session.send(CancelTask(task_id="t1"))
        ended = await work
        took, left = time.monotonic() - began, servers()
    assert (ended.outcome, left) == ("aborted", [])
    assert "不知道“调用外部工具 calc__wait”是否已经生效" in ended.summary
    assert took < 5


@pytest.mark.requirement("TOOL-20")
async def test_a_task_that_a_skill_does_starts_no_server(home: Home) -> None:
    home.recite([given_up()])
    async with running(home) as run:
        ended = await run.hosted.run("随便", skill="read-title")
        assert servers() == []
    assert ended.usage.llm_calls == 0
    assert [each for each in run.seen if isinstance(each, LogEntry) and "外部工具" in each.text] == []


@pytest.mark.requirement("TOOL-19", "PLAN-23")
@pytest.mark.parametrize(("word", "outcome"), [(FINISHED, "completed"), (GIVEN_UP, "unverified")])
async def test_what_a_dead_server_may_have_done_is_the_persons_to_settle(home: Home, word: str, outcome: str) -> None:
    lost = (says(CRITERION), step(call("calc__die")), given_up())
    home.recite([plan(card("first", "登记")), says(CONTROLLED), *lost, says(ACHIEVED)])
    person = Approving(said=word)
    async with running(home, approver=person) as run:
        ended = await run.hosted.run("先登记，再写明编号")
    assert (ended.outcome, len(person.asked)) == (outcome, 1)
    assert "执行结果不明，不能重做" in person.asked[0]
