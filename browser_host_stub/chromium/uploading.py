"""Files into file inputs: given by the browser itself as if a person had chosen them, and read back.

Real upload widgets empty or replace their input as soon as it told them of the file. What counts is therefore what the
input held when it said so, seen by a listener of the isolated world that stood there before.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.acting import after_act, click_on
from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.driver import JsonObject, StoredArtifact
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_CHOOSER_S = 3.0
"""From a click to the file chooser it opens."""
_FILES = "Array.from(this.files, (file) => ({ name: file.name, size: file.size }))"
_WATCH = f"""function () {{
  const note = () => {{ this.sgclawGot = this.sgclawGot || {_FILES}; }};
  this.sgclawGot = null;
  for (const type of ['input', 'change']) this.addEventListener(type, note, {{ capture: true, once: true }});
}}"""
_READ = f"function () {{ return this.sgclawGot || {_FILES}; }}"


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
        await self.session.send("Runtime.releaseObject", {"objectId": self.object_id})
        return got if isinstance(got, list) else []


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
    got = await field.give(stored.path)
    wanted = {"name": stored.artifact.name, "size": stored.artifact.size}
    if got != [wanted]:
        why = "页面收到的文件与要上传的不同" if got else "页面没有收到文件"
        raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, "wanted": wanted, "got": got[:5]})
    await after_act(run)
    return {"uploaded": True, **wanted}


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
