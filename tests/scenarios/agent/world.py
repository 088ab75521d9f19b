"""What the scenarios share: the demo sites in Chromium, a real sgclaw process, and a model behind a real SDK.

The model is the local provider of `tests/provider`, asked through the SDK that the settings name. It answers from a
script of moves; a move sees the newest message of the request, so that it can use refs and numbers it finds there.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Literal

from browser_host_stub.demo_browser import DemoBrowser, demo_browser, demo_policy
from browser_host_stub.sites.server import DemoSites
from browser_host_stub.task_run import Hosted, RunOptions, hosted
from sgclaw.audit.records import story
from sgclaw.audit.verify import verify
from sgclaw.llm.scenario import ScriptedCall, ScriptedUsage, Step
from sgclaw.protocol.messages import Message, TaskCompleted, TaskState
from tests.provider.asked import Asked
from tests.provider.server import Provider, serve
from tests.support.wire import Approving

Dialect = Literal["claude", "openai"]
TODAY = date(2026, 4, 15)
INPUT, OUTPUT = 900, 50
"""Tokens the provider says each answer took."""
PATIENCE_S = 90
"""What one task may take on a slow machine."""
_PATHS: Mapping[Dialect, str] = {"claude": "/v1/messages", "openai": "/v1/chat/completions"}
_LAUNCH = (
    "import json, os, sys; os.environ.update(json.loads(sys.argv.pop(1)));from sgclaw.cli.main import main; main()"
)


# --- the model ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """What the newest messages of a request tell the model: results of tools, or the task.

    `before` is what it was told earlier, the latest first: a model remembers the page it saw.
    """

    text: str
    before: tuple[str, ...] = ()

    @property
    def seq(self) -> int:
        """The number of the command that the newest result is of."""
        return int(re.findall(r"\[操作编号 (\d+)\]", self.text)[-1])

    def ref(self, label: str, *, after: str = "") -> str:
        """The ref of the first element with that name, behind the text `after`; a role may stand before the name."""
        return self.found(rf"(?s){re.escape(after)}.*?\[(\d+)\](?:\w+ )?{re.escape(label)}")

    def found(self, pattern: str) -> str:
        """The first group of the pattern's first match, in the newest text that has one."""
        for text in (self.text, *self.before):
            if (match := re.search(pattern, text)) is not None:
                return match[1]
        raise AssertionError(f"the model is not told {pattern!r}:\n{self.text[:2_000]}")


Move = Callable[[Told], Step]
LOOKS: Final = 3
"""How often the moves of one scenario may look again."""
SINGLE: Final = '{"mode": "single", "why": "在一处就能做完"}'


@dataclass
class Script:
    """A provider's policy: each request is answered by the next move. What goes wrong in one is kept for the test."""

    moves: Sequence[Move]
    told: list[Told] = field(default_factory=list)
    planned: int = 0
    """Requests of the planner, which gets no tools; it says each time that the task is a single one."""
    looked: int = 0
    """Moves that had to look again first."""
    problem: Exception | None = None

    def __call__(self, asked: Asked) -> Step:
        if not asked.body.get("tools"):
            self.planned += 1
            return Step(says=SINGLE, usage=ScriptedUsage(input=INPUT, output=OUTPUT))
        before = tuple(told.text for told in reversed(self.told))
        told = Told("\n".join(_newest(asked.body["messages"])), before)
        self.told.append(told)
        try:
            return self.moves[len(self.told) - 1 - self.looked](told)
        except (AssertionError, LookupError, ValueError) as error:
            if self.looked < LOOKS:  # a page may still be drawing what a move looks for
                self.looked += 1
                return read()
            self.problem = self.problem or error
            return Step(fault="bad_request")

    @property
    def more(self) -> int:
        """Answers beside the moves."""
        return self.planned + self.looked


def _newest(messages: Sequence[Mapping[str, object]]) -> list[str]:
    """The texts behind the last answer of the model, in either protocol."""
    last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    return [text for message in messages[last + 1 :] for text in _texts(message["content"])]


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [text for block in blocks for text in _texts(block.get("text") or block.get("content"))]


def call(name: str, **arguments: object) -> Step:
    """An answer with one call."""
    return Step(calls=(ScriptedCall(name=name, arguments=arguments),), usage=ScriptedUsage(input=INPUT, output=OUTPUT))


def act(action: str, *, criterion: str = "", **params: object) -> Step:
    """One act on the page."""
    stated = {"criterion": criterion} if criterion else {}
    return call("browser_action", action=action, params=params, **stated)


