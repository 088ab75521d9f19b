"""What a row of the widget table says. A library is a file of rows; drivers read rows and nothing else.

Every text is CSS. *Inside*: below the widget's root; what begins with `&` is a state of the root itself. *On the page*:
of the document the widget is in, because popups are mostly put at the end of the body. *State*: appended to the
selector of an element, it matches while the state holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Popup:
    """What opens and closes."""

    opens: str
    """Inside: a click opens it."""
    opened: str
    """Inside: exists while it is open."""
    place: str
    """On the page: the open one, and no other."""
    keys: str
    """Inside: the field that takes Escape, which closes it and goes no further."""
    closes: str = ""
    """Inside: a click closes it, where Escape does not."""
    off: str = ""
    """Inside: exists while the control cannot be operated and therefore does not open."""


@dataclass(frozen=True, slots=True)
class TreeParts:
    """Nodes in nodes. `nodes` of a level are its direct children; `content` and `children` are those of a node."""

    nodes: str
    content: str
    children: str
    expander: str
    """Below `content`: a click shows the children; absent for one that is open or a leaf."""
    checkbox: str
    """Below `content`: the box of a tree with boxes."""
    ticked: str
    """State of `checkbox`."""
    chosen: str
    """State of a node that was clicked; empty: clicking is not read back here."""
    container: str = ""
    """Of a tree in a popup: its outermost element there."""


@dataclass(frozen=True, slots=True)
class ListParts:
    """A list of options that opens. `tree` and `window` are looked for in the popup once it is open."""

    popup: Popup
    option: str
    chosen: str
    """State of an option."""
    disabled: str
    """State of an option; empty where such options are marked with `aria-disabled`, which a host sees by itself."""
    shown: str
    """Inside: where one choice is shown, absent or empty without one."""
    held: str
    """Inside: exists while anything is chosen; empty where `shown` says it."""
    search: str
    """Inside: an editable field that filters; absent where the list cannot be filtered."""
    multiple: str
    """On the page, in the popup: exists where several may be chosen."""
    busy: str
    """On the page, in the popup: exists while options are being fetched."""
    clears: str = ""
    """Inside: shown under the mouse, a click takes the choice away."""
    window: str = ""
    """In the popup: exists where only some of the options are rendered at a time."""
    value: bool = False
    """`shown` is a field: its value counts, not its text."""
    tree: TreeParts | None = None


@dataclass(frozen=True, slots=True)
class GroupParts:
    """Options that stand on the page: radio buttons, boxes of a group, segments."""

    option: str
    chosen: str
    disabled: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class CascadeParts:
    """Columns that open one another."""

    popup: Popup
    column: str
    option: str
    active: str
    """State of an option whose column is open."""
    checkbox: str
    """Below an option: a box or a round button that chooses without opening."""
    ticked: str
    """State of an option that is chosen by its box."""
    shown: str
    several: str
    """On the page, in the popup: exists where several may be chosen."""
    clears: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A page of a calendar. `cell` and `month_cell` may hold {iso} {y} {m} {d} {row} {column} (counted from 1).

    {row} and {column} of a day are counted with the days of the month before, which `before` matches.
    """

    title: str
    prev_year: str
    prev_month: str
    next_month: str
    next_year: str
    cell: str
    before: str
    month_title: str
    month_cell: str
    off: str
    """State of a cell that cannot be chosen."""


@dataclass(frozen=True, slots=True)
class DateParts:
    """A field (two, for a range) with a calendar."""

    popup: Popup
    field: str
    """Inside, `{n}` is 1 or 2."""
    panel: Panel | None
    several: bool = False
    """A range: two fields."""
    confirms: str = ""
    """On the page, in the popup: a button that takes the choice over; absent where choosing is enough."""
    clears: str = ""
    typed: bool = True
    """A text typed into the field is taken over when the field is left."""


@dataclass(frozen=True, slots=True)
class NumberParts:
    """A field that takes its number over when it is left."""

    field: str


@dataclass(frozen=True, slots=True)
class TickParts:
    """Something that is on or off."""

    hand: str
    """Inside: what is clicked; empty: the root itself."""
    on: str
    """Inside: exists while it is on."""
    off: str
    """Inside: exists while it cannot be operated."""
    half: str = ""
    """Inside: exists while some of what is below it is on."""
    radio: bool = False


@dataclass(frozen=True, slots=True)
class TransferParts:
    """Two lists and the buttons between them."""

    left: str
    right: str
    option: str
    ticked: str
    to_left: str
    to_right: str
    disabled: str


Parts = ListParts | GroupParts | CascadeParts | DateParts | NumberParts | TickParts | TransferParts | TreeParts


@dataclass(frozen=True, slots=True)
class Widget:
    """One row. `root` is a compound of a tag and classes, nothing else; the order of rows decides where several fit."""

    library: str
    name: str
    root: str
    parts: Parts
    beside: bool = False
    """The root stands right behind the native control instead of around it."""


@dataclass(frozen=True, slots=True)
class Window:
    """A scrolling region that renders only some of its rows; `row` are those, in their order."""

    place: str
    row: str


@dataclass(frozen=True, slots=True)
class Library:
    """Everything that is known about one component library; `opened` matches the one field whose popup is open."""

    name: str
    widgets: tuple[Widget, ...]
    opened: str = ""
    windows: tuple[Window, ...] = field(default=())
