"""Results of every action: the shape of `response.data`."""

from typing import Annotated, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
T = TypeVar("T")
Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A JSON array. Only the container is not strict: decoding yields lists, which strict mode would refuse for tuples."""
Bounds = Annotated[tuple[int, int, int, int], Field(strict=False)]


class Result(BaseModel):
    """Base of all result models. `natural` names the field a skill receives in place of the object."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    natural: ClassVar[str | None] = None


class Artifact(BaseModel):
    """A file the host keeps: the wire carries its facts, never its path."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    name: Annotated[str, Field(min_length=1, max_length=255)]
    size: Annotated[int, Field(ge=0)]
    sha256: Sha256
    mime: Annotated[str, Field(max_length=128)]


class AomNode(BaseModel):
    """One node of an accessibility object model snapshot; absent fields are unknown or not applicable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    role: str
    name: str = ""
    value: str | None = None
    bounds: Bounds | None = None
    selector: str | None = None
    ref: str | None = None
    focused: bool | None = None
    disabled: bool | None = None
    checked: bool | None = None
    expanded: bool | None = None
    row_count: int | None = None
    children: "Items[AomNode]" = ()


class SomLabel(BaseModel):
    """One numbered mark on a set-of-marks screenshot."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: int
    selector: str | None = None
    ref: str | None = None
    name: str = ""
    bounds: Bounds


class PageInfo(BaseModel):
    """One open page."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    id: str
    url: str
    title: str = ""
    version: int = 0


class Clicked(Result):
    clicked: bool


class Typed(Result):
    typed: bool
    value: str | None = None


class Navigated(Result):
    natural: ClassVar[str | None] = "url"
    url: str
    title: str = ""
    status: int | None = None


class Text(Result):
    natural: ClassVar[str | None] = "text"
    text: str


class Html(Result):
    natural: ClassVar[str | None] = "html"
    html: str


class Waited(Result):
    found: bool


class Screenshot(Result):
    artifact: Artifact
    som_labels: Items[SomLabel] = ()


class Selected(Result):
    natural: ClassVar[str | None] = "value"
    value: str
    label: str = ""


class Scrolled(Result):
    x: int
    y: int


class Snapshot(Result):
    natural: ClassVar[str | None] = "nodes"
    nodes: Items[AomNode]
    interactive_total: int
    blank: bool


class Stored(Result):
    stored: bool


class StorageValue(Result):
    natural: ClassVar[str | None] = "value"
    value: str | None = None


class Spawned(Result):
    natural: ClassVar[str | None] = "page"
    page: str
    url: str


class Closed(Result):
    closed: bool


class LoggedIn(Result):
    logged_in: bool


class LoggedOut(Result):
    logged_out: bool


class Cleared(Result):
    cleared: bool


class Hovered(Result):
    hovered: bool


class Pressed(Result):
    pressed: bool


class Checked(Result):
    natural: ClassVar[str | None] = "checked"
    checked: bool


class Uploaded(Result):
    uploaded: bool
    name: str
    size: int


class Downloaded(Result):
    natural: ClassVar[str | None] = "artifact"
    artifact: Artifact


class Pages(Result):
    natural: ClassVar[str | None] = "pages"
    pages: Items[PageInfo]
    withheld: int = 0


class DialogHandled(Result):
    handled: bool
    message: str = ""


class Fact(Result):
    natural: ClassVar[str | None] = "value"
    value: str | int | bool | None = None


class Table(Result):
    columns: Items[str]
    rows: Items[Items[str]]
    row_count: int
    page_total: int | None = None
    complete: bool
