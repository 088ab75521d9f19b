"""What happens on pages, told to whoever listens; nothing is done and nothing is kept while nobody does."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.tasks import Tasks
from browser_host_stub.driver import BrowserEvent, EventKind, Hear
from sgclaw.protocol.results import PageInfo

if TYPE_CHECKING:
    from browser_host_stub.chromium.pages import OpenPage

_SETTLED_S = 1.0
_MAX_TITLE = 500


class Events:
    """Makes events of what the browser reports about its pages."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._hear: Hear | None = None

    def on_event(self, hear: Hear) -> None:
        """See `Telling.on_event`."""
        self._hear = hear

    def tell(self, kind: EventKind, item: OpenPage, title: str = "", /, **facts: object) -> None:
        """Tell one event of a page as it is now."""
        if self._hear is not None:
            info = PageInfo(id=item.id, url=item.address, title=title, version=item.version)
            self._hear(BrowserEvent(kind, info, facts))

    def navigated(self, item: OpenPage) -> None:
        """The main frame took on a document or an address: told once its title can be known.

        Of a row of them only the last is told.
        """
        if self._hear is not None and not item.telling:
            item.telling = True
            self._tasks.start(self._tell_navigated(item))

    async def _tell_navigated(self, item: OpenPage) -> None:
        await item.leaving.wait_settled(_SETTLED_S)
        title = ""
        with contextlib.suppress(PlaywrightError):  # the page ended, and `closed` is told
            await item.page.wait_for_load_state("domcontentloaded", timeout=_SETTLED_S * 1_000)
        with contextlib.suppress(PlaywrightError):
            # Asked of the browser: the page's own scripts may hang, and its library may be just on its way in.
            target = (await item.session.send("Target.getTargetInfo"))["targetInfo"]
            title = "" if str(target["title"]) in str(target["url"]) else str(target["title"])[:_MAX_TITLE]
        item.telling = False
        if not item.gone.is_set():
            self.tell("navigated", item, title)
