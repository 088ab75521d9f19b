import pytest

from tests.gates.manifest import NotLiteralError, differences, faults_of_table, marked_ids
from tests.gates.repository import ROOT, python_files
from tests.requirements import REQUIREMENTS, Requirement

ROW = Requirement("PIPE-01", "design 4", "A repeated seq is refused")


@pytest.mark.requirement("GATE-04")
def test_every_promise_has_a_test_and_every_marked_test_a_promise() -> None:
    used: dict[str, list[str]] = {}
    for path in python_files("tests"):
        # Examples of markers inside the gate's own tests are strings, so they are not found here.
        if not path.name.startswith("test_"):
            continue
        for id_ in marked_ids(path.read_text(encoding="utf-8")):
            used.setdefault(id_, []).append(str(path.relative_to(ROOT)))
    assert faults_of_table(REQUIREMENTS) + differences(REQUIREMENTS, used) == []


def test_ids_are_found_in_decorators_module_marks_and_parameters() -> None:
    source = """
import pytest
pytestmark = pytest.mark.requirement("A-01")

@pytest.mark.requirement("A-02", "A-03")
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("A-04"))])
def test_x(x): ...
"""
    assert set(marked_ids(source)) == {"A-01", "A-02", "A-03", "A-04"}


@pytest.mark.parametrize(
    "call", ["requirement()", "requirement(f'A-{n}')", "requirement(NAME)", "requirement(id='A-01')"]
)
def test_an_id_that_cannot_be_searched_for_is_refused(call: str) -> None:
    with pytest.raises(NotLiteralError):
        list(marked_ids(f"@pytest.mark.{call}\ndef test_x(): ..."))


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([ROW, ROW], "PIPE-01: this id is already taken"),
        ([Requirement("pipe-1", "design 4", "x")], "pipe-1: an id looks like ROOM-01"),
        ([Requirement("PIPE-02", "", "x")], "PIPE-02: source and behaviour are needed"),
        ([Requirement("PIPE-02", "design 4", " ")], "PIPE-02: source and behaviour are needed"),
        ([Requirement("PIPE-02", "design 4", "It holds.")], "PIPE-02: behaviours end without a full stop"),
    ],
)
def test_a_faulty_row_is_reported(rows: list[Requirement], fault: str) -> None:
    assert faults_of_table(rows) == [fault]


def test_a_promise_without_a_test_is_reported() -> None:
    assert differences([ROW], {}) == ["PIPE-01: no test carries this id"]


def test_a_test_without_a_promise_is_reported() -> None:
    used = {"PIPE-01": ["tests/a.py"], "PIPE-09": ["tests/b.py"]}
    assert differences([ROW], used) == ["PIPE-09: used in tests/b.py, missing in tests/requirements.py"]


def test_a_deferred_promise_needs_no_test_and_may_not_have_one() -> None:
    row = Requirement("PIPE-02", "design 4", "x", deferred="needs the agent room")
    assert differences([row], {}) == []
    assert differences([row], {"PIPE-02": ["tests/a.py"]}) == ["PIPE-02: deferred, yet tested in tests/a.py"]
