"""What a run is given: the task, and the ports it works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from sgclaw.agent.limits import Limits
from sgclaw.agent.scope import TaskScope
from sgclaw.agent.tools.model import Tool
from sgclaw.context.parts import L2Parts, Reference, TaskContext
from sgclaw.policy.model import Policy
from sgclaw.ports import (
    Browser,
    Clock,
    ForeignTool,
    Gate,
    Ledger,
    Model,
    Person,
    Pictures,
    Recollection,
    Records,
    SkillBook,
    Toolbox,
)
from sgclaw.protocol.parts import State

PersonHook = Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class AgentTask:
    """One task. `parts.task.instruction` is the person's own words; `page` is where the task was given.

    `criterion` of `parts.task`, when a plan stated it, is the success criterion; else the model states one before it
    changes anything. `role` is the row of the matrix.
    """

    id: str
    trace_id: str
    parts: L2Parts
    scope: TaskScope
    page: str | None = None
    limits: Limits = field(default_factory=Limits)
    role: str = "executor"
    references: tuple[Reference, ...] = ()

    @property
    def context(self) -> TaskContext:
        """The task as its role reads it."""
        return self.parts.task


@dataclass(frozen=True, slots=True)
class Foreign:
    """Tools of other servers: those `offered` now, and the names of those that are called without asking a person."""

    toolbox: Toolbox
    offered: tuple[ForeignTool, ...] = ()
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Equipment:
    """The ports of a run. `open_browser` takes the hook that hears when a person decides about an act.

    `tools` are further tools, `foreign` those of other servers; `told` hears every change of state; `trace` None keeps
    no trace. `sleep` is here so that tests wait for nothing.
    """

    model: Model
    open_browser: Callable[[PersonHook], Browser]
    person: Person
    clock: Clock
    ledger: Ledger
    policy: Policy
    skills: SkillBook | None = None
    memory: Recollection | None = None
    pictures: Pictures | None = None
    records: Records | None = None
    gate: Gate | None = None
    trace: Path | None = None
    tools: tuple[Tool, ...] = ()
    foreign: Foreign | None = None
    told: Callable[[State], None] = lambda _: None
    sleep: Callable[[float], Awaitable[object]] = field(default=asyncio.sleep)
