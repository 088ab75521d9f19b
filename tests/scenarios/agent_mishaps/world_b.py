"""One world a test: a provider of models on loopback, a real `sgclaw pipe`, and a real Chromium on the demo sites."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from playwright.async_api import Page
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from browser_host_stub.approvals import Approver
from browser_host_stub.demo_browser import PERSON, DemoBrowser, demo_browser, demo_policy
from browser_host_stub.sites.oa.state import Notice
from browser_host_stub.task_run import Hosted, RunOptions, hosted
from sgclaw.agent.dataflow import normal
from sgclaw.audit.records import story
from sgclaw.audit.verify import verify
from sgclaw.llm.scenario import Step
from sgclaw.protocol.messages import Command, Message, TaskCompleted
from sgclaw.protocol.parts import TaskOptions
from tests.provider.asked import Asked
from tests.provider.dialects import encoded
from tests.provider.server import DIALECTS, Provider, serve
from tests.support.agent import TRACE, Home
from tests.support.wire import Approving
from tests.unit.agent.room import act, call, step

TODAY: Final = date(2026, 4, 15)
ERP, OA = "https://erp.example.com", "https://oa.example.com"
TITLE, BODY = "劳动节值班安排", "请各部门安排好值班人员，并保持电话畅通。"
ROW: Final = f"财务部 {TODAY} {TITLE}"
"""How the list of notices shows it: more than what was typed into the form."""
PUBLISH: Final = f"在OA发布公告《{TITLE}》"
LOOKS: Final = 3
"""How often the moves of one scenario may look again."""
A_CALL: Final = 110
"""Tokens that one answer of `step` is said to have used."""

_LONGEST_S: Final = 240

Protocol = Literal["claude", "openai"]
Made = Mapping[str, object]
_NUMBERED: Final = re.compile(r"\[操作编号 (\d+)\]")
_REF: Final = re.compile(r"\[\d+\]")
_KINDS: Final = r"(?:(?:输入框|单选|下拉|勾选) )?~?"


@dataclass(frozen=True)
class View:
    """What a request shows its model: every text, the newest last; `now` is what came after its last answer."""

    asked: Asked
    texts: tuple[str, ...]
    now: str

    def ref(self, label: str) -> str:
        """The number that the newest page view with such a control gives it."""
        for text in reversed(self.texts):
            found = re.findall(rf"\[(\d+)\]{_KINDS}{re.escape(label)}", text)
            if found:
                return str(found[-1])
        raise AssertionError(f"no view shows {label}: {self.now}")

    @property
    def seq(self) -> int:
        """The number of the newest act, by which evidence is named."""
        return int(_NUMBERED.findall("\n".join(self.texts))[-1])


@dataclass(frozen=True)
class Meanwhile:
    """An answer that comes when something else has happened."""

    happens: Callable[[], Awaitable[object]]
    made: Made


Answer = Made | Meanwhile
Move = Answer | Callable[[View], Answer]


@dataclass
class Script:
    """The provider's policy: the next move answers the next request. `wrong`: what no test may leave behind."""

    moves: list[Move]
    views: list[View] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    looked: int = 0
    """Moves that had to look again first."""
    planned: int = 0
    """Requests of the planner, which gets no tools; it says each time that the task is a single one."""

    @property
    def more(self) -> int:
        """Answers beside the moves."""
        return self.planned + self.looked

    def __call__(self, asked: Asked) -> Step | Response:
        if not asked.body.get("tools"):
            self.planned += 1
            return Step.model_validate(step(says='{"mode": "single", "why": "在一处就能做完"}'))
        view = _view(asked)
        self.views.append(view)
        try:
            move = self.moves[0]
            made = move(view) if callable(move) else move
            self.moves.pop(0)
        except (AssertionError, IndexError) as problem:
            if self.moves and self.looked < LOOKS:  # a page may still be drawing what a move looks for
                self.looked += 1
                return Step.model_validate(step(call("read_page")))
            self.wrong.append(str(problem))
            return Step(fault="bad_request")
        if isinstance(made, Meanwhile):
            return _Later(made.happens, asked.path, Step.model_validate(made.made))
        return Step.model_validate(made)


class _Later(Response):
    """A step's whole stream, sent when something else has happened."""

    def __init__(self, happens: Callable[[], Awaitable[object]], path: str, told: Step) -> None:
        dialect = DIALECTS[path]
        events = [*dialect.opening(told), *dialect.words(told), *dialect.ending(told)]
        super().__init__(b"".join(encoded(events)), media_type="text/event-stream")
        self._happens = happens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._happens()
        await super().__call__(scope, receive, send)


