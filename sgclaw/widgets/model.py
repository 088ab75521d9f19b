"""What a row of the widget table says. A library is a file of rows; drivers read rows and nothing else.

Every text is CSS. *Inside*: below the widget's root; what begins with `&` is a state of the root itself. *On the page*:
of the document the widget is in, because popups are mostly put at the end of the body. *State*: appended to the
selector of an element, it matches while the state holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Popup:
    """What opens and closes."""

    opens: str
    """Inside: a click opens it."""
    opened: str
    """Inside: exists while it is open; empty where nothing says so and a click on an open one does nothing."""
    place: str
    """On the page: the open one, and no other."""
    keys: str
    """Inside: the field that takes Escape, which closes it and goes no further."""
    closes: str = ""
    """Inside: a click closes it, where Escape does not."""
    off: str = ""
    """Inside: exists while the control cannot be operated and therefore does not open."""
    on_focus: bool = False
    """Only getting the focus opens it: a click on a field that has it already does nothing."""


@dataclass(frozen=True, slots=True)
class TreeParts:
    """Nodes in nodes, or nodes one behind the other. `content` and `children` are direct children of a node."""

    nodes: str
    """In nodes: direct children of a level. One behind the other: all of them."""
    content: str
    children: str
    """Where nodes are in nodes, empty otherwise."""
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
    indent: str = ""
    """Below a node, where nodes stand one behind the other: it has as many children as the node is deep."""
    level: str = ""
    """Like `indent`: the state of a node that is {depth} deep."""
    disabled: str = ""
    """State of a node; empty where such nodes are marked with `aria-disabled`."""
    window: str = ""
    """Below the tree: exists where only some of its nodes are rendered."""

    @property
    def flat(self) -> bool:
        """Whether nodes stand one behind the other."""
        return bool(self.indent or self.level)


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
    """On the page, in the popup, or `&`: exists where several may be chosen."""
    busy: str
    """On the page, in the popup: exists while options are being fetched."""
    clears: str = ""
    """Inside: shown under the mouse, a click takes the choice away."""
    window: str = ""
    """In the popup: exists where only some of the options are rendered at a time."""
    search_below: str = ""
    """Like `search`, in the popup."""
    titled: str = ""
    """Inside: its title names all that are chosen; that several may be is seen only when the list stays open."""
    value: bool = False
    """`shown` is a field: its value counts, not its text."""
    tree: TreeParts | None = None
    within: str = ""
    """In the popup: what holds the options and no other text; empty where the popup does."""
    each: str = ""
    """Inside, where several may be chosen: one for each that is, siblings; empty where only the open list says it."""
    rest: str = ""
    """Inside: stands for those that `each` has no room for."""
    drops: str = ""
    """Below one of `each`: a click takes it away."""


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
    """On the page, in the popup, or `&`: exists where several may be chosen."""
    clears: str = ""
    value: bool = True
    """`shown` is a field: its value counts, not its text."""
    disabled: str = ""
    """State of an option; empty where such options are marked with `aria-disabled`."""


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
    times: str = ""
    """A click shows the lists of hours, minutes and seconds; absent where they are shown anyway."""
    time_cell: str = ""
    """{n} is 1 for hours, 2 for minutes, 3 for seconds, {at} their number counted from 1; empty: no lists."""
    year_cell: str = ""
    """Of a list of years, whose pages begin with the year in `month_title`; empty: years are not chosen alone."""


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
    enters: bool = False
    """`confirms` is pressed by Enter with the focus nowhere: no form is sent by that, and no label asks a person."""
    wakes: bool = False
    """The field can be written in only while its popup is open, and `confirms` takes a typed text over too."""
    tabs: int = 1
    """So many Tabs leave the field: the first may go into the open popup."""
    joint: str = ""
    """A range may be in the one field, with this between its ends; the popup is `ranged` then."""
    in_popup: bool = False
    """A text is taken over only when it was typed while the popup was open."""
    leaving: str = ""
    """On the page: a popup on its way out, whose buttons still count as shown."""
    ranged: str = ""
    """State of the popup: it chooses a range."""
    second: Panel | None = None
    """Of a range whose ends have a page each: that of the end."""


@dataclass(frozen=True, slots=True)
class NumberParts:
    """A field that takes its number over when it is left."""

    field: str


@dataclass(frozen=True, slots=True)
class Twins:
    """Rows of one table that are the same row: they have the same `key` attribute below `around`."""

    around: str
    rows: tuple[str, ...]
    """Below it, each drawing of the rows in the order in which a part is looked for."""
    key: str


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
    twins: Twins | None = None
    """Of a row that is drawn several times because some columns stand still: `hand`, `on`, `off` are in one of them."""


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
    hand: str = ""
    """Below an option: what is clicked; empty: the option itself."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something that looks like another row and cannot be driven like it; `instead` tells the user what to do."""

    why: str
    instead: str


WEEKS: Final = "这里选的是第几周，不是日期"
PICK_A_DAY: Final = "请打开后点选那一周里的任意一天"
QUARTERS: Final = "这里选的是季度，不是月份"
PICK_A_QUARTER: Final = "请打开后点选那个季度"

Parts = (
    ListParts
    | GroupParts
    | CascadeParts
    | DateParts
    | NumberParts
    | TickParts
    | TransferParts
    | TreeParts
    | Unsupported
)


@dataclass(frozen=True, slots=True)
class Widget:
    """One row. `root` is a compound of a tag and classes, nothing else; the order of rows decides where several fit."""

    library: str
    name: str
    root: str
    parts: Parts
    beside: bool = False
    """The root stands right behind the native control instead of around it."""
    also: str = ""
    """State of the root that its tag and classes do not tell: the page is asked for it."""

    @property
    def css(self) -> str:
        """What matches the root, and nothing else."""
        return self.root + self.also


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
    prefix: str = ""
    """Of the library's classes: a root that is a bare tag counts only where one of them is around it."""
