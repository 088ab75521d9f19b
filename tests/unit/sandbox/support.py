"""A signed skill from a few lines of JavaScript, a browser that remembers, and a runner to bring them together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from sgclaw.errors import PolicyDeniedError, SandboxError, SgClawError
from sgclaw.ports import Act, Observed, SkillResult
from sgclaw.protocol.actions import spec_of
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import Worker, start_worker
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.ed25519 import SecretKey
from sgclaw.skills.signing import Release, sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck, VerifiedSkill

HEADER: Final = (
    "/**\n * @skill probe\n * @version 1.0.0\n * @description 测试脚本\n * @domains erp.example.com\n"
    ' * @author tests\n * @params { "type": "object" }\n */\n'
)
_KEY: Final = SecretKey(b"test key: sandbox".ljust(32, b"."))
_RELEASE: Final = Release(
    serial=1, updated_at=datetime(2026, 3, 1, tzinfo=UTC), expires=datetime(2027, 3, 1, tzinfo=UTC)
)

QUICK: Final = Budgets(wall_s=20.0, cpu_ms=600)
"""Budgets under which what never ends ends soon."""


def verified(source: str) -> VerifiedSkill:
    """The skill of a whole file, verified the way every skill is."""
    name = source.partition("@skill ")[2].partition("\n")[0]
    raw = source.encode("utf-8")
    entry = sign_skill(_KEY, f"custom/{name}.js", raw)
    check = TrustCheck([_KEY.public], datetime(2026, 3, 31, tzinfo=UTC))
    (candidate,) = check.open_registry(sign_registry(_KEY, [entry], _RELEASE))
    return check.verify_file(check.verify_entry(candidate), raw)


def skill(body: str) -> VerifiedSkill:
    """The skill whose `execute` has this body."""
    return verified(f"{HEADER}async function execute(params, browserAction) {{\n{body}\n}}\n")


async def _at_once(_act: Act) -> None:
    return


@dataclass
class MemoryBrowser:
    """A `Browser` that checks parameters and the address, and answers from `values`."""

    values: Mapping[str, object] = field(default_factory=dict)
    allowed: str = "https://erp.example.com/"
    before: Callable[[Act], Awaitable[None]] = _at_once
    """Runs inside every act: waits, or raises what the act is to fail with."""
    acts: list[Act] = field(default_factory=list)
    seen: list[Observed] = field(default_factory=list)

    async def act(self, act: Act) -> Observed:
        params = spec_of(act.action).check(act.params)
        url = getattr(params, "url", self.allowed)
        if not url.startswith(self.allowed):
            raise PolicyDeniedError("策略不允许打开这个网址", facts={"rule": "origin"})
        await self.before(act)
        self.acts.append(act)
        value = self.values.get(act.action, f"<{act.action}>")
        observed = Observed(len(self.acts), act.action, {"value": value}, value, 1)
        self.seen.append(observed)
        return observed

    @property
    def trail(self) -> Sequence[Observed]:
        return self.seen

    @property
    def names(self) -> list[str]:
        """The actions that were carried out, in order."""
        return [act.action for act in self.acts]


@dataclass
class MemoryLog:
    """A `Log` in a list."""

    events: list[tuple[str, str, Mapping[str, object], str]] = field(default_factory=list)

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        self.events.append((module, event, dict(data or {}), level))

    def named(self, event: str) -> list[Mapping[str, object]]:
        """The data of every event of this name."""
        return [data for _, name, data, _ in self.events if name == event]


@dataclass
class Bench:
    """One pool with everything around it. `started` are the workers it started, oldest first."""

    pool: WorkerPool
    started: list[Worker]
    log: MemoryLog = field(default_factory=MemoryLog)
    browser: MemoryBrowser = field(default_factory=MemoryBrowser)

    async def run(
        self, what: str | VerifiedSkill, inputs: Mapping[str, object] | None = None, budgets: Budgets = QUICK
    ) -> SkillResult:
        """Run the body of an `execute`, or a whole skill."""
        chosen = skill(what) if isinstance(what, str) else what
        return await ScriptRunner(self.pool, self.log, budgets).run(chosen, inputs or {}, self.browser)

    async def ended(
        self, what: str | VerifiedSkill, inputs: Mapping[str, object] | None = None, budgets: Budgets = QUICK
    ) -> SkillResult | SgClawError:
        """How the run ended: with its result or with a typed error."""
        try:
            return await self.run(what, inputs, budgets)
        except SgClawError as error:
            return error

    async def reason(self, what: str | VerifiedSkill, budgets: Budgets = QUICK) -> object:
        """By which limit the sandbox ended the run, which must end that way."""
        try:
            result = await self.run(what, budgets=budgets)
        except SandboxError as error:
            return error.facts["reason"]
        raise AssertionError(f"the run ended with {result}")


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    """A pool that is closed afterwards, and whose workers are all dead then."""
    started: list[Worker] = []

    async def start() -> Worker:
        worker = await start_worker(engine_folder())
        started.append(worker)
        return worker

    made = Bench(WorkerPool(start), started)
    try:
        yield made
    finally:
        await made.pool.close()
    assert [worker.pid for worker in started if worker.alive] == []


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait, bounded, for something another process does."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 -- another process cannot set an event of ours
            await asyncio.sleep(0.005)


@asynccontextmanager
async def in_act(
    sandbox: Bench,
    body: str = "await browserAction('getText', '#a'); return { success: true };",
    budgets: Budgets = QUICK,
) -> AsyncIterator[tuple[asyncio.Task[SkillResult], asyncio.Event]]:
    """A run that has arrived in its first act, and the event that lets the act go on."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def before(_act: Act) -> None:
        arrived.set()
        await go_on.wait()

    sandbox.browser.before = before
    task = asyncio.create_task(sandbox.run(body, budgets=budgets))
    try:
        async with asyncio.timeout(5):
            await arrived.wait()
        yield task, go_on
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
