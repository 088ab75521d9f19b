"""The table `./dev attack` prints: what became of every case, suite by suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tests.attacks.corpus import SUITES

_WORSE: Final = ("passed", "skipped", "failed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one test of a case ended: `passed`, `failed`, or `skipped` when it could not be run yet."""

    suite: str
    id: str
    is_control: bool
    ended: str


def render(outcomes: Iterable[Outcome]) -> list[str]:
    """One line a suite and one for all. A case counts once, by the worst of its tests."""
    cases: dict[tuple[str, str, bool], str] = {}
    for each in outcomes:
        key = each.suite, each.id, each.is_control
        cases[key] = max(cases.get(key, _WORSE[0]), each.ended, key=_WORSE.index)
    counts = Counter((suite, is_control, ended) for (suite, _, is_control), ended in cases.items())
    lines = [f"{'suite':<14}{'attacks held':>28}{'controls passed':>28}"]
    for name, suites in [*((suite, [suite]) for suite in SUITES), ("all", list(SUITES))]:
        attacks, controls = (_share(counts, suites, is_control) for is_control in (False, True))
        lines.append(f"{name:<14}{attacks:>28}{controls:>28}")
    return lines


def _share(counts: Counter[tuple[str, bool, str]], suites: list[str], is_control: bool) -> str:
    passed, skipped, failed = (sum(counts[suite, is_control, ended] for suite in suites) for ended in _WORSE)
    if not passed + failed + skipped:
        return "none"
    return f"{passed} of {passed + failed}" + (f", {skipped} not run yet" if skipped else "")
