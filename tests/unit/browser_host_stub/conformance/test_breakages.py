import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from browser_host_stub.conformance.command import conformance
from browser_host_stub.conformance.runner import Plan
from browser_host_stub.conformance.verdict import State
from tests.unit.browser_host_stub.conformance.broken_drivers import DRIVERS
from tests.unit.browser_host_stub.conformance.broken_links import LINKS

BREAKAGES: Sequence[tuple[str, str, str]] = (
    ("does-not-sign", "always.re", "sign.response always.lines"),
    ("wrong-re", "always.lines", "sign.response always.re"),
    ("second-response", "sign.response always.re", "always.response"),
    ("accepts-any-number", "always.re always.lines", "order.repeat order.gap"),
    ("forgets-page-events", "always.lines", "event.opened"),
    ("lists-unlisted-pages", "policy.landed always.lines", "policy.list"),
    ("no-deadline", "cmd.turns", "cmd.deadline"),
    ("ignores-cancel", "cmd.turns", "cmd.cancel"),
    ("ignores-redirects", "policy.mismatch", "policy.redirect"),
    ("skips-approval", "always.lines always.data", "yes.asks"),
    ("success-on-nothing", "always.lines always.data", "err.NOT_FOUND"),
    ("clicks-through-covers", "err.NOT_FOUND err.HIDDEN_TARGET", "err.COVERED_TARGET"),
    ("takes-the-first-match", "err.NOT_FOUND", "err.AMBIGUOUS_TARGET"),
    ("leaks-passwords", "always.lines always.data", "secret.read"),
    ("wrong-table-counts", "act.query", "act.extractTable"),
    ("forgets-versions", "cmd.turns", "cmd.version"),
)
"""What is broken, the rows nearby that must not fail for it, and those that must."""


@pytest.mark.requirement("CONF-03")
@pytest.mark.parametrize(("breakage", "sound", "broken"), BREAKAGES, ids=[name for name, _, _ in BREAKAGES])
async def test_a_broken_host_fails_in_the_rows_of_its_breakage_and_nowhere_else(
    breakage: str, sound: str, broken: str, tmp_path: Path
) -> None:
    module = "tests.unit.browser_host_stub.conformance.broken_host"
    command = f"{sys.executable} -m {module} {breakage} {{policy}} {{out}} {{approve}}"
    report = await conformance(Plan(command, tmp_path, 8.0, (*sound.split(), *broken.split())))
    failed = {verdict.row: verdict.why for verdict in report.verdicts if verdict.state is State.FAILED}
    assert sorted(failed) == sorted(broken.split()), failed
    assert not report.passed


@pytest.mark.requirement("CONF-03")
def test_every_breakage_is_tried() -> None:
    assert {name for name, _, _ in BREAKAGES} == {*DRIVERS, *LINKS}
