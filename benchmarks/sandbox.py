"""Sandbox figures: a run in a warm worker, the bridge per call, a worker started cold.

`python -m benchmarks.sandbox` prints them as one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Final

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


class _NoLog:
    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        return


def _skill(body: str) -> VerifiedSkill:
    raw = f"{_HEADER}{body}\n}}\n".encode()
    entry = sign_skill(_KEY, "custom/bench.js", raw)
    check = TrustCheck([_KEY.public], datetime(2026, 3, 1, tzinfo=UTC))
    release = Release(1, datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    (candidate,) = check.open_registry(sign_registry(_KEY, [entry], release))
    return check.verify_file(check.verify_entry(candidate), raw)


async def _milliseconds(runner: ScriptRunner, skill: VerifiedSkill, runs: int) -> list[float]:
    taken = []
    for _ in range(runs):
        await asyncio.sleep(SETTLE_S)
        began = time.perf_counter()
        result = await runner.run(skill, {"month": "2026-03"}, _InstantBrowser())
        taken.append((time.perf_counter() - began) * 1_000)
        if not result.success:
            raise RuntimeError(result.error)
    return taken


async def _start() -> Worker:
    return await start_worker(engine_folder())


async def _measure() -> dict[str, float]:
    pool = WorkerPool(_start)
    runner = ScriptRunner(pool, _NoLog())
    try:
        began = time.perf_counter()
        await runner.run(_skill(_EMPTY), {}, _InstantBrowser())
        cold = (time.perf_counter() - began) * 1_000
        warm = await _milliseconds(runner, _skill(_EMPTY), RUNS)
        loop = await _milliseconds(runner, _skill(_LOOP), RUNS // 3)
    finally:
        await pool.close()
    per_call = (min(loop) - min(warm)) * 1_000 / CALLS  # the fastest: other work on the machine only adds
    return {
        "sandbox.cold_run_ms": round(cold, 2),
        "sandbox.warm_run_ms": round(median(warm), 2),
        "sandbox.warm_run_ms_worst": round(max(warm), 2),
        "sandbox.bridge_call_us": round(per_call, 1),
    }


def measure() -> dict[str, float]:
    """Name → value; the bars are 10 ms for a warm run and 150 µs for a call."""
    return asyncio.run(_measure())


def main() -> None:
    """Print the figures as JSON."""
    print(json.dumps(measure(), indent=2))


if __name__ == "__main__":
    main()
