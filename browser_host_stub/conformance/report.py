"""The result for people (a table in Chinese), for programs, and the list of rows for the documentation."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from browser_host_stub.conformance.always import ALWAYS
from browser_host_stub.conformance.rows.groups import GROUPS
from browser_host_stub.conformance.runner import Report
from browser_host_stub.conformance.table import Severity
from browser_host_stub.conformance.verdict import STATES_TOLD, State, Verdict

ALWAYS_TITLE: Final = "始终成立"
SEVERITIES_TOLD: Final[Mapping[Severity, str]] = MappingProxyType({Severity.MUST: "必须", Severity.SHOULD: "应当"})


def titles() -> dict[str, tuple[str, str, Severity]]:
    """Row → title, section of the protocol page, severity; all of them, in order."""
    rows = {row.id: (row.title, row.section, row.severity) for group in GROUPS for row in group.rows}
    return {**rows, **{name: (title, section, Severity.MUST) for name, (title, section) in ALWAYS.items()}}


def table(report: Report) -> Iterator[str]:
    """The lines of the table 项目 / 结果 / 说明, and the sum."""
    told = titles()
    width = max([_columns(verdict.row) for verdict in report.verdicts] + [4])
    yield f"{_padded('项目', width)}  结果    说明"
    for verdict in report.verdicts:
        why = f"：{verdict.why}" if verdict.why else ""
        yield f"{_padded(verdict.row, width)}  {_padded(STATES_TOLD[verdict.state], 6)}  {told[verdict.row][0]}{why}"
    counts = "，".join(f"{STATES_TOLD[state]} {report.count(state)}" for state in State)
    host, seconds = report.host or "被测浏览器端", report.duration_ms / 1000
    yield f"{host}：共 {len(report.verdicts)} 项，{counts}（{seconds:.0f} 秒）"


def as_json(report: Report) -> dict[str, object]:
    """The same for programs."""
    return {
        "outcome": "completed" if report.passed else "failed",
        "host": report.host,
        "total": len(report.verdicts),
        **{state.value: report.count(state) for state in State},
        "duration_ms": report.duration_ms,
        "rows": [_row(verdict) for verdict in report.verdicts],
    }


def _row(verdict: Verdict) -> dict[str, object]:
    title, section, severity = titles()[verdict.row]
    return {
        "id": verdict.row,
        "title": title,
        "section": section,
        "severity": severity.value,
        "state": verdict.state.value,
        "why": verdict.why,
        "duration_ms": verdict.duration_ms,
    }


def markdown() -> str:
    """Every row as docs/conformance.md lists it."""
    lines: list[str] = []
    always = [(name, title, section, Severity.MUST) for name, (title, section) in ALWAYS.items()]
    for name, title, rows in (
        *((group.name, group.title, [(r.id, r.title, r.section, r.severity) for r in group.rows]) for group in GROUPS),
        ("always", ALWAYS_TITLE, always),
    ):
        lines += [f"### {title}（`{name}`）", "", "| 项目 | 说明 | 协议 | 级别 |", "| --- | --- | --- | --- |"]
        for row, told, section, severity in rows:
            lines.append(f"| `{row}` | {told} | {section} | {SEVERITIES_TOLD[severity]} |")
        lines.append("")
    return "\n".join(lines)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _columns(text))
