"""Keeps one page from taking the whole browser: a script without end can ask more of it than it can do.

What the browser's own process has not read yet piles up in its memory, and it answers nobody meanwhile. The renderer
that keeps it busy is ended then; that is told like a crash. How much processes work is read from `/proc`: where there
is none, nothing is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.tasks import Tasks, drop

_EVERY_S: Final = 1.0
_SOON_S: Final = 0.5
_PATIENCE_S: Final = 3.0
"""For the browser to answer a question that costs it nothing."""
_BUSY: Final = 0.25
"""Share of the wait that a process must have worked, so that nobody is ended because the machine is slow."""
_PROCESSES: Final = Path("/proc")
_PARENT, _USER, _SYSTEM = 1, 11, 12
"""Places in `stat` behind the name: the parent's number, ticks of work in the program and for it."""


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    ticks: int


class Watch:
    """Asks the browser now and again whether it still answers."""

    def __init__(self, session: CDPSession, tasks: Tasks) -> None:
        self._session, self._tasks = session, tasks

    async def start(self) -> None:
        """Watch until the tasks are closed or the browser ends."""
        told = (await self._session.send("SystemInfo.getProcessInfo"))["processInfo"]
        browser = next(int(each["id"]) for each in told if each["type"] == "browser")
        self._tasks.start(self._watch(browser))

    async def _watch(self, browser: int) -> None:
        with contextlib.suppress(PlaywrightError):  # the browser ended
            while True:
                await asyncio.sleep(_EVERY_S)
                await self._ask(browser)

    async def _ask(self, browser: int) -> None:
        answer = asyncio.ensure_future(self._session.send("Browser.getVersion"))
        try:
            if not (await asyncio.wait({answer}, timeout=_SOON_S))[0]:
                before = await asyncio.to_thread(_processes)
                while not (await asyncio.wait({answer}, timeout=_PATIENCE_S))[0]:
                    after = await asyncio.to_thread(_processes)
                    _end_busiest(browser, before, after)
                    before = after
            await answer
        finally:
            await drop(answer)


def _processes() -> Mapping[int, _Process]:
    found = {}
    for entry in _PROCESSES.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
            found[int(entry.parent.name)] = _Process(int(fields[_PARENT]), int(fields[_USER]) + int(fields[_SYSTEM]))
    return found


def _end_busiest(browser: int, before: Mapping[int, _Process], after: Mapping[int, _Process]) -> None:
    """End the renderer that worked most, when both it and the browser's own process did work."""
    worked = {number: now.ticks - before[number].ticks for number, now in after.items() if number in before}
    renderers = [number for number in worked if _is_below(browser, number, after) and _renders(number)]
    busiest = max(renderers, key=lambda number: worked[number], default=None)
    if busiest is None:
        return
    enough = _BUSY * _PATIENCE_S * os.sysconf("SC_CLK_TCK")
    if min(worked[busiest], worked.get(browser, 0)) >= enough:
        with contextlib.suppress(ProcessLookupError):
            os.kill(busiest, signal.SIGKILL)


def _is_below(ancestor: int, number: int, processes: Mapping[int, _Process]) -> bool:
    while number in processes and number != ancestor:
        number = processes[number].parent
    return number == ancestor


def _renders(number: int) -> bool:
    try:
        return b"--type=renderer" in (_PROCESSES / str(number) / "cmdline").read_bytes()
    except OSError:
        return False
