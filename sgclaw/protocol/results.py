"""Results of every action: the shape of `response.data`."""

from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
T = TypeVar("T")
Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A JSON array. Only the container is not strict: decoding yields lists, which strict mode would refuse for tuples."""
Within = Annotated[
    Items[str] | None,
    Field(description="The element and what it is in, innermost first, each as `tag#id.class.class`; at most 8."),
]
"""What a component library is recognised by."""
Bounds = Annotated[tuple[int, int, int, int], Field(strict=False)]


class Result(BaseModel):
    """Base of all result models. `natural` names the field a skill receives in place of the object."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    natural: ClassVar[str | None] = None


class Artifact(BaseModel):
    """A file the host keeps: the wire carries its facts, never its path."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Made by the host; never used twice.")]
    name: Annotated[str, Field(min_length=1, max_length=255, description="A plain file name, no folders.")]
    size: Annotated[int, Field(ge=0, description="Bytes.")]
    sha256: Annotated[Sha256, Field(description="Of the whole file.")]
    mime: Annotated[str, Field(max_length=128, description="Media type.")]


class Identity(BaseModel):
    """What tells one element from its neighbours on a later visit: page-owned facts only, states left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    tag: Annotated[str, Field(description="Lower-case tag name.")]
    id: Annotated[str | None, Field(description="The page's own id, if it has one.")] = None
    classes: Annotated[Items[str], Field(description="Classes without those of a state, such as `is-active`.")] = ()
    text: Annotated[str, Field(description="Visible text of the element itself, cut.")] = ""
    near: Annotated[str, Field(description="Text that stands beside it: its label, its row or its group, cut.")] = ""
    xpath: Annotated[str, Field(description="Position in its document or shadow root.")] = ""
    attributes: Annotated[
        dict[str, str], Field(description="Attributes that name it: name, type, href, title, placeholder, data-* …")
    ] = Field(default_factory=dict)
    within: Annotated[
        Items[str], Field(description="What it is in, innermost first, each as `tag#id.class.class`; at most 8.")
    ] = ()


class AomNode(BaseModel):
    """One node of an accessibility object model snapshot; absent fields are unknown or not applicable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    role: Annotated[str, Field(description="ARIA role.")]
    name: Annotated[str, Field(description="Accessible name, cut to a readable length.")] = ""
    value: Annotated[str | None, Field(description="Current value; never of a password field.")] = None
    bounds: Annotated[
        Bounds | None, Field(description="x, y, width, height in the page's viewport, whole CSS pixels.")
    ] = None
    selector: Annotated[str | None, Field(description="CSS that matches this element alone.")] = None
    ref: Annotated[
        str | None, Field(description="Number of the element in this snapshot; good until the page's version changes.")
    ] = None
    focused: Annotated[bool | None, Field(description="Has the focus.")] = None
    disabled: Annotated[bool | None, Field(description="Cannot be operated.")] = None
    checked: Annotated[bool | None, Field(description="Ticked.")] = None
    selected: Annotated[bool | None, Field(description="The chosen one of its group: a tab, an option, a row.")] = None
    expanded: Annotated[bool | None, Field(description="Open.")] = None
    readonly: Annotated[bool | None, Field(description="Shows a value that cannot be typed over.")] = None
    covered: Annotated[bool | None, Field(description="In view, but something else would take the click.")] = None
    inferred: Annotated[
        Items[Literal["role", "name"]] | None,
        Field(description="What the page itself does not state and the host worked out from how it looks and behaves."),
    ] = None
    row_count: Annotated[int | None, Field(description="Rows of a table or list, hidden ones included.")] = None
    origin: Annotated[
        str | None,
        Field(description="Of a frame: the committed origin inside. One the policy does not list has no children."),
    ] = None
    identity: Annotated[Identity | None, Field(description="With `detail: full` only.")] = None
    children: Annotated["Items[AomNode]", Field(description="Nodes inside, in reading order.")] = ()


class SomLabel(BaseModel):
    """One numbered mark on a set-of-marks screenshot."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: Annotated[int, Field(description="Number on the picture.")]
    selector: Annotated[str | None, Field(description="CSS that matches this element alone.")] = None
    ref: Annotated[str | None, Field(description="Number of the element in the snapshot.")] = None
    name: Annotated[str, Field(description="Accessible name.")] = ""
    bounds: Annotated[Bounds, Field(description="x, y, width, height.")]


