"""Where the checkout is and which of its files the gates look at.

The tree is walked instead of asking git, so that an unpacked archive is judged like a clone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

PRUNED: Final = frozenset(
    {".git", ".venv", "__pycache__", "node_modules", "build", "dist", "out", "state", "htmlcov"}
    | {".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".sgclaw"}
)


def files(root: Path = ROOT) -> Iterator[Path]:
    """Every file a clone could hold, in a stable order; folders of caches and builds are left out."""
    for path in sorted(root.iterdir()):
        if path.name in PRUNED or path.name.endswith(".egg-info") or path.is_symlink():
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def text_of(path: Path) -> str | None:
    """The file's text, or None for one that is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def python_files(*folders: str) -> Iterator[Path]:
    """The Python files under the named top-level folders; a folder that does not exist yields nothing."""
    for folder in folders:
        if (ROOT / folder).is_dir():
            yield from (path for path in files(ROOT / folder) if path.suffix == ".py")
