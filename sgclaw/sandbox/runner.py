"""Runs the body of a script skill in a worker of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from sgclaw.errors import BadInputsError, SandboxError, SgClawError, WireError
from sgclaw.ports import Browser, Log, SkillResult
from sgclaw.protocol.strict import encode
from sgclaw.sandbox.bridge import ScriptRun
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.ends import End, no_worker, sandbox_error
from sgclaw.sandbox.job import job_lines
from sgclaw.sandbox.limits import end_of_exit
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import Worker
from sgclaw.skills.trust import VerifiedSkill

DEFAULT_BUDGETS: Final = Budgets()


class ScriptRunner:
    """The `SkillRunner` for scripts: `async function execute(params, browserAction)`.

    How a run ends for the caller:

    - `execute` returns `{success, data?, error?}`: that, as a `SkillResult`;
    - it throws: a failed `SkillResult` with the thrown message;
    - it lets the refusal of an act through: that refusal, as the typed error it was (`POLICY_DENIED`, `NOT_FOUND`, …);
    - an act fails with an error that ends the task (host gone, ledger unavailable, task cancelled, budget of the task
      used up): that error at once, whatever the script would have done with it;
    - anything else (`ends.End`): `SandboxError` with `facts.reason`; inputs too large or not JSON: `BadInputsError`.

    Every run leaves exactly one `run_ended` in the log, with one word for how it ended.

    Every run has its own process, which is dead when `run` returns, raises or is cancelled. An act under way is awaited
    even when the worker dies meanwhile, so that its outcome is known; cancelling the run cancels the act too.
    """

    def __init__(self, pool: WorkerPool, log: Log, budgets: Budgets = DEFAULT_BUDGETS) -> None:
        self._pool = pool
        self._log = log
        self._budgets = budgets

    async def run(self, skill: VerifiedSkill, inputs: Mapping[str, object], browser: Browser) -> SkillResult:
        facts: dict[str, object] = {"skill": skill.manifest.name, "sha256": skill.sha256, "end": "failed", "calls": 0}
        try:
            result = await self._run(skill, inputs, browser, facts)
            facts["end"] = "returned"
            return result
        except SgClawError as error:
            facts["end"] = str(error.facts.get("reason", error.code))
            raise
        except asyncio.CancelledError:
            facts["end"] = "cancelled"
            raise
        finally:
            self._log.event("sandbox", "run_ended", facts)

    async def _run(
        self, skill: VerifiedSkill, inputs: Mapping[str, object], browser: Browser, facts: dict[str, object]
    ) -> SkillResult:
        """One run in a worker of its own; `facts` learn how many acts it asked for."""
        name = skill.manifest.name
        job = self._job(skill, inputs)
        try:
            worker = await self._pool.take()
        except OSError as error:
            raise no_worker(name, error) from None
        run = ScriptRun(worker, name, browser, self._log, self._budgets)
        try:
            result = await run.to_end(job)
            if result is None:
                raise await self._silent(worker, run, name)
            return result
        finally:
            facts["calls"] = run.calls
            await worker.destroy()

    async def _silent(self, worker: Worker, run: ScriptRun, name: str) -> SandboxError:
        """Why a worker's output ended without a last line. Its standard error is for us, not for the user."""
        await worker.destroy()
        end = End.WALL_CLOCK if run.timed_out else end_of_exit(worker.returncode)
        if end is End.WORKER_DIED:
            facts = {"skill": name, "status": worker.returncode, "stderr": worker.said}
            self._log.event("sandbox", "worker_died", facts, level="ERROR")
        return sandbox_error(end, name)

    def _job(self, skill: VerifiedSkill, inputs: Mapping[str, object]) -> bytes:
        """Both lines a worker is started on."""
        budgets, name = self._budgets, skill.manifest.name
        if len(skill.body.encode("utf-8")) > budgets.source_bytes:
            raise sandbox_error(End.SOURCE, name)
        try:
            if len(encode(inputs)) > budgets.inputs_bytes:
                raise BadInputsError("技能的输入太大", facts={"skill": name, "limit_bytes": budgets.inputs_bytes})
        except WireError as error:
            raise BadInputsError(f"技能的输入无法传递：{error.cause}", facts={"skill": name}) from None
        return job_lines(skill.body, inputs, budgets)
