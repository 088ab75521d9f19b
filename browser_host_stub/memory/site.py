"""Pages as data: elements by selector, and what a click on them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Element:
    """One element, or `count` equal ones. `label` is what a click sets off; `file` is what a download brings.

    A click follows `href`, in a new page when `opens_page`, and sends a form to `form_action`. `frame` is the address
    of the frame the element is in, None for the page itself.
    """

    text: str = ""
    tag: str = "div"
    label: str = ""
    value: str | None = None
    count: int = 1
    visible: bool = True
    enabled: bool = True
    attributes: dict[str, str] = field(default_factory=dict)
    on_click: Callable[[Page], None] | None = None
    file: tuple[str, bytes] | None = None
    frame: str | None = None
    href: str | None = None
    form_action: str | None = None
    opens_page: bool = False


@dataclass
class Page:
    """One open page: its elements are its own copy, so that effects stay on it."""

    id: str
    url: str
    title: str = ""
    version: int = 0
    before: str = ""
    elements: dict[str, Element] = field(default_factory=dict)
    storage: dict[str, str] = field(default_factory=dict)
    acts: list[tuple[str, str]] = field(default_factory=list)
    """(action, selector) of everything performed here: what a test asks about."""


Site = Mapping[str, Callable[[], dict[str, Element]]]
"""Address → fresh elements of the page there. An address that redirects is listed in `MemoryDriver.redirects`."""
