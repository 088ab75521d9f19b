"""One connection to one server. Loads the `mcp` package; `box.py` imports this file when a server is first wanted.

The package's contexts must end in the task that began them, so each connection has a task of its own; requests run in
others and are left behind, with the whole connection, when they take too long or are cancelled.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mcp import types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED
from pydantic import BaseModel, ValidationError

from sgclaw import __version__
from sgclaw.context.untrusted import one_line
from sgclaw.errors import ForeignToolError
from sgclaw.toolbox.bounds import MAX_PAGES, MAX_TOOLS, Meter, Patience
from sgclaw.toolbox.listing import Listed
from sgclaw.toolbox.reasons import Reason, failure
from sgclaw.toolbox.results import block_of, text_of
from sgclaw.toolbox.settings import ServerSettings
from sgclaw.toolbox.stdio import Child, open_stdio

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

Answer = TypeVar("Answer", bound=BaseModel)

CLOSE_SECONDS: Final = 0.9
_SHORT: Final = 200


class Link:
    """A server that is running, or was. Exactly one owner, who must `close` it."""

    def __init__(self, name: str, server: ServerSettings, inherited: Mapping[str, str], patience: Patience) -> None:
        self._name, self._server, self._inherited, self._patience = name, server, inherited, patience
        self._meter: Final = Meter()
        self._session: ClientSession | None = None
        self._child: Child | None = None
        self._living: asyncio.Task[None] | None = None
        self._asking: set[asyncio.Task[object]] = set()
        self.stale = True
        """Whether the tools were never listed, or have changed since."""

    @property
    def alive(self) -> bool:
        """Whether the server can be asked."""
        return self._session is not None and not self._meter.over.is_set()

    @property
    def pid(self) -> int | None:
        """The process, of a server that we started."""
        return self._child.pid if self._child is not None else None

    async def start(self) -> None:
        """Connect and shake hands. Raises `ForeignToolError`; what was started has ended then."""
        in_time = True
        ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._living = asyncio.create_task(self._live(ready))
        try:
            either: set[asyncio.Future[Any]] = {self._living, ready}
            await asyncio.wait(either, timeout=self._patience.start, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not ready.done():
                ready.cancel()
                in_time = self._living.done()
                self._living.cancel()
                self._meter.end()
        if ready.cancelled():
            await self.close()
            raise self._why_not_started() if in_time else self._failed(Reason.TIMEOUT, {"limit": "start"})
        self._session = ready.result()

    async def tools(self) -> list[Listed]:
        """What the server lists, every page. Raises `ForeignToolError`."""
        self.stale = False
        found: list[Listed] = []
        cursor: str | None = None
        async with self._in_time("list", self._patience.start):
            for _ in range(MAX_PAGES):
                page = await self._ask(
                    types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor)), types.ListToolsResult
                )
                found += [Listed(each.name, each.description or "", each.input_schema) for each in page.tools]
                cursor = page.next_cursor
                if len(found) > MAX_TOOLS:
                    break
                if cursor is None:
                    return found
        self._meter.end(Reason.TOO_MANY_TOOLS)
        raise self._failed(Reason.TOO_MANY_TOOLS, {"most": MAX_TOOLS})

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """The result's text as a block. Raises `ForeignToolError`; nothing is tried again."""
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=dict(arguments)))
        try:
            async with self._in_time("call", self._patience.call):
                result = await self._ask(request, types.CallToolResult)
        except MCPError as error:
            raise failure(Reason.TOOL_FAILED, self._name, tool=tool, said=block_of(self._name, error.message)) from None
        text = text_of(self._name, result)
        if result.is_error:
            raise failure(Reason.TOOL_FAILED, self._name, tool=tool, said=text)
        return text

    async def close(self) -> None:
        """End the server and everything that waits for it; it is gone within a second."""
        self._meter.end()
        if self._living is None:
            return
        if self._session is None:
            self._living.cancel()  # in the middle of a handshake, which looks at nothing else
        await asyncio.wait({self._living, *self._asking}, timeout=CLOSE_SECONDS / 2)
        late = [task for task in (self._living, *self._asking) if not task.done()]
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=CLOSE_SECONDS / 2)
        if self._living.done() and not self._living.cancelled() and (error := self._living.exception()) is not None:
            self._blame(error)

    # --- the connection ---------------------------------------------------------------------------------------------

    async def _live(self, ready: asyncio.Future[ClientSession]) -> None:
        about_us = types.Implementation(name="sgclaw", version=__version__)
        try:
            async with (
                self._transport() as (read, write),
                ClientSession(read, write, message_handler=self._hear, client_info=about_us) as session,
            ):
                await session.initialize()
                if not ready.done():
                    ready.set_result(session)
                await self._meter.over.wait()
        finally:
            self._meter.end()

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[TransportStreams]:
        if self._server.command:
            async with open_stdio(self._server.command, self._inherited, self._meter) as (streams, child):
                self._child = child
                yield streams
            return
        http = await asyncio.to_thread(importlib.import_module, "sgclaw.toolbox.http")
        http.hush()
        async with http.open_http(self._server.url, self._patience, self._meter) as streams:
            yield streams

    async def _hear(self, message: object) -> None:
        """Of all that a server says unasked, one thing counts: its tools have changed."""
        if isinstance(message, types.ToolListChangedNotification):
            self.stale = True

    async def _ask(self, request: types.ClientRequest, kind: type[Answer]) -> Answer:
        """One request; `MCPError` is the server's own answer, `ForeignToolError` that there is none."""
        session = self._session
        if session is None or not self.alive:
            raise self._lost()
        asking = asyncio.create_task(session.send_request(request, kind))
        self._asking.add(asking)
        asking.add_done_callback(self._forget)
        try:
            await asyncio.wait({asking})
        finally:
            if not asking.done():  # nobody waits any more, and what the server does by now is not known
                self._meter.end()
                asking.cancel()
        try:
            return asking.result()
        except ValidationError:
            self._meter.end(Reason.BAD_MESSAGE)
            raise self._failed(Reason.BAD_MESSAGE) from None
        except MCPError as error:
            # The same number is a common error of servers; only the HTTP transport has no other word for an end.
            if self._meter.over.is_set() or (error.code == CONNECTION_CLOSED and self._server.url):
                raise self._lost() from None
            raise

    def _forget(self, asking: asyncio.Task[object]) -> None:
        """Drop a request that is over; the error of one that nobody waits for any more is that of the connection."""
        self._asking.discard(asking)
        if not asking.cancelled():
            asking.exception()

    @asynccontextmanager
    async def _in_time(self, limit: str, seconds: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise self._failed(Reason.TIMEOUT, {"limit": limit}) from None

    # --- why it failed ----------------------------------------------------------------------------------------------

    def _lost(self) -> ForeignToolError:
        self._meter.end()
        return self._failed(self._meter.fault or Reason.GONE)

    def _why_not_started(self) -> ForeignToolError:
        error = self._living.exception() if self._living is not None and not self._living.cancelled() else None
        if error is None:
            return self._failed(self._meter.fault or Reason.START_FAILED)
        reason, why = self._blame(error)
        return self._failed(self._meter.fault or reason, {"why": why})

    def _blame(self, error: BaseException) -> tuple[Reason, str]:
        """What the end of a connection says about its server. Raises what is no server's fault but a bug of ours."""
        for leaf in _leaves(error):
            if isinstance(leaf, MCPError) and leaf.code != CONNECTION_CLOSED:
                return Reason.BAD_MESSAGE, one_line(leaf.message, _SHORT)
            # RuntimeError: a version of the protocol that nobody here speaks
            if isinstance(leaf, ValidationError | RuntimeError):
                return Reason.BAD_MESSAGE, type(leaf).__name__
            if not isinstance(leaf, MCPError | OSError) and not type(leaf).__module__.startswith("httpx2"):
                raise leaf
        return Reason.START_FAILED, type(next(_leaves(error))).__name__

    def _failed(self, reason: Reason, facts: Mapping[str, object] | None = None) -> ForeignToolError:
        said = one_line(self._child.said.decode("utf-8", "replace")[-_SHORT:], _SHORT) if self._child else ""
        return failure(reason, self._name, facts={**(facts or {}), **({"stderr": said} if said else {})})


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
