"""Background pages by the task that opened them: none outlives its task, and no task opens many."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from browser_host_stub.driver import Driver, JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.actions import spec_of

MAX_A_TASK: Final = 8
MAX_IN_ALL: Final = 16
"""sgclaw makes up the names of tasks, so they do not count alone."""
_ENDED: Final = 256
_REAP_S: Final = 5.0


class HiddenPages:
    """Counts, remembers and ends the background pages of one session."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._pages: dict[str, list[str]] = {}
        self._opening: dict[str, int] = {}
        self._ended: deque[str] = deque(maxlen=_ENDED)

    async def spawn(self, task_id: str, perform: Callable[[], Awaitable[JsonObject]]) -> JsonObject:
        """Open one for a task, which must not have ended; raises `ACTION_FAILED` when there are too many."""
        await self._check_room(task_id)
        self._opening[task_id] = self._opening.get(task_id, 0) + 1
        try:
            data = await perform()
            self._pages.setdefault(task_id, []).append(str(data["page"]))
        finally:
            self._opening[task_id] -= 1
        if task_id in self._ended:
            await self.reap(task_id)
            raise ActionError(ActionCode.PAGE_GONE, "任务已经结束，后台页面随之关闭", facts={"page": data["page"]})
        return data

    async def _check_room(self, task_id: str) -> None:
        for pages in self._pages.values():
            for page in list(pages):
                if not await self._is_open(page):
                    pages.remove(page)
        own = len(self._pages.get(task_id, ())) + self._opening.get(task_id, 0)
        in_all = sum(map(len, self._pages.values())) + sum(self._opening.values())
        if own >= MAX_A_TASK or in_all >= MAX_IN_ALL:
            raise ActionError(
                ActionCode.ACTION_FAILED,
                f"一个任务最多同时打开 {MAX_A_TASK} 个后台页面，全部任务最多 {MAX_IN_ALL} 个",
                next_step="请先用 zombieKill 关闭不用的后台页面",
                facts={"open": own, "limit": MAX_A_TASK},
            )

    def forget(self, page: str) -> None:
        """A page is closed by a command of its own."""
        for pages in self._pages.values():
            if page in pages:
                pages.remove(page)

    async def _is_open(self, page: str) -> bool:
        try:
            await self._driver.page_info(page)
        except ActionError:
            return False
        return True

    async def ended(self, task_id: str) -> None:
        """A task is over: so are its background pages, also one that is just being opened."""
        self._ended.append(task_id)
        await self.reap(task_id)

    async def reap(self, task_id: str | None = None) -> None:
        """End the background pages of one task, or of all."""
        for task in [task_id] if task_id is not None else list(self._pages):
            for page in self._pages.pop(task, []):
                await self.kill(page)

    async def kill(self, page: str) -> None:
        """End one, if it is still there."""
        params = spec_of("zombieKill").check({"page": page})
        try:
            await self._driver.perform(await self._driver.locate("zombieKill", params, page), _REAP_S)
        except ActionError:
            return  # it ended by itself, or its browser did
