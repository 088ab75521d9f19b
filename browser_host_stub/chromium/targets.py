"""What each action needs of its target, and the page and dialogs as targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from playwright.async_api import Dialog

from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.world import StaleWorldError, World
from browser_host_stub.driver import Located, TargetFacts
from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol import params as p

POLL_S = 0.015
MAX_MESSAGE = 20_000
"""Characters of a dialog's message that are judged."""

SetsOff = Literal["hit", "tick", "field", "enter", "space", "key", "choice", "nothing"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What an element must be before an action may touch it. `sets_off` is how the control that acts is found.

    `enter` adds what Enter sets off after typing, `access` the key pressed with Alt, `choice` the option wanted.
    `tells` makes refusals say what the element stands in, by which component libraries are recognised.
    """

    shown: bool = False
    box: bool = False
    enabled: bool = False
    writable: bool = False
    checkable: bool = False
    aim: bool = False
    sets_off: SetsOff = "nothing"
    enter: bool = False
    access: str = ""
    choice: str | None = None
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Handle:
    """What `perform` acts on: a document by its token, an element of it by its number, or a dialog.

    `place` is the document the element is in; None where only the page as a whole was looked at.
    """

    page: OpenPage
    token: str = ""
    element: int | None = None
    dialog: Dialog | None = None
    place: Place | None = None
    customs: tuple[int, ...] = ()
    """Numbers of custom elements whose words the act turns on: the browser is asked again before it."""

    @property
    def world(self) -> World:
        """Where the document's library is."""
        return self.page.world if self.place is None else self.place.world


@dataclass(frozen=True, slots=True)
class Found:
    """One resolved element, or the page as a whole when `facts` is None."""

    handle: Handle
    origin: str
    facts: TargetFacts | None = None
    title: str | None = None
    """Title of the page when the page was asked anyway."""
    repeats: bool = False
    """The act would send once more the form that the document it opens came from."""


_PRESSING: Mapping[str, SetsOff] = {
    "Enter": "enter",
    "NumpadEnter": "enter",
    "Space": "space",
    " ": "space",
    "Tab": "nothing",
    "Escape": "nothing",
}
_ATTACHED, _SHOWN = Needs(), Needs(shown=True)
_CLICK = Needs(shown=True, box=True, enabled=True, aim=True, sets_off="hit")
_FIELD = Needs(shown=True, box=True, enabled=True, writable=True, aim=True, sets_off="field", tells=True)
_CHOICE = Needs(shown=True, box=True, enabled=True, aim=True, sets_off="choice", tells=True)
_TICK = Needs(shown=True, box=True, enabled=True, aim=True, checkable=True, sets_off="tick", tells=True)
_PRESSES = ("hit", "tick", "enter", "space", "key")
_COMMANDS = frozenset({"Control", "Meta"})


def _for_type(params: p.Params) -> Needs:
    return replace(_FIELD, enter=isinstance(params, p.Type) and params.submit)


def _for_select(params: p.Params) -> Needs:
    return replace(_CHOICE, choice=params.value if isinstance(params, p.Select) else "")


def keys_of(combination: str) -> tuple[frozenset[str], str]:
    """Modifiers and the key itself."""
    before, _, key = combination.rpartition("+")
    if not key:  # the key is the plus sign
        before, key = before.removesuffix("+"), "+"
    return frozenset(before.split("+")) - {""}, key


def reloads(params: p.Params) -> bool:
    """Whether a key loads the page again, where a browser listens to it."""
    modifiers, key = keys_of(params.key) if isinstance(params, p.Press) else (frozenset[str](), "")
    return key == "F5" or (bool(_COMMANDS & modifiers) and key in ("r", "R"))


def sends_form(located: Located) -> bool:
    """Whether the act presses a button that sends a form."""
    needs = needs_of(located.action, located.params)
    presses = needs is not None and (needs.enter or needs.sets_off in _PRESSES)
    return presses and located.target is not None and located.target.type in ("submit", "image")


def _for_press(params: p.Params) -> Needs:
    modifiers, key = keys_of(params.key) if isinstance(params, p.Press) else (frozenset[str](), "")
    if "Alt" in modifiers:
        return Needs(enabled=True, sets_off=_PRESSING.get(key, "key"), access=key.lower(), tells=True)
    otherwise: SetsOff = "nothing" if _COMMANDS & modifiers else "key"
    return Needs(enabled=True, sets_off=_PRESSING.get(key, otherwise), tells=True)


NEEDS: Mapping[str, Needs | Callable[[p.Params], Needs]] = {
    "click": _CLICK,
    "download": _CLICK,
    "hover": Needs(shown=True, box=True, aim=True),
    "type": _for_type,
    "clear": _FIELD,
    "select": _for_select,
    "check": _TICK,
    "press": _for_press,
    "upload": Needs(enabled=True, sets_off="hit"),
    "getText": _SHOWN,
    "getHtml": _ATTACHED,
    "extractTable": _SHOWN,
    "query": _ATTACHED,
    "scrollTo": _ATTACHED,
    "pageScreenshot": Needs(shown=True, box=True),
    "getAomSnapshot": _SHOWN,
}
"""Actions that touch an element; the others concern the page or the browser."""


def needs_of(action: str, params: p.Params) -> Needs | None:
    """What the element must be, or None when this call resolves no element."""
    if not isinstance(params, p.OptionalTarget):
        return None
    never_waits = isinstance(params, p.WaitForSelector) or (
        isinstance(params, p.Query) and params.fact in ("exists", "count", "url", "title")
    )
    unnamed = params.selector is None and params.ref is None
    if never_waits or (unnamed and action != "press"):
        return None
    needs = NEEDS.get(action)
    return needs(params) if callable(needs) else needs


def find_address(page: OpenPage, dialog: Dialog | None = None) -> Found:
    """The page by the address the browser committed, without asking its scripts: they may hang or wait for a dialog.

    A dialog has the origin of the document that opened it, which may be one in a frame.
    """
    try:
        origin = page.dialogs.origin if dialog else str(origin_of(page.page.url))
    except PolicyDeniedError:
        origin = "null"
    facts = TargetFacts("dialog", "alertdialog", both_ends(dialog.message), type=dialog.type) if dialog else None
    return Found(Handle(page, dialog=dialog), origin, facts, title="")


def both_ends(text: str) -> str:
    """A long text by its beginning and its end: the question mostly stands last."""
    half = MAX_MESSAGE // 2
    return text if len(text) <= MAX_MESSAGE else f"{text[:half]}…{text[-half:]}"


async def find_page(page: OpenPage) -> Found:
    """The page's current document with its committed origin."""
    while True:
        try:
            state, token = await page.world.call("pageState")
        except StaleWorldError:
            continue
        return Found(Handle(page, token), str(state["origin"]), title=str(state["title"]))
