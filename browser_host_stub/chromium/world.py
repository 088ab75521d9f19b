"""The isolated world of a page: where the page library lives and is called.

Rules of this file: one library per document, each with its own token. A call that names a token reaches exactly that
document or raises `STALE_REF`; that is what ties a check to the act that follows.
"""

from __future__ import annotations

import secrets
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
    *("dom.js", "names.js", "controls.js", "targets.js", "reading.js", "acting.js", "tables.js", "around.js"),
    "snapshot.js",
)
_EXPORTS = (
    "resolve aim recheck disarm readText readHtml countOf readFact waitState scrollPage scrollToKept boxOfKept "
    "pageState around fieldKind setField enterField fieldValue focusKept focusStays choose checkedState extract "
    "snapshot"
)
_WORLD = "sgclaw"
_CALL = """(token, name, args) => {
  const library = globalThis.sgclawLibrary;
  return library && library.token === token ? library[name](...args) ?? {} : { code: 'STALE_REF', why: '页面已经跳转' };
}"""
_LOST = ("Cannot find context", "Execution context was destroyed", "Inspected target navigated", "Cannot find default")


class StaleWorldError(Exception):
    """The document ended during or before the call."""


@cache
def _library() -> str:
    source = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _FILES)
    exports = ", ".join(_EXPORTS.split())
    return f"(token) => {{ 'use strict';\n{source}\nglobalThis.sgclawLibrary = {{ token, {exports} }}; }}"


class World:
    """Calls functions of the page library in the current document of one page."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._context: int | None = None
        self._token = ""

    async def call(self, name: str, *args: object) -> tuple[JsonObject, str]:
        """Call in whatever document is there now; returns its answer and the document's token.

        Refusals (`{code, …}`) are returned, not raised. Raises `StaleWorldError` when the document ended meanwhile.
        """
        if self._context is None:
            await self._enter()
        token = self._token
        answer = await self._send(name, args, token)
        if answer.get("code") == ActionCode.STALE_REF and self._token == token:
            # The browser may give a new document's context the number of an old one.
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
        if "code" in answer:
            raise refusal(answer)
        return answer

    async def _enter(self) -> None:
        tree = await self._session.send("Page.getFrameTree")
        where = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": _WORLD}
        try:
            world = await self._session.send("Page.createIsolatedWorld", where)
            token = secrets.token_hex(8)
            await self._invoke(int(world["executionContextId"]), _library(), token)
        except PlaywrightError as error:
            raise _translated(error) from None
        self._context, self._token = int(world["executionContextId"]), token

    async def _send(self, name: str, args: tuple[object, ...], token: str) -> JsonObject:
        context = self._context
        if context is None:
            raise StaleWorldError
        try:
            return cast("JsonObject", await self._invoke(context, _CALL, token, name, list(args)))
        except PlaywrightError as error:
            translated = _translated(error)
            if isinstance(translated, StaleWorldError) and self._context == context:
                self._context = None
            raise translated from None

    async def _invoke(self, context: int, function: str, *args: object) -> Any:  # noqa: ANN401 - JSON of the page
        reply = await self._session.send(
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


def _translated(error: PlaywrightError) -> Exception:
    lost = any(words in error.message for words in _LOST)
    return StaleWorldError() if lost else error
