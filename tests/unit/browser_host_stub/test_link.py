"""A peer that does not read must not hold its host."""

from __future__ import annotations

import asyncio
import os

import pytest

from browser_host_stub.link import CLOSE_SECONDS, link_over


@pytest.mark.requirement("STUB-33")
async def test_closing_ends_in_time_although_nobody_reads_what_is_still_to_be_written() -> None:
    to_agent, to_host = os.pipe(), os.pipe()
    link = await link_over(to_host[0], to_agent[1])
    sending = asyncio.create_task(link.send(b"x" * 1_000_000))
    await asyncio.sleep(0)
    async with asyncio.timeout(3 * CLOSE_SECONDS):
        await link.close()
        await link.close()
        await sending
    for fd in (to_agent[0], to_host[1]):
        os.close(fd)
