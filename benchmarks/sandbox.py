"""Sandbox figures: a run in a warm worker, the bridge per call, a worker started cold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from benchmarks.agent import NoLog
from benchmarks.rows import Row, absolute
from benchmarks.series import Series
from sgclaw.ports import Act, Observed
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import Worker, start_worker
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.ed25519 import SecretKey
from sgclaw.skills.signing import Release, sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck, VerifiedSkill

RUNS: Final = 30
CALLS: Final = 400
SETTLE_S: Final = 0.15
"""Time for the pool to be full again: a warm run is one that finds it so."""

_KEY: Final = SecretKey(b"benchmark key".ljust(32, b"."))
_HEADER: Final = (
    "/**\n * @skill bench\n * @version 1.0.0\n * @description 基准\n * @domains erp.example.com\n */\n"
    "async function execute(params, browserAction) {\n"
)
_EMPTY: Final = "return { success: true, data: {} };"
_LOOP: Final = f"""
  for (let i = 0; i < {CALLS}; i++) await browserAction('getText', '#total-' + i);
  return {{ success: true }};
"""


class _InstantBrowser:
    """Answers at once: what is measured is the way there and back."""

    async def act(self, act: Act) -> Observed:
        return Observed(1, act.action, {"text": "1,234.50"}, "1,234.50", 0)

    @property
    def trail(self) -> Sequence[Observed]:
        return ()


def _skill(body: str) -> VerifiedSkill:
    raw = f"{_HEADER}{body}\n}}\n".encode()
    entry = sign_skill(_KEY, "custom/bench.js", raw)
    check = TrustCheck([_KEY.public], datetime(2026, 3, 1, tzinfo=UTC))
    release = Release(1, datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    (candidate,) = check.open_registry(sign_registry(_KEY, [entry], release))
    return check.verify_file(check.verify_entry(candidate), raw)


async def _milliseconds(runner: ScriptRunner, skill: VerifiedSkill, runs: int) -> Series:
    taken = Series()
    for _ in range(runs):
        await asyncio.sleep(SETTLE_S)
        began = time.perf_counter()
        result = await runner.run(skill, {"month": "2026-03"}, _InstantBrowser())
        taken.add((time.perf_counter() - began) * 1_000)
        if not result.success:
            raise RuntimeError(result.error)
    return taken


async def _start() -> Worker:
    return await start_worker(engine_folder())


async def _measure(runs: int) -> list[Row]:
    pool = WorkerPool(_start)
    runner = ScriptRunner(pool, NoLog())
    try:
        began = time.perf_counter()
        await runner.run(_skill(_EMPTY), {}, _InstantBrowser())
        cold = (time.perf_counter() - began) * 1_000
        warm = await _milliseconds(runner, _skill(_EMPTY), runs)
        loop = await _milliseconds(runner, _skill(_LOOP), runs // 3)
    finally:
        await pool.close()
    per_call = (loop.best - warm.best) * 1_000 / CALLS  # the fastest: other work on the machine only adds
    note = f"quartiles {warm.spread}, best {warm.best:.3g}; with a worker started cold {cold:.3g} ms"
    return [
        absolute("sandbox.warm_run", "an empty script in a warm worker, pool refilled", (warm.median, "ms"), 10, note),
        absolute("sandbox.bridge_call", f"one `browserAction` of a run with {CALLS}", (per_call, "µs"), 150),
    ]


def measure(quick: bool) -> list[Row]:
    """The warm run and the bridge."""
    return asyncio.run(_measure(9 if quick else RUNS))
