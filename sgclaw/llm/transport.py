"""The HTTP client under both packages of providers: one address, our headers, no proxies, no redirects.

Both packages read the environment on their own (extra headers, organisations, proxies, log levels). Nothing of that may
change where a prompt goes or what is written about it, so the last word on each request is spoken here.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from sgclaw.errors import ModelError
from sgclaw.llm.failures import of_status

if TYPE_CHECKING:
    import httpx2

_KEPT: Final = frozenset({"host", "accept", "accept-encoding", "connection", "user-agent", "content-type"})
_KEPT_TOO: Final = frozenset({"content-length", "transfer-encoding", "anthropic-version"})
_TRANSFER_S: Final = 30
"""For sending one piece of a request."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a provider is, how long connecting may take, and the headers that carry the key."""

    url: str
    connect_s: float
    secret_headers: Mapping[str, str] = field(repr=False)


async def load(package: str) -> None:
    """Import a provider's package in a thread: it takes seconds, and the pipe has to be served meanwhile.

    It may not log requests, whatever the environment asks it for.
    """
    await asyncio.to_thread(importlib.import_module, package)
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
        for name in [name for name in request.headers if name.lower() not in _KEPT | _KEPT_TOO]:
            del request.headers[name]
        request.headers.update(endpoint.secret_headers)

    limits = httpx2.Timeout(None, connect=endpoint.connect_s, write=_TRANSFER_S)
    hooks = {"request": [only_ours]}
    return httpx2.AsyncClient(
        verify=_trusted(), trust_env=False, follow_redirects=False, timeout=limits, event_hooks=hooks
    )


def refused(response: httpx2.Response, status: int) -> ModelError:
    """The error of a response with this status."""
    return of_status(status, response.headers.get("retry-after"))
