"""What the host session needs of a browser: find the real element, then act on exactly that element.

The session asks `locate`, decides on what it returns (committed origin, label of the control that would be hit), and
passes the same value to `perform`. A driver decides nothing about policy; it promises that `perform` acts on what was
located or raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from sgclaw.protocol.params import Params
from sgclaw.protocol.results import Artifact, PageInfo

JsonObject = dict[str, object]

IMPLICIT_WAIT_S = 5.0
"""Longest time an element may take to exist and become operable; a shorter deadline wins."""


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """The element an act would really reach, as the page shows it. Every text is page content, none holds a secret."""

    tag: str
    """Lower-case tag name; `dialog` for a JavaScript dialog."""
    role: str = ""
    label: str = ""
    """All texts of the controls the act sets off (visible text, aria-label, title, value), joined by ` · `.

    With the option it chooses, and with the question that a bare yes answers. Empty when the act sets nothing off by
    itself, as typing into a field does. This is what policy compares."""
    name: str = ""
    """Accessible name of the target itself, for showing and logging."""
    type: str | None = None
    href: str | None = None
    form_action: str | None = None
    """Absolute address the form of this control is sent to."""
    value_preview: str | None = None
    """Current value, at most 80 characters; never that of a password field."""


@dataclass(frozen=True, slots=True)
class Around:
    """Which one it is: what a person must see, and what a yes is bound to. Page content throughout."""

    element: str = ""
    """Token of the element in its document; another element never gets it."""
    state: str = ""
    """SHA-256 of the data of the form and the text of the row or layer the element is in."""
    context: str = ""
    """The row, or the filled fields, in a few words; never a password."""


@dataclass(frozen=True, slots=True)
class Located:
    """An act bound to what it will touch.

    `origin` is serialised like `https://erp.example.com`: the committed origin of the page or of the target's frame,
    whichever the action table compares, or the origin of the address for acts that compare a target URL. It is `null`
    for pages without one (about:blank, data:) and None only for acts that compare nothing.
    """

    action: str
    params: Params
    page: PageInfo
    origin: str | None
    target: TargetFacts | None
    handle: object
    """For the driver that made it, and for nobody else."""
    repeats: bool = False
    """The act loads a document that came from a sent form, which mostly means to send it again."""
    around: Callable[[], Awaitable[Around]] | None = None
    """Looks around the target when a person is asked about it; from then on `perform` holds it to that state."""


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """A file the host keeps: facts for the wire, path for the host only."""

    artifact: Artifact
    path: Path


@runtime_checkable
class TakesFiles(Protocol):
    """A store that also gives ids to files of the person's, for `upload`."""

    async def register(self, path: Path) -> StoredArtifact:
        """Give an id to a file, which stays where it is; raises `OSError`."""
        ...


class ArtifactStore(Protocol):
    """Files that came out of the browser. Each is whole: nothing is visible here while it is being written."""

    def get(self, artifact_id: str) -> StoredArtifact | None:
        """One file by id, or None."""
        ...

    def all(self) -> tuple[StoredArtifact, ...]:
        """Every file of this browser in the order of completion, also downloads nobody asked for."""
        ...


EventKind = Literal["navigated", "opened", "closed", "crashed", "dialog", "download"]


@dataclass(frozen=True, slots=True)
class BrowserEvent:
    """Something happened on a page, set off by an act or not. The session decides what is told of it."""

    kind: EventKind
    page: PageInfo
    """The page as the browser has it, wherever that is."""
    facts: JsonObject = field(default_factory=dict)
    """Of `opened` the `opener`; of `dialog` its `kind` and `message`; of `download` its `name` with `artifact`, `size`
    and `sha256`, or `failed` with the reason."""


Hear = Callable[[BrowserEvent], None]


@runtime_checkable
class Telling(Protocol):
    """A driver that tells what happens on its pages, in the order in which it happens."""

    def on_event(self, hear: Hear) -> None:
        """From now on call `hear`, which returns at once, for every event; another one takes its place."""
        ...


class Driver(Protocol):
    """One browser with its pages. Page ids are minted here and never reused."""

    @property
    def artifacts(self) -> ArtifactStore:
        """Downloads and screenshots."""
        ...

    @property
    def on_gone(self) -> asyncio.Event:
        """Set once when the browser has ended, by `close` or by dying."""
        ...

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        """Resolve page and element without changing anything but the scroll position.

        `params` are validated; `page` None is the default page. Waits up to the smaller of `deadline_s` and
        `IMPLICIT_WAIT_S` for the element to exist and, for acts, to be operable. Raises `ActionError`.
        """
        ...

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        """Act on what was located and return data valid for the action's result model.

        Raises `ActionError`: `STALE_REF` when the element or its facts changed since, `TIMEOUT` after `deadline_s`,
        `PAGE_GONE` promptly when the page or browser ends.
        """
        ...

    async def page_info(self, page: str | None) -> PageInfo:
        """Address, title and version, which grows with each navigation of the main frame. Raises `PAGE_GONE`."""
        ...

    async def default_page(self) -> PageInfo:
        """The page acts go to when none is named."""
        ...

    async def close(self) -> None:
        """End the browser and everything it started; may be called again and after it died."""
        ...
