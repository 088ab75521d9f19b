"""What commands write: plain UTF-8 lines, tables that a terminal gets in colour, one JSON object for programs.

Texts from skills, ledgers and pages are shown as inert text: control and direction marks could otherwise write over the
reader's terminal.
"""

from __future__ import annotations

import contextlib
import json
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

from sgclaw.redact import inert

Row = Sequence[str]


def use_utf8() -> None:
    """Make stdout and stderr take every text, whatever code page the console has."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def say(text: str = "") -> None:
    """One line of the command's result, on stdout."""
    _write(sys.stdout, text)


def warn(text: str) -> None:
    """One line beside the result, on stderr. Nobody who cannot hear it keeps the result from being made."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            _write(sys.stderr, text)


def say_json(value: object) -> None:
    """One JSON object in one line, on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def table(heads: Row, rows: Sequence[Row]) -> None:
    """A table on stdout: drawn on a terminal, columns of plain text elsewhere."""
    if sys.stdout.isatty():
        _draw(heads, rows)
    else:
        _columns(heads, rows)


def _write(stream: TextIO, text: str) -> None:
    stream.write(inert(text) + "\n")
    stream.flush()


def _draw(heads: Row, rows: Sequence[Row]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*heads, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        drawn.add_row(*(Text(inert(cell), overflow="fold") for cell in row))
    Console(file=sys.stdout).print(drawn)


def _columns(heads: Row, rows: Sequence[Row]) -> None:
    lines = [[inert(cell).replace("\n", " ") for cell in row] for row in (heads, *rows)]
    widths = [max(width_of(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        padded = [cell + " " * (width - width_of(cell)) for cell, width in zip(line, widths, strict=True)]
        _write(sys.stdout, "  ".join(padded).rstrip())


def width_of(text: str) -> int:
    """Columns of a terminal that the text takes: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
