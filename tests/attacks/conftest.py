"""Makes one test of every case in the folder of attacks, for every test that takes an `attack`; prints the table.

A module names its suite in `SUITE`, and may take a part of it with `concerns(case)`. Nothing is listed by hand: a case
that is dropped into the folder runs.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from pytest import CallInfo, Item, TerminalReporter, TestReport  # noqa: PT013

from tests.attacks.corpus import Case, read
from tests.attacks.table import Outcome, render

_PROPERTY = "attack"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "attack" not in metafunc.fixturenames:
        return
    folder = Path(metafunc.config.getoption("--attacks"))
    concerns = getattr(metafunc.module, "concerns", lambda _case: True)
    cases = [case for case in read(folder, metafunc.module.SUITE) if concerns(case)]
    if cases:
        metafunc.parametrize("attack", [pytest.param(case, id=case.id) for case in cases])
    else:
        skip = pytest.mark.skip(reason=f"the attack cases are not there: {folder}")
        metafunc.parametrize("attack", [pytest.param(None, id="none", marks=skip)])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Item, call: CallInfo[None]) -> Generator[None, TestReport, TestReport]:
    report = yield
    case = (
        item.callspec.params.get("attack") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
    )
    if isinstance(case, Case) and (report.when == "call" or report.failed):
        report.user_properties.append((_PROPERTY, [case.suite, case.id, case.is_control]))
    return report


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    outcomes = [
        Outcome(suite, id_, is_control, report.outcome)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", [])
        if name == _PROPERTY
        for suite, id_, is_control in [value]
    ]
    if outcomes:
        terminalreporter.section("attacks")
        terminalreporter.write_line("\n".join(render(outcomes)))
