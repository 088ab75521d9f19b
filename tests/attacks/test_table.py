from pathlib import Path

import pytest

from tests.attacks.corpus import SUITES, read
from tests.attacks.table import Outcome, render


def test_the_table_counts_attacks_and_controls_apart_and_says_what_was_not_run() -> None:
    outcomes = [
        Outcome("registry", "R01", is_control=False, ended="passed"),
        Outcome("registry", "R02", is_control=False, ended="skipped"),
        Outcome("registry", "R02", is_control=False, ended="failed"),
        Outcome("registry", "R03", is_control=False, ended="passed"),
        Outcome("registry", "R03", is_control=False, ended="skipped"),
        Outcome("registry", "R90", is_control=True, ended="passed"),
    ]
    assert [" ".join(line.split()) for line in render(outcomes)] == [
        "suite attacks held controls passed",
        "pipe-lines none none",
        "pipe-domains none none",
        "sandbox none none",
        "injection none none",
        "registry 1 of 2, 1 not run yet 1 of 1",
        "all 1 of 2, 1 not run yet 1 of 1",
    ]


@pytest.mark.parametrize("suite", SUITES)
def test_a_folder_that_is_not_there_has_no_cases(suite: str, tmp_path: Path) -> None:
    assert read(tmp_path / "nowhere", suite) == []
