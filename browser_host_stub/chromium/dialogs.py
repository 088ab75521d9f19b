"""JavaScript dialogs of one page: recorded, held for a moment, never left to block.

While an act runs, a dialog it opens is held so that `handleDialog` can answer it; the next command that is not
`handleDialog`, or the end of the hold, dismisses it. A dialog that opens during a read is dismissed at once. A page
that opens one after the other without end has its script stopped, and none of its dialogs is held any more.
A dialog of a frame whose origin is not listed is dismissed, and nothing of it is told: its words are not to be read.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Dialog
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.tasks import Tasks
from sgclaw.errors import ActionCode, ActionError

HOLD_S = 30.0
_MOST_IN_A_ROW = 10
"""Dialogs that no act set off; a page that asks more often will not stop."""
_KEPT = 50
_ANSWER_S = 0.5
_PLACED_S = 1.0


@dataclass(frozen=True, slots=True)
class DialogRecord:
    """What a dialog said and how it ended: `accepted` or `dismissed`."""

    kind: str
    message: str
    ended: str


OriginOf = Callable[[str], str | None]
"""The listed origin that the document of an address in the page has, None when nothing may be read of it."""
Tell = Callable[[Dialog], None]


class DialogDesk:
    """The open dialog, if any, and the record of those before it. `tell` hears of each that may be read.

    The browser says of which document a dialog is in an event of its own, a moment after Playwright's.
    """

    def __init__(self, tasks: Tasks, session: CDPSession, origin_of: OriginOf, tell: Tell) -> None:
        self._tasks, self._session, self._origin_of, self._tell = tasks, session, origin_of, tell
        self._unplaced: deque[Dialog] = deque()
        self._openings: deque[Mapping[str, Any]] = deque(maxlen=_KEPT)
        self.origin = ""
        """Committed origin of the document that the open dialog is of."""
        self.storm = False
        """The document opens dialogs without end."""
        self._row = 0
        self._expiry: asyncio.TimerHandle | None = None
        self.current: Dialog | None = None
        self.number = 0
        """Which dialog of the page the open one is, from 1."""
        self.opened = asyncio.Event()
        self.hold = True
        self.input_sent = False
        """The act that runs has begun to press: a dialog before that is not its work."""
        self.history: deque[DialogRecord] = deque(maxlen=_KEPT)

    def arrived(self, dialog: Dialog) -> None:
        """A dialog is open; one whose document does not get known is dismissed."""
        self._unplaced.append(dialog)
        asyncio.get_running_loop().call_later(_PLACED_S, self._give_up, dialog)
        self._place()

    def opening(self, event: Mapping[str, Any]) -> None:
        """The browser says of which document the dialog is."""
        self._openings.append(event)
        self._place()

    def _place(self) -> None:
        while self._unplaced and self._openings:
            event = self._openings.popleft()
            if (event["type"], event["message"]) != (self._unplaced[0].type, self._unplaced[0].message):
                continue  # of one that was dismissed before the page was known
            self._placed(self._unplaced.popleft(), self._origin_of(str(event["url"])))

    def _give_up(self, dialog: Dialog) -> None:
        if dialog in self._unplaced:
            self._unplaced.remove(dialog)
            self._placed(dialog, None)

    def _placed(self, dialog: Dialog, origin: str | None) -> None:
        if origin is not None:
            self.origin = origin
            self._tell(dialog)
            self._opened(dialog)
        else:
            self._in_a_row()
            self._tasks.start(self._close(dialog, accept=dialog.type == "beforeunload"))

    def _opened(self, dialog: Dialog) -> None:
        self.current = dialog
        self.number += 1
        if dialog.type == "beforeunload":
            # Leaving was asked for explicitly by the act that set this off.
            self._tasks.start(self.answer(accept=True))
        elif self._in_a_row() or not self.hold:
            self._tasks.start(self.answer(accept=False))
        else:
            self.opened.set()
            loop = asyncio.get_running_loop()
            self._expiry = loop.call_later(HOLD_S, lambda: self._tasks.start(self.answer(accept=False)))

    def new_document(self) -> None:
        """Another document is in the page: what the one before did is forgotten."""
        self.storm, self._row = False, 0

    async def leave_none(self) -> None:
        """An act begins: what nobody answered is dismissed, and what opens before the act presses anything, too."""
        self.input_sent = self.hold = False
        if self.current is not None:
            await self.answer(accept=False)

    def _in_a_row(self) -> bool:
        """Whether the page opens dialogs without end, by itself; then its script is stopped now and again."""
        self._row = 1 if self.input_sent else self._row + 1
        if self._row > _MOST_IN_A_ROW and self._row % _MOST_IN_A_ROW == 1:
            self._tasks.start(self._stop_script())
        self.storm = self.storm or self._row > _MOST_IN_A_ROW
        return self.storm

    async def _stop_script(self) -> None:
        with contextlib.suppress(PlaywrightError):  # the page ended, and its dialogs with it
            await self._session.send("Runtime.terminateExecution")

    def interrupted(self) -> ActionError:
        """The error of an act that a dialog came before."""
        dialog = self.current
        told = {"dialog": dialog.type, "message": dialog.message[:500]} if dialog else {}
        return refusal({"code": ActionCode.ACTION_FAILED, "why": "操作之前页面弹出了对话框，没有执行", **told})

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
        await self._close(dialog, accept=accept, text=text)
        return record

    async def _close(self, dialog: Dialog, *, accept: bool, text: str | None = None) -> None:
        try:
            async with asyncio.timeout(_ANSWER_S):
                await _answered(dialog, accept=accept, text=text)
        except (PlaywrightError, TimeoutError):
            # The page ended with the dialog open, which the caller learns from the page; or a navigation that waits for
            # the dialog holds the answer back, and only the browser itself can close it.
            answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
            with contextlib.suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_ANSWER_S):
                    await self._session.send("Page.handleJavaScriptDialog", answer)


async def _answered(dialog: Dialog, *, accept: bool, text: str | None) -> None:
    if not accept:
        await dialog.dismiss()
    elif text is None:
        await dialog.accept()
    else:
        await dialog.accept(text)
