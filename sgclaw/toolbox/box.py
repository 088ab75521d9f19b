"""The port `Toolbox` over configured MCP servers. They are started when tools are first asked for."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sgclaw.errors import ForeignToolError
from sgclaw.ports import ForeignTool
from sgclaw.redact import redact
from sgclaw.toolbox.bounds import Patience
from sgclaw.toolbox.listing import BETWEEN, Judged, Listed, ServerReport, judge
from sgclaw.toolbox.pins import read_pins
from sgclaw.toolbox.reasons import Reason, failure
from sgclaw.toolbox.settings import VAULT_MARK, ServerSettings, ToolboxSettings

if TYPE_CHECKING:
    from sgclaw.toolbox.link import Link

_PATIENCE: Final = Patience()
MAX_STARTS: Final = 3
"""Of one server in the life of a toolbox: one that keeps dying is left alone."""


class McpToolbox:
    """`ports.Toolbox`. Whoever makes it closes it: no server outlives that by a second.

    Importing and making it loads nothing of the `mcp` package and starts nothing.
    """

    def __init__(self, settings: ToolboxSettings, pins: Path, patience: Patience = _PATIENCE) -> None:
        self._servers = {
            name: _Server(name, server, partial(_linked, name, server, settings.inherited, patience), pins)
            for name, server in settings.servers.items()
        }

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def tools(self) -> Sequence[ForeignTool]:
        """What is offered now; see `survey` for what is not. Raises `BAD_CONFIG` for a file of pins nobody can use."""
        return [judged.tool for report in await self.survey() for judged in report.tools if judged.tool is not None]

    async def call(self, name: str, arguments: Mapping[str, object]) -> str:
        """See the port."""
        server, _, tool = name.partition(BETWEEN)
        if server not in self._servers or not tool:
            raise failure(Reason.UNKNOWN_TOOL, "mcp", tool=name[:64])
        if _mentions_vault(arguments):
            raise failure(Reason.VAULT_REFERENCE, server, tool=tool)
        if redact(arguments) != arguments:
            raise failure(Reason.PRIVATE_VALUE, server, tool=tool)
        return await self._servers[server].call(tool, arguments)

    async def survey(self) -> Sequence[ServerReport]:
        """Every server with all its tools, offered and refused, or why there are none. Raises `BAD_CONFIG`."""
        return await asyncio.gather(*(server.report() for server in self._servers.values()))

    async def close(self) -> None:
        """End every server."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))


async def _linked(name: str, server: ServerSettings, inherited: Mapping[str, str], patience: Patience) -> Link:
    """A connection that is not started. Loads the package in a thread: it takes a second, and the pipe is served."""
    await asyncio.to_thread(importlib.import_module, "sgclaw.toolbox.link")
    from sgclaw.toolbox.link import Link  # noqa: PLC0415

    return Link(name, server, inherited, patience)


class _Server:
    """One server through all its starts. One request at a time: limits are counted for each."""

    def __init__(self, name: str, settings: ServerSettings, connect: Callable[[], Awaitable[Link]], pins: Path) -> None:
        self._name, self._settings, self._connect, self._pins = name, settings, connect, pins
        self._one = asyncio.Lock()
        self._link: Link | None = None
        self._starts = 0
        self._closed = False
        self._listed: list[Listed] = []
        self._failure: ForeignToolError | None = None

    async def report(self) -> ServerReport:
        async with self._one:
            try:
                await self._ensure()
            except ForeignToolError as error:
                return ServerReport(self._name, failure=error)
            return ServerReport(self._name, self._judged())

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        async with self._one:
            if self._link is None or not self._link.alive:
                raise failure(Reason.GONE, self._name, tool=tool)
            await self._relist(self._link)
            judged = next((each for each in self._judged() if each.name == tool), None)
            if judged is None or judged.tool is None:
                reason = judged.refused if judged is not None and judged.refused is not None else Reason.UNKNOWN_TOOL
                raise failure(reason, self._name, tool=tool[:64])
            return await self._link.call(tool, arguments)

    async def close(self) -> None:
        """Not under the lock: a call that is waited for is among what has to end."""
        self._closed = True
        if self._link is not None:
            await self._link.close()

    def _judged(self) -> tuple[Judged, ...]:
        pinned = read_pins(self._pins).get(self._name, {})
        return judge(self._name, self._listed, self._settings.tools, pinned)

    async def _ensure(self) -> None:
        """A running server whose tools are known; raises why there is none."""
        if self._link is not None and not self._link.alive:
            await self._link.close()
            self._link = None
        if self._link is None:
            self._link = await self._started()
        await self._relist(self._link)

    async def _started(self) -> Link:
        if self._closed or self._starts >= MAX_STARTS:
            raise self._failure or failure(Reason.GONE, self._name, facts={"starts": self._starts})
        self._starts += 1
        link = await self._connect()
        if self._closed:
            raise failure(Reason.GONE, self._name)
        self._link = link
        try:
            await link.start()
        except ForeignToolError as error:
            self._link, self._failure = None, error
            raise
        return link

    async def _relist(self, link: Link) -> None:
        """List anew what is said to have changed."""
        if not link.stale:
            return
        try:
            self._listed = await link.tools()
        except ForeignToolError as error:
            self._listed, self._failure = [], error
            await link.close()
            raise


def _mentions_vault(value: object) -> bool:
    """Whether a text anywhere in the arguments, keys included, refers to a secret."""
    if isinstance(value, str):
        return VAULT_MARK in value.lower()
    if isinstance(value, Mapping):
        return any(_mentions_vault(part) for pair in value.items() for part in pair)
    return isinstance(value, list | tuple) and any(_mentions_vault(part) for part in value)
