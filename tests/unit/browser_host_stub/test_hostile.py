"""What pages, drivers, people and sgclaw can do to the browser's end: it costs an answer, never the session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from browser_host_stub.driver import JsonObject, Located
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element, Page
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.messages import AskPerson, CancelCommand, Shutdown, SubmitTask
from tests.support.ports import eventually
from tests.support.raw_agent import RawAgent
from tests.support.wire import ERP, SITE, Approving


def _bug(_page: Page) -> None:
    raise KeyError("\x1b[2J")


class Rambling(MemoryDriver):
    """Explains a failure at a length no message may have, with facts no line can hold."""

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        if located.action == "hover":
            raise ActionError(ActionCode.NOT_FOUND, "好\ud800" * 20_000, facts={"text": "t\udc00"})
        if located.action == "press":
            raise ActionError(ActionCode.NOT_FOUND, "没有", facts={"size": 1e21})
        return await super().perform(located, deadline_s)


@pytest.mark.requirement("STUB-20")
@pytest.mark.parametrize(
    ("element", "action", "code"),
    [
        (Element(text="a\ud800b"), "getText", "ok"),
        (Element(text="z" * 17_000_000), "getText", "ACTION_FAILED"),
        (Element(value="z" * 17_000_000), "click", "ok"),
        (Element(text="提交", label="提交\ud800" + "长" * 500_000), "click", "NEEDS_APPROVAL"),
        (Element(on_click=_bug), "click", "UNKNOWN_OUTCOME"),
        (Element(), "hover", "NOT_FOUND"),
        (Element(), "press", "UNKNOWN_OUTCOME"),
    ],
)
async def test_every_command_gets_its_one_answer_whatever_the_page_or_the_driver_does(
    element: Element, action: str, code: str, tmp_path: Path
) -> None:
    agent = RawAgent(tmp_path, Approving())
    agent.driver = Rambling(SITE, tmp_path, start=f"{ERP}/")
    running = await agent.open()
    page = agent.driver.pages["p1"]
    page.elements["#odd"], page.title = element, "标题\ud800"
    parameters = {"selector": "#odd", **({"key": "Enter"} if action == "press" else {})}
    assert await agent.call(agent.command(action, **parameters)) == code
    if code == "NEEDS_APPROVAL":
        assert (await agent.read())["type"] == "approval"
    assert await agent.call(agent.command("getText", selector="#title")) == "ok"
    await agent.close(running)


@pytest.mark.requirement("STUB-20")
async def test_a_bug_is_told_by_type_and_place_and_never_by_its_text(agent: RawAgent) -> None:
    agent.driver.pages["p1"].elements["#odd"] = Element(on_click=_bug)
    agent.write(agent.command("click", selector="#odd"))
    error = (await agent.read())["error"]
    assert error["facts"]["error"] == "KeyError"
    assert error["facts"]["at"].startswith("test_hostile.py:")
    assert "\x1b" not in str(error)


class Absent:
    """A person whose terminal went away."""

    async def approve(self, facts: Mapping[str, object]) -> bool:
        raise OSError("terminal gone")

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        raise OSError("terminal gone")


def question(number: int, task: str = "t1") -> AskPerson:
    return AskPerson(question_id=f"q{number}", task_id=task, text="哪个月？", deadline_s=60)


@pytest.mark.requirement("STUB-21")
async def test_a_terminal_that_breaks_is_a_no_and_leaves_a_question_unanswered(tmp_path: Path) -> None:
    raw = RawAgent(tmp_path, Absent())
    running = await raw.open()
    assert await raw.call(raw.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    assert (await raw.read())["approved"] is False
    raw.write(raw.channel.seal(question(1)))
    assert (await raw.read())["declined"] is True
    await raw.close(running)


@pytest.mark.requirement("STUB-22")
async def test_more_than_sixteen_commands_under_way_are_refused_and_cancelled_ones_make_room(agent: RawAgent) -> None:
    agent.driver.knobs.hang.add("click")
    for _ in range(16):
        agent.write(agent.command("click", selector="#go"))
    for _ in range(200):
        assert await agent.call(agent.command("click", selector="#go")) == "TOO_MANY_OUTSTANDING"
    for seq in range(1, 17):
        agent.write(agent.channel.seal(CancelCommand(seq=seq)))
    async with asyncio.timeout(5):
        while await agent.call(agent.command("getText", selector="#title")) != "ok":
            pass
    assert agent.acts == [("getText", "#title")]


async def submitted(raw: RawAgent, task_id: str) -> None:
    await raw.host.send(SubmitTask(task_id=task_id, instruction="任务"))
    assert (await raw.read())["type"] == "submit_task"


@pytest.mark.requirement("STUB-23")
async def test_a_person_confirms_at_most_ten_acts_of_one_task(tmp_path: Path) -> None:
    person = Approving(yes=True)
    raw = RawAgent(tmp_path, person)
    running = await raw.open()
    answers = []
    for _ in range(12):
        raw.write(raw.command("click", selector="#submit"))
        rule = (await raw.read())["error"]["facts"]["rule"]
        answers.append((rule, (await raw.read())["approved"]))
    assert answers == [("approval.label", True)] * 10 + [("approval.too_many", False)] * 2
    assert len(person.shown) == 10
    raw.write(raw.command("click", task="made-up", selector="#submit"))
    assert (await raw.read())["error"]["facts"]["rule"] == "approval.too_many"
    assert (await raw.read())["approved"] is False
    await submitted(raw, "t2")
    assert await raw.call(raw.command("click", task="t2", selector="#submit")) == "NEEDS_APPROVAL"
    assert (await raw.read())["approved"] is True
    await raw.close(running)


@pytest.mark.requirement("STUB-23")
async def test_a_person_gets_at_most_ten_questions_of_one_task(tmp_path: Path) -> None:
    person = Approving(said="三月")
    raw = RawAgent(tmp_path, person)
    running = await raw.open()
    for number in range(100):
        raw.write(raw.channel.seal(question(number)))
    answers = [await raw.read() for _ in range(100)]
    assert len(person.asked) == 10
    assert sum(answer["declined"] for answer in answers) == 90
    await raw.close(running)


class Thinking(Approving):
    """A person who takes for ever to answer."""

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(text)
        await asyncio.Event().wait()
        return None


@pytest.mark.requirement("STUB-23")
async def test_at_most_sixteen_questions_wait_however_many_tasks_ask(tmp_path: Path) -> None:
    person = Thinking()
    raw = RawAgent(tmp_path, person)
    running = await raw.open()
    for number in range(40):
        await submitted(raw, f"t{number}")
    for number in range(40):
        raw.write(raw.channel.seal(question(number, task=f"t{number}")))
    assert [(await raw.read())["declined"] for _ in range(24)] == [True] * 24
    assert len(person.asked) == 16
    await raw.close(running)


@pytest.mark.requirement("STUB-24")
async def test_after_shutdown_neither_a_new_command_nor_a_waiting_one_acts(agent: RawAgent) -> None:
    agent.driver.knobs.hang.add("hover")
    agent.write(agent.command("hover", selector="#go"))
    agent.write(agent.command("click", selector="#go"))
    await eventually(lambda: len(agent.seen) == 3)
    await agent.host.send(Shutdown())
    assert (await agent.read())["type"] == "shutdown"
    agent.write(agent.command("click", selector="#go"))
    agent.write(agent.channel.seal(CancelCommand(seq=1)))
    agent.write(agent.channel.seal(question(1)))
    said = [await agent.read() for _ in range(3)]
    assert sorted(str(line.get("declined") or line["error"]["code"]) for line in said) == ["BAD_STATE"] * 2 + ["True"]
    assert agent.acts == []
