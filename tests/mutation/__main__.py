"""Mutate the trust core: `python -m tests.mutation [ROOM...]`.

Each room is mutated in a copy of its own under out/mutation, with the tests of that room alone: the working tree stays
as it is. A later run judges what is new or was not noticed before; without out/mutation it judges all. Prints killed
and survived by module, and the name of each survivor; `cd out/mutation/ROOM && mutmut show NAME` shows the change.
Exits with 1 when a room is below the bar.

What mutmut does not reach: code that runs while a module is imported (tables, models, constants). The tests of the
tables compare them with a list of their own instead.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
OUT: Final = ROOT / "out" / "mutation"
BAR: Final = 0.85
"""Share of mutants that the tests of a room must notice."""


@dataclass(frozen=True, slots=True)
class Room:
    """What is mutated, and the tests that must notice."""

    code: Sequence[str]
    tests: Sequence[str]


_TRUST: Final = ("ed25519", "files", "keyring", "marks", "reasons", "registry", "source", "trust")
_PAPERS: Final = ("header", "papers", "patches", "patching", "revocation", "rotation", "schema", "signing", "state")

ROOMS: Final[Mapping[str, Room]] = {
    "protocol": Room(["sgclaw/protocol/*.py"], ["tests/unit/protocol"]),
    "policy": Room(["sgclaw/policy/*.py"], ["tests/unit/policy"]),
    "trust": Room([f"sgclaw/skills/{name}.py" for name in _TRUST], ["tests/unit/skills"]),
    "papers": Room([f"sgclaw/skills/{name}.py" for name in _PAPERS], ["tests/unit/skills"]),
}
_COPIED: Final = ("sgclaw", "browser_host_stub", "tests", "skills", "keys", "docs", "registry.json")
_NOT_SPEED: Final = "not microseconds"
"""Mutants run through a switch in every function: a test of speed fails before the first one."""
_FRESH: Final = """
import sys

def pytest_sessionstart():
    for name, module in list(sys.modules.items()):
        if name.startswith("sgclaw."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
"""
"""A conftest: mutants are forked from a process that ran the tests once, so what it remembers would answer for them."""
_KILLED: Final = frozenset({"killed", "timeout", "suspicious", "segfault", "caught by type check"})


def prepare(name: str) -> Path:
    """The copy of the working tree in which this room is mutated."""
    folder, room = OUT / name, ROOMS[name]
    folder.mkdir(parents=True, exist_ok=True)
    for part in _COPIED:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy2(source, target)
    settings = {
        "source_paths": ["sgclaw"],
        "only_mutate": list(room.code),
        "also_copy": ["conftest.py", *(part for part in _COPIED if part not in ("sgclaw", "tests"))],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-q", "--hypothesis-profile=ci", "-k", _NOT_SPEED],
        "pytest_add_cli_args_test_selection": list(room.tests),
    }
    lines = [f"{key} = {value!r}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    pytest_settings = re.findall(r"^\[tool\.pytest\..*?(?=^\[)", project, re.MULTILINE | re.DOTALL)
    written = "\n".join([*pytest_settings, "[tool.mutmut]", *lines, ""])
    (folder / "pyproject.toml").write_text(written, encoding="utf-8")
    (folder / "conftest.py").write_text(_FRESH, encoding="utf-8")
    return folder


def _mutmut(folder: Path, *arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("mutmut")), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode("utf-8", "replace")


def _states(folder: Path) -> dict[str, str]:
    """Mutant → what became of it in earlier runs."""
    return dict(re.findall(r"^\s+(\S+): (.+)$", _mutmut(folder, "results", "--all", "true"), re.MULTILINE))


def judge(folder: Path) -> Mapping[str, str]:
    """Mutant → what became of it, after running those that are new or were not noticed before."""
    unnoticed = [mutant for mutant, state in _states(folder).items() if state not in _KILLED | {"not checked"}]
    told = _mutmut(folder, "run", "--max-children", "1")
    now = _states(folder)
    still = [mutant for mutant in unnoticed if now.get(mutant) not in (None, *_KILLED)]
    if still:
        told = _mutmut(folder, "run", "--max-children", "1", *still)
    found = _states(folder)
    if not found or "not checked" in found.values():
        raise SystemExit(f"mutmut did not finish:\n{told[-3_000:]}")
    return found


def report(name: str, found: Mapping[str, str]) -> float:
    """Print the room's table; the share of its mutants that were noticed."""
    rows: dict[str, Counter[bool]] = {}
    for mutant, state in found.items():
        rows.setdefault(mutant.rpartition(".")[0], Counter())[state in _KILLED] += 1
    for module, counts in sorted(rows.items()):
        share = counts[True] / counts.total()
        print(f"{module:<36} {counts[True]:>6} killed {counts[False]:>5} survived {share:>8.1%}")
    share = sum(counts[True] for counts in rows.values()) / len(found)
    for mutant, state in found.items():
        if state not in _KILLED:
            print(f"  {state}: {mutant}")
    print(f"{name}: {len(found)} mutants, {share:.1%} killed (bar {BAR:.0%})", flush=True)
    return share


def main(names: Sequence[str]) -> int:
    """Mutate these rooms, or all of them; 1 when one is below the bar."""
    shares = [report(name, judge(prepare(name))) for name in names or ROOMS]
    return int(any(share < BAR for share in shares))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