class PageInfo(BaseModel):
    """One open page."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: Annotated[str, Field(description="Made by the host; never used twice in a session.")]
    url: Annotated[str, Field(description="The committed address.")]
    title: Annotated[str, Field(description="Title, empty when the page does not answer.")] = ""
    version: Annotated[int, Field(description="Grows with each document the main frame loads.")] = 0


class Clicked(Result):
    clicked: Annotated[bool, Field(description="true.")]


class Typed(Result):
    typed: Annotated[bool, Field(description="true.")]
    value: Annotated[
        str | None, Field(description="What the field holds now, read back; absent for a password field.")
    ] = None
    within: Within = None


class Navigated(Result):
    natural: ClassVar[str | None] = "url"
    url: Annotated[str, Field(description="Where the page is now.")]
    title: Annotated[str, Field(description="Its title.")] = ""
    status: Annotated[
        int | None, Field(description="HTTP status of the document; absent when there was no request.")
    ] = None


class Text(Result):
    natural: ClassVar[str | None] = "text"
    text: Annotated[str, Field(description="Visible text; of a field its value; of a password field nothing.")]


class Html(Result):
    natural: ClassVar[str | None] = "html"
    html: Annotated[
        str, Field(description="Outer HTML without scripts' text and without values of password and token fields.")
    ]


class Waited(Result):
    found: Annotated[bool, Field(description="true: the state was reached. When it was not, the answer is `TIMEOUT`.")]


class Screenshot(Result):
    artifact: Annotated[Artifact, Field(description="The picture, PNG.")]
    som_labels: Annotated[Items[SomLabel], Field(description="The marks on it, when `som_overlay` was asked for.")] = ()


class Selected(Result):
    natural: ClassVar[str | None] = "value"
    value: Annotated[str, Field(description="Value of the option that is selected now.")]
    label: Annotated[str, Field(description="Its visible text.")] = ""
    within: Within = None


class Scrolled(Result):
    x: Annotated[int, Field(description="Scroll position now.")]
    y: Annotated[int, Field(description="Scroll position now.")]


class Snapshot(Result):
    natural: ClassVar[str | None] = "nodes"
    nodes: Annotated[Items[AomNode], Field(description="The outermost nodes.")]
    interactive_total: Annotated[
        int, Field(description="Operable elements counted by an independent walk of the page.")
    ]
    blank: Annotated[bool, Field(description="The page shows nothing.")]
    cut: Annotated[bool, Field(description="A cap was met: a last node of role `note` says which.")] = False


class Stored(Result):
    stored: Annotated[bool, Field(description="true.")]


class StorageValue(Result):
    natural: ClassVar[str | None] = "value"
    value: Annotated[str | None, Field(description="The item; absent when there is none or it is a secret.")] = None


class Spawned(Result):
    natural: ClassVar[str | None] = "page"
    page: Annotated[str, Field(description="Id of the new page.")]
    url: Annotated[str, Field(description="Where it landed.")]


class Closed(Result):
    closed: Annotated[bool, Field(description="true.")]


class LoggedIn(Result):
    logged_in: Annotated[bool, Field(description="true.")]


class LoggedOut(Result):
    logged_out: Annotated[bool, Field(description="true.")]


class Cleared(Result):
    cleared: Annotated[bool, Field(description="true.")]
    within: Within = None


class Hovered(Result):
    hovered: Annotated[bool, Field(description="true.")]


class Pressed(Result):
    pressed: Annotated[bool, Field(description="true.")]


class Checked(Result):
    natural: ClassVar[str | None] = "checked"
    checked: Annotated[bool, Field(description="The state read back.")]
    within: Within = None


class Uploaded(Result):
    uploaded: Annotated[bool, Field(description="true.")]
    name: Annotated[str, Field(description="Name the page was given.")]
    size: Annotated[int, Field(description="Bytes.")]
    emptied: Annotated[
        bool,
        Field(description="true when the page then emptied its file input and neither lists nor sent the file so far."),
    ] = False


class Downloaded(Result):
    natural: ClassVar[str | None] = "artifact"
    artifact: Annotated[Artifact, Field(description="The file, complete on disk.")]


class Pages(Result):
    natural: ClassVar[str | None] = "pages"
    pages: Annotated[Items[PageInfo], Field(description="Open pages on listed origins.")]
    withheld: Annotated[int, Field(description="How many were left out.")] = 0


class DialogHandled(Result):
    handled: Annotated[bool, Field(description="true.")]
    message: Annotated[str, Field(description="What the dialog said.")] = ""


class Fact(Result):
    natural: ClassVar[str | None] = "value"
    value: Annotated[
        str | int | bool | None,
        Field(description="The fact; absent when there is none, for example no such attribute."),
    ] = None


class Table(Result):
    columns: Annotated[Items[str], Field(description="Names of the columns.")]
    rows: Annotated[
        Items[Items[str]], Field(description="Visible text of the cells, one array a row, as long as `columns`.")
    ]
    row_count: Annotated[int, Field(description="Number of `rows`.")]
    page_total: Annotated[int | None, Field(description="The total the page itself states, if it states one.")] = None
    complete: Annotated[bool, Field(description="Whether `rows` are all rows, by count and by the page's total.")]
