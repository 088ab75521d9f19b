"""`sgclaw pipe`: what the browser starts. No CLI toolkit here."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

from sgclaw.app import serve
from sgclaw.config import load_settings
from sgclaw.errors import SgClawError
from sgclaw.host.carrier import FdCarrier
from sgclaw.protocol.limits import SHUTDOWN_SECONDS

_ORDERLY = frozenset({"shutdown", "eof"})


def run_pipe(read_fd: int, write_fd: int) -> int:
    """Serve one host over the two private descriptors; returns 0 after an orderly end."""
    try:
        reason = asyncio.run(_serve(read_fd, write_fd))
    except SgClawError as error:
        sys.stderr.write(f"sgclaw: {error.code}: {error.cause}。{error.next_step}\n")
        return 1
    return 0 if reason in _ORDERLY else 1


async def _serve(read_fd: int, write_fd: int) -> str:
    carrier = FdCarrier(read_fd, write_fd, on_eof=_arm_exit)
    return await serve(carrier, load_settings())


def _arm_exit() -> None:
    """The browser is gone: whatever hangs, this process ends within the promised time."""
    watchdog = threading.Timer(SHUTDOWN_SECONDS, os._exit, args=(1,))
    watchdog.daemon = True
    watchdog.start()
