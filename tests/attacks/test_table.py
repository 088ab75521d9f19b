from pathlib import Path

import pytest

from tests.attacks.corpus import SUITES, read
from tests.attacks.table import Outcome, render


def test_the_table_counts_attacks_and_controls_apart_and_says_what_was_not_run() -> None:
    outcomes = [
        Outcome("registry", "R01", is_control=False, passed=True),
        Outcome("registry", "R02", is_control=False, passed=True),
        Outcome("registry", "R02", is_control=False, passed=False),
        Outcome("registry", "R90", is_control=True, passed=True),
    ]
    assert [" ".join(line.split()) for line in render(outcomes)] == [
        "suite attacks held controls passed",
        "pipe-lines not run not run",
        "pipe-domains not run not run",
        "sandbox not run not run",
        "injection not run not run",
        "registry 1 of 2 1 of 1",
        "all 1 of 2 1 of 1",
    ]


@pytest.mark.parametrize("suite", SUITES)
def test_a_folder_that_is_not_there_has_no_cases(suite: str, tmp_path: Path) -> None:
    assert read(tmp_path / "nowhere", suite) == []
