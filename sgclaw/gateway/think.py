"""Hands a task that no skill fits to the agent, in this task's browser, clocks and states.

Imported when the first such task comes: nobody else pays for the agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sgclaw.agent.ending import AgentResult
from sgclaw.agent.limits import Limits
from sgclaw.agent.planning.run import PlannedRun
from sgclaw.agent.scope import TaskScope, fix_scope
from sgclaw.agent.task import AgentTask, Equipment, Foreign
from sgclaw.agent.trace import trace_path
from sgclaw.context.parts import L2Parts, TaskContext
from sgclaw.errors import PolicyDeniedError, SgClawError
from sgclaw.gateway.boards import FileBoards
from sgclaw.gateway.ends import BY_USER
from sgclaw.gateway.skill_book import CatalogueBook
from sgclaw.gateway.task import Task
from sgclaw.policy.decide import Scope
from sgclaw.policy.model import Policy
from sgclaw.ports import (
    Act,
    Binding,
    Browser,
    Clock,
    JsonObject,
    Ledger,
    Model,
    Person,
    Question,
    Record,
    Records,
    SkillRunner,
    Toolbox,
)
from sgclaw.protocol.parts import State
from sgclaw.skills.catalogue import Catalogue
from sgclaw.skills.trust import VerifiedSkill

_REFERENCES = 8
"""Skills whose names stand in the prompt; others are found with `search_skills`."""

Hook = Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class Thoughtful:
    """What thinking needs, as ports."""

    trace_id: str
    policy: Policy
    model: Model
    catalogue: Callable[[], Catalogue]
    runners: Mapping[str, SkillRunner]
    person: Person
    ledger: Ledger
    clock: Clock
    records: Records
    traces: Path
    """The folder of the traces and task boards of tasks."""
    toolbox: Callable[[], AbstractAsyncContextManager[Toolbox]] | None = None
    """Opens the tools of other servers for one task; None where none are configured."""
    unasked: frozenset[str] = frozenset()
    """The names of those that are called without asking a person."""


@dataclass(frozen=True, slots=True)
class Around:
    """What the executor gives for one task: browsers, who hears of waits for a person, of states, of the result; a
    toolbox that is watched; lines of the live view; and who hears of doubts that a person settled.
    """

    open_browser: Callable[[Binding], Browser]
    waiting: Hook
    moved: Callable[[State], None]
    ended: Callable[[AgentResult], None]
    watch: Callable[[Toolbox], Toolbox]
    say: Callable[[str, JsonObject], None]
    settled: Callable[[SgClawError], None]


class Thinker:
    """Runs agents, one a task."""

    def __init__(self, services: Thoughtful) -> None:
        self._services = services

    async def think(self, task: Task, around: Around) -> AgentResult:
        """Carry the task out. `around.ended` gets the result also when a cancel ends it, which is passed on.

        Raises `NEEDS_HUMAN` when nothing says in which system it is to be done, `POLICY_DENIED` without a policy.
        """
        services, instruction = self._services, task.request.instruction
        room = _Room(task, around, services.policy)
        page, url = await room.where()
        room.scope = scope = fix_scope(instruction, services.policy, url)
        catalogue = await asyncio.to_thread(services.catalogue)
        book = CatalogueBook(catalogue, services.runners, room.for_skill, partial(self._record, task))
        origins = tuple(sorted(map(str, scope.origins)))
        job = AgentTask(
            id=task.id,
            trace_id=services.trace_id,
            parts=L2Parts(TaskContext(instruction, origins=origins)),
            scope=scope,
            page=page,
            limits=_limits(task),
            references=tuple(await book.search(instruction, _REFERENCES)),
        )
        trace = await asyncio.to_thread(trace_path, services.traces, f"{services.trace_id}-{task.id}")
        async with self._foreign(around) as foreign:
            boards = FileBoards(services.traces)
            run = PlannedRun(job, self._equipment(room, book, trace, foreign), boards, around.say, around.settled)
            try:
                return await run.run()
            finally:
                if run.result is not None:
                    around.ended(run.result)
                if task.cancelled_by == BY_USER:  # a task that its person stopped is not gone on with
                    boards.forget(task.id)

    @asynccontextmanager
    async def _foreign(self, around: Around) -> AsyncIterator[Foreign | None]:
        """The tools of other servers. They are started here, and have ended when the task's work has."""
        if self._services.toolbox is None:
            yield None
            return
        async with self._services.toolbox() as opened:
            toolbox = around.watch(opened)
            yield Foreign(toolbox, tuple(await toolbox.tools()), self._services.unasked)

    def _record(self, task: Task, event: str, data: JsonObject) -> None:
        self._services.ledger.append(Record(event, self._services.trace_id, "sgclaw", task.id, data))

    def _equipment(self, room: _Room, book: CatalogueBook, trace: Path, foreign: Foreign | None) -> Equipment:
        services = self._services
        return Equipment(
            model=services.model,
            open_browser=room.for_agent,
            person=_Asked(services, room.around.waiting),
            clock=services.clock,
            ledger=services.ledger,
            policy=services.policy,
            skills=book,
            records=services.records,
            gate=room.task.gate,
            trace=trace,
            foreign=foreign,
            told=room.around.moved,
        )


