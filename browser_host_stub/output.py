"""The one exit for texts: progress to stderr, results to stdout. Pages and sgclaw may have written what is in them.

Every text leaves as one inert line: a control mark could overwrite what the person is about to confirm, and a line end
could forge the line that is confirmed.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TextIO

from sgclaw.redact import inert

_MAX_SHOWN = 300


def say(text: str) -> None:
    """One line for the person; a stderr that takes nothing stops no task."""
    with contextlib.suppress(OSError):
        _write(sys.stderr, _one_line(text))


def tell(text: str) -> None:
    """One line of the result. Raises `OSError` when stdout does not take it."""
    _write(sys.stdout, _one_line(text))


def tell_json(value: object) -> None:
    """One JSON object in one line of stdout, unprintable characters escaped. Raises `OSError` like `tell`."""
    text = json.dumps(value, ensure_ascii=False)
    _write(sys.stdout, "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text) + "\n")


def quoted(value: object) -> str:
    """Content of a page or of a command in quotation marks, short, its blanks drawn together."""
    text = " ".join(inert(str(value)).split()).replace("”", "’")
    return f"“{text}”" if len(text) <= _MAX_SHOWN else f"“{text[:_MAX_SHOWN]}…”（共 {len(text)} 字）"


def prompt(text: str) -> None:
    """What stands before the cursor."""
    with contextlib.suppress(OSError):
        _write(sys.stderr, text)


def _one_line(text: str) -> str:
    return inert(text).replace("\n", " ") + "\n"


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by whoever started us
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # What is buffered would fail once more at exit, with a message and an exit code of its own.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        raise
