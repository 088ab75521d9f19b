"""Export jobs. Nothing runs in the background: how far a job is follows from its start and the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from browser_host_stub.sites.erp import data, export

Clock = Callable[[], float]  # seconds, monotonic
State = Literal["running", "done", "failed"]
FAILURE = "导出失败：报表服务繁忙，请稍后重新点击“导出报表”（错误代码 RPT-5003）"


@dataclass(frozen=True, slots=True)
class ExportJob:
    """One export, as ordered: later changes of filter or faults do not touch it."""

    number: int
    wanted: export.ReportFilter
    form: str
    started: float
    steps: int
    step_s: float
    fails: bool

    @property
    def id(self) -> str:
        return f"EXP{self.number:06d}"

    @property
    def file_name(self) -> str:
        return export.file_name(self.wanted, self.form)

    def progress(self, now: float) -> int:
        """Percent done, in whole steps; a failing job stops half-way."""
        done = self._last_step if self.step_s <= 0 else min(self._last_step, int((now - self.started) / self.step_s))
        return 100 * done // self.steps

    def state(self, now: float) -> State:
        """Where the job stands `now`; it never leaves `done` or `failed` again."""
        if self.progress(now) < 100 * self._last_step // self.steps:
            return "running"
        return "failed" if self.fails else "done"

    @property
    def _last_step(self) -> int:
        return self.steps // 2 if self.fails else self.steps

    def report(self, now: float) -> dict[str, object]:
        """The JSON the page polls: `message`, `url` and `file_name` once done, `error` once failed."""
        state = self.state(now)
        answer: dict[str, object] = {"id": self.id, "state": state, "progress": self.progress(now)}
        if state == "failed":
            answer["error"] = FAILURE
        if state == "done":
            count = len(data.rows(self.wanted.month, self.wanted.department))
            answer |= {
                "message": f"已导出 {self.wanted.title} 月度报表，共 {count} 条",
                "rows": count,
                "file_name": self.file_name,
                "url": f"/api/exports/{self.id}/file",
            }
        return answer
