"""The HTTP client under both packages of providers: one address, our headers, no proxies, no redirects, a bounded body.

Both packages read the environment on their own (extra headers, organisations, proxies, log levels). Nothing of that may
change where a prompt goes or what is written about it, so the last word on each request is spoken here. And both read
whatever a server sends until a line ends: the first word on each response is spoken here too.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from sgclaw.errors import ModelError
from sgclaw.llm.failures import garbled, of_status

if TYPE_CHECKING:
    import httpx2

_FRAMING: Final = frozenset({"content-length", "transfer-encoding"})
"""Headers of a request that stay as the packages made them; the others are ours."""
_OURS: Final[Mapping[str, str]] = {
    "accept": "application/json",
    "accept-encoding": "identity",  # a compressed answer may grow a thousandfold after it was counted
    "connection": "close",
    "content-type": "application/json",
    "user-agent": "sgclaw",
}
_TRANSFER_S: Final = 30
"""For sending one piece of a request."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Of one response. Events frame every token, a hundred bytes and more each: this is what the longest answer takes."""

_MOST_OF_EVENT: Final = 4 * 1024 * 1024
_MOST_LINES: Final = 2_000
"""Bytes and lines without a blank one: an event. The packages copy all of it for every line and piece that comes, and
serve nobody meanwhile.
"""
_BLANKS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a provider is, how long connecting may take, and the headers that carry the key."""

    url: str
    connect_s: float
    secret_headers: Mapping[str, str] = field(repr=False)


async def load(package: str) -> None:
    """Import a provider's package in a thread: it takes seconds, and the pipe has to be served meanwhile.

    It may not log requests, whatever the environment asks it for. Raises `MODEL_FAILED` where it is not installed.
    """
    try:
        await asyncio.to_thread(importlib.import_module, package)
    except ImportError:
        facts = {"reason": "not_installed", "package": package}
        raise ModelError(f"没有安装 {package}", next_step=f"pip install {package}", facts=facts) from None
    await asyncio.to_thread(_trusted)
    for name in (package, "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are trusted, read once: reading them takes longer than all else we do for a call."""
    import httpx2  # noqa: PLC0415 - a fifth of a second, paid by the first call

    return httpx2.create_ssl_context(trust_env=False)


def client_for(endpoint: Endpoint) -> httpx2.AsyncClient:
    """A client for one call that sends only our own headers. Reading has no limit here: tokens are timed elsewhere."""
    import httpx2  # noqa: PLC0415

    async def only_ours(request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name.lower() not in _FRAMING]:
            del request.headers[name]
        host = request.url.netloc.decode("ascii")
        request.headers.update({"host": host, **_OURS, **endpoint.secret_headers})

    async def only_so_much(response: httpx2.Response) -> None:
        response.stream = _bounded(response)

    limits = httpx2.Timeout(None, connect=endpoint.connect_s, write=_TRANSFER_S)
    return httpx2.AsyncClient(
        verify=_trusted(),
        trust_env=False,
        follow_redirects=False,
        timeout=limits,
        event_hooks={"request": [only_ours], "response": [only_so_much]},
    )


def _bounded(response: httpx2.Response) -> httpx2.AsyncByteStream:
    import httpx2  # noqa: PLC0415

    source, headers = response.stream, response.headers
    strange = "encoding" if headers.get("content-encoding", "identity") != "identity" else ""
    if response.status_code == 200 and headers.get("content-type", "").startswith("text/html"):
        strange = "page"  # a login page of a gateway, for one

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            if not response.is_success:
                return  # the status says all that we tell; the words may repeat the prompt or the key
            if strange:
                raise garbled(strange)
            size = event = lines = 0
            async for piece in source:  # type: ignore[union-attr] # an asynchronous client's stream
                size += len(piece)
                ends = [at for blank in _BLANKS if (at := piece.rfind(blank)) >= 0]
                since = max(ends, default=0)
                event = len(piece) - since + (0 if ends else event)
                lines = piece.count(b"\n", since) + piece.count(b"\r", since) + (0 if ends else lines)
                if size > MOST_BYTES or event > _MOST_OF_EVENT or lines > _MOST_LINES:
                    raise garbled("too_long")
                yield piece

        async def aclose(self) -> None:
            await source.aclose()  # type: ignore[union-attr] # the same

    return Bounded()


def refused(response: httpx2.Response, status: int) -> ModelError:
    """The error of a response with this status."""
    return of_status(status, response.headers.get("retry-after"))
