"""What a process says and leaves behind when it ends, whatever its standard streams have become."""

from __future__ import annotations

import os
import sys
from threading import Thread

READER_SECONDS = 1
"""Half of what `sgclaw pipe` may take to end. Its log may be a full pipe that nobody reads any more."""


def tell(text: str) -> None:
    """One last line on stderr, if somebody reads it in time.

    On fd 2 itself: a write to `sys.stderr` that hangs would keep its lock, and the interpreter aborts over that.
    """
    speaker = Thread(target=_write, args=(f"sgclaw: {text}\n".encode("utf-8", "backslashreplace"),), daemon=True)
    speaker.start()
    speaker.join(READER_SECONDS)


def _write(content: bytes) -> None:
    try:
        os.write(2, content)
    except OSError:
        return  # there is nobody left to tell


def drop_unwritable() -> None:
    """What cannot be written any more goes nowhere: the interpreter would stumble over it and change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
