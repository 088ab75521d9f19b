"""The end of a task: one ledger record and exactly one `task_completed`, whatever happened before.

This is the commit phase: a cancel that arrives now changes nothing, so finished work is never reported as stopped. A
ledger that cannot be written is logged; it has stopped every act already and must not silence the report.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sgclaw.errors import SgClawError
from sgclaw.gateway import evidence
from sgclaw.gateway.choose import Chosen
from sgclaw.gateway.ends import BY_SESSION, end_of
from sgclaw.gateway.report import (
    ENDS,
    MAX_DATA_BYTES,
    MAX_INPUTS_BYTES,
    fitted,
    fitted_map,
    followed_by,
    is_omitted,
    plain,
    problem_of,
)
from sgclaw.gateway.task import Task
from sgclaw.gateway.watched import Doubt, WatchedBrowser, WatchedToolbox
from sgclaw.ports import Ledger, Log, Observed, Panel, Record, SkillResult
from sgclaw.protocol.messages import TaskCompleted, TaskState
from sgclaw.protocol.outcomes import outcome_of
from sgclaw.protocol.parts import Usage

if TYPE_CHECKING:
    from sgclaw.agent.ending import AgentResult

COMMIT_SECONDS = 5.0
"""How long a report may still take once the task's work was cancelled: a host that does not read must not hold us."""


@dataclass
class Run:
    """What is known about a task as it goes on; the report is made from it."""

    started: float = field(default_factory=time.monotonic)
    chosen: Chosen | None = None
    browsers: list[WatchedBrowser] = field(default_factory=list)
    """One for a skill; an agent has one of its own and one for each skill it runs."""
    toolbox: WatchedToolbox | None = None
    result: SkillResult | None = None
    agent: AgentResult | None = None

    @property
    def doubts(self) -> Sequence[Doubt]:
        """The changing acts nobody knows the effect of."""
        foreign = self.toolbox.doubts if self.toolbox else ()
        return [*(doubt for browser in self.browsers for doubt in browser.doubts), *foreign]

    @property
    def trail(self) -> Sequence[Observed]:
        """Every act that succeeded, in order."""
        return sorted((each for browser in self.browsers for each in browser.trail), key=lambda each: each.seq)

    def settle(self, error: SgClawError) -> None:
        """A person has seen that what this error left in doubt came about."""
        for each in (*self.browsers, *([self.toolbox] if self.toolbox else ())):
            each.settle(error)

    def on_person(self, begins: bool) -> None:
        """A wait for a person's word on an act begins or ends."""
        for browser in self.browsers:
            browser.on_person(begins)


class Finisher:
    """Ends tasks."""

    def __init__(self, trace_id: str, panel: Panel, ledger: Ledger, log: Log) -> None:
        self._trace_id, self._panel, self._ledger, self._log = trace_id, panel, ledger, log

    async def finish(self, task: Task, run: Run, error: SgClawError | None) -> None:
        """Record and report the end. Never raises; a cancel meanwhile is not heard."""
        work = asyncio.ensure_future(self._finish(task, run, error))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait({work}, timeout=COMMIT_SECONDS)
            work.cancel()

    async def _finish(self, task: Task, run: Run, error: SgClawError | None) -> None:
        completed = completion(task, run, end_of(error, run.doubts))
        self._record_end(task, completed)
        task.move(ENDS[completed.outcome])
        try:
            await self._panel.send(TaskState(task_id=task.id, state=task.state))
            await self._panel.send(completed)
        except SgClawError as problem:
            self._log_error("report_failed", task, problem)

    def _record_end(self, task: Task, completed: TaskCompleted) -> None:
        facts = {
            "outcome": completed.outcome,
            "duration_ms": completed.duration_ms,
            "llm_calls": completed.usage.llm_calls,
            "tokens": completed.usage.tokens,
            "error": completed.error.code if completed.error else None,
        }
        self._log.event("gateway::task", "task_finished", {"task_id": task.id, **facts})
        try:
            if completed.outcome == "aborted":
                self._record(task, "cancelled", {"by": task.cancelled_by or BY_SESSION})
            self._record(task, "task_finished", facts)
        except SgClawError as problem:
            self._log_error("end_not_recorded", task, problem)

    def _record(self, task: Task, event: str, data: Mapping[str, object]) -> None:
        self._ledger.append(Record(event, self._trace_id, "sgclaw", task.id, data))

    def _log_error(self, event: str, task: Task, problem: SgClawError) -> None:
        self._log.event("gateway::finish", event, {"task_id": task.id, "code": problem.code}, level="ERROR")


def completion(task: Task, run: Run, error: SgClawError | None) -> TaskCompleted:
    """The report of an end; always fits a line."""
    trail = run.trail
    data = fitted(_data(run, error), MAX_DATA_BYTES)
    return TaskCompleted(
        task_id=task.id,
        outcome=outcome_of(error),
        summary=plain(_summary(run, error) + ("（结果数据过大，没有随结果送出）" if is_omitted(data) else "")),
        data=data,
        error=problem_of(error) if error else None,
        artifacts=evidence.artifacts(trail),
        evidence=run.agent.evidence if run.agent else evidence.collect(trail),
        usage=_usage(run),
        steps=task.steps,
        duration_ms=round((time.monotonic() - run.started) * 1000),
        skill=run.chosen.skill.manifest.ref if run.chosen else None,
        inputs=fitted_map(run.chosen.inputs, MAX_INPUTS_BYTES) if run.chosen else {},
    )


def _data(run: Run, error: SgClawError | None) -> object:
    if run.agent is not None:
        return run.agent.data if error is None else None
    return run.result.data if run.result and run.result.success else None


def _usage(run: Run) -> Usage:
    if run.agent is None:
        return Usage()
    spent = run.agent.usage
    micros = round(spent.cost * 1_000_000) if spent.cost is not None else 0
    return Usage(llm_calls=spent.llm_calls, tokens=spent.tokens, cost_micros=micros)


def _summary(run: Run, error: SgClawError | None) -> str:
    if run.agent is not None and error is run.agent.error:
        return run.agent.summary
    if error is not None:
        return followed_by(error.cause, error.next_step)
    data = run.result.data if run.result else None
    message = data.get("message") if isinstance(data, dict) else None
    if isinstance(message, str) and message.strip():
        return message.strip()
    return f"技能 {run.chosen.skill.manifest.ref} 执行完成" if run.chosen else "任务完成"
