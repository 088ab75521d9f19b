"""A skill of eight steps through sgclaw, against the same acts without it.

On the demo site the baseline is a bare Playwright script in a Chromium of its own; on pages of plain data, where an
act takes microseconds, all that is left is the time of sgclaw and of the pipe. Time inside the browser's driver is
measured apart, so a step's own time is what remains of the task. Both sides start on an open session, with a warm
worker, in turns.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Page, async_playwright

from benchmarks.agent import ORIGIN, Home
from benchmarks.rows import Row, absolute, relative
from benchmarks.series import Series, against
from benchmarks.timed_driver import TimedDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.demo_browser import LOGIN_URL, PERSON, demo_browser, demo_policy
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from browser_host_stub.sites.server import DemoSites
from browser_host_stub.task_run import Hosted, RunOptions, hosted

ROUNDS: Final = 15
QUICK_ROUNDS: Final = 5
SETTLE_S: Final = 0.2
"""For the sandbox pool to be full again, as it is when a person starts a task."""
BAR_RATIO: Final = 1.10
BAR_STEP_MS: Final = 15.0

MONTH: Final = "2026-03"
Params = Mapping[str, str]
STEPS: Final[tuple[tuple[str, Params], ...]] = (
    ("navigate", {"url": f"{ORIGIN}/report/finance"}),
    ("waitForSelector", {"selector": ".report-filter"}),
    ("click", {"selector": "#month-picker"}),
    ("type", {"selector": "#month-input", "text": MONTH}),
    ("press", {"selector": "#month-input", "key": "Enter"}),
    ("waitForSelector", {"selector": f'.filter-chips [data-filter="month"][data-value="{MONTH}"]'}),
    ("waitForSelector", {"selector": '.report-table[data-state="ready"]'}),
    ("getText", {"selector": ".report-total"}),
)
_BARE: Final[Mapping[str, Callable[[Page, Params], Awaitable[object]]]] = {
    "navigate": lambda page, params: page.goto(params["url"]),
    "waitForSelector": lambda page, params: page.wait_for_selector(params["selector"]),
    "click": lambda page, params: page.click(params["selector"]),
    "type": lambda page, params: page.fill(params["selector"], params["text"]),
    "press": lambda page, params: page.press(params["selector"], params["key"]),
    "getText": lambda page, params: page.inner_text(params["selector"]),
}


@dataclass(frozen=True, slots=True)
class _Times:
    """Milliseconds: the whole task, of it inside the driver, and per step of neither."""

    task: Series
    driver: Series
    own_step: Series


def measure(quick: bool) -> list[Row]:
    """The ratio on the demo site, and the time of our own in a step there and on pages of plain data."""
    return asyncio.run(_measure(QUICK_ROUNDS if quick else ROUNDS))


async def _measure(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "home")
        home.add({"bench": _script()})
        return [*await _on_demo_site(folder, home, rounds), await _on_plain_data(folder, home, rounds)]


def _script() -> str:
    acts = "\n".join(f"  seen = await browserAction({json.dumps(act)}, {json.dumps(params)});" for act, params in STEPS)
    return (
        "/**\n * @skill bench\n * @version 1.0.0\n * @description 基准\n * @domains erp.example.com\n */\n"
        f"async function execute(params, browserAction) {{\n  let seen;\n{acts}\n"
        "  return { success: true, data: { seen } };\n}\n"
    )


# --- the demo site --------------------------------------------------------------------------------------------------


async def _on_demo_site(folder: Path, home: Home, rounds: int) -> list[Row]:
    times, bare = _no_times(), Series()
    async with demo_browser(folder / "files") as browser:
        driver = TimedDriver(browser.driver)
        async with _bare_page(browser.sites) as page, hosted(driver, _options(folder / "demo", home)) as session:
            await _bare_script(page)
            await _task(session, driver)
            for _ in range(rounds):
                await _measured_task(session, driver, times)
                bare.add(await _bare_script(page))
    note = f"{against(times.task, bare)}; of the task {times.driver.median:.0f} ms are inside the host's driver"
    what = f"{len(STEPS)}-step skill on the demo site ÷ the same acts in a bare Playwright script"
    ratio = relative("replay.demo", what, (times.task.median, bare.median, "ms"), BAR_RATIO, note)
    return [ratio, _own_step("replay.demo_step", "own time per step on the demo site", times)]


@contextlib.asynccontextmanager
async def _bare_page(sites: DemoSites) -> AsyncIterator[Page]:
    options = ChromiumOptions(Path(), resolver_rules=(sites.resolver_rules,), spki_pins=(sites.spki,))
    width, height = options.viewport
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=options.executable, args=options.arguments())
        page = await chromium.new_page(
            viewport={"width": width, "height": height}, locale=options.locale, timezone_id=options.timezone
        )
        name, password = PERSON
        await page.goto(LOGIN_URL)
        await page.fill("[name=username]", name)
        await page.fill("[name=password]", password)
        await page.click("button[type=submit]")
        await page.wait_for_selector("nav")
        yield page
        await chromium.close()


async def _bare_script(page: Page) -> float:
    began = time.perf_counter()
    for action, params in STEPS:
        await _BARE[action](page, params)
    return (time.perf_counter() - began) * 1_000


# --- pages of plain data --------------------------------------------------------------------------------------------


async def _on_plain_data(folder: Path, home: Home, rounds: int) -> Row:
    selectors = {params["selector"] for _, params in STEPS if "selector" in params}
    site = {STEPS[0][1]["url"]: lambda: {selector: Element(text="1,234.50") for selector in selectors}}
    times, driver = _no_times(), TimedDriver(MemoryDriver(site, folder / "memory-files"))
    async with hosted(driver, _options(folder / "plain", home)) as session:
        await _task(session, driver)
        for _ in range(rounds):
            await _measured_task(session, driver, times)
    return _own_step("replay.plain_step", "own time per step on pages of plain data", times)


# --- both -----------------------------------------------------------------------------------------------------------


def _no_times() -> _Times:
    return _Times(Series(), Series(), Series())


def _own_step(name: str, what: str, times: _Times) -> Row:
    note = f"quartiles {times.own_step.spread}, best {times.own_step.best:.3g}; task of {times.task.median:.1f} ms"
    return absolute(name, what, (times.own_step.median, "ms"), BAR_STEP_MS, note)


def _options(folder: Path, home: Home) -> RunOptions:
    folder.mkdir()
    return RunOptions(policy=demo_policy(), log_dir=folder, state_dir=folder / "state", command=home.command)


async def _measured_task(session: Hosted, driver: TimedDriver, times: _Times) -> None:
    await asyncio.sleep(SETTLE_S)
    task = await _task(session, driver)
    times.task.add(task)
    times.driver.add(driver.busy_ms)
    times.own_step.add((task - driver.busy_ms) / len(STEPS))


async def _task(session: Hosted, driver: TimedDriver) -> float:
    driver.busy_ms = 0.0
    began = time.perf_counter()
    completed = await session.run("基准", skill="bench")
    taken = (time.perf_counter() - began) * 1_000
    if completed.outcome != "completed":
        raise RuntimeError(completed.summary)
    return taken
