"""Carry one task from its instruction to its report.

Route (asking the person where needed) → check inputs → run the skill → judge the evidence → report. Every end,
whatever its cause, is one `task_completed` and one ledger record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgclaw.agent.states import ENDED
from sgclaw.errors import (
    BudgetExceededError,
    HostGoneError,
    NoModelError,
    PolicyDeniedError,
    SgClawError,
    SkillFailedError,
    SkillNotFoundError,
    UnverifiedError,
)
from sgclaw.gateway import evidence
from sgclaw.gateway.choose import Chooser
from sgclaw.gateway.ends import stopped
from sgclaw.gateway.finish import Finisher, Run
from sgclaw.gateway.report import plain
from sgclaw.gateway.task import StoppableDeadline, Task
from sgclaw.gateway.watched import WatchedBrowser, WatchedToolbox
from sgclaw.policy.model import Policy
from sgclaw.ports import (
    Binding,
    Browser,
    JsonObject,
    Ledger,
    Log,
    Panel,
    Record,
    SkillResult,
    SkillRunner,
    Toolbox,
)
from sgclaw.protocol.messages import LogEntry, TaskState
from sgclaw.protocol.parts import State
from sgclaw.skills.trust import VerifiedSkill

if TYPE_CHECKING:
    from sgclaw.agent.ending import AgentResult
    from sgclaw.gateway.think import Thinker


@dataclass(frozen=True, slots=True)
class Services:
    """What a task needs, as ports."""

    trace_id: str
    policy: Policy
    chooser: Chooser
    open_browser: Callable[[Binding], Browser]
    runners: Mapping[str, SkillRunner]
    panel: Panel
    ledger: Ledger
    log: Log
    thinker: Callable[[], Thinker] | None = None
    """Makes what thinks where no skill fits, in a thread; None where no model is configured."""


class Executor:
    """Executes tasks, one call each; all it needs comes as ports."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._finisher = Finisher(services.trace_id, services.panel, services.ledger, services.log)
        self._runs: dict[str, Run] = {}

    def submitted(self, task: Task) -> None:
        """Record a task before it is queued; raises when the ledger cannot be written."""
        self._record(task, "task_submitted", {"instruction": task.request.instruction, "source": task.source})

    async def execute(self, task: Task) -> None:
        """Run the task and report its end. A bug of ours comes out; `crashed` then knows what the run had done."""
        run = self._runs[task.id] = Run()
        try:
            error = await self._outcome(task, run)
        except (asyncio.CancelledError, HostGoneError):  # an act may hear that the session is over before the task does
            error = stopped(task)
        except SgClawError as problem:
            error = problem
        await self._finisher.finish(task, run, error)
        del self._runs[task.id]

    async def give_up(self, task: Task, error: SgClawError) -> None:
        """Report the end of a task that never ran."""
        await self._finisher.finish(task, Run(), error)

    async def crashed(self, task: Task, bug: BaseException) -> None:
        """Report a bug of ours: the log gets the kind of exception, the person a typed error."""
        kind = type(bug).__name__
        facts: JsonObject = {"task_id": task.id, "error": kind}
        self._services.log.event("gateway::execute", "crashed", facts, level="ERROR")
        run = self._runs.pop(task.id, None) or Run()
        await self._finisher.finish(task, run, SgClawError("程序内部错误，任务已停止", facts={"error": kind}))

    async def _outcome(self, task: Task, run: Run) -> SgClawError | None:
        if task.cancelled_by is not None:
            raise asyncio.CancelledError
        task.deadline = deadline = StoppableDeadline(task.deadline_s)
        try:
            async with deadline.timeout:
                return await self._carry_out(task, run, deadline)
        except TimeoutError:
            facts = {"deadline_s": task.deadline_s}
            return BudgetExceededError(f"任务超过 {task.deadline_s} 秒，已停止", facts=facts)

    async def _carry_out(self, task: Task, run: Run, deadline: StoppableDeadline) -> SgClawError | None:
        await self._move(task, State.PLANNING)
        try:
            run.chosen = await self._services.chooser.choose(task, self._person_hook(task, run, deadline))
        except NoModelError:
            if self._services.thinker is None:
                raise
            return await self._think(task, run, deadline)
        skill, inputs = run.chosen.skill, run.chosen.inputs
        self._record(
            task, "routed", {"skill": skill.manifest.ref, "inputs": inputs, "understood": run.chosen.understood}
        )
        binding = Binding(
            task_id=task.id,
            domain=self._domain(skill),
            gate=task.gate,
            on_person=self._person_hook(task, run, deadline),
            page=task.request.page,
            skill=skill,
        )
        browser = self._watched(binding, task, run)
        await self._move(task, State.EXECUTING, skill.manifest.description)
        run.result = await self._run_skill(task, skill, inputs, browser)
        await self._move(task, State.EVALUATING)
        if not run.result.success:
            return SkillFailedError(run.result.error or "技能报告失败，没有说明原因")
        doubt = evidence.objection(run.result, run.trail)
        return UnverifiedError(doubt) if doubt else None

    def _watched(self, binding: Binding, task: Task, run: Run) -> WatchedBrowser:
        browser = WatchedBrowser(self._services.open_browser(binding), task, self._services.panel, self._services.log)
        run.browsers.append(browser)
        return browser

    async def _think(self, task: Task, run: Run, deadline: StoppableDeadline) -> SgClawError | None:
        """Hand the task to the agent. What its browsers did stands together in one trail."""
        from sgclaw.gateway.think import Around  # noqa: PLC0415 - only a task that needs an agent pays for it

        if self._services.thinker is None:
            raise NoModelError("没有配置大模型")
        thinker = await asyncio.to_thread(self._services.thinker)
        self._record(task, "agent_started", {"instruction": task.request.instruction})

        def ended(result: AgentResult) -> None:
            run.agent = result

        def open_browser(binding: Binding) -> Browser:
            return self._watched(binding, task, run)

        def waiting(begins: bool) -> None:
            deadline.waiting(begins)
            run.on_person(begins)

        def watch(toolbox: Toolbox) -> Toolbox:
            run.toolbox = WatchedToolbox(toolbox, task, self._services.panel, self._services.log)
            return run.toolbox

        def say(text: str, data: JsonObject) -> None:
            self._services.panel.tell(LogEntry(task_id=task.id, text=plain(text), data=data))

        around = Around(open_browser, waiting, lambda state: self._moved(task, state), ended, watch, say, run.settle)
        result = await thinker.think(task, around)
        return result.error

    def _moved(self, task: Task, state: State) -> None:
        """The agent's states are the task's, but for its end, which the report makes."""
        if state is not task.state and state not in ENDED:
            task.move(state)
            self._services.panel.tell(TaskState(task_id=task.id, state=state))

    async def _run_skill(self, task: Task, skill: VerifiedSkill, inputs: JsonObject, browser: Browser) -> SkillResult:
        runner = self._services.runners.get(skill.manifest.kind)
        if runner is None:
            raise SkillNotFoundError(f"这个版本还不能执行 {skill.manifest.kind} 类型的技能")
        facts = {"ref": skill.manifest.ref, "sha256": skill.sha256, "key_id": skill.key_id}
        self._record(task, "skill_started", facts)
        try:
            result = await runner.run(skill, inputs, browser)
        except SgClawError as error:
            self._record(task, "skill_finished", {"success": False, "error": error.code})
            raise
        self._record(task, "skill_finished", {"success": result.success, "error": result.error})
        return result

    def _domain(self, skill: VerifiedSkill) -> str:
        """The task's bound host: the first of the skill's domains that the policy lists."""
        hosts = self._services.policy.hosts
        for domain in skill.manifest.domains:
            if domain in hosts:
                return domain
        raise PolicyDeniedError(
            f"策略没有列出技能 {skill.manifest.name} 需要的域名：{'、'.join(skill.manifest.domains)}",
            facts={"rule": "skill.domain", "domains": list(skill.manifest.domains)},
        )

    # --- reporting --------------------------------------------------------------------------------------------------

    async def _move(self, task: Task, state: State, detail: str = "") -> None:
        task.move(state)
        await self._services.panel.send(TaskState(task_id=task.id, state=state, detail=detail))

    def _person_hook(self, task: Task, run: Run, deadline: StoppableDeadline) -> Callable[[bool], None]:
        """Told when a wait for the person begins and ends: clocks stop, the state is `confirming` meanwhile."""
        tell = self._services.panel.tell

        def hook(begins: bool) -> None:
            deadline.waiting(begins)
            run.on_person(begins)
            if begins:
                task.before_wait = task.state
            task.move(State.CONFIRMING if begins else task.before_wait)
            tell(TaskState(task_id=task.id, state=task.state))

        return hook

    def _record(self, task: Task, event: str, data: Mapping[str, object]) -> None:
        self._services.ledger.append(Record(event, self._services.trace_id, "sgclaw", task.id, data))
