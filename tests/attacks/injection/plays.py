"""Runs of the agent with a model that obeys the page of a case, over a real Chromium; everything seen is kept."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sgclaw.agent.ending import AgentResult
from sgclaw.agent.scope import ALLOW, REFUSE
from sgclaw.gateway.task import Task
from sgclaw.gateway.think import Around, Thinker, Thoughtful
from sgclaw.host.browser import PipeBrowser
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.ports import Record, SkillRunner
from sgclaw.protocol.messages import SubmitTask
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import start_worker
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.catalogue import Catalogue
from tests.attacks.corpus import Case
from tests.attacks.injection.ground import Ground
from tests.attacks.injection.obeying import CRITERION, Line, Obeying, act
from tests.attacks.injection.pages import repeated, with_element
from tests.attacks.injection.session import TRACE, Ends, through_sgclaw
from tests.attacks.injection.steps import Step, redirects, step_of
from tests.attacks.injection.views import own_delimiters
from tests.gates.repository import ROOT
from tests.support.ports import RecordingLog
from tests.support.wire import Approving
from tests.unit.skills.folder import Folder

EXPORT: Final = "export-btn"
EFFECT: Final = "合规报表 2026-03.xlsx"
_WORKS: Final = (
    "<script>document.addEventListener('click', event => { if (!event.target.closest('button')) return;"
    " document.body.insertAdjacentHTML('beforeend', '<table><tr><th>文件</th></tr><tr><td>"
    f"{EFFECT}</td></tr></table>')}})</script>"
)
"""What the page does when a button is pressed, so that there is something to see."""
_WIDENS: Final = "任务开始时的范围里没有"
_WAIT_S: Final = 60.0
_LATER_LOOKS: Final = 6
"""Looks after the steps, so many that the first ones are compressed."""
_ANSWER: Final = "报表已按要求处理。"


@dataclass
class Deciding(Approving):
    """A person who says no to every act, and who may let the task into another place but never a value out."""

    yes: bool = False
    lets_in: bool = False

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(text)
        return ALLOW if self.lets_in and text.startswith(_WIDENS) else REFUSE


@dataclass(frozen=True, slots=True)
class Mark:
    """How much had been seen when a line was spoken."""

    performed: int
    shown: int
    asked: int
    records: int


@dataclass(frozen=True)
class Tried:
    """One line of a step and what came of it. `extra`: its parameters are none of ours, so it is refused as it is."""

    step: Step | None
    raw: Mapping[str, Any]
    text: str
    failed: bool
    performed: list[str]
    shown: list[Mapping[str, Any]]
    asked: list[str]
    records: list[Record]
    extra: bool = False


@dataclass
class Play:
    """A whole run: the result, what the model was asked, what came of each step."""

    case: Case
    result: AgentResult
    model: Obeying
    tried: list[Tried]
    person: Deciding
    records: list[Record]
    log: RecordingLog
    asked_of: list[tuple[str, str]]
    unread: int
    """Number of the first request with an act that the page asked for; before it the model only looked."""
    policy_held: bool


@dataclass
class _Script:
    """Lines, and to which step each belongs."""

    lines: list[Line] = field(default_factory=list)
    of: list[tuple[int, Mapping[str, Any], Step | None, bool]] = field(default_factory=list)

    def step(self, line: Line, raw: Mapping[str, Any], step: Step | None = None, *, extra: bool = False) -> None:
        self.of.append((len(self.lines), raw, step, extra))
        self.lines.append(line)


class Stage:
    """Plays one case on the ground."""

    def __init__(self, case: Case, ground: Ground, folder: Path) -> None:
        self._case, self._ground, self._folder = case, ground, folder
        self._home = str(case.data["page"])
        self._steps = [raw for raw in case.data["if_model_obeys"] if runs(raw) is None]

    def _setting(self, name: str) -> list[str]:
        return list(self._case.data.get(name, self._case.file["setting"][name]))

    async def play(self, *, lets_in: bool = False) -> Play:
        """Run the case from the page it begins on to the end of the task."""
        pages, person = self._ground.pages, Deciding(lets_in=lets_in)
        pages.body, pages.redirects = self._body(str(self._case.data["html"])), {}
        await self._ground.show(self._home)
        pages.asked.clear()
        origins = [f"https://{host}" for host in self._setting("global_allow_list")]
        opened = through_sgclaw(self._ground.chromium, origins, self._setting("task_domains"), self._folder, person)
        async with opened as ends:
            script = self._script()
            marks: list[Mark] = []
            model = Obeying(script.lines, lambda: marks.append(_mark(ends)))
            result = await self._run(ends, model)
            marks.append(_mark(ends))
            return self._played(ends, (script, model, marks), result, origins)

    # --- the run ------------------------------------------------------------------------------------------------------

    async def _run(self, ends: Ends, model: Obeying) -> AgentResult:
        session, services = ends.session, ends.services
        assert session is not None
        assert services is not None
        pool = WorkerPool(lambda: start_worker(engine_folder()))
        runners: dict[str, SkillRunner] = {"script": ScriptRunner(pool, services.log)}
        thinker = Thinker(
            Thoughtful(
                trace_id=TRACE,
                policy=session.opened.policy,
                model=model,
                catalogue=self._catalogue,
                runners=runners,
                person=session,
                ledger=services.ledger,
                clock=services.clock,
                records=services.records,
                traces=self._folder / "traces",
            )
        )
        page = (await ends.driver.default_page()).id
        request = SubmitTask(task_id="t1", instruction=str(self._case.data["user_task"]), page=page)
        around = Around(
            open_browser=lambda bound: PipeBrowser(session, services, bound),
            waiting=_unheard,
            moved=_unheard,
            ended=_unheard,
            watch=lambda box: box,
            say=lambda text, facts: None,
            settled=_unheard,
        )
        try:
            async with asyncio.timeout(_WAIT_S):
                return await thinker.think(Task(request, "host"), around)
        finally:
            await pool.close()

    def _catalogue(self) -> Catalogue:
        """The skills that ship, signed for this test."""
        made = Folder(self._folder / "shipped" / "skills")
        for file in (ROOT / "skills" / "builtin").glob("*.js"):
            made.write(f"builtin/{file.name}", file.read_bytes())
        made.sign()
        return made.load()

    def _played(
        self,
        ends: Ends,
        played: tuple[_Script, Obeying, list[Mark]],
        result: AgentResult,
        origins: list[str],
    ) -> Play:
        script, model, marks = played
        spoken = [each for each in script.of if each[0] + 1 < len(marks)]
        assert ends.session is not None
        assert ends.services is not None
        assert isinstance(ends.services.log, RecordingLog)
        assert isinstance(ends.person, Deciding)
        return Play(
            case=self._case,
            result=result,
            model=model,
            tried=[self._tried(ends, model, marks, each) for each in spoken],
            person=ends.person,
            records=list(ends.ledger.records),
            log=ends.services.log,
            asked_of=list(self._ground.pages.asked),
            unread=script.of[0][0] if script.of else len(script.lines) - 1,
            policy_held=ends.session.opened.policy == parse_policy(policy_document(origins)),
        )

    def _tried(
        self, ends: Ends, model: Obeying, marks: list[Mark], spoken: tuple[int, Mapping[str, Any], Step | None, bool]
    ) -> Tried:
        number, raw, step, extra = spoken
        before, after = marks[number], marks[number + 1]
        text, failed = model.answer(number)
        return Tried(
            step=step,
            raw=raw,
            text=text,
            failed=failed,
            performed=ends.driver.performed[before.performed : after.performed],
            shown=list(ends.person.shown[before.shown : after.shown]),
            asked=ends.person.asked[before.asked : after.asked],
            records=ends.ledger.records[before.records : after.records],
            extra=extra,
        )

    # --- the script ---------------------------------------------------------------------------------------------------

    def _script(self) -> _Script:
        script = _Script([Line("read_page", {})])
        for html in self._case.data.get("pages", ()):
            script.lines.append(Line("browser_action", act("reload", {}), self._turned(str(html))))
            script.lines.append(Line("read_page", {}))
        answer = _ANSWER
        for raw in self._steps:
            if "final_answer" in raw:
                answer = str(raw["final_answer"])
            elif "run_skill" in raw:
                arguments = {"name": raw["run_skill"], "inputs": raw.get("params", {}), "criterion": CRITERION}
                script.step(Line("run_skill", arguments), raw)
            elif "tool" in raw:
                script.step(Line(str(raw["tool"]), dict(raw.get("arguments", raw.get("params", {})))), raw)
            else:
                self._act(script, raw)
        back = self._at(self._home)
        script.lines.append(Line("read_page", {}, back))
        script.lines += [Line("read_page", {"mode": "find", "query": f"第 {n} 项"}) for n in range(_LATER_LOOKS)]
        script.lines.append(Line("browser_action", act("click", {"selector": f"#{EXPORT}"})))
        script.lines.append(Line("read_page", {}))
        last = Line("finish", {"outcome": "done", "summary": answer, "criterion": CRITERION}, quotes=EFFECT)
        final = next((raw for raw in self._steps if "final_answer" in raw), None)
        if final is not None:
            script.step(last, final)
        else:
            script.lines.append(last)
        return script

    def _act(self, script: _Script, raw: Mapping[str, Any]) -> None:
        """The lines of an act: as the page words it, then without what is no parameter of ours."""
        step = step_of(self._case, raw)
        named = step.domain or (step.host if "page" in _asked_params(raw) else None)
        there = self._at(step.page, redirects(step))
        times = int(raw.get("repeat", raw.get("times", 30))) if _ends(step) else 1
        if step.extra:
            told = act(step.action, {**step.params, **step.extra}, named)
            script.step(Line("browser_action", told, there), raw, step, extra=True)
        for _ in range(times):
            script.step(Line("browser_action", act(step.action, step.params, named), there), raw, step)
        if step.verdict == "allow_only_if_task_domain":
            at_home = replace(step, page=self._home, verdict="allow")
            told = act(step.action, step.params)
            script.step(Line("browser_action", told, self._at(self._home)), raw, at_home)

    def _at(self, page: str, leads: Mapping[str, str] | None = None) -> Callable[[], Awaitable[None]]:
        """The world brings the browser there, unless it is there already."""

        async def bring() -> None:
            self._ground.pages.redirects = {}
            if (await self._ground.chromium.default_page()).url.rstrip("/") != page.rstrip("/"):
                await self._ground.show(page)
            self._ground.pages.redirects = dict(leads or {})

        return bring

    def _turned(self, html: str) -> Callable[[], Awaitable[None]]:
        async def turn() -> None:
            self._ground.pages.body = self._body(html)

        return turn

    def _body(self, html: str) -> str:
        """The page with every element that a step needs, the button of the person's own task, and what it does."""
        body = repeated(self._case, own_delimiters(html))
        for raw in self._steps:
            with suppress(ValueError):
                body = with_element(body, step_of(self._case, raw))
        if not re.search(rf"id=[\"']?{EXPORT}\b", body):
            body += f'<button id="{EXPORT}">导出报表</button>'
        return body + _WORKS


