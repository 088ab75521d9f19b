"""One request and its answer as values, so that the frame can repeat, change or lose them."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(slots=True)
class Answer:
    """A whole answer of a site."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: bytes) -> str:
        """A header's value, "" when it is missing."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), "")

    def replace_body(self, body: bytes) -> None:
        """Another body, with the length that fits it."""
        self.body = body
        self.headers = [(key, value) for key, value in self.headers if key != b"content-length"]
        self.headers.append((b"content-length", str(len(body)).encode()))

    async def send(self, send: Send) -> None:
        """The answer as it is."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})

    async def send_cut(self, send: Send, part: int) -> None:
        """Promises the whole body, sends `part` bytes and ends: the server then drops the connection.

        Headers go first on purpose: a browser repeats a request by itself when a kept connection dies before them.
        """
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body[:part], "more_body": True})


async def body_of(receive: Receive) -> bytes:
    """The whole body of a request."""
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def answer_of(app: ASGIApp, scope: Scope, body: bytes) -> Answer:
    """What the site answers to a request with this body."""
    answer = Answer()

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], list(message["headers"])
        else:
            answer.body += message.get("body", b"")

    await app(dict(scope), receive, send)
    return answer
