"""The Playwright MCP server as a peer: its snapshot of a page, in its own Chromium.

It is installed from npm once, at one version, into a cache folder outside the repository.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

from browser_host_stub.chromium.options import ChromiumOptions

PACKAGE: Final = "@playwright/mcp@0.0.83"
_FOLDER: Final = Path.home() / ".cache" / "sgclaw-bench" / "playwright-mcp"
_OPERABLE: Final = re.compile(
    r"^\s*- (?:'|\")?(button|link|textbox|searchbox|combobox|checkbox|radio|switch|tab|menuitem|option|treeitem|slider"
    r"|spinbutton)\b(?: \"(?P<name>(?:[^\"\\]|\\.)+)\")?.*\[ref=",
)
_POINTED: Final = re.compile(r"^\s*- (?:'|\")?\w+(?: \"(?P<name>(?:[^\"\\]|\\.)+)\")?.*\[ref=.*\[cursor=pointer\]")
_ROUNDS: Final = 16
_ALIKE: Final = 2
_ATTRIBUTES: Final = re.compile(r"\[[^\]]*\]|^\s*- /\w+:.*$|^\s*- (?:'|\")?[a-z]+\b", re.MULTILINE)
_WORD: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.,:/_-]*[0-9A-Za-z]|[\u4e00-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class PeerView:
    """Its text of a page, and how many operable elements that refers to, with a name and in all."""

    text: str
    operable: int
    named: int

    @property
    def words(self) -> frozenset[str]:
        """Different words of the page in it: neither roles nor refs nor addresses."""
        return frozenset(_WORD.findall(_ATTRIBUTES.sub(" ", self.text)))


def install() -> Path:
    """Its command, installed when it is not there yet; raises `CalledProcessError` when npm cannot."""
    command = _FOLDER / "node_modules" / "@playwright" / "mcp" / "cli.js"
    if not command.exists():
        _FOLDER.mkdir(parents=True, exist_ok=True)
        call = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE)
        subprocess.run(call, cwd=_FOLDER, check=True, capture_output=True, timeout=300)
    return command


class Peer:
    """One running server."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def view(self, url: str, least: int) -> PeerView:
        """The page's snapshot, once three looks in a row agree on its length and it refers to `least` elements.

        What never comes to that is taken as it is at last.
        """
        await self._call("browser_navigate", {"url": url})
        text, alike = "", 0
        for _ in range(_ROUNDS):
            await self._call("browser_wait_for", {"time": 0.5})
            seen = _tree(await self._call("browser_snapshot", {}))
            alike = alike + 1 if text and len(seen) == len(text) and len(_operable_in(seen)) >= least else 0
            text = seen
            if alike == _ALIKE:
                break
        found = _operable_in(text)
        return PeerView(text, len(found), sum(1 for match in found if match["name"]))

    async def _call(self, tool: str, arguments: dict[str, object]) -> str:
        answer = await self._session.call_tool(tool, arguments)
        return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


@contextlib.asynccontextmanager
async def playwright_mcp(folder: Path, options: ChromiumOptions, state: Path, log: TextIO) -> AsyncIterator[Peer]:
    """A server whose browser is started like ours and holds the session in `state` (Playwright's storage state)."""
    config = {
        "browser": {
            "isolated": True,
            "launchOptions": {
                "executablePath": str(options.executable),
                "headless": True,
                "args": options.arguments(),
            },
            "contextOptions": {
                "viewport": dict(zip(("width", "height"), options.viewport, strict=True)),
                "locale": options.locale,
                "timezoneId": options.timezone,
                "storageState": str(state),
            },
        },
        "outputDir": str(folder / "mcp"),
    }
    written = folder / "mcp.json"
    written.write_text(json.dumps(config), encoding="utf-8")
    server = StdioServerParameters(command="node", args=[str(install()), "--config", str(written)])
    async with stdio_client(server, errlog=log) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield Peer(session)


def _operable_in(text: str) -> list[re.Match[str]]:
    return [match for line in text.splitlines() if (match := _OPERABLE.match(line) or _POINTED.match(line))]


def _tree(answer: str) -> str:
    """The page's tree in an answer, without the server's own words around it."""
    blocks = re.findall(r"```yaml\n(.*?)```", answer, flags=re.DOTALL)
    return max(blocks, key=len, default=answer)
