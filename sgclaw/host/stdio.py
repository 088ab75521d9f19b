"""Take fd 0 and 1 private, before any other import.

After `take_stdio` the real stdin and stdout are known to nobody but the caller, fd 1 is stderr and fd 0 is empty: a
stray `print`, a noisy import or a C library cannot break the wire, and child processes inherit neither end (PEP 446).
This module imports nothing but `os` and `sys`.
"""

from __future__ import annotations

import os
import sys


def fill_closed() -> None:
    """Open the null device where fd 0, 1 or 2 is closed: the next file would get its number, and what others write.

    Call it before anything is opened. `sys.stdin`, `sys.stdout` and `sys.stderr` stay None where they were closed.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number: `fd` itself


def take_stdio() -> tuple[int, int]:
    """Return (private stdin fd, private stdout fd); both are non-inheritable. `fill_closed` has been called."""
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 -- for the life of the process
    # Before fd 1 changes: a stream that began as a file would look for its place in what may be a pipe then.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    private_in, private_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return private_in, private_out
