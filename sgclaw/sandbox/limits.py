"""The one place where operating systems differ on the parent's side of the sandbox.

On Windows there are no process groups to kill and no processor limit: the wall clock alone ends a run there.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

from sgclaw.sandbox.budget import MIB
from sgclaw.sandbox.ends import End

ADDRESS_SPACE_BESIDE_HEAP: Final = 256 * MIB
"""Interpreter, engine code, thread stack and the copies of text on their way. Measured: a warm worker maps 15 MiB."""

OWN_SESSION: Final = sys.platform != "win32"
"""The worker leads its own session: no key press in the terminal reaches it, and a kill of its group spares ours."""


def kill_group(pid: int) -> None:
    """End a worker and whatever it may have started, at once; a group that is gone already is fine."""
    if sys.platform == "win32":
        os.kill(pid, signal.SIGTERM)
        return
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def end_of_exit(returncode: int) -> End:
    """What the exit status of a worker that went silent says."""
    if sys.platform != "win32" and returncode == -signal.SIGXCPU:
        return End.CPU
    return End.WORKER_DIED
