"""A server at an address: our own headers, no proxy, nothing compressed, and no more than its share of bytes."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client

from sgclaw.toolbox.bounds import LINE_BYTES, Meter, Patience
from sgclaw.toolbox.reasons import Reason

if TYPE_CHECKING:
    import ssl

    from mcp.client._transport import TransportStreams

_KEPT: Final = frozenset({"host", "accept", "connection", "content-type", "content-length", "transfer-encoding"})
_KEPT_TOO: Final = frozenset({"cache-control", "last-event-id"})
_OF_THE_PROTOCOL: Final = "mcp-"


@asynccontextmanager
async def open_http(url: str, patience: Patience, meter: Meter) -> AsyncIterator[TransportStreams]:
    """Speak the protocol's HTTP transport with the server at `url`; the connection is closed when the block ends."""
    limits = httpx2.Timeout(patience.call, connect=patience.start, read=None)  # an open stream may be silent for long
    async with (
        httpx2.AsyncClient(
            transport=_Metered(meter), trust_env=False, timeout=limits, event_hooks={"request": [_only_ours]}
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LINE_BYTES) as streams,
    ):
        yield streams


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


async def _only_ours(request: httpx2.Request) -> None:
    for name in [name for name in request.headers if not _is_ours(name.lower())]:
        del request.headers[name]
    request.headers["accept-encoding"] = "identity"


def _asks(body: bytes) -> bool:
    """Whether a body of ours is a request: an answer to a server's own request begins no new count."""
    said = json.loads(body)
    return "method" in said and "id" in said


def _is_ours(name: str) -> bool:
    return name in _KEPT | _KEPT_TOO or name.startswith(_OF_THE_PROTOCOL)


class _Metered(httpx2.AsyncBaseTransport):
    """Counts every byte and event of every answer; refuses compressed ones, whose size says nothing."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._inner = httpx2.AsyncHTTPTransport(verify=_trusted(), trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST" and _asks(request.content):
            self._meter.begin()
        response = await self._inner.handle_async_request(request)
        stream = response.stream
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            self._meter.end(Reason.BAD_MESSAGE)
            raise httpx2.ReadError("a compressed answer", request=request)
        if isinstance(stream, httpx2.AsyncByteStream):
            events = response.headers.get("content-type", "").startswith("text/event-stream")
            response.stream = _Counted(stream, self._meter, request, events=events)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, meter: Meter, request: httpx2.Request, *, events: bool) -> None:
        self._inner, self._meter, self._request, self._events = inner, meter, request, events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            messages = chunk.count(b"\ndata:") if self._events else 0
            if not self._meter.took(len(chunk)) or not self._meter.heard(messages):
                raise httpx2.ReadError("too many bytes", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def hush() -> None:
    """The packages below may not write a server's words, or where it is, into our log."""
    for name in ("mcp", "client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
