"""The whole gateway over a real catalogue, with a browser, a panel, a person and a skill body of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sgclaw.gateway.choose import Chooser
from sgclaw.gateway.doors import Doors
from sgclaw.gateway.execute import Executor, Services
from sgclaw.gateway.task import Task
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.ports import Act, Binding, Browser, Observed, Question, SkillResult
from sgclaw.protocol.messages import Message, SubmitTask, TaskCompleted
from sgclaw.skills.catalogue import Catalogue
from sgclaw.skills.trust import VerifiedSkill
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, eventually

SEEN = Observed(seq=1, action="getText", data={}, value="已显示", duration_ms=1)
"""What every browser here has seen: enough evidence for a success."""

Body = Callable[[Browser], Awaitable[SkillResult]]


@dataclass
class SlowBrowser:
    """Acts whose answers never come. `held`: the host keeps the act back until `decided`, then it hangs."""

    binding: Binding
    held: bool = False
    decided: asyncio.Event = field(default_factory=asyncio.Event)
    sent: list[Act] = field(default_factory=list)
    fails: BaseException | None = None

    @property
    def trail(self) -> Sequence[Observed]:
        return (SEEN,)

    async def act(self, act: Act) -> Observed:
        if self.held:
            self.binding.on_person(True)
            try:
                await self.decided.wait()
            finally:
                self.binding.on_person(False)
        self.sent.append(act)
        if self.fails is not None:
            raise self.fails
        await asyncio.Event().wait()
        raise AssertionError("an act that hangs came to an end")


@dataclass
class Telling:
    """Keeps every message of the panel."""

    told: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        self.told.append(message)

    def tell(self, message: Message) -> None:
        self.told.append(message)

    @property
    def ended(self) -> list[TaskCompleted]:
        return [message for message in self.told if isinstance(message, TaskCompleted)]


@dataclass
class Answering:
    """Answers questions in turn; when there is none left, nobody is there."""

    answers: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    async def ask(self, task_id: str, question: Question) -> str | None:
        del task_id
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None


@dataclass
class BodyRunner:
    """`SkillRunner` whose skill body is a coroutine function of the test."""

    body: Body
    inputs: Mapping[str, object] = field(default_factory=dict)

    async def run(self, skill: VerifiedSkill, inputs: Mapping[str, object], browser: Browser) -> SkillResult:
        del skill
        self.inputs = inputs
        return await self.body(browser)


@dataclass
class Room:
    """A gateway that serves."""

    doors: Doors
    panel: Telling
    runner: BodyRunner
    serving: asyncio.Task[None]
    person: Answering
    browsers: list[SlowBrowser] = field(default_factory=list)
    ledger: RecordingLedger = field(default_factory=RecordingLedger)
    held: bool = False
    fails: BaseException | None = None

    def open_browser(self, binding: Binding) -> Browser:
        browser = SlowBrowser(binding, self.held, fails=self.fails)
        self.browsers.append(browser)
        return browser

    def submit(self, request: SubmitTask) -> Task:
        """A new task."""
        return self.doors.submit(request, "test")

    async def tell(self, message: Message) -> None:
        """What the session does with a message of the host."""
        await self.doors.handlers()[type(message)](message)

    async def ended(self) -> TaskCompleted:
        """The report of the only task."""
        await eventually(lambda: self.panel.ended)
        (report,) = self.panel.ended
        return report


async def returns(_browser: Browser) -> SkillResult:
    return SkillResult(True, {"message": "已完成"})


@contextlib.asynccontextmanager
async def gateway(catalogue: Catalogue, body: Body = returns, answers: Sequence[str] = ()) -> AsyncIterator[Room]:
    """A gateway over this catalogue."""
    panel, ledger, log, person = Telling(), RecordingLedger(), RecordingLog(), Answering(list(answers))
    rooms: list[Room] = []

    def opened(binding: Binding) -> Browser:
        return rooms[0].open_browser(binding)

    runner = BodyRunner(body)
    services = Services(
        trace_id="sgclaw-20260402-0000abcd",
        policy=parse_policy(policy_document(["https://erp.example.com"])),
        chooser=Chooser("sgclaw-20260402-0000abcd", lambda: catalogue, person, ledger, LoopClock()),
        open_browser=opened,
        runners={"script": runner},
        panel=panel,
        ledger=ledger,
        log=log,
    )
    doors = Doors(Executor(services), panel)
    room = Room(doors, panel, runner, asyncio.create_task(doors.run()), person, ledger=ledger)
    rooms.append(room)
    try:
        yield room
    finally:
        room.serving.cancel()
        await asyncio.wait({room.serving}, timeout=5)


def order(instruction: str = "做事", skill: str | None = "works", **more: object) -> SubmitTask:
    return SubmitTask.model_validate({"task_id": "t1", "instruction": instruction, "skill": skill, **more})
