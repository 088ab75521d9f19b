"""The provider as a server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sgclaw.llm.scenario import STATUSES, Step
from tests.provider import dialects
from tests.provider.asked import Asked, Event, Events, Policy, last_seen
from tests.provider.dialects import encoded

_IN_CALL: Final = 3
"""Events of an ending after which a call has begun and its arguments have not ended, in both protocols."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol: how an error body looks, and the parts of a stream."""

    error: Callable[[int], Any]
    error_event: str | None
    opening: Callable[[Step], Iterator[Event]]
    words: Callable[[Step], Iterator[Event]]
    ending: Callable[[Step], Iterator[Event]]


DIALECTS: Final[Mapping[str, Dialect]] = {
    "/v1/messages": Dialect(
        dialects.claude_error, "error", dialects.claude_opening, dialects.claude_words, dialects.claude_ending
    ),
    "/v1/chat/completions": Dialect(
        dialects.openai_error, None, dialects.openai_opening, dialects.openai_words, dialects.openai_ending
    ),
}


@dataclass(slots=True)
class Provider:
    """A running provider: what it was asked, and how many clients hung up before their answer had ended."""

    policy: Policy
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    hung_up: int = 0
    streaming: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def claude_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        asked = Asked(request.url.path, dict(request.headers), body, last_seen(body))
        self.asked.append(asked)
        step, dialect = self.policy(asked), DIALECTS[asked.path]
        if isinstance(step, Response):
            return step
        if isinstance(step, tuple):
            return _Bare(step)
        if step.fault == "unreachable":  # where clients must not follow
            return RedirectResponse(f"http://127.0.0.1:{self.port}/elsewhere")
        if step.fault is not None and step.fault in STATUSES:
            status = STATUSES[step.fault]
            headers = {} if step.retry_after is None else {"retry-after": f"{step.retry_after:g}"}
            return JSONResponse(dialect.error(status), status, headers)
        return _Stream(self, dialect, step)


class _Bare(Response):
    """Events as they are."""

    def __init__(self, events: Events) -> None:
        super().__init__(b"".join(encoded(events)), media_type="text/event-stream")


class _Stream(Response):
    """A step as a stream of server-sent events. Ending without a last chunk makes uvicorn cut the connection."""

    def __init__(self, provider: Provider, dialect: Dialect, step: Step) -> None:
        super().__init__(media_type="text/event-stream")
        self._provider, self._dialect, self._step = provider, dialect, step

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        step, dialect = self._step, self._dialect
        await _send(send, dialect.opening(step))
        if step.fault == "silent":
            await self._hang(receive)
            return
        if step.fault == "garbled":
            await _send(send, [("content_block_delta", "{not json")])
        await _send(send, dialect.words(step))
        if step.fault == "stalls":
            await self._hang(receive)
            return
        if step.fault == "cut":
            return
        if step.fault == "cut_in_call":
            await _send(send, list(dialect.ending(step))[:_IN_CALL])
            return
        if step.fault == "error_event":
            await _send(send, [(dialect.error_event, dialect.error(529))])
        else:
            await _send(send, dialect.ending(step))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _hang(self, receive: Receive) -> None:
        self._provider.streaming.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        self._provider.hung_up += 1


async def _send(send: Send, events: Iterable[Event]) -> None:
    for line in encoded(events):
        await send({"type": "http.response.body", "body": line, "more_body": True})


class _Server(uvicorn.Server):
    """uvicorn that leaves the process's signals alone and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextlib.asynccontextmanager
async def serve(policy: Policy) -> AsyncIterator[Provider]:
    """A provider on a free port of loopback while the block runs."""
    provider = Provider(policy)
    app = Starlette(routes=[Route(path, provider.answer, methods=["POST"]) for path in DIALECTS])
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http="h11",
        log_config=None,
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        provider.port = int(listening.getsockname()[1])
        serving = asyncio.create_task(server.serve([listening]), name="provider")
        await server.ready.wait()
        try:
            yield provider
        finally:
            server.should_exit = True
            await serving
