"""The isolated world of a frame: where the page library lives and is called.

Rules of this file: one library per document, each with its own token. A call that names a token reaches exactly that
document or raises `STALE_REF`; that is what ties a check to the act that follows.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError

_FOLDER = Path(__file__).parent / "page_lib"
_FILES = (
    *(
        "dom.js",
        "customs.js",
        "secrets.js",
        "within.js",
        "names.js",
        "controls.js",
        "targets.js",
        "reading.js",
        "acting.js",
    ),
    *("tables.js", "pressing.js", "around.js", "records.js", "refs.js", "keys.js"),
    *("storage.js", "uploading.js"),
    *("survey.js", "operable.js", "selectors.js", "icons.js", "cells.js", "naming.js", "identity.js"),
    *("structure.js", "unread.js", "texts.js", "covering.js", "snapshot.js", "flat.js"),
    "veiling.js",
    "alternatives.js",
)
_EXPORTS = (
    "resolve aim recheck disarm readText readHtml countOf readFact waitState scrollPage scrollToKept boxOfKept "
    "pageState around fieldKind setField enterField fieldValue focusKept focusStays choose chosenNow remaining "
    "standsStill stands holdFocus focusHeld focusIsOn "
    "checkedState extract showsName byToken passes viewport scrollFar holdKeys freeKeys alternatives selectorFor "
    "enterClosed tell byTokens definedAmong foreignFrames snapshot scrolledTo elementsNow flatCount "
    "readItem writeItem clearItems fileInputFor elementOf"
)
_WORLD = "sgclaw"
_CALL = """(token, name, args) => {
  const library = globalThis.sgclawLibrary;
  return library && library.token === token ? library[name](...args) ?? {} : { code: 'LOST' };
}"""
_CALL_WITH = """function (token, name, ...args) {
  const library = globalThis.sgclawLibrary;
  return library && library.token === token ? library[name](this, ...args) ?? {} : { code: 'LOST' };
}"""
_NO_LIBRARY = "LOST"
_LOST = ("Cannot find context", "Execution context was destroyed", "Inspected target navigated", "Cannot find default")
_FRAME_LOST = ("No frame for given id", "Target closed", "Session closed", "has been closed", "Frame was detached")
"""Words about a frame that is not there, or that another process shows by now."""


class StaleWorldError(Exception):
    """The document ended during or before the call."""


@cache
def _library() -> str:
    source = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _FILES)
    exports = ", ".join(_EXPORTS.split())
    kept = f"globalThis.sgclawLibrary = {{ token, {exports} }}"
    return f"(token) => {{ 'use strict';\n{source}\n{kept}; return window.origin; }}"


Judge = Callable[[str], None]
"""Raises when the document of this committed origin may not be looked at."""


class World:
    """Calls functions of the page library in the current document of one frame; of the page's main one by default.

    `judge` is asked about each document before anything of it is read.
    """

    def __init__(self, session: CDPSession, frame: str | None = None, judge: Judge | None = None) -> None:
        self.session = session
        self._frame = frame
        self._judge = judge
        self._context: int | None = None
        self._token = ""
        self._opened: set[int] = set()
        self.origin = ""
        """Committed origin of the document that was entered last."""

    @property
    def frame(self) -> str | None:
        """The browser's id of the frame, None for the outermost one of the session."""
        return self._frame

    async def enter(self) -> str:
        """Token of the document that is there. Raises what `judge` raises, and `StaleWorldError` while it has none."""
        if self._context is None:
            await self._enter()
        elif self._judge is not None:
            self._judge(self.origin)  # what is listed may have changed since
        return self._token

    def holds(self, token: str) -> bool:
        """Whether the document of this token is, as far as is known, still there."""
        return self._context is not None and self._token == token

    async def call(self, name: str, *args: object) -> tuple[JsonObject, str]:
        """Call in whatever document is there now; returns its answer and the document's token.

        Refusals (`{code, …}`) are returned, not raised. Raises `StaleWorldError` when the document ended meanwhile.
        """
        token = await self.enter()
        answer = await self._send(name, args, token)
        if answer.get("code") == _NO_LIBRARY:
            # The browser may give a new document's context the number of an old one.
            if self._token == token:
                self._context = None
            raise StaleWorldError
        return answer, token

    async def call_in(self, token: str, name: str, *args: object) -> JsonObject:
        """Call in the document of `token`; every refusal is raised, a document that ended as `STALE_REF`."""
        stale = refusal({"code": ActionCode.STALE_REF, "why": "页面已经跳转"})
        if token != self._token or self._context is None:
            raise stale
        try:
            answer = await self._send(name, args, token)
        except StaleWorldError:
            raise stale from None
        if answer.get("code") == _NO_LIBRARY:
            raise stale
        if "code" in answer:
            raise refusal(answer)
        return answer

    async def object_in(self, token: str, name: str, *args: object) -> tuple[CDPSession, str]:
        """The element that a function of the library returns, as the browser's own commands take it."""
        call = {
            "functionDeclaration": _CALL.replace("?? {}", "?? null"),
            "arguments": [{"value": value} for value in (token, name, list(args))],
            **self._in(token),
        }
        return self.session, _object_of(await self.session.send("Runtime.callFunctionOn", call))

    @contextlib.asynccontextmanager
    async def objects_in(self, token: str, numbers: Sequence[int]) -> AsyncIterator[list[tuple[int, str]]]:
        """Elements of these numbers as the browser's own commands take them, until the block ends; not those gone.

        Raises `STALE_REF` when the document has ended.
        """
        group = f"{_WORLD}-{secrets.token_hex(4)}"
        call = {
            "functionDeclaration": _CALL,
            "arguments": [{"value": value} for value in (token, "byTokens", [list(numbers)])],
            "objectGroup": group,
            **self._in(token),
        }
        try:
            listed = await self.session.send("Runtime.callFunctionOn", call)
            held = {"objectId": listed["result"]["objectId"], "ownProperties": True}
            found = (await self.session.send("Runtime.getProperties", held))["result"]
            nodes = [item for item in found if item.get("value", {}).get("subtype") == "node"]
            yield [(numbers[int(item["name"])], str(item["value"]["objectId"])) for item in nodes]
        finally:
            with contextlib.suppress(PlaywrightError):
                await self.session.send("Runtime.releaseObjectGroup", {"objectGroup": group})

    async def node_in(self, token: str, backend_node: int) -> tuple[CDPSession, str]:
        """A node that the browser named, as the library's world sees it; it must be of the document of `token`."""
        node = {"backendNodeId": backend_node, **self._in(token)}
        return self.session, _object_of({"result": (await self.session.send("DOM.resolveNode", node))["object"]})

    async def open_closed(self, token: str, hosts: Sequence[int]) -> bool:
        """Let the library look into the closed shadow roots of elements of its document, and those in these.

        `hosts` are the browser's numbers. Whether it sees more than before; one that is gone, or of a document the
        library does not reach, is passed over. Raises `STALE_REF` when the document has ended.
        """
        self._in(token)
        found = await asyncio.gather(*(self._closed_roots(host) for host in hosts))
        before = len(self._opened)
        for root in [root for each in found for root in each if root not in self._opened]:
            with contextlib.suppress(PlaywrightError, ActionError):
                session, handle = await self.node_in(token, root)
                call = {"functionDeclaration": _CALL_WITH, "objectId": handle}
                arguments = [{"value": token}, {"value": "enterClosed"}]
                await session.send("Runtime.callFunctionOn", {**call, "arguments": arguments})
                await session.send("Runtime.releaseObject", {"objectId": handle})
                self._opened.add(root)
        return len(self._opened) > before

    async def _closed_roots(self, host: int) -> list[int]:
        try:
            told = await self.session.send("DOM.describeNode", {"backendNodeId": host, "depth": -1, "pierce": True})
        except PlaywrightError:
            return []
        waiting, roots = [told["node"]], []
        while waiting:
            node = waiting.pop()
            if node.get("shadowRootType") == "closed":
                roots.append(int(node["backendNodeId"]))
            waiting += [*node.get("shadowRoots", ()), *node.get("children", ())]
        return roots

    def _in(self, token: str) -> dict[str, object]:
        if token != self._token or self._context is None:
            raise refusal({"code": ActionCode.STALE_REF, "why": "页面已经跳转"})
        return {"executionContextId": self._context}

    async def _enter(self) -> None:
        token = secrets.token_hex(8)
        try:
            frame = self._frame
            if frame is None:
                frame = str((await self.session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"])
            world = await self.session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": _WORLD})
            context = int(world["executionContextId"])
            origin = str(await self._invoke(context, _library(), token))
        except PlaywrightError as error:
            raise self._translated(error) from None
        if self._judge is not None:
            self._judge(origin)
        self._context, self._token, self.origin = context, token, origin
        self._opened = set()

    async def _send(self, name: str, args: tuple[object, ...], token: str) -> JsonObject:
        context = self._context
        if context is None:
            raise StaleWorldError
        try:
            return cast("JsonObject", await self._invoke(context, _CALL, token, name, list(args)))
        except PlaywrightError as error:
            translated = self._translated(error)
            if isinstance(translated, StaleWorldError) and self._context == context:
                self._context = None
            raise translated from None

    async def _invoke(self, context: int, function: str, *args: object) -> Any:  # noqa: ANN401 - JSON of the page
        reply = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": context,
                "arguments": [{"value": value} for value in args],
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        details = reply.get("exceptionDetails")
        if details is not None:
            text = str(details.get("exception", {}).get("description", details.get("text", ""))).splitlines()
            raise ActionError(ActionCode.ACTION_FAILED, "页面观察代码出错", facts={"detail": "".join(text[:2])[:300]})
        return reply["result"].get("value")

    def _translated(self, error: PlaywrightError) -> Exception:
        words = _LOST if self._frame is None else (*_LOST, *_FRAME_LOST)
        return StaleWorldError() if any(word in error.message for word in words) else error


def _object_of(reply: dict[str, Any]) -> str:
    found = reply["result"].get("objectId")
    if found is None or reply["result"].get("subtype") != "node":
        raise refusal({"code": ActionCode.STALE_REF, "why": "元素已不在页面上"})
    return str(found)
