"""What the session tells beside its answers: page events, the page after an act, and the ends of background pages."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from browser_host_stub.driver import BrowserEvent, JsonObject, Located
from browser_host_stub.hidden import MAX_A_TASK
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Dialog, Element, Page
from browser_host_stub.telling import MAX_WAITING, PageEvents
from sgclaw.errors import ActionCode, ActionError
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.protocol.messages import Command, Message, PageEvent, TaskCompleted
from sgclaw.protocol.results import PageInfo
from tests.support.raw_agent import ERP_HOST, RawAgent
from tests.support.wire import ERP, EVIL, SITE, Approving

POLICY = parse_policy(policy_document([ERP]))
LIST = f"{ERP}/list"


class Told:
    """Collects what is sent, as the pipe would."""

    def __init__(self) -> None:
        self.events: list[PageEvent] = []
        self.more = asyncio.Event()

    async def send(self, message: Message) -> None:
        assert isinstance(message, PageEvent)
        self.events.append(message)
        self.more.set()


def _event(what: Any = "dialog", url: str = LIST, page: str = "p1", /, **facts: object) -> BrowserEvent:
    return BrowserEvent(what, PageInfo(id=page, url=url, title="标题\ud800", version=3), facts)


@pytest.mark.requirement("ACT-13")
async def test_only_events_of_listed_pages_are_told_and_say_which_command_ran() -> None:
    told = Told()
    events = PageEvents(POLICY, {"p1": 7}.get, told.send)
    running = asyncio.create_task(events.run())
    events.hear(_event("dialog", f"{EVIL}/secret", message="机密"))
    events.hear(_event("dialog", "data:text/html,x", message="机密"))
    events.hear(_event(kind="confirm", message="长" * 900))
    events.hear(_event("opened", "about:blank", "p2", opener="p1"))
    events.hear(_event("closed", LIST, "p3"))
    async with asyncio.timeout(5):
        while len(told.events) < 3:
            told.more.clear()
            await told.more.wait()
    running.cancel()
    assert [(one.event, one.page.id, one.page.url, one.page.title, one.facts) for one in told.events] == [
        ("dialog", "p1", LIST, "标题\ufffd", {"kind": "confirm", "message": "长" * 500, "by": "command", "seq": 7}),
        ("opened", "p2", "about:blank", "", {"opener": "p1", "by": "command", "seq": 7}),
        ("closed", "p3", LIST, "标题\ufffd", {"by": "page"}),
    ]


@pytest.mark.requirement("ACT-13")
async def test_a_flood_of_events_is_cut_to_the_newest_and_the_number_left_out_is_told() -> None:
    told = Told()
    events = PageEvents(POLICY, lambda _page: None, told.send)
    for number in range(1_000):
        events.hear(_event(message=str(number)))
    for version in range(50):
        events.hear(BrowserEvent("navigated", PageInfo(id="p1", url=LIST, version=version)))
    running = asyncio.create_task(events.run())
    async with asyncio.timeout(5):
        while len(told.events) < 2:
            told.more.clear()
            await told.more.wait()
    running.cancel()
    first = 1_000 - MAX_WAITING + 1
    assert told.events[0].facts == {"message": str(first), "by": "page", "dropped": 1_050 - MAX_WAITING}
    assert told.events[1].facts == {"message": str(first + 1), "by": "page"}


async def _answer(agent: RawAgent, action: str, **params: object) -> dict[str, Any]:
    """Send a command; returns its response, skipping events."""
    options = {name.removeprefix("_"): params.pop(name) for name in ("_observe", "_page", "_task") if name in params}
    task = str(options.pop("task", "t1"))
    command = Command.model_validate(
        {
            "seq": agent.channel.upcoming_seq,
            "action": action,
            "params": params,
            "task_id": task,
            "deadline_ms": 5_000,
            **options,
        }
    )
    agent.write(agent.channel.seal_command(command, ERP_HOST)[0])
    while (line := await agent.read())["type"] != "response":
        pass
    return line


@pytest.mark.requirement("ACT-10")
async def test_what_happens_on_a_page_reaches_sgclaw_while_its_command_runs(agent: RawAgent) -> None:
    def ask(page: Page) -> None:
        page.dialog = Dialog("确定吗")

    agent.driver.pages["p1"].elements["#ask"] = Element(tag="button", on_click=ask)
    agent.write(agent.command("click", selector="#ask"))
    lines = {line["type"]: line for line in [await agent.read(), await agent.read()]}
    told = lines["page_event"]
    assert (told["event"], told["page"]["url"]) == ("dialog", f"{ERP}/")
    assert told["facts"] == {"kind": "confirm", "message": "确定吗", "by": "command", "seq": 1}


@pytest.mark.requirement("ACT-14")
async def test_an_act_brings_the_whole_page_then_what_changed_and_none_when_not_asked(agent: RawAgent) -> None:
    whole = await _answer(agent, "hover", selector="#go", _observe="diff")
    assert "removed" not in whole["aom_facts"]
    names = [node["name"] for node in whole["aom_snapshot"]]
    assert "财务系统" in names
    changed = await _answer(agent, "click", selector="#go", _observe="diff")
    assert [node["name"] for node in changed["aom_snapshot"]] == ["已完成"]
    assert changed["aom_facts"]["removed"] == []
    del agent.driver.pages["p1"].elements["#off"]
    gone = await _answer(agent, "hover", selector="#go", _observe="diff")
    assert (gone["aom_snapshot"], len(gone["aom_facts"]["removed"])) == ([], 1)
    full = await _answer(agent, "hover", selector="#go", _observe="full")
    assert len(full["aom_snapshot"]) == len(names)
    none = await _answer(agent, "hover", selector="#go")
    assert {"aom_snapshot", "aom_facts"} & none.keys() == set()


@pytest.mark.requirement("ACT-14")
async def test_a_new_document_is_told_whole_and_a_snapshot_of_its_own_counts_as_told(agent: RawAgent) -> None:
    await _answer(agent, "hover", selector="#go", _observe="diff")
    moved = await _answer(agent, "navigate", url=LIST, _observe="diff")
    assert "removed" not in moved["aom_facts"]
    await _answer(agent, "navigate", url=f"{ERP}/")
    await _answer(agent, "getAomSnapshot")
    same = await _answer(agent, "hover", selector="#go", _observe="diff")
    assert (same["aom_snapshot"], same["aom_facts"]["removed"]) == ([], [])


class Blind(MemoryDriver):
    """Cannot say what is on its page."""

    how = "error"

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        if located.action == "getAomSnapshot":
            if self.how == "bug":
                raise KeyError
            if self.how == "error":
                raise ActionError(ActionCode.TIMEOUT, "没有")
            if self.how == "late":
                await asyncio.Event().wait()
            return {"nodes": [{"role": "x" * 5_000_000}], "interactive_total": 0, "blank": False}
        return await super().perform(located, deadline_s)


@pytest.mark.requirement("ACT-14")
@pytest.mark.parametrize("how", ["error", "bug", "late", "huge"])
async def test_a_snapshot_that_fails_takes_nothing_from_an_act_that_was_done(how: str, tmp_path: Path) -> None:
    agent = RawAgent(tmp_path, Approving())
    agent.driver = Blind(SITE, tmp_path, start=f"{ERP}/")
    agent.driver.how = how
    running = await agent.open()
    command = Command(
        seq=1,
        action="click",
        params={"selector": "#go"},
        task_id="t1",
        deadline_ms=1_000,
        observe="full",
    )
    agent.write(agent.channel.seal_command(command, ERP_HOST)[0])
    answer = await agent.read()
    assert (answer["success"], answer["data"], answer["page"]["id"]) == (True, {"clicked": True}, "p1")
    assert {"aom_snapshot", "aom_facts"} & answer.keys() == set()
    await agent.close(running)


@pytest.fixture
async def spawning(agent: RawAgent) -> RawAgent:
    for _ in range(MAX_A_TASK):
        assert (await _answer(agent, "zombieSpawn", url=LIST))["success"]
    return agent


@pytest.mark.requirement("ACT-06")
async def test_a_task_opens_so_many_background_pages_and_they_end_with_it(spawning: RawAgent) -> None:
    refused = await _answer(spawning, "zombieSpawn", url=LIST)
    assert refused["error"]["code"] == "ACTION_FAILED"
    assert len(spawning.driver.pages) == 1 + MAX_A_TASK
    assert (await _answer(spawning, "zombieKill", page="p2"))["success"]
    assert (await _answer(spawning, "zombieSpawn", url=LIST))["success"]
    assert (await _answer(spawning, "zombieSpawn", url=LIST, _task="t2"))["success"]
    done = TaskCompleted(task_id="t1", outcome="completed", summary="好")
    spawning.write(spawning.channel.seal(done))
    assert (await _answer(spawning, "getText", selector="#title"))["success"]
    assert [page.hidden for page in spawning.driver.pages.values()] == [False, True]
    late = await _answer(spawning, "zombieSpawn", url=LIST)
    assert late["error"]["code"] == "PAGE_GONE"
    assert len(spawning.driver.pages) == 2


@pytest.mark.requirement("ACT-06")
async def test_background_pages_end_with_the_session(tmp_path: Path) -> None:
    agent = RawAgent(tmp_path, Approving())
    running = await agent.open()
    assert (await _answer(agent, "zombieSpawn", url=LIST))["success"]
    await agent.close(running)
    assert list(agent.driver.pages) == ["p1"]


@pytest.mark.requirement("ACT-06")
async def test_a_background_page_of_another_system_is_refused_and_ended(agent: RawAgent) -> None:
    agent.driver.redirects[LIST] = "https://oa.example.com/"
    assert (await _answer(agent, "zombieSpawn", url=LIST))["error"]["code"] == "POLICY_DENIED"
    assert list(agent.driver.pages) == ["p1"]


@pytest.mark.requirement("ACT-17")
async def test_a_named_page_gets_the_act_and_a_closed_one_is_named(agent: RawAgent) -> None:
    other = str((await _answer(agent, "zombieSpawn", url=LIST))["data"]["page"])
    assert (await _answer(agent, "click", selector="#go", _page=other))["page"]["url"] == LIST
    assert (agent.driver.pages[other].acts, agent.acts[-1][0]) == ([("click", "#go")], "zombieSpawn")
    await _answer(agent, "zombieKill", page=other)
    gone = (await _answer(agent, "click", selector="#go", _page=other))["error"]
    assert (gone["code"], gone["facts"]["page"]) == ("PAGE_GONE", other)


@pytest.mark.requirement("ACT-17")
async def test_acts_on_the_default_page_and_on_the_same_page_by_its_id_take_turns(agent: RawAgent) -> None:
    await _answer(agent, "hover", selector="#go")
    agent.driver.knobs.delay_s = 0.2
    for page, action in ((None, "hover"), ("p1", "click"), (None, "getText")):
        command = Command(
            seq=agent.channel.upcoming_seq,
            action=action,
            params={"selector": "#go"},
            task_id="t1",
            deadline_ms=5_000,
            page=page,
        )
        agent.write(agent.channel.seal_command(command, ERP_HOST)[0])
    assert [(await agent.read())["seq"] for _ in range(3)] == [2, 3, 4]
    assert [action for action, _ in agent.acts] == ["hover", "hover", "click", "getText"]
