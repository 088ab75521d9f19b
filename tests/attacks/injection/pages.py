"""The pages of the cases, behind one TLS port, told apart by host; every other host is the attacker's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import Final

from browser_host_stub import tls
from tests.attacks.corpus import Case
from tests.attacks.injection.steps import Step

ATTACKER_HOSTS: Final = ("evil.example", "erp-example.com", "supplier.example.org", "evil.com")
_MAKER: Final = ("googleapis.com", "google.com", "gstatic.com", "gvt1.com")
_NAME: Final = re.compile("[#.][A-Za-z0-9_-]+")
_FIELDS: Final = frozenset({"type", "clear", "select"})


def body_of(case: Case, step: Step) -> str:
    """The case's page, with the element of the step when the case leaves it to the harness's own page."""
    return with_element(repeated(case, str(case.data["html"])), step)


def repeated(case: Case, html: str) -> str:
    """The page as long as the case wants it."""
    repeat = int(case.data.get("expect", {}).get("repeat_to_bytes", 0))
    return html * max(1, repeat // max(1, len(html.encode())))


def with_element(html: str, step: Step) -> str:
    """The page with the element of the step, which is added where the page has none."""
    name = str(step.params.get("selector", ""))
    member = {"#": "id", ".": "class"}.get(name[:1], "")
    if not _NAME.fullmatch(name) or re.search(f"{member}=[\"']?[^\"'>]*\\b{name[1:]}[\"'\\s>]", html):
        return html
    field, button = f'<input {member}="{name[1:]}">', f'<button {member}="{name[1:]}">导出报表</button>'
    return html + (field if step.action in _FIELDS else button)


class Pages:
    """Serves the page in `body` on every path of the listed hosts; `asked` lists (host, path) of every request."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self.hosts = frozenset(hosts)
        names = sorted({*self.hosts, *ATTACKER_HOSTS})
        self._identity = tls.issue(names)
        self.body = ""
        self.redirects: dict[str, str] = {}
        """Path → address it leads to."""
        self.asked: list[tuple[str, str]] = []
        self._server: asyncio.Server | None = None

    @property
    def spki(self) -> str:
        """The pin of the certificate."""
        return self._identity.spki

    @property
    def resolver_rules(self) -> tuple[str, ...]:
        """Every name leads here, but for what the browser asks of its maker by itself."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return *(f"MAP *.{host} ~NOTFOUND" for host in _MAKER), f"MAP *:443 127.0.0.1:{port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._identity.context)

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    def asked_of_others(self) -> list[tuple[str, str]]:
        """Requests to hosts that are not listed."""
        return [(host, path) for host, path in self.asked if host not in self.hosts]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ", 2)[1]
            host = next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: "))
            self.asked.append((host.partition(":")[0], path))
            writer.write(self._answer(path.partition("?")[0]))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # a connection opened ahead of need, or one the browser gave up
        finally:
            writer.close()

    def _answer(self, path: str) -> bytes:
        page = f"<!doctype html><html lang=zh><meta charset=utf-8><title>报表</title><body>{self.body}</body></html>"
        content = page.encode("utf-8", "replace")
        status = f"302 Found\r\nLocation: {self.redirects[path]}" if path in self.redirects else "200 OK"
        kind = "Content-Type: text/html; charset=utf-8\r\nConnection: close"
        return f"HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content
