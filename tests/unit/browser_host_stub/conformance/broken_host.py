"""The stub as a host of its own, sound or with one thing broken by name: what the kit has to tell apart.

`python -m …broken_host BREAKAGE POLICY FOLDER yes|no`. Breakages change lines on their way (they know the keys, as any
host does) or override what a driver does for its session.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.link import Link, link_over
from browser_host_stub.session import HostOptions, HostSession
from browser_host_stub.task_run import local_today, new_trace_id
from tests.unit.browser_host_stub.conformance.broken_drivers import DRIVERS
from tests.unit.browser_host_stub.conformance.broken_links import LINKS, Keys


class OneAnswer:
    """A person who says the same to everything."""

    def __init__(self, *, yes: bool) -> None:
        self._yes = yes

    async def approve(self, _facts: Mapping[str, object]) -> bool:
        return self._yes

    async def answer(self, _text: str, _choices: tuple[str, ...]) -> str | None:
        return None


async def host(breakage: str, policy: Path, folder: Path, *, yes: bool) -> None:
    read_fd, write_fd = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    driver = await DRIVERS.get(breakage, ChromiumDriver).start(ChromiumOptions(downloads_dir=folder))
    try:
        text = await asyncio.to_thread(policy.read_text, "utf-8")
        options = HostOptions(
            policy=text, trace_id=new_trace_id(local_today()), approver=OneAnswer(yes=yes), name=breakage
        )
        keys = Keys(options.session_key, options.trace_id)
        link: Link = await link_over(read_fd, write_fd)
        if breakage in LINKS:
            link = LINKS[breakage](link, keys)
        session = HostSession(link, driver, options)
        reading = asyncio.create_task(session.run())
        await session.start()
        await reading
    finally:
        await driver.close()


if __name__ == "__main__":
    name, policy_file, files, person = sys.argv[1:]
    asyncio.run(host(name, Path(policy_file), Path(files), yes=person == "yes"))
