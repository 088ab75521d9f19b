import re

import pytest

from tests.gates.repository import ROOT
from tests.widgets.matrix import MATRIX

_PAGE = (ROOT / "docs" / "widgets.md").read_text(encoding="utf-8")


def _rows(heading: str) -> list[list[str]]:
    section = _PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return rows[2:]


@pytest.mark.requirement("WID-08")
def test_the_page_lists_exactly_the_cells_that_work() -> None:
    works = {
        (library, cell.widget, cell.intent) for library, cells in MATRIX.items() for cell in cells if not cell.fails
    }
    listed = {
        (library, widget, intent)
        for library, widget, intents in _rows("What works")
        for intent in re.split("、", intents)
    }
    assert listed == works


@pytest.mark.requirement("WID-08")
def test_the_page_gives_a_reason_for_exactly_the_cells_that_fail() -> None:
    fails = {(library, cell.widget, cell.intent) for library, cells in MATRIX.items() for cell in cells if cell.fails}
    rows = _rows("What does not work")
    assert {(library, widget, intent) for library, widget, intent, _reason in rows} == fails
    assert all(reason for *_, reason in rows)
