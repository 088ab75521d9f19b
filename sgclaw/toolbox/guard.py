"""Runs in the child, before a server: asks the kernel to kill it when we die, then becomes the server.

Linux only. Started as a plain file: `python -I -S guard.py PARENT PROGRAM ARGUMENT …`; it imports nothing of ours.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Never returns."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the kernel was asked
        sys.exit(1)
    try:
        os.execv(command[0], command)  # noqa: S606 - the whole point
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
