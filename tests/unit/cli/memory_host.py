"""A host program for `sgclaw run`: the stub's session over an in-memory browser. `mode` says how it behaves."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from browser_host_stub.link import link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.policy.model import policy_document
from sgclaw.protocol.messages import Command, Message

TRACE_ID = "sgclaw-20260331-0123abcd"
ORDERS = "https://erp.example.com/orders"


def _page() -> dict[str, Element]:
    return {"#export": Element(tag="a", text="导出", file=("订单清单.xlsx", b"rows"))}


def main(mode: str) -> None:
    """`good` works, `hang` never finishes a download, `mute` says nothing; the others leave in the middle of an act."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_host(mode, Path(folder)))


async def _host(mode: str, folder: Path) -> None:
    if mode == "mute":
        os.close(1)
        await asyncio.get_running_loop().run_in_executor(None, os.read, 0, 1)
        return
    driver = MemoryDriver({ORDERS: _page}, folder)
    if mode == "hang":
        driver.knobs.hang.add("download")

    def observe(message: Message) -> None:
        if isinstance(message, Command) and mode == f"die at {message.action}":
            os._exit(1)

    options = HostOptions(policy=policy_document(["https://erp.example.com"]), trace_id=TRACE_ID, observer=observe)
    session = HostSession(await link_over(os.dup(0), os.dup(1)), driver, options)
    reading = asyncio.create_task(session.run())
    await session.start()
    await reading
