"""Each limit of a run ends it with its own reason, and the parent stays awake meanwhile."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace

import pytest

from sgclaw.ports import Act, SkillResult
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.ends import CAUSES, End, sandbox_error
from tests.unit.sandbox.support import QUICK, Bench

ASK = "await browserAction('getText', '#a')"
LITTLE_HEAP = replace(QUICK, heap_bytes=8 << 20, cpu_ms=5_000)


@pytest.mark.requirement("SBX-20")
@pytest.mark.parametrize(
    ("body", "budgets", "reason"),
    [
        ("await new Promise((resolve) => setTimeout(resolve, 9000));", replace(QUICK, wall_s=0.3), "wall_clock"),
        ("for (;;) {}", replace(QUICK, cpu_ms=200), "cpu"),
        ("for (;;) await null;", replace(QUICK, cpu_ms=200), "cpu"),
        ("const hop = () => setTimeout(hop, 0); hop(); await new Promise(() => {});", replace(QUICK, cpu_ms=50), "cpu"),
        ("new Array(2 ** 32 - 1).join('');", replace(QUICK, cpu_ms=200), "cpu"),
        ("const a = []; for (;;) a.push(new Array(1000).fill(0));", LITTLE_HEAP, "memory"),
        ("const a = []; for (;;) a.push(new Promise(() => {}));", LITTLE_HEAP, "memory"),
        ("for (;;) Promise.resolve().then(() => {});", LITTLE_HEAP, "memory"),
        ("const a = []; for (;;) a.push({});", LITTLE_HEAP, "memory"),
        ("for (;;) setTimeout(() => {}, 30000);", QUICK, "timers"),
        ("for (;;) setInterval(() => {}, 30000);", replace(QUICK, timers=3), "timers"),
        (f"await Promise.all([1, 2, 3, 4].map(() => {ASK[6:]}));", replace(QUICK, outstanding=3), "outstanding"),
        (f"for (let i = 0; i < 101; i++) var last = {ASK[6:]}; await last;", QUICK, "outstanding"),
        (f"{ASK[:-5]}'x'.repeat(5000));", replace(QUICK, params_bytes=5_000), "params"),
        (f"{ASK[:-5]}'中'.repeat(2000));", replace(QUICK, params_bytes=5_000), "params"),
        ("for (;;) try { await browserAction(); } catch { }", replace(QUICK, calls=3), "calls"),
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


@pytest.mark.requirement("SBX-26")
@pytest.mark.parametrize(
    ("body", "budgets", "code", "done"),
    [
        ("for (let i = 0; i < 9; i++) tries.push(() => setTimeout(() => {}, 1));", {"timers": 5}, "TOO_MANY_TIMERS", 5),
        ("for (let i = 0; i < 9; i++) tries.push(" + "() => browserAction('getText', '#a'));", {"outstanding": 5},
         "TOO_MANY_OUTSTANDING", 5),
        ("for (let i = 0; i < 9; i++) tries.push(() => browserAction('type', '#a', 'x'.repeat(i * 100)));",
         {"params_bytes": 500}, "BAD_PARAMS", 5),
        ("for (let i = 0; i < 9; i++) tries.push(() => browserAction('type', '#a', '中'.repeat(i * 34)));",
         {"params_bytes": 500}, "BAD_PARAMS", 5),
        ("for (let i = 0; i < 9; i++) tries.push(() => setTimeout(() => {}, i < 5 ? 1 : 30001));", {}, "BAD_TIMER", 5),
        ("for (let i = 0; i < 9; i++) tries.push(() => setTimeout(i < 5 ? () => {} : 'x'));", {}, "BAD_TIMER", 5),
    ],
)  # fmt: skip
async def test_what_is_too_much_is_refused_with_a_code_and_a_script_that_catches_it_goes_on(
    sandbox: Bench, body: str, budgets: dict[str, int], code: str, done: int
) -> None:
    script = f"""
      const tries = []; {body}
      const ends = await Promise.allSettled(tries.map(async (attempt) => attempt()));
      const refused = ends.filter((end) => end.status === 'rejected').map((end) => end.reason);
      const text = refused.every((error) => error instanceof Error && /[一-龥]/.test(error.message));
      return {{ success: true, data: [refused.length, [...new Set(refused.map((error) => error.code))], text] }};
    """
    result = await sandbox.run(script, budgets=replace(QUICK, **budgets))
    assert result == SkillResult(success=True, data=[9 - done, [code], True])


@pytest.mark.requirement("SBX-27")
@pytest.mark.parametrize("end", End)
def test_every_reason_is_told_in_chinese_with_a_next_step_of_its_own(end: End) -> None:
    error = sandbox_error(end, "probe")
    assert re.search("[一-龥]", error.cause)
    assert re.search("[一-龥]", error.next_step)
    assert (error.code, error.facts) == ("SANDBOX_TERMINATED", {"reason": end.value, "skill": "probe"})


@pytest.mark.requirement("SBX-27")
def test_causes_of_different_reasons_differ() -> None:
    assert set(CAUSES) == set(End)
    assert len(set(CAUSES.values())) == len(End)


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
      try { new Array(2 ** 22).fill(0); } catch { caught++; }
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
