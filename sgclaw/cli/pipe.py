"""`sgclaw pipe`: what the browser starts. No CLI toolkit here.

The process never outlives its parent: end of input, a parent that is gone, or SIGTERM all end the session in order, and
whatever hangs then is ended by force within the promised time.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from sgclaw.app.serving import serve
from sgclaw.cli.last_words import tell
from sgclaw.config import load_settings
from sgclaw.errors import SgClawError
from sgclaw.host.carrier import FdCarrier
from sgclaw.protocol.limits import SHUTDOWN_SECONDS

if sys.platform != "win32":
    import resource

_ORDERLY = frozenset({"shutdown", "eof", "stopped"})
_PARENT_CHECK_SECONDS = 0.5


def run_pipe(read_fd: int, write_fd: int) -> int:
    """Serve one host over the two private descriptors; returns 0 after an orderly end."""
    _leave_no_core()
    try:
        reason = asyncio.run(_serve(read_fd, write_fd))
    except SgClawError as error:
        tell(f"{error.code}: {error.cause}。{error.next_step}")
        return 1
    return 0 if reason in _ORDERLY else 1


def _leave_no_core() -> None:
    """A memory image on the disk would hold the session's keys."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


async def _serve(read_fd: int, write_fd: int) -> str:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def end() -> None:
        _arm_exit()
        loop.call_soon_threadsafe(stop.set)

    # Ctrl-C in a terminal goes to the whole group; the browser decides, and its end shows as the end of our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, end)
        threading.Thread(target=_watch_parent, args=(os.getppid(), end), name="sgclaw-parent", daemon=True).start()
    carrier = FdCarrier(read_fd, write_fd, on_eof=_arm_exit)
    try:
        return await serve(carrier, load_settings(), stop, _arm_exit)
    finally:
        _arm_exit()  # taking the rest apart may hang as well, for example on a full stderr that nobody reads


def _watch_parent(parent: int, end: Callable[[], None]) -> None:
    """Another process may hold our pipe's other end open after the parent died: end of input alone is not enough."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    end()


def _arm_exit() -> None:
    watchdog = threading.Timer(SHUTDOWN_SECONDS, os._exit, args=(1,))
    watchdog.daemon = True
    watchdog.start()
