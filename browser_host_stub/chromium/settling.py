"""When a page has made up its mind about an act: pages take back a tick or a value a moment after they showed it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Final

from playwright.async_api import Page, Request

from browser_host_stub.chromium.run import Run

_SETTLED_S: Final = 0.15
_LEAST_MS: Final = 16
"""For timers that take back what a click did."""
_ASKING: Final = ("fetch", "xhr")


class Asked:
    """Requests of the page's scripts: whether all are answered."""

    def __init__(self) -> None:
        self._open: set[Request] = set()
        self.answered = asyncio.Event()
        self.answered.set()

    def begun(self, request: Request) -> None:
        """One is sent."""
        if request.resource_type in _ASKING:
            self._open.add(request)
            self.answered.clear()

    def ended(self, request: Request) -> None:
        """One is answered, or never will be."""
        self._open.discard(request)
        if not self._open:
            self.answered.set()


@contextlib.contextmanager
def asking(page: Page) -> Iterator[Asked]:
    """What the page asks of a server while the block runs: its answer may take the act back."""
    asked = Asked()
    heard = {"request": asked.begun, "requestfinished": asked.ended, "requestfailed": asked.ended}
    for event, hear in heard.items():
        page.on(event, hear)  # type: ignore[call-overload]
    try:
        yield asked
    finally:
        for event, hear in heard.items():
            page.remove_listener(event, hear)


async def settled(run: Run, asked: Asked) -> None:
    """Wait until the located document stands still for two frames and what it `asked` is answered, 150 ms at most.

    Raises as `Run.in_page` does.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + _SETTLED_S
    await run.in_page("standsStill", _LEAST_MS, _SETTLED_S * 1000)
    if asked.answered.is_set():
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            await asked.answered.wait()
    await run.in_page("standsStill", 0, max(0.0, until - loop.time()) * 1000)
