"""Which files are generated, and by what. A new page is one more line in `PAGES`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from sgclaw.cli.commands import render_cli_docs
from tests.docs.errors_page import errors_page
from tests.docs.protocol_page import protocol_page
from tests.docs.schemas import SCHEMAS
from tests.docs.typings import TYPINGS
from tests.wire.make import FILES as TRANSCRIPTS

_NOTE: Final = "<!-- Written by `./dev docs` from the code; a change by hand is lost. -->\n\n"


def _page(text: Callable[[], str]) -> Callable[[], str]:
    return lambda: _NOTE + text()


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "docs/cli.md": _page(render_cli_docs),
    "docs/errors.md": _page(errors_page),
    "docs/protocol.md": _page(protocol_page),
    **SCHEMAS,
    **TYPINGS,
    **TRANSCRIPTS,
}


def stale(root: Path, pages: Mapping[str, Callable[[], str]] = PAGES) -> list[str]:
    """The files under `root` that are missing or not what the code says, in the order of the table."""
    return [name for name, text in pages.items() if _read(root / name) != text()]


def write(root: Path, pages: Mapping[str, Callable[[], str]] = PAGES) -> list[str]:
    """Write what is stale and return its names; files that are right keep their time stamp."""
    names = stale(root, pages)
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[name](), encoding="utf-8", newline="\n")
    return names


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else None
