import tomllib

import pytest

from tests.gates.pins import installed_closure, names, pins, reasons, unexplained, unpinned
from tests.gates.repository import ROOT

UNPINNED = frozenset({"ocr"})
"""Extras that no environment of this repository installs."""


def requirement_lines(*, without: frozenset[str] = frozenset()) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = (lines for extra, lines in extras.items() if extra not in without)
    return [*project["dependencies"], *(line for lines in wanted for line in lines)]


@pytest.mark.requirement("GATE-05")
def test_every_dependency_has_a_reason_and_every_reason_a_dependency() -> None:
    explained = reasons((ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8"))
    assert unexplained(names(requirement_lines()), explained) == []


@pytest.mark.requirement("GATE-06")
def test_the_pins_are_exactly_what_is_installed_for_work_on_the_repository() -> None:
    pinned = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    assert unpinned(installed_closure(requirement_lines(without=UNPINNED)), pinned) == []


def test_a_dependency_without_a_reason_and_a_reason_without_one_are_reported() -> None:
    explained = reasons("| package | reason |\n|---|---|\n| `Left_Pad` | pads |\n| `rich` | |\n")
    assert unexplained({"rich", "orjson"}, explained) == [
        "orjson: no reason in docs/dependencies.md",
        "rich: no reason in docs/dependencies.md",
        "left-pad: explained, but not in pyproject.toml",
    ]


def test_missing_differing_and_surplus_pins_are_reported() -> None:
    installed = {"a": "1", "b": "2", "c": "missing"}
    assert unpinned(installed, pins("# note\nA==1\nb==3\nd==4\n")) == [
        "b: installed 2, pinned 3",
        "c: installed missing, pinned nowhere",
        "d: pinned, but nothing brings it",
    ]


@pytest.mark.parametrize("line", ["a>=1", "-e .", "a @ file:///a.whl", "a==1 ; python_version < '3.12'", "a"])
def test_a_line_that_is_no_plain_pin_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="plain"):
        pins(line)


def test_the_closure_follows_requirements_and_names_what_is_absent() -> None:
    found = installed_closure(["pytest", "no-such-package-here"])
    assert {"pytest", "pluggy", "iniconfig"} <= found.keys()
    assert found["no-such-package-here"] == "missing"


def test_the_closure_follows_extras_only_when_asked() -> None:
    assert "coverage" not in installed_closure(["pytest"])
    assert "cryptography" in installed_closure(["pyjwt[crypto]"])
    assert "cryptography" not in installed_closure(["pyjwt"])
