"""What tests of the agent share: runs over pages in memory with a model that recites."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sgclaw.agent.ending import AgentResult
from sgclaw.agent.limits import Limits
from sgclaw.agent.loop import Agent
from sgclaw.agent.scope import fix_scope
from sgclaw.agent.task import AgentTask, Equipment, Foreign
from sgclaw.agent.tools.model import Tool
from sgclaw.agent.trace import Resumed
from sgclaw.context.chat import ChatMessage
from sgclaw.context.parts import L2Parts, TaskContext
from sgclaw.llm.careful import Care, CarefulModel, Patience, Traits
from sgclaw.llm.scenario import Scenario
from sgclaw.llm.scripted import Scripted
from sgclaw.llm.wire import Request
from sgclaw.policy.model import Policy, parse_policy, policy_document
from sgclaw.ports import Gate, Model, Pictures, Question, Recollection, SkillBook
from sgclaw.protocol.parts import State
from tests.support.ports import LoopClock, RecordingLedger, RecordingRecords
from tests.unit.agent.site import ERP, OA, Control, MemoryBrowser, Site

TRACE_ID = "sgclaw-20260402-0a1b2c3d"
POLICY: Policy = parse_policy(policy_document([ERP, OA]))
INSTRUCTION = "在 ERP 导出本月合规报表"


@dataclass
class Clock(LoopClock):
    """A clock that only `sleep` moves."""

    seconds: float = 100.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


@dataclass
class Answers:
    """`Person` who gives these answers in turn, and None when they are used up."""

    answers: list[str | None] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    takes: Clock | None = None
    """A clock that a person's answer takes 1,000 s of."""

    async def ask(self, task_id: str, question: Question) -> str | None:
        self.asked.append(question)
        if self.takes is not None:
            self.takes.seconds += 1_000
        return self.answers.pop(0) if self.answers else None


class Recited(Scripted):
    """The shipping scripted model, which also keeps what it was asked."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.requests: list[Request] = []

    def answer(self, request: Request, spent: Any) -> Any:
        self.requests.append(request)
        return super().answer(request, spent)


def call(name: str, /, **arguments: object) -> dict[str, object]:
    return {"name": name, "arguments": arguments}


def act(action: str, criterion: str | None = "看到结果", **params: object) -> dict[str, object]:
    stated = {"criterion": criterion} if criterion else {}
    return call("browser_action", action=action, params=params, **stated)


def step(*calls: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"calls": list(calls), "usage": {"input": 100, "output": 10}, **more}


def done(summary: str, *evidence: tuple[int, str], **more: object) -> dict[str, object]:
    claims = [{"seq": seq, "quote": quote} for seq, quote in evidence]
    return step(call("finish", outcome="done", summary=summary, criterion="看到结果", evidence=claims, **more))


def given_up(summary: str = "没有做成。") -> dict[str, object]:
    return step(call("finish", outcome="not_done", summary=summary))


def report_page(site: Site) -> list[Control]:
    return [
        Control("heading", "合规报表 2026-03 共 128 行"),
        Control("textbox", "期间", value=""),
        Control("button", "导出报表", file=b"rows"),
        Control("button", "下一页", click=lambda site: site.notes.update(page="2")),
    ]


@dataclass
class Room:
    """One run: what it is given, and what is left of it."""

    steps: Sequence[Mapping[str, object]]
    site: Site = field(default_factory=lambda: Site({f"{ERP}/report": report_page}, f"{ERP}/report"))
    instruction: str = INSTRUCTION
    traits: Traits = field(default_factory=lambda: Traits("reciter"))
    limits: Limits = field(default_factory=Limits)
    person: Answers = field(default_factory=Answers)
    clock: Clock = field(default_factory=Clock)
    ledger: RecordingLedger = field(default_factory=RecordingLedger)
    records: RecordingRecords = field(default_factory=RecordingRecords)
    skills: SkillBook | None = None
    memory: Recollection | None = None
    pictures: Pictures | None = None
    gate: Gate | None = None
    tools: tuple[Tool, ...] = ()
    foreign: Foreign | None = None
    trace: Path | None = None
    patience: Patience = field(default_factory=lambda: Patience(first_token=10, between_tokens=10, whole_call=20))
    model: Model | None = None
    page_url: str | None = f"{ERP}/report"
    approves: bool = True
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        scenario = Scenario.model_validate({"steps": [dict(each) for each in self.steps] or [{"says": "…"}]})
        self.recited = Recited(scenario)
        self.browser = MemoryBrowser(self.site, approves=self.approves)
        care = Care(LoopClock(), self.patience, self.clock.sleep)
        self.used = self.model or CarefulModel(self.traits, self.recited, care)

    def agent(self, was: Resumed | None = None) -> Agent:
        return Agent(*self.given(), was)

    def given(self) -> tuple[AgentTask, Equipment]:
        parts = L2Parts(TaskContext(self.instruction))
        scope = fix_scope(self.instruction, POLICY, self.page_url)
        task = AgentTask("t1", TRACE_ID, parts, scope, page="p", limits=self.limits)
        equipment = Equipment(
            model=self.used,
            open_browser=self.browser.opened,
            person=self.person,
            clock=self.clock,
            ledger=self.ledger,
            policy=POLICY,
            skills=self.skills,
            memory=self.memory,
            pictures=self.pictures,
            records=self.records,
            gate=self.gate,
            trace=self.trace,
            tools=self.tools,
            foreign=self.foreign,
            told=self.states.append,
            sleep=self.clock.sleep,
        )
        return task, equipment

    async def run(self, was: Resumed | None = None) -> AgentResult:
        async with asyncio.timeout(20):
            return await self.agent(was).run()

    def told(self, number: int = -1) -> str:
        """The results in the request of that number: what the model was told last."""
        message = next(each for each in reversed(self.recited.requests[number].messages) if each.results)
        return "\n".join(result.content for result in message.results)

    def messages(self, number: int = -1) -> Sequence[ChatMessage]:
        return self.recited.requests[number].messages


def quick(steps: Sequence[Mapping[str, object]], **more: Any) -> Room:
    return replace(Room(steps), **more) if more else Room(steps)
