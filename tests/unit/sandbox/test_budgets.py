"""Each limit of a run ends it with its own reason, and the parent stays awake meanwhile."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from sgclaw.ports import Act, SkillResult
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.ends import CAUSES, End
from tests.unit.sandbox.support import QUICK, Bench

ASK = "await browserAction('getText', '#a')"


@pytest.mark.requirement("SBX-20")
@pytest.mark.parametrize(
    ("body", "budgets", "reason"),
    [
        ("await new Promise((resolve) => setTimeout(resolve, 9000));", replace(QUICK, wall_s=0.3), "wall_clock"),
        ("for (;;) {}", replace(QUICK, cpu_ms=200), "cpu"),
        ("for (;;) await null;", replace(QUICK, cpu_ms=200), "cpu"),
        ("const hop = () => setTimeout(hop, 0); hop(); await new Promise(() => {});", replace(QUICK, cpu_ms=50), "cpu"),
        ("new Array(2 ** 32 - 1).join('');", replace(QUICK, cpu_ms=200), "cpu"),
        ("const a = []; for (;;) a.push(new Array(1000).fill(0));", replace(QUICK, heap_bytes=8 << 20), "memory"),
        (f"for (;;) {ASK};", replace(QUICK, calls=3), "calls"),
        (f"for (;;) try {{ {ASK}; }} catch {{ }}", replace(QUICK, calls=3), "calls"),
        ("for (;;) { console.log('x'); await null; }", replace(QUICK, log_bytes=2_000), "log"),
        ("console.log('中'.repeat(500)); await null; return { success: true };", replace(QUICK, log_bytes=900), "log"),
        ("return { success: true, data: 'x'.repeat(5000) };", replace(QUICK, result_bytes=4_000), "result"),
        ("return { success: true, data: '中'.repeat(2000) };", replace(QUICK, result_bytes=4_000), "result"),
        ("return { success: true, data: '\\\\'.repeat(5000) };", replace(QUICK, result_bytes=4_000), "result"),
        ("/* " + "x" * 4_000 + " */", replace(QUICK, source_bytes=4_000), "source"),
        ("await new Promise(() => {});", QUICK, "stuck"),
        (f"{ASK}; await new Promise(() => {{}});", QUICK, "stuck"),
    ],
)
async def test_going_over_a_limit_ends_the_run_with_its_reason(
    sandbox: Bench, body: str, budgets: Budgets, reason: str
) -> None:
    assert await sandbox.reason(body, budgets) == reason
    assert [worker.alive for worker in sandbox.started[:1]] in ([], [False])


@pytest.mark.requirement("SBX-25")
@pytest.mark.parametrize(
    ("body", "budgets", "reason"),
    [
        ("for (;;) console.log('x'.repeat(100));", replace(QUICK, log_bytes=2_000), "log"),
        ("for (;;) try { console.log('x'); } catch { }", replace(QUICK, log_bytes=2_000), "log"),
        ("for (;;) browserAction('getText', '#a');", replace(QUICK, calls=3), "calls"),
        ("for (;;) try { browserAction('getText', '#a'); } catch { }", replace(QUICK, calls=3), "calls"),
        (
            "const hop = () => { setTimeout(hop, 0); for (;;) console.log('x'); }; hop();",
            replace(QUICK, log_bytes=2_000),
            "log",
        ),
        (
            "setTimeout(() => { for (;;) try { console.log('x'); } catch { } }, 0); await new Promise(() => {});",
            replace(QUICK, log_bytes=2_000),
            "log",
        ),
    ],
)
async def test_the_first_limit_passed_is_the_reason_whatever_the_script_does_then(
    sandbox: Bench, body: str, budgets: Budgets, reason: str
) -> None:
    assert await sandbox.reason(body, budgets) == reason


@pytest.mark.requirement("SBX-25")
@pytest.mark.parametrize("flood", ["console.log('x'.repeat(100))", "browserAction('getText', '#a')"])
async def test_a_flood_that_never_waits_ends_with_its_limit_and_not_with_the_processor_time(
    sandbox: Bench, flood: str
) -> None:
    budgets = Budgets(wall_s=60.0, cpu_ms=3_600_000, log_bytes=2_000, calls=3)  # the wall clock would say so itself
    assert await sandbox.reason(f"for (;;) {flood};", budgets) in {"log", "calls"}


def test_every_reason_has_words_for_people() -> None:
    assert set(CAUSES) == set(End)


@pytest.mark.requirement("SBX-21")
async def test_exactly_as_many_calls_as_allowed_are_fine(sandbox: Bench) -> None:
    body = f"for (let i = 0; i < 5; i++) {ASK}; return {{ success: true }};"
    assert await sandbox.run(body, budgets=replace(QUICK, calls=5)) == SkillResult(success=True)
    assert len(sandbox.browser.acts) == 5


@pytest.mark.requirement("SBX-22")
async def test_the_time_an_act_takes_is_not_the_scripts(sandbox: Bench) -> None:
    async def before(_act: Act) -> None:
        await asyncio.sleep(0.4)

    sandbox.browser.before = before
    body = f"{ASK}; {ASK}; return {{ success: true }};"
    assert await sandbox.run(body, budgets=replace(QUICK, wall_s=0.3)) == SkillResult(success=True)


@pytest.mark.requirement("SBX-22")
async def test_the_scripts_own_time_adds_up_over_its_calls(sandbox: Bench) -> None:
    body = f"for (;;) {{ {ASK}; await new Promise((resolve) => setTimeout(resolve, 50)); }}"
    began = time.perf_counter()
    assert await sandbox.reason(body, replace(QUICK, wall_s=0.4)) == "wall_clock"
    assert time.perf_counter() - began < 3
    assert 2 <= len(sandbox.browser.acts) <= 9


@pytest.mark.requirement("SBX-20")
async def test_memory_that_the_script_gives_back_does_not_end_it(sandbox: Bench) -> None:
    body = """
      let caught = 0;
      try { const keep = []; for (;;) keep.push('y'.repeat(10000) + keep.length); } catch { caught++; }
      return { success: true, data: caught };
    """
    assert await sandbox.run(body, budgets=replace(QUICK, heap_bytes=16 << 20)) == SkillResult(success=True, data=1)


@pytest.mark.requirement("SBX-23")
async def test_a_run_that_failed_leaves_nothing_to_the_next(sandbox: Bench) -> None:
    assert (
        await sandbox.reason("globalThis.left = 1; Array.prototype.map = 1; for (;;) {}", replace(QUICK, cpu_ms=100))
        == "cpu"
    )
    body = "return { success: true, data: [typeof globalThis.left, typeof [].map] };"
    assert await sandbox.run(body) == SkillResult(success=True, data=["undefined", "function"])


@pytest.mark.requirement("SBX-24")
async def test_what_a_script_logged_before_it_never_came_back_is_not_lost(sandbox: Bench) -> None:
    assert await sandbox.reason("console.log('第 3 页'); for (;;) {}", replace(QUICK, cpu_ms=100)) == "cpu"
    assert [data["text"] for data in sandbox.log.named("console")] == ["第 3 页"]
