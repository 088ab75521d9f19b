"""A tiny site on loopback: pages by path, plus the paths whose behaviour a test needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Writer = asyncio.StreamWriter


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """One whole HTTP answer that ends its connection."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def html(body: str, status: str = "200 OK") -> bytes:
    """A page with this body."""
    page = f"<!doctype html><html lang=zh><head><title>测试页</title></head><body>{body}</body></html>"
    return answer(page.encode(), "Content-Type: text/html; charset=utf-8", status=status)


def attachment(name: str, content: bytes) -> bytes:
    """A file that the browser downloads."""
    return answer(
        content, "Content-Type: application/octet-stream", f'Content-Disposition: attachment; filename="{name}"'
    )


class Site:
    """Serves `pages`; `special` paths get the writer and do as they like. `asked` lists the paths in order."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.special: dict[str, Callable[[Writer], Awaitable[None]]] = {}
        self.asked: list[str] = []
        self.was_asked = asyncio.Event()
        self.base = ""
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    def show(self, body: str, path: str = "/page") -> str:
        """Publish a page and return its address."""
        self.pages[path] = html(body)
        return self.base + path

    async def _serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            await self._answer(reader, writer)
        except ConnectionError:
            return
        finally:
            self._handlers.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # a connection opened ahead of need
        path = head.split(b" ", 2)[1].decode().split("?")[0]
        self.asked.append(path)
        self.was_asked.set()
        if path in self.special:
            await self.special[path](writer)
        else:
            writer.write(self.pages.get(path) or html("没有这一页", status="404 Not Found"))
        await writer.drain()
