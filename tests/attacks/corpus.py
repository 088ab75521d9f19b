"""Where the attack cases lie and how each suite's file reads. Beside the repository, never inside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.gates.repository import ROOT

FOLDER: Final = ROOT.parent / "shared" / "attacks"
"""Taken unless `--attacks FOLDER` names another one."""

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite: its own data, and what its file says for all of them."""

    suite: str
    id: str
    title: str
    is_control: bool
    """Whether it must succeed: refusing everything is a failure too."""
    data: Data
    file: Data
    folder: Path


def _lines_control(data: Data) -> bool:
    return str(data["title"]).startswith("BENIGN")


def _row_control(data: Data) -> bool:
    return bool(data["allow"])


def _script_control(data: Data) -> bool:
    return "must_succeed" in data["accept"]


def _page_control(data: Data) -> bool:
    return str(data["channel"]) == "benign"


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of cases: where they stand in it, and which are controls."""

    file: str
    cases: str
    is_control: Callable[[Data], bool]


SUITES: Final[Mapping[str, Suite]] = {
    "pipe-lines": Suite("pipe-lines.json", "cases", _lines_control),
    "pipe-domains": Suite("pipe-domains.json", "rows", _row_control),
    "sandbox": Suite("js/manifest.json", "cases", _script_control),
    "injection": Suite("injection-cases.json", "cases", _page_control),
    "registry": Suite("registry-cases.json", "cases", _lines_control),
}


def read(folder: Path, name: str) -> list[Case]:
    """The cases of one suite in the order of the file; none when the folder is not there."""
    suite = SUITES[name]
    path = folder / suite.file
    if not folder.is_dir():
        return []
    file = json.loads(path.read_text(encoding="utf-8"))
    return [
        Case(name, data["id"], data.get("title") or data["why"], suite.is_control(data), data, file, path.parent)
        for data in file[suite.cases]
    ]
