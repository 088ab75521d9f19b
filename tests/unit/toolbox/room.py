"""A toolbox over servers of this folder, with its pins in a temporary folder."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from sgclaw.errors import ForeignToolError
from sgclaw.toolbox.bounds import Patience
from sgclaw.toolbox.box import McpToolbox
from sgclaw.toolbox.listing import ServerReport, pins_of
from sgclaw.toolbox.pins import read_pins, write_pins
from sgclaw.toolbox.reasons import Reason
from sgclaw.toolbox.settings import ServerSettings, ToolboxSettings

HERE = Path(__file__).parent
_PATIENCE = Patience(start=40)
INHERITED = {"PATH": os.defpath}
WAIT = 60
"""Seconds that a test waits at the most."""


def honest(**more: Any) -> ServerSettings:
    return ServerSettings((sys.executable, str(HERE / "honest.py"), "stdio"), **more)


def hostile(way: str) -> ServerSettings:
    return ServerSettings((sys.executable, "-I", "-S", str(HERE / "hostile.py"), way))


@dataclass
class Room:
    """A toolbox and its file of pins."""

    box: McpToolbox
    pins: Path

    async def pin(self, server: str) -> None:
        """Accept everything a server lists now."""
        reports = {each.server: each for each in await self.box.survey()}
        write_pins(self.pins, {**read_pins(self.pins), server: pins_of(reports[server])})

    async def report(self) -> ServerReport:
        (report,) = await self.box.survey()
        return report

    async def fails(self, name: str, arguments: Mapping[str, object] | None = None) -> ForeignToolError:
        with pytest.raises(ForeignToolError) as caught:
            await self.box.call(name, arguments or {})
        return caught.value

    async def verdicts(self) -> dict[str, Reason | None]:
        return {each.name: each.refused for each in (await self.report()).tools}


@asynccontextmanager
async def room(folder: Path, patience: Patience = _PATIENCE, **servers: ServerSettings) -> AsyncIterator[Room]:
    """A toolbox with these servers; closed, and none of its processes left, when the block ends."""
    pins = folder / "toolbox" / "pins.json"
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    async with asyncio.timeout(WAIT):
        async with McpToolbox(ToolboxSettings(servers, inherited=INHERITED), pins, patience) as box:
            yield Room(box, pins)
    assert {each.pid for each in psutil.Process().children(recursive=True)} <= before


@asynccontextmanager
async def pinned_room(folder: Path, server: ServerSettings, patience: Patience = _PATIENCE) -> AsyncIterator[Room]:
    """The same with one server `it`, everything of which is pinned."""
    async with room(folder, patience, it=server) as made:
        await made.pin("it")
        yield made