def _limits(task: Task) -> Limits:
    """What was asked for; the deadline of the task itself cuts what a check before a call would let pass."""
    options, usual = task.request.options, Limits()
    return Limits(
        steps=options.max_steps or usual.steps,
        tokens=usual.tokens if options.budget_tokens is None else options.budget_tokens,
        seconds=task.deadline_s,
    )


class _Room:
    """The browsers of one task. The agent's is held to the scope, as it is when an act is judged."""

    def __init__(self, task: Task, around: Around, policy: Policy) -> None:
        self.task, self.around = task, around
        self.scope: TaskScope | None = None
        self._hosts = sorted(policy.hosts)
        self._decides: Hook = lambda _: None

    async def where(self) -> tuple[str | None, str | None]:
        """The task's page and its address, before anything on a page is read; None where it is not known."""
        wanted = self.task.request.page
        listed = (await self.around.open_browser(self._binding(None)).act(Act("listPages", {}))).data.get("pages")
        pages = [page for page in listed if isinstance(page, dict)] if isinstance(listed, list) else []
        named = [page for page in pages if page.get("id") == wanted] if wanted else pages[:1] * (len(pages) == 1)
        return wanted, str(named[0]["url"]) if named else None

    def for_agent(self, decides: Hook) -> Browser:
        """The agent's browser; `decides` hears when a person decides about an act."""
        self._decides = decides
        return self.around.open_browser(self._binding(None))

    def for_skill(self, skill: VerifiedSkill) -> Browser:
        """A browser bound to a skill that the agent runs."""
        return self.around.open_browser(self._binding(skill))

    def _binding(self, skill: VerifiedSkill | None) -> Binding:
        if not self._hosts:
            raise PolicyDeniedError("策略没有列出任何来源", facts={"rule": "origin.unlisted"})
        domains = [domain for domain in skill.manifest.domains if domain in self._hosts] if skill else self._hosts
        if not domains:
            raise PolicyDeniedError("策略没有列出技能需要的域名", facts={"rule": "skill.domain"})
        return Binding(
            task_id=self.task.id,
            domain=domains[0],
            gate=self.task.gate,
            on_person=self._person,
            page=self.task.request.page,
            skill=skill,
            scope=self._present,
        )

    def _person(self, begins: bool) -> None:
        self.around.waiting(begins)
        self._decides(begins)

    def _present(self) -> Scope | None:
        return None if self.scope is None else Scope(None, self.scope.hosts, self.scope.actions)


class _Asked:
    """`Person` whose waits stop the task's clock and stand in the ledger."""

    def __init__(self, services: Thoughtful, waiting: Hook) -> None:
        self._services, self._waiting = services, waiting

    async def ask(self, task_id: str, question: Question) -> str | None:
        """See `ports.Person.ask`."""
        self._record(task_id, "question_asked", {"text": question.text, "choices": list(question.choices)})
        self._waiting(True)
        try:
            text = await self._services.person.ask(task_id, question)
        finally:
            self._waiting(False)
        self._record(task_id, "question_answered", {"text": text} if text is not None else {"timeout": True})
        return text

    def _record(self, task_id: str, event: str, data: JsonObject) -> None:
        self._services.ledger.append(Record(event, self._services.trace_id, "sgclaw", task_id, data))
