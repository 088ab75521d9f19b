"""Addresses where something else than a decent server answers."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sgclaw.toolbox.bounds import Patience
from sgclaw.toolbox.reasons import Reason
from sgclaw.toolbox.settings import ServerSettings
from tests.unit.toolbox.room import room

Asked = tuple[str, dict[str, str], bytes]
Answerer = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answerer) -> AsyncIterator[str]:
    """An address where `answer` answers, a connection for each request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            await answer((head[0].split()[0], headers, body), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # whoever asked has left
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    await asyncio.sleep(0)


def reply(writer: asyncio.StreamWriter, body: bytes, *more: str, status: str = "200 OK") -> None:
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", f"content-length: {len(body)}", *more, "", ""]
    writer.write("\r\n".join(lines).encode() + body)


async def endless(asked: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


async def squeezed(asked: Asked, writer: asyncio.StreamWriter) -> None:
    reply(writer, gzip.compress(b"x" * 1_000), "content-encoding: gzip")


async def no_json(asked: Asked, writer: asyncio.StreamWriter) -> None:
    reply(writer, b"<html>")


async def login(asked: Asked, writer: asyncio.StreamWriter) -> None:
    reply(writer, b"", "location: http://localhost:1/elsewhere", status="307 Temporary Redirect")


async def forbidden(asked: Asked, writer: asyncio.StreamWriter) -> None:
    reply(writer, b"{}", status="403 Forbidden")


async def silent(asked: Asked, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


@pytest.mark.requirement("TOOL-12")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (endless, Reason.TOO_MUCH),
        (squeezed, Reason.BAD_MESSAGE),
        (no_json, Reason.BAD_MESSAGE),
        (login, Reason.BAD_MESSAGE),
        (forbidden, Reason.BAD_MESSAGE),
        (silent, Reason.TIMEOUT),
    ],
)
async def test_an_address_that_answers_wrongly_is_left_out_with_its_reason(
    tmp_path: Path, answer: Answerer, reason: Reason
) -> None:
    async with serving(answer) as url, room(tmp_path, Patience(start=5), it=ServerSettings(url=url)) as made:
        failure = (await made.report()).failure
        assert failure is not None
        assert failure.facts["reason"] == reason.value


@pytest.mark.requirement("TOOL-08", "TOOL-11")
async def test_a_server_that_asks_without_end_is_left(tmp_path: Path) -> None:
    answers: list[bytes] = []

    async def ask_on(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if b"initialize" not in asked[2]:
            answers.append(asked[2])
            reply(writer, b"", status="202 Accepted")
            return
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        for number in range(100_000):
            ask = json.dumps({"jsonrpc": "2.0", "id": f"x{number}", "method": "roots/list"})
            writer.write(f"event: message\ndata: {ask}\n\n".encode())
            await writer.drain()

    async with serving(ask_on) as url, room(tmp_path, it=ServerSettings(url=url)) as made:
        failure = (await made.report()).failure
        assert failure is not None
        assert failure.facts["reason"] == Reason.TOO_MUCH
    assert len(answers) <= 2_000
    assert {json.loads(body)["error"]["message"] for body in answers} <= {"List roots not supported"}


@pytest.mark.requirement("TOOL-12")
async def test_an_address_where_nobody_is_cannot_be_connected(tmp_path: Path) -> None:
    async with room(tmp_path, it=ServerSettings(url="http://127.0.0.1:1/mcp")) as made:
        failure = (await made.report()).failure
        assert failure is not None
        assert failure.facts["reason"] == Reason.START_FAILED


@pytest.mark.requirement("TOOL-12")
async def test_nothing_of_the_environment_or_of_us_is_in_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    seen: list[Asked] = []

    async def look(asked: Asked, writer: asyncio.StreamWriter) -> None:
        seen.append(asked)
        reply(writer, b"{}", status="403 Forbidden")

    async with serving(look) as url, room(tmp_path, it=ServerSettings(url=url)) as made:
        await made.report()
    method, headers, body = seen[0]
    assert method == "POST"
    assert sorted(headers) == ["accept", "accept-encoding", "connection", "content-length", "content-type", "host"]
    assert headers["accept-encoding"] == "identity"
    about = json.loads(body)["params"]
    assert about["capabilities"] == {}
    assert about["clientInfo"]["name"] == "sgclaw"