def read(**how: object) -> Step:
    """A look at the page."""
    return call("read_page", **how)


def wait(selector: str, state: str = "visible") -> Step:
    """A wait for the page."""
    return act("waitForSelector", selector=selector, state=state)


def opened(url: str, ready: str) -> list[Move]:
    """Open a page, wait until it is drawn, look at it."""
    return [lambda _: act("navigate", url=url), lambda _: wait(ready), lambda _: read()]


def done(summary: str, *evidence: tuple[int, str], data: object = None) -> Step:
    """The end, with what proves it."""
    claims = [{"seq": seq, "quote": quote} for seq, quote in evidence]
    more = {} if data is None else {"data": data}
    return call("finish", outcome="done", summary=summary, criterion="看到结果", evidence=claims, **more)


def given_up(summary: str) -> Step:
    """The end of a model that could not do it."""
    return call("finish", outcome="not_done", summary=summary)


# --- the person ---------------------------------------------------------------------------------------------------


@dataclass
class Person(Approving):
    """A person who says yes or no to acts and answers questions from `answers`, by a word of the question."""

    answers: Mapping[str, str] = field(default_factory=dict)
    choices: list[tuple[str, ...]] = field(default_factory=list)

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        """The answer to the first known word in the question; None when there is none."""
        self.asked.append(text)
        self.choices.append(choices)
        return next((answer for word, answer in self.answers.items() if word in text), None)


# --- everything together ------------------------------------------------------------------------------------------


@dataclass
class World:
    """A signed-in browser on the demo sites in front of a ready sgclaw process."""

    browser: DemoBrowser
    session: Hosted
    dialect: Dialect
    provider: Provider
    script: Script
    person: Person
    seen: list[Message]
    audit: Path

    @property
    def sites(self) -> DemoSites:
        """The sites, whose state is the truth."""
        return self.browser.sites

    async def says(self, expression: str) -> object:
        """What the page's own script says of it."""
        async with asyncio.timeout(10):
            return await self.browser.driver._pages.get(None).page.evaluate(expression)

    def states(self) -> list[str]:
        """The states of the task, in order."""
        return [message.state.value for message in self.seen if isinstance(message, TaskState)]

    async def run(self, instruction: str) -> TaskCompleted:
        """Carry the task out; whatever a move could not find is raised here."""
        async with asyncio.timeout(PATIENCE_S):
            ended = await self.session.run(instruction)
        self.check(ended, len(self.script.moves) + self.script.more)
        return ended

    def check(self, ended: TaskCompleted, answers: int) -> None:
        """What holds of every end: all moves were made, `answers` are paid, the ledger tells it unbroken."""
        if self.script.problem is not None:
            raise self.script.problem
        assert len(self.provider.asked) == len(self.script.moves) + self.script.more, ended
        assert (ended.usage.llm_calls, ended.usage.tokens) == (answers, answers * (INPUT + OUTPUT))
        assert {asked.path for asked in self.provider.asked} == {_PATHS[self.dialect]}
        told = [record for record in story(self.audit, self.session.trace_id) if record.event == "task_finished"]
        assert [record.data["outcome"] for record in told] == [ended.outcome]
        assert verify(self.audit).count > 0


@contextlib.asynccontextmanager
async def world(
    folder: Path, dialect: Dialect, moves: Sequence[Move], person: Person | None = None
) -> AsyncIterator[World]:
    """The world of one scenario, with a model that makes these moves over that protocol's SDK."""
    script, person = Script(moves), person or Person(yes=False)
    seen: list[Message] = []
    async with serve(script) as provider:
        url = provider.claude_url if dialect == "claude" else provider.openai_url
        settings = {"SGCLAW_MODEL_PROVIDER": dialect, "SGCLAW_MODEL_NAME": "local", "SGCLAW_MODEL_BASE_URL": url}
        settings["SGCLAW_API_KEY"] = "sk-local"
        options = RunOptions(
            demo_policy(),
            log_dir=folder,
            state_dir=folder / "state",
            approver=person,
            observer=seen.append,
            command=(sys.executable, "-c", _LAUNCH, json.dumps(settings), "pipe"),
        )
        async with (
            demo_browser(folder / "files", today=TODAY) as browser,
            hosted(browser.driver, options) as session,
        ):
            yield World(browser, session, dialect, provider, script, person, seen, folder / "state" / "audit")
