"""Compares pyproject.toml, docs/dependencies.md, constraints.txt and what is installed."""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PIN: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)")
_REASON: Final = re.compile(r"\|\s*`(?P<name>[A-Za-z0-9._-]+)`\s*\|\s*(?P<reason>[^|]*?)\s*\|")


def pins(text: str) -> dict[str, str]:
    """Name to version of a constraints file. Comments are skipped; any line that is no plain pin is an error."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pin = _PIN.fullmatch(line)
        if pin is None:
            raise ValueError(f"not a plain name==version line: {line!r}")
        found[canonicalize_name(pin["name"])] = pin["version"]
    return found


def reasons(markdown: str) -> dict[str, str]:
    """Package to reason, from the table rows of docs/dependencies.md."""
    rows = (_REASON.match(line) for line in markdown.splitlines())
    return {canonicalize_name(row["name"]): row["reason"] for row in rows if row}


def names(requirements: Iterable[str]) -> set[str]:
    """The canonical names of requirement lines."""
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def installed_closure(requirements: Iterable[str]) -> dict[str, str]:
    """Name to installed version of everything the requirements bring on this platform; "missing" for absent ones."""
    found: dict[str, str] = {}
    todo = [Requirement(line) for line in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        wanted = todo.pop()
        key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            part = distribution(wanted.name)
        except PackageNotFoundError:
            found[key[0]] = "missing"
            continue
        found[key[0]] = part.version
        for line in part.requires or ():
            child = Requirement(line)
            extras = wanted.extras or {""}
            if child.marker is None or any(child.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(child)
    return found


def unexplained(required: set[str], explained: Mapping[str, str]) -> list[str]:
    """Dependencies without a reason, and reasons without a dependency."""
    found = [f"{name}: no reason in docs/dependencies.md" for name in sorted(required) if not explained.get(name)]
    found += [f"{name}: explained, but not in pyproject.toml" for name in sorted(explained.keys() - required)]
    return found


def unpinned(installed: Mapping[str, str], pinned: Mapping[str, str]) -> list[str]:
    """Parts whose pin is missing or differs from what is installed, and pins that nothing needs."""
    found = [
        f"{name}: installed {version}, pinned {pinned.get(name, 'nowhere')}"
        for name, version in sorted(installed.items())
        if pinned.get(name) != version
    ]
    found += [f"{name}: pinned, but nothing brings it" for name in sorted(pinned.keys() - installed.keys())]
    return found
