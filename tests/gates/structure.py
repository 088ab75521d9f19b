"""Rules about where things are: who reads the environment, what unit tests mirror, how the two READMEs agree."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_ENVIRONMENT: Final = frozenset({"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"})
_OS_MODULES: Final = frozenset({"os", "posix", "nt"})


def environment_reads(source: str) -> Iterator[int]:
    """The lines that reach the process environment, under whatever name the module was imported."""
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in _OS_MODULES
    }
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=aliases) if module in _OS_MODULES:
                if any(alias.name in _ENVIRONMENT | {"*"} for alias in aliases):
                    yield node.lineno
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in names and attribute in _ENVIRONMENT:
                yield node.lineno


def rooms(package: Path) -> set[str]:
    """The names of a package's own folders and modules."""
    return {path.stem for path in package.iterdir() if path.is_dir() or path.suffix == ".py"}


def without_a_room(unit_names: Iterable[str], existing: set[str]) -> list[str]:
    """The entries of tests/unit (`protocol`, `test_errors.py`) that mirror no existing room."""
    return [name for name in unit_names if name.removeprefix("test_").removesuffix(".py") not in existing]


def outline(markdown: str) -> tuple[list[int], list[str]]:
    """The levels of a page's headings in order, and the text of its fenced code blocks in order."""
    levels: list[int] = []
    blocks: list[str] = []
    fence = ""
    body: list[str] = []
    for line in markdown.splitlines():
        marker = re.match(r"(`{3,}|~{3,})", line.strip())
        if fence:
            if marker and line.strip() == fence:
                blocks.append("\n".join(body))
                fence, body = "", []
            else:
                body.append(line)
        elif marker:
            fence, body = marker[1], [line.strip()]
        elif heading := re.match(r"(#{1,6})\s", line):
            levels.append(len(heading[1]))
    return levels, blocks
