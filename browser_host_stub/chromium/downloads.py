"""Downloads: every one is followed to its end and kept, asked for or not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, Download, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.artifacts import FolderArtifacts
from browser_host_stub.chromium.tasks import Tasks
from browser_host_stub.driver import JsonObject, StoredArtifact
from sgclaw.errors import ActionCode, ActionError

_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class _Expectation:
    wanted: Callable[[Page], bool]
    saved: asyncio.Future[asyncio.Task[StoredArtifact | ActionError]]


class Downloads:
    """Follows the downloads of one browser context."""

    def __init__(
        self,
        context: BrowserContext,
        artifacts: FolderArtifacts,
        tasks: Tasks,
        refuses: Callable[[str, Page], bool] = lambda _url, _page: False,
        tell: Callable[[Page, JsonObject], None] = lambda _page, _facts: None,
    ) -> None:
        self._context = context
        self._artifacts = artifacts
        self._tasks = tasks
        self._refuses = refuses
        self._tell = tell
        self._expected: list[_Expectation] = []
        self.failures: list[ActionError] = []
        """Downloads that nobody waited for and that did not complete."""
        context.on("download", self._started)

    def _started(self, download: Download) -> None:
        if self._refuses(download.url, download.page):
            self._tasks.start(_discard(download))
            self._tell(download.page, {"failed": "policy"})  # its name is content of where it came from
            return
        saving = self._tasks.start(self._save(download))
        for expectation in self._expected:
            if not expectation.saved.done() and expectation.wanted(download.page):
                expectation.saved.set_result(saving)
                return
        saving.add_done_callback(self._note_failure)

    def _note_failure(self, saving: asyncio.Task[StoredArtifact | ActionError]) -> None:
        if not saving.cancelled() and isinstance(outcome := saving.result(), ActionError):
            self.failures.append(outcome)

    async def _save(self, download: Download) -> StoredArtifact | ActionError:
        outcome = await self._kept(download)
        if isinstance(outcome, ActionError):
            facts = {
                "name": download.suggested_filename[:_MAX_NAME],
                "failed": outcome.facts.get("reason", outcome.code),
            }
        else:
            fact = outcome.artifact
            facts = {"name": fact.name, "size": fact.size, "sha256": fact.sha256, "artifact": fact.id}
        self._tell(download.page, facts)
        return outcome

    async def _kept(self, download: Download) -> StoredArtifact | ActionError:
        name = download.suggested_filename
        try:
            path = await download.path()
        except PlaywrightError:
            return await _broken(download, name)
        try:
            return await self._artifacts.keep_file(path, name)
        except ActionError as error:
            return error

    async def next_from(self, page: Page, start: Callable[[], Awaitable[None]]) -> StoredArtifact:
        """Run `start` and return the first download that then begins in `page` or in a page it opened.

        Ends early with `DOWNLOAD_FAILED` when the download breaks or the server answers with an error page instead.
        """
        before = set(self._context.pages)
        loop = asyncio.get_running_loop()
        expectation = _Expectation(lambda other: other is page or other not in before, loop.create_future())
        refused: asyncio.Future[int] = loop.create_future()

        def on_response(response: Response) -> None:
            if response.status >= 400 and not refused.done() and _is_main_navigation(response.request, page):
                refused.set_result(response.status)

        self._expected.append(expectation)
        page.on("response", on_response)
        try:
            await start()
            first: set[asyncio.Future[Any]] = {expectation.saved, refused}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not expectation.saved.done():
                status = refused.result()
                raise ActionError(
                    ActionCode.DOWNLOAD_FAILED, f"服务器返回了 {status}，没有给出文件", facts={"status": status}
                )
            outcome = await asyncio.shield(expectation.saved.result())
        finally:
            self._expected.remove(expectation)
            page.remove_listener("response", on_response)
        if isinstance(outcome, ActionError):
            raise outcome
        return outcome


def _is_main_navigation(request: Request, page: Page) -> bool:
    return request.is_navigation_request() and request.frame == page.main_frame


async def _discard(download: Download) -> None:
    """End a download from where nothing may come."""
    try:
        await download.cancel()
        await download.delete()
    except PlaywrightError:
        return  # it, or the browser, ended by itself


async def _broken(download: Download, name: str) -> ActionError:
    try:
        reason = await download.failure()
    except PlaywrightError:
        reason = "browser closed"
    return ActionError(
        ActionCode.DOWNLOAD_FAILED,
        "文件下载中断，没有完成",
        facts={"name": name[:_MAX_NAME], "reason": reason or "unknown"},
    )
