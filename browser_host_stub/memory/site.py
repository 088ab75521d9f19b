"""Pages as data: elements by selector, and what a click on them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Table:
    """What an element holds as columns and rows; `total` is what the page says about their number."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int | None = None


@dataclass
class Element:
    """One element, or `count` equal ones. `label` is what a click sets off; `file` is what a download brings.

    A click follows `href`, in a new page when `opens_page`, and sends a form to `form_action`. `frame` is the address
    of the frame the element is in, None for the page itself. `options` are value and label of a native select's
    choices, any value is one when there are none; `checked` None cannot be ticked. `within` is how it stands in the
    page as `tag#id.class`, for who recognises components.
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
    role: str = ""
    readonly: bool = False
    covered_by: str | None = None
    checked: bool | None = None
    options: tuple[tuple[str, str], ...] = ()
    table: Table | None = None
    files: list[tuple[str, int]] | None = None
    """Names and sizes of what was uploaded to it; None takes no file."""
    within: tuple[str, ...] = ()

    @property
    def is_secret(self) -> bool:
        """Whether its value is never told."""
        return self.attributes.get("type") == "password"


@dataclass
class Dialog:
    """A JavaScript dialog; `on_answer` is called with whether it was accepted and what was typed."""

    message: str
    kind: str = "confirm"
    on_answer: Callable[[bool, str | None], None] = lambda _accepted, _text: None


@dataclass
class Page:
    """One open page: its elements are its own copy, so that effects stay on it."""

    id: str
    url: str
    title: str = ""
    version: int = 0
    before: str = ""
    """Where `goBack` leads."""
    after: str = ""
    """Where `goForward` leads."""
    elements: dict[str, Element] = field(default_factory=dict)
    acts: list[tuple[str, str]] = field(default_factory=list)
    """(action, selector) of everything performed here: what a test asks about."""
    dialog: Dialog | None = None
    opener: str | None = None
    hidden: bool = False
    scroll: tuple[int, int] = (0, 0)
    numbers: list[Element] = field(default_factory=list)
    """Elements by the number they were told under; kept, so that no number is given twice."""

    def number_of(self, element: Element) -> int:
        """The element's number in this document, from 1."""
        for number, known in enumerate(self.numbers, 1):
            if known is element:
                return number
        self.numbers.append(element)
        return len(self.numbers)


Site = Mapping[str, Callable[[], dict[str, Element]]]
"""Address → fresh elements of the page there. An address that redirects is listed in `MemoryDriver.redirects`."""
