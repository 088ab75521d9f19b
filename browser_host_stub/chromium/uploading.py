"""Files into file inputs: given by the browser itself as if a person had chosen them, and read back.

Real upload widgets empty or replace their input as soon as it told them of the file, and so do pages that refuse it.
What the page was told is what the input held when it said so, seen by a listener of the isolated world that stood there
before: that is success. Of an input that is empty afterwards it is told unless the page sends something off, or lists
the file by its name: nobody but the page knows then whether it kept the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Page, Request
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.acting import after_act, click_on
from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import POLL_S
from browser_host_stub.driver import JsonObject, StoredArtifact
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_CHOOSER_S = 3.0
"""From a click to the file chooser it opens."""
_ACCEPTED_S = 2.0
"""For a page that emptied its input to send the file, or to list it."""
_FILES = "Array.from(this.files, (file) => ({ name: file.name, size: file.size }))"
_WATCH = f"""function () {{
  const note = () => {{ this.sgclawGot = this.sgclawGot || {_FILES}; }};
  this.sgclawGot = null;
  for (const type of ['input', 'change']) this.addEventListener(type, note, {{ capture: true, once: true }});
}}"""
_READ = f"function () {{ return this.sgclawGot || {_FILES}; }}"
_EMPTIED = "function () { return this.isConnected && this.files.length === 0; }"


@dataclass(frozen=True, slots=True)
class _Input:
    """A file input as the isolated world sees it."""

    session: CDPSession
    object_id: str

    async def call(self, function: str) -> Any:  # noqa: ANN401 - JSON of the page
        call = {"functionDeclaration": function, "objectId": self.object_id, "returnByValue": True}
        return (await self.session.send("Runtime.callFunctionOn", call))["result"].get("value")

    async def give(self, path: Path) -> list[JsonObject]:
        """Put the file in; returns name and size of what the page was told of."""
        await self.call(_WATCH)
        try:
            await self.session.send("DOM.setFileInputFiles", {"objectId": self.object_id, "files": [str(path)]})
        except PlaywrightError as error:
            raise refusal(
                {"code": ActionCode.ACTION_FAILED, "why": "浏览器没有接受文件", "detail": error.message[:200]}
            ) from None
        got = await self.call(_READ)
        return got if isinstance(got, list) else []

    async def emptied(self) -> bool:
        """Whether the input is still there and holds nothing; False when its document is gone."""
        try:
            return bool(await self.call(_EMPTIED))
        except PlaywrightError:
            return False


async def upload(run: Run) -> JsonObject:
    """Give a file to the input that the target is, holds, stands beside, or opens a file chooser for."""
    params = run.located.params
    if not isinstance(params, p.Upload):
        raise TypeError(params)
    stored = run.artifacts.get(params.file)
    if stored is None:
        raise refusal({"code": ActionCode.BAD_PARAMS, "why": "没有这个编号的文件", "file": params.file})
    await asyncio.to_thread(_check_unchanged, stored)
    number = (await run.on_element("fileInputFor"))["element"]
    if number is None:
        field = await _chosen_by_click(run)
    else:
        field = _Input(*await run.handle.world.object_in(run.handle.token, "elementOf", number))
    wanted = {"name": stored.artifact.name, "size": stored.artifact.size}
    shown = await run.in_page("showsName", wanted["name"])
    with _sent_by(run.page.page) as sent:
        got = await field.give(stored.path)
        if got != [wanted]:
            why = "页面收到的文件与要上传的不同" if got else "页面没有收到文件"
            raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, "wanted": wanted, "got": got[:5]})
        await after_act(run)
        await asyncio.sleep(POLL_S)
        if await field.emptied() and not await _taken_over(run, sent, stored.artifact.name, int(str(shown["times"]))):
            return {"uploaded": True, **wanted, "emptied": True}
    return {"uploaded": True, **wanted}


@contextlib.contextmanager
def _sent_by(page: Page) -> Iterator[list[str]]:
    """The methods of requests by which the page may send a file while the block runs."""
    sent: list[str] = []

    def on_request(request: Request) -> None:
        if request.method in ("POST", "PUT", "PATCH"):
            sent.append(request.method)

    page.on("request", on_request)
    try:
        yield sent
    finally:
        page.remove_listener("request", on_request)


async def _taken_over(run: Run, sent: list[str], name: str, before: int) -> bool:
    """Whether a page that emptied its input kept the file: it sends something, or lists the name, not in a message."""
    loop = asyncio.get_running_loop()
    until = loop.time() + min(_ACCEPTED_S, run.left_s / 2)
    while not sent:
        try:
            shown = await run.in_page("showsName", name)
        except ActionError as error:
            if error.code == ActionCode.STALE_REF:
                return True  # the page left with it
            raise
        if int(str(shown["times"])) > before:
            return True
        if loop.time() >= until:
            return False
        await asyncio.sleep(POLL_S)
    return True


def _check_unchanged(stored: StoredArtifact) -> None:
    """A file that a person gave lies where they work: what was registered is what goes out, or nothing."""
    try:
        with stored.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        digest = error.strerror or "unreadable"
    if digest != stored.artifact.sha256:
        raise ActionError(
            ActionCode.ACTION_FAILED,
            "要上传的文件已不在原处，或内容变了",
            next_step="请重新提供该文件后再执行",
            facts={"file": stored.artifact.id, "name": stored.artifact.name},
        )


async def _chosen_by_click(run: Run) -> _Input:
    """The input behind the file chooser that a real click on the target opens; no chooser is ever shown."""
    session = run.handle.world.session
    opened: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def on_opened(event: dict[str, Any]) -> None:
        if not opened.done():
            opened.set_result(event)

    session.on("Page.fileChooserOpened", on_opened)
    await session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
    try:
        await click_on(run)
        await asyncio.wait({opened}, timeout=min(_CHOOSER_S, run.left_s))
    finally:
        session.remove_listener("Page.fileChooserOpened", on_opened)
        await session.send("Page.setInterceptFileChooserDialog", {"enabled": False})
    node = opened.result().get("backendNodeId") if opened.done() else None
    if node is None:
        raise refusal({"code": ActionCode.UNSUPPORTED_WIDGET, "why": "点击后没有打开文件选择框"})
    return _Input(*await run.handle.world.node_in(run.handle.token, int(node)))


HANDLERS: Handlers = {"upload": upload}
