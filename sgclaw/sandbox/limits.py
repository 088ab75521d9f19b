"""The one place where operating systems differ on the parent's side of the sandbox.

Elsewhere the worker limits itself (`worker.py`); on Windows only its parent can, with a job object, and there are no
process groups to kill.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Final

from sgclaw.sandbox.budget import MIB, Budgets
from sgclaw.sandbox.ends import End
from sgclaw.sandbox.windows_job import confine as confine_in_job

ADDRESS_SPACE_BESIDE_HEAP: Final = 256 * MIB
"""Interpreter, engine code, thread stack and the copies of text on their way. Measured: a warm worker maps 15 MiB."""

OWN_SESSION: Final = sys.platform != "win32"
"""The worker leads its own session: no key press in the terminal reaches it, and a kill of its group spares ours."""


def address_space(budgets: Budgets) -> int:
    """Bytes a worker may map in all."""
    return budgets.heap_bytes + ADDRESS_SPACE_BESIDE_HEAP


def confine(pid: int, budgets: Budgets) -> Callable[[], None]:
    """Put the limits around a worker that it cannot set itself; call what is returned when it is dead.

    To be called before any skill code runs. Raises `OSError` when the system refuses.
    """
    if sys.platform == "win32":
        return confine_in_job(pid, address_space(budgets), budgets.cpu_ms)
    return _nothing


def _nothing() -> None:
    return


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
