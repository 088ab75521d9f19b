"""The table `./dev attack` prints: what became of every case, suite by suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.attacks.corpus import SUITES


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one test of a case ended."""

    suite: str
    id: str
    is_control: bool
    passed: bool


def render(outcomes: Iterable[Outcome]) -> list[str]:
    """One line a suite and one for all. A case passed when every test of it did."""
    cases: dict[tuple[str, str, bool], bool] = {}
    for each in outcomes:
        key = each.suite, each.id, each.is_control
        cases[key] = cases.get(key, True) and each.passed
    counts = Counter((suite, is_control, passed) for (suite, _, is_control), passed in cases.items())
    lines = [f"{'suite':<14}{'attacks held':>16}{'controls passed':>18}"]
    for name, suites in [*((suite, [suite]) for suite in SUITES), ("all", list(SUITES))]:
        attacks, controls = (_share(counts, suites, is_control) for is_control in (False, True))
        lines.append(f"{name:<14}{attacks:>16}{controls:>18}")
    return lines


def _share(counts: Counter[tuple[str, bool, bool]], suites: list[str], is_control: bool) -> str:
    passed, failed = (sum(counts[suite, is_control, good] for suite in suites) for good in (True, False))
    return f"{passed} of {passed + failed}" if passed + failed else "not run"