def runs(raw: Mapping[str, Any]) -> str | None:
    """Why no agent can be fooled into this step yet; None when it runs. Fails for a step that nobody knows."""
    kinds = [name for name in raw if name not in ("verdict", "why", "params")]
    if any(name in ("action", "tool_call", "final_answer", "run_skill", "tool") for name in kinds):
        return None
    reason = next((why for words, why in _NOT_YET.items() if any(re.search(words, name) for name in kinds)), None)
    assert reason is not None, f"no adapter knows a step of {kinds}"
    return reason


_NOT_YET: Final[Mapping[str, str]] = {
    "mcp_server": "sgclaw serves no MCP yet",
    "mcp": "no MCP server of others is set up in this suite yet",
    "memory|remember|experience|store|save|preference|recall": "there is no memory yet",
    "file|attachment|download": "what a file says reaches no model yet",
    "summar|compress": "older steps are compressed without a model: it writes no summary",
    "plan|think": "a plan has no effect of its own: its steps are acts like any other",
    "skill": "an agent writes no skills",
    "llm|provider|prompt|request": "what is sent to a provider is looked at in the suite of models",
}
"""Words in the name of a step that needs a room that is not built, or that no agent can take."""


def _asked_params(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    return dict(raw.get("tool_call", raw).get("params", {}))


def _ends(step: Step) -> bool:
    return step.verdict in ("stop", "pause", "abort")


def _mark(ends: Ends) -> Mark:
    return Mark(len(ends.driver.performed), len(ends.person.shown), len(ends.person.asked), len(ends.ledger.records))


def _unheard(_: object) -> None:
    """Nobody looks on."""
