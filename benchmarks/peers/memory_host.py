"""A host with an in-memory browser on its stdio: `python -m benchmarks.peers.memory_host FOLDER`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from benchmarks.agent import ORIGIN
from browser_host_stub.link import link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from browser_host_stub.session import HostOptions, HostSession
from browser_host_stub.task_run import local_today, new_trace_id
from sgclaw.policy.model import policy_document

START = f"{ORIGIN}/"


async def serve(read_fd: int, write_fd: int, folder: Path) -> None:
    """Serve one session until sgclaw leaves."""
    driver = MemoryDriver({START: lambda: {"#total": Element(text="1,234.50")}}, folder, start=START)
    options = HostOptions(policy=policy_document([ORIGIN]), trace_id=new_trace_id(local_today()))
    session = HostSession(await link_over(read_fd, write_fd), driver, options)
    reading = asyncio.create_task(session.run())
    await session.start()
    await reading


if __name__ == "__main__":
    descriptors = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # a stray print must not reach the wire
    asyncio.run(serve(*descriptors, Path(sys.argv[1])))
