"""JavaScript dialogs of one page: recorded, held for a moment, never left to block.

While an act runs, a dialog it opens is held so that `handleDialog` can answer it; the next command that is not
`handleDialog`, or the end of the hold, dismisses it. A dialog that opens during a read is dismissed at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from playwright.async_api import Dialog
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.tasks import Tasks

HOLD_S = 30.0


@dataclass(frozen=True, slots=True)
class DialogRecord:
    """What a dialog said and how it ended: `accepted` or `dismissed`."""

    kind: str
    message: str
    ended: str


class DialogDesk:
    """The open dialog, if any, and the record of those before it."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._expiry: asyncio.TimerHandle | None = None
        self.current: Dialog | None = None
        self.number = 0
        """Which dialog of the page the open one is, from 1."""
        self.opened = asyncio.Event()
        self.hold = True
        self.history: list[DialogRecord] = []

    def opened_by_page(self, dialog: Dialog) -> None:
        """Called for each dialog as the browser opens it."""
        self.current = dialog
        self.number += 1
        self.opened.set()
        if dialog.type == "beforeunload":
            # Leaving was asked for explicitly by the act that set this off.
            self._tasks.start(self.answer(accept=True))
        elif not self.hold:
            self._tasks.start(self.answer(accept=False))
        else:
            loop = asyncio.get_running_loop()
            self._expiry = loop.call_later(HOLD_S, lambda: self._tasks.start(self.answer(accept=False)))

    async def answer(self, *, accept: bool, text: str | None = None) -> DialogRecord | None:
        """Close the open dialog; None when there is none any more."""
        dialog, self.current = self.current, None
        self.opened.clear()
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if dialog is None:
            return None
        record = DialogRecord(dialog.type, dialog.message, "accepted" if accept else "dismissed")
        self.history.append(record)
        try:
            if not accept:
                await dialog.dismiss()
            elif text is None:
                await dialog.accept()
            else:
                await dialog.accept(text)
        except PlaywrightError:
            # The page ended with the dialog open; the caller learns that from the page.
            return record
        return record
