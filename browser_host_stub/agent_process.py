"""Start `sgclaw pipe` as a browser does: a child over a pair of pipes, its log on stderr."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from browser_host_stub.link import Link

COMMAND = (sys.executable, "-m", "sgclaw.cli.main", "pipe")
EXIT_SECONDS = 3.0
"""sgclaw promises to be gone 2 s after the session ends; then it is killed."""


@dataclass(frozen=True)
class Agent:
    """A running sgclaw."""

    process: asyncio.subprocess.Process
    link: Link


def _open_log(path: Path) -> BinaryIO:
    """For appending; the log quotes tasks, so it is for its owner alone."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


@contextlib.asynccontextmanager
async def started_agent(log: Path, command: tuple[str, ...] = COMMAND) -> AsyncIterator[Agent]:
    """Sgclaw while the block runs; leaving it ends the process, by force if it does not end itself."""
    with _open_log(log) as stderr:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=stderr
        )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("pipes were asked for")
    link = Link(process.stdout, process.stdin)
    try:
        yield Agent(process, link)
    finally:
        await link.close()
        try:
            async with asyncio.timeout(EXIT_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
