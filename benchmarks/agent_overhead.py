"""What the agent itself takes: time of a step beside model and page, and tokens of a task of ten fixed steps.

The model recites without a pause, so what remains of a step when the page's time is taken off is ours. Measured twice:
the loop alone over pages in memory, and a real `sgclaw pipe` in front of the in-memory host, with signing, policy,
audit and the trace of the run. The page lists 150 controls.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil

from benchmarks.agent import ORIGIN, Home
from benchmarks.rows import Row, absolute
from benchmarks.series import Series
from benchmarks.timed_driver import TimedDriver
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from browser_host_stub.task_run import Hosted, RunOptions, hosted
from sgclaw.policy.model import policy_document
from sgclaw.ports import Act, Observed
from tests.unit.agent import long_runs
from tests.unit.agent.long_runs import BUTTONS, CRITERION, TEN, long_run
from tests.unit.agent.room import act, call
from tests.unit.agent.site import MemoryBrowser

ROUNDS: Final = 25
QUICK_ROUNDS: Final = 7
BAR_STEP_MS: Final = 30.0
RECORDED: Final = Path(long_runs.__file__).with_name("ten_steps.json")
_LIST, _CONTRACT = f"{ORIGIN}/contracts", f"{ORIGIN}/contract"


def measure(quick: bool) -> list[Row]:
    """Milliseconds of a step in process and in a real one, and the tokens of the ten steps against their record."""
    return asyncio.run(_measure(QUICK_ROUNDS if quick else ROUNDS))


async def _measure(rounds: int) -> list[Row]:
    wall, processor, tokens = Series(), Series(), 0
    for number in range(rounds + 1):
        spent, busy, tokens = await _alone()
        if number:
            wall.add(spent)
            processor.add(busy)
    what = f"explore: own time per step of {len(TEN)} on a page of {BUTTONS} controls"
    recorded = json.loads(RECORDED.read_text("utf-8"))["tokens"]
    return [
        _row("agent.step", f"{what}, the loop alone", wall, f"processor {processor.median:.1f} ms"),
        _row("agent.pipe_step", f"{what}, through `sgclaw pipe` and the host", *await _piped(rounds)),
        absolute("agent.ten_steps", f"tokens of the {len(TEN)} requests and answers", (tokens, "tokens"), recorded),
    ]


def _row(name: str, what: str, times: Series, note: str) -> Row:
    return absolute(
        name, what, (times.median, "ms"), BAR_STEP_MS, f"quartiles {times.spread}, best {times.best:.3g}; {note}"
    )


# --- the loop alone ---------------------------------------------------------------------------------------------------


class _TimedBrowser(MemoryBrowser):
    """Adds up the time inside the page."""

    busy_s, processor_s = 0.0, 0.0

    async def act(self, act: Act) -> Observed:
        began, busy = time.perf_counter(), time.process_time()
        try:
            return await super().act(act)
        finally:
            self.busy_s += time.perf_counter() - began
            self.processor_s += time.process_time() - busy


async def _alone() -> tuple[float, float, int]:
    """Milliseconds of a step by the wall's and the processor's clock, and the tokens of the run."""
    room = long_run(TEN)
    room.browser = browser = _TimedBrowser(room.site)
    began, busy = time.perf_counter(), time.process_time()
    ended = await room.run()
    wall, processor = time.perf_counter() - began - browser.busy_s, time.process_time() - busy - browser.processor_s
    if ended.outcome != "completed":
        raise RuntimeError(ended.summary)
    return wall * 1_000 / len(TEN), processor * 1_000 / len(TEN), ended.usage.tokens


# --- a real process ---------------------------------------------------------------------------------------------------


def _contracts() -> dict[str, Element]:
    rows = {f"#row-{row}": Element(f"查看 HT-2026-{row:04d}", role="button") for row in range(1, BUTTONS + 1)}
    return {
        "#head": Element("合同列表 共 12,345 条", role="heading"),
        "#month": Element("签订月份", tag="input", role="textbox", value=""),
        "#next": Element("下一页", role="button"),
        **rows,
    }


def _contract() -> dict[str, Element]:
    return {"#head": Element("合同 HT-2026-0301"), "#state": Element("状态 执行中", role="text")}


def _steps() -> Sequence[Mapping[str, object]]:
    acts = [
        act("navigate", CRITERION, url=_LIST),
        call("read_page"),
        act("type", CRITERION, selector="#month", text="2026-03"),
        *(act("click", CRITERION, selector="#next") for _ in range(2)),
        call("read_page"),
        call("read_page", mode="find", query="HT-2026-0101"),
        act("navigate", CRITERION, url=_CONTRACT),
        act("getText", CRITERION, selector="#state"),
    ]
    finish = call("finish", outcome="not_done", summary="没有做成。")
    return [{"calls": [each], "usage": {"input": 100, "output": 10}} for each in (*acts, finish)]


async def _piped(rounds: int) -> tuple[Series, str]:
    """Milliseconds of a step with the host's part, and what of it sgclaw's processes worked."""
    times, steps = Series(), _steps()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "home")
        home.add({})
        scenario = folder / "scenario.yaml"
        scenario.write_text(json.dumps({"steps": [*steps] * (rounds + 1)}), encoding="utf-8")  # JSON is YAML
        model = ("SGCLAW_MODEL_PROVIDER=scripted", f"SGCLAW_MODEL_SCENARIO={scenario}")
        command = (home.command[0], *model, *home.command[1:])
        site: Mapping[str, Callable[[], dict[str, Element]]] = {_LIST: _contracts, _CONTRACT: _contract}
        driver = TimedDriver(MemoryDriver(site, folder / "files", start=_LIST))
        options = RunOptions(
            policy=policy_document([ORIGIN]), log_dir=folder, state_dir=folder / "state", command=command
        )
        async with hosted(driver, options) as session:
            processes, worked = psutil.Process().children(recursive=True), 0.0
            for number in range(rounds + 1):
                worked = worked if number > 1 else _processor(processes)
                spent = await _task(session, driver, len(steps))
                if number:
                    times.add(spent / len(steps))
            worked = _processor(processes) - worked
    return times, f"the host's part included; processor of sgclaw {worked * 1_000 / rounds / len(steps):.1f} ms"


def _processor(processes: Sequence[psutil.Process]) -> float:
    """Seconds that processes worked; sgclaw starts none for a task that runs no skill."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


async def _task(session: Hosted, driver: TimedDriver, steps: int) -> float:
    """Milliseconds outside the page; raises when the task was another than the one to be measured."""
    driver.busy_ms = 0.0
    began = time.perf_counter()
    ended = await session.run("查询合同 HT-2026-0301 的状态")
    spent = (time.perf_counter() - began) * 1_000 - driver.busy_ms
    if ended.error is None or ended.error.code != "NEEDS_HUMAN" or ended.usage.llm_calls != steps:
        raise RuntimeError(f"{ended.summary} {ended.error} {ended.usage}")
    return spent
