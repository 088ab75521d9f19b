"""The kit's own pages on loopback: three origins, two of them listed. What happened is what they were told.

Pages report with a synchronous request from inside the event, so what an act did has been told before a correct host
answers; nothing here trusts a toast or a response.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qs, urlsplit

from browser_host_stub.conformance.pages import PAGES, SCRIPT

_MAX_BODY: Final = 1_000_000
_HEADERS_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Origin:
    """One origin of the kit."""

    host: str
    port: int

    @property
    def base(self) -> str:
        """Serialised, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    def url(self, path: str) -> str:
        """An address on it."""
        return self.base + path


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser asked."""

    origin: Origin
    method: str
    path: str
    query: Mapping[str, str]
    body: bytes


Writer = asyncio.StreamWriter


class Site:
    """Serves the pages while the block runs.

    `a` and `b` are listed in the kit's policy and have different hosts; `c` has the host of `a`, another port, and is
    on no list. `asked` are the (origin, path) of all requests since `forget`.
    """

    def __init__(self) -> None:
        self.a = self.b = self.c = Origin("", 0)
        self.asked: list[tuple[Origin, str]] = []
        self._told: list[tuple[str, str]] = []
        self._news = asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def listed(self) -> tuple[Origin, Origin]:
        """What the kit's policy lists."""
        return self.a, self.b

    def forget(self) -> None:
        """A new row begins."""
        self.asked.clear()
        self._told.clear()

    def times(self, name: str) -> int:
        """How often the pages told this."""
        return sum(told == name for told, _ in self._told)

    async def told(self, name: str, seconds: float) -> str | None:
        """The detail of the first time a page tells this; None when it does not within that time."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    for told, detail in self._told:
                        if told == name:
                            return detail
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return None

    def visits(self, origin: Origin) -> list[str]:
        """Paths that were asked of an origin."""
        return [path for where, path in self.asked if where == origin and path != "/favicon.ico"]

    async def __aenter__(self) -> Self:
        self.a, self.b, self.c = [await self._serve(host) for host in ("127.0.0.1", "localhost", "127.0.0.1")]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    async def _serve(self, host: str) -> Origin:
        async def handle(reader: asyncio.StreamReader, writer: Writer) -> None:
            task = asyncio.current_task()
            if task is not None:
                self._handlers.add(task)
                task.add_done_callback(self._handlers.discard)
            try:
                request = await _request(reader, origin)
                if request is not None:
                    await self._answer(request, writer)
                    await writer.drain()
            except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                return  # a browser that went away, or a connection opened ahead of need
            finally:
                writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        self._servers.append(server)
        origin = Origin(host, server.sockets[0].getsockname()[1])
        return origin

    async def _answer(self, request: Request, writer: Writer) -> None:
        self.asked.append((request.origin, request.path))
        special = _SPECIAL.get(request.path)
        if request.path == "/did":
            self._told.append((request.query.get("name", ""), request.body.decode("utf-8", "replace")))
            self._news.set()
            writer.write(answer(b""))
        elif special is not None:
            await special(request, writer)
        else:
            writer.write(self._page(request.path))

    def _page(self, path: str) -> bytes:
        page = PAGES.get(path)
        if page is None:
            return answer("没有这一页".encode(), "text/plain; charset=utf-8", status="404 Not Found")
        for mark, origin in (("{A}", self.a), ("{B}", self.b), ("{C}", self.c)):
            page = page.replace(mark, origin.base)
        title = path.strip("/") or "首页"
        whole = f"<!doctype html><html lang=zh><head><title>{title}</title>{SCRIPT}</head><body>{page}</body></html>"
        return answer(whole.encode(), "text/html; charset=utf-8")


def answer(body: bytes, mime: str = "text/plain", *headers: str, status: str = "200 OK") -> bytes:
    """One whole HTTP answer that ends its connection."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", f"Content-Type: {mime}", "Connection: close"]
    return "\r\n".join([*lines, "Cache-Control: no-store", *headers, "", ""]).encode() + body


async def _request(reader: asyncio.StreamReader, origin: Origin) -> Request | None:
    async with asyncio.timeout(_HEADERS_S):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, _, rest = head.partition(" ")
    target = urlsplit(rest.partition(" ")[0])
    length = re.search(r"\r\ncontent-length: *([0-9]{1,7})\r\n", head, re.IGNORECASE)
    size = int(length[1]) if length else 0
    body = await reader.readexactly(size) if size <= _MAX_BODY else b""
    query = {name: values[0] for name, values in parse_qs(target.query).items()}
    return Request(origin, method, target.path, query, body)


# --- paths that behave ----------------------------------------------------------------------------------------------

FILE: Final = "月份,金额\n2026-03,12.50\n".encode() * 50
"""What `/file` sends."""


async def _redirect(request: Request, writer: Writer) -> None:
    writer.write(answer(b"", "text/plain", f"Location: {request.query['to']}", status="302 Found"))


async def _slow(request: Request, writer: Writer) -> None:
    await asyncio.sleep(min(int(request.query.get("ms", "1000")), 20_000) / 1000)
    writer.write(answer("<p id=late>慢".encode(), "text/html; charset=utf-8"))


async def _drop(_request: Request, writer: Writer) -> None:
    writer.transport.abort()


_ATTACHED: Final = 'Content-Disposition: attachment; filename="report.csv"'


async def _file(_request: Request, writer: Writer) -> None:
    writer.write(answer(FILE, "text/csv", _ATTACHED))


async def _cut(_request: Request, writer: Writer) -> None:
    head, _, body = answer(FILE * 10, "text/csv", _ATTACHED).partition(b"\r\n\r\n")
    writer.write(head + b"\r\n\r\n" + body[:600])
    await writer.drain()
    writer.transport.abort()


async def _hang(_request: Request, writer: Writer) -> None:
    head, _, body = answer(FILE * 10, "text/csv", _ATTACHED).partition(b"\r\n\r\n")
    writer.write(head + b"\r\n\r\n" + body[:600])
    await writer.drain()
    await asyncio.sleep(30)


async def _posted(request: Request, writer: Writer) -> None:
    page = f"<!doctype html><html lang=zh><title>已收到</title><p id=method>{request.method}</p></html>"
    writer.write(answer(page.encode(), "text/html; charset=utf-8"))


_SPECIAL: Final[Mapping[str, Callable[[Request, Writer], Awaitable[None]]]] = {
    "/redirect": _redirect,
    "/slow": _slow,
    "/drop": _drop,
    "/file": _file,
    "/cut": _cut,
    "/hang": _hang,
    "/posted": _posted,
}