def _view(asked: Asked) -> View:
    texts: list[str] = []
    fresh = 0
    for message in asked.body["messages"]:
        if message["role"] == "assistant":
            fresh = len(texts)
        else:
            texts += _texts(message["content"])
    return View(asked, tuple(texts), "\n".join(texts[fresh:]))


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found = [block.get("text") or block.get("content") or "" for block in content or []]
    return [text for each in found for text in (_texts(each) if isinstance(each, list) else [each])]


@dataclass
class World:
    """Everything of one test, running."""

    home: Home
    browser: DemoBrowser
    provider: Provider
    script: Script
    session: Hosted
    seen: list[Message]

    async def run(self, instruction: str, limits: TaskOptions | None = None) -> TaskCompleted:
        """Submit one task and wait for its end, at most so long as the slowest machine needs."""
        async with asyncio.timeout(_LONGEST_S):
            return await self.session.run(instruction, limits=limits)

    @property
    def notices(self) -> list[Notice]:
        """What the OA really holds."""
        return self.browser.sites.oa.state.notices

    @property
    def published(self) -> list[tuple[str, bool]]:
        """Each notice of the tests that the OA holds: its title, and whether its text is whole."""
        return [(one.title, BODY in one.html) for one in self.notices if one.title == TITLE]

    @property
    def page(self) -> Page:
        """The page as the person has it before them."""
        return self.browser.driver._pages.get(None).page

    def commands(self, *actions: str) -> list[Mapping[str, object]]:
        """Parameters of the commands that reached the host, of these actions."""
        return [each.params for each in self.seen if isinstance(each, Command) and each.action in actions]

    def answered(self, done: TaskCompleted, tokens: int, calls: int) -> None:
        """The end is whole: all moves made, its use told, its ledger unbroken and closed."""
        assert (self.script.wrong, len(self.script.moves)) == ([], 0), "\n---\n".join(
            view.now for view in self.views[1:]
        )
        more = self.script.more
        assert (done.usage.tokens, done.usage.llm_calls) == (tokens + more * A_CALL, calls + more), done.usage
        audit = self.home.audit
        assert verify(audit).count > 0
        told = [record.event for record in story(audit, TRACE)]
        assert [event for event in told if event in ("agent_started", "task_finished")] == [
            "agent_started",
            "task_finished",
        ]

    @property
    def views(self) -> list[View]:
        return self.script.views


@contextlib.asynccontextmanager
async def world(folder: Path, protocol: Protocol, *moves: Move, person: Approver | None = None) -> AsyncIterator[World]:
    """A signed-in Chromium on the demo ERP, and sgclaw with a model that makes these moves."""
    home, script, seen = Home(folder), Script(list(moves)), list[Message]()
    home.skills.sign()
    async with serve(script) as provider, demo_browser(folder / "files", today=TODAY) as browser:
        url = provider.claude_url if protocol == "claude" else provider.openai_url
        home.settings |= {
            "SGCLAW_MODEL_PROVIDER": protocol,
            "SGCLAW_MODEL_NAME": "local",
            "SGCLAW_MODEL_BASE_URL": url,
            "SGCLAW_API_KEY": "sk-local",
        }
        options = RunOptions(
            demo_policy(),
            log_dir=home.state,
            state_dir=home.state,
            approver=person or Approving(),
            observer=seen.append,
            command=home.command(),
            trace_id=TRACE,
        )
        async with hosted(browser.driver, options) as session:
            yield World(home, browser, provider, script, session, seen)


async def sign_in(page: Page) -> None:
    """What the person does at the login, with their own hands."""
    name, password = PERSON
    await page.fill("[name=username]", name)
    await page.fill("[name=password]", password)
    await page.click("button[type=submit]")
    await page.wait_for_load_state()


# --- moves --------------------------------------------------------------------------------------------------------


def opens(path: str, origin: str = OA) -> Made:
    return step(act("navigate", url=f"{origin}{path}"))


def types(label: str, text: str) -> Move:
    return lambda view: step(act("type", ref=view.ref(label), text=text))


def clicks(label: str) -> Move:
    return lambda view: step(act("click", ref=view.ref(label)))


FILLS: Final[tuple[Move, ...]] = (opens("/notice/new"), types("标题", TITLE), types("公告正文", BODY))
PUBLISHES: Final[tuple[Move, ...]] = (*FILLS, clicks("提交"))


def proved(summary: str, quote: str, **more: object) -> Move:
    """Finish with the newest act as evidence, which shows these words."""

    def finish(view: View) -> Answer:
        assert normal(quote) in normal(_REF.sub("", "\n".join(view.texts))), view.now
        evidence = [{"seq": view.seq, "quote": quote}]
        given = {"outcome": "done", "summary": summary, "criterion": "看到结果", "evidence": evidence, **more}
        return step({"name": "finish", "arguments": given})

    return finish
