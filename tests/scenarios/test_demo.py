"""The main job on real parts: real Chromium, the demo ERP site, a real sgclaw process, the shipped signed skill."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import openpyxl
import psutil
import pytest

from browser_host_stub.demo_browser import DemoBrowser, demo_browser, demo_policy
from browser_host_stub.sites.erp.data import Row, rows
from browser_host_stub.sites.erp.export import COLUMNS
from browser_host_stub.task_run import Hosted, RunOptions, hosted, result_json
from sgclaw.audit.records import story
from sgclaw.protocol.messages import Message, TaskCompleted
from sgclaw.protocol.parts import TaskOptions
from tests.support.ports import eventually

TODAY = date(2026, 4, 15)
MAIN_JOB = "导出2026年3月财务部的月度报表"


@dataclass
class Demo:
    browser: DemoBrowser
    session: Hosted
    seen: list[Message]
    folder: Path

    def paths(self, done: TaskCompleted) -> list[Path]:
        artifacts = result_json(done, self.session.trace_id, self.browser.driver)["artifacts"]
        assert isinstance(artifacts, list)
        return [Path(item["path"]) for item in artifacts]

    def files(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "files").rglob("*") if path.is_file())


@contextlib.asynccontextmanager
async def demo(folder: Path, *, signed_in: bool = True) -> AsyncIterator[Demo]:
    seen: list[Message] = []
    options = RunOptions(demo_policy(), log_dir=folder, state_dir=folder / "state", observer=seen.append)
    async with (
        demo_browser(folder / "files", signed_in=signed_in, today=TODAY) as browser,
        hosted(browser.driver, options) as session,
    ):
        yield Demo(browser, session, seen, folder)


def in_ledger(row: Row) -> tuple[str, ...]:
    return (row.day.isoformat(), row.number, row.department, row.subject_code, f"{row.debit}", f"{row.credit}")


def in_file(line: tuple[object, ...]) -> tuple[str, ...]:
    day, number, department, code, _, _, debit, credit, *_ = line
    assert isinstance(day, datetime)
    assert isinstance(debit, int | float)
    assert isinstance(credit, int | float)
    return (day.date().isoformat(), str(number), str(department), str(code), f"{debit:.2f}", f"{credit:.2f}")


@pytest.mark.requirement("DEMO-01")
async def test_the_exported_workbook_holds_exactly_the_sites_rows_for_the_filter(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        done = await run.session.run(MAIN_JOB)
        (path,) = run.paths(done)
    assert (done.outcome, done.usage.llm_calls, done.inputs) == (
        "completed",
        0,
        {"month": "2026-03", "department": "财务部", "format": "xlsx"},
    )
    assert path.suffix == ".xlsx"
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    titles, *lines = sheet.iter_rows(values_only=True)
    truth = rows("2026-03", "财务部")
    assert [str(title) for title in titles] == [column.title for column in COLUMNS]
    assert [in_file(line) for line in lines] == [in_ledger(row) for row in truth]
    assert done.data["rows"] == len(truth) > 0


@pytest.mark.requirement("DEMO-01")
async def test_last_month_means_the_month_before_the_users_today(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        done = await run.session.run("导出上个月的月度报表，csv格式")
        (path,) = run.paths(done)
    assert done.outcome == "completed"
    _, *lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert len(lines) == len(rows(str(done.inputs["month"]))) == done.data["rows"]


@pytest.mark.requirement("DEMO-02")
async def test_a_person_who_is_not_signed_in_is_told_so(tmp_path: Path) -> None:
    async with demo(tmp_path, signed_in=False) as run:
        done = await run.session.run(MAIN_JOB)
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("failed", "SKILL_FAILED")
    assert "登录" in done.error.message


@pytest.mark.requirement("DEMO-03")
async def test_an_export_the_site_refuses_is_a_failure_with_its_words(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        run.browser.sites.erp.knobs.fail_export = True
        done = await run.session.run(MAIN_JOB)
        assert run.files() == []
    assert done.error is not None
    assert (done.outcome, done.error.code, done.artifacts) == ("failed", "SKILL_FAILED", ())


@pytest.mark.requirement("DEMO-03")
async def test_a_download_that_is_cut_off_is_never_reported_as_a_file(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        run.browser.sites.erp.knobs.truncate_download = True
        done = await run.session.run(MAIN_JOB)
        assert run.files() == []
    assert done.error is not None
    assert (done.outcome, done.error.code, done.artifacts) == ("failed", "DOWNLOAD_FAILED", ())


@pytest.mark.requirement("DEMO-03")
async def test_an_unknown_department_is_named_in_the_failure(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        done = await run.session.run(
            MAIN_JOB, skill="erp-monthly-report", inputs={"month": "2026-03", "department": "航天部"}
        )
    assert done.error is not None
    assert (done.outcome, "航天" in done.error.message) == ("failed", True)


@pytest.mark.requirement("DEMO-04")
async def test_a_page_that_never_loads_ends_at_the_tasks_deadline(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        run.browser.sites.erp.knobs.hang_page = "/report/finance"
        done = await run.session.run(MAIN_JOB, limits=TaskOptions(deadline_s=2))
        run.browser.sites.reset()
    assert done.error is not None
    assert (done.outcome, done.error.code) == ("failed", "BUDGET_EXCEEDED")


@pytest.mark.requirement("DEMO-05")
async def test_a_browser_killed_in_mid_task_ends_the_task_and_leaves_no_file(tmp_path: Path) -> None:
    async with demo(tmp_path) as run:
        run.browser.sites.erp.knobs.export_step_s = 5
        working = asyncio.create_task(run.session.run(MAIN_JOB))
        await eventually(lambda: any(getattr(message, "action", "") == "select" for message in run.seen))
        for process in psutil.Process().children(recursive=True):
            if "chromium" in process.name():
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        async with asyncio.timeout(15):
            done = await working
        assert run.files() == []
    assert done.error is not None
    assert (done.outcome, done.artifacts) in {("failed", ()), ("unverified", ())}
    assert done.error.code in {"PAGE_GONE", "UNKNOWN_OUTCOME"}


@pytest.mark.requirement("DEMO-06")
@pytest.mark.parametrize("after", [1.0, 2.5, 4.0])
def test_killing_the_browser_process_itself_leaves_no_process_behind(after: float, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "browser_host_stub", "run", MAIN_JOB, "--out", str(tmp_path)]
    command += ["--state-dir", str(tmp_path / "state")]
    started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        started.wait(after)
    family = psutil.Process(started.pid).children(recursive=True) if started.poll() is None else []
    started.send_signal(signal.SIGKILL)
    started.wait(5)
    _, alive = psutil.wait_procs(family, timeout=10)
    assert [process.cmdline() for process in alive] == []


@pytest.mark.requirement("DEMO-07")
def test_the_demo_command_prints_progress_and_ends_with_one_json_object(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "browser_host_stub", "demo", "--out", str(tmp_path)]
    command += ["--state-dir", str(tmp_path / "state")]
    done = subprocess.run(command, capture_output=True, timeout=90, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout.decode().splitlines()[-1])
    assert result.keys() >= {"outcome", "data", "artifacts", "usage", "evidence", "trace_id"}
    assert (result["outcome"], result["usage"]["llm_calls"]) == ("completed", 0)
    assert Path(result["artifacts"][0]["path"]).stat().st_size == result["artifacts"][0]["size"]
    assert "导出" in done.stderr.decode()
    assert story(tmp_path / "state" / "audit", result["trace_id"])
