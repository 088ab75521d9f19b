"""Parameters of every action. Closed models: an unknown field is refused, nothing is coerced."""

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import ErrorDetails

Selector = Annotated[str, Field(min_length=1, max_length=2_000)]
Ref = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
Url = Annotated[str, Field(min_length=1, max_length=8_000)]
PageRef = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
ShortText = Annotated[str, Field(max_length=2_000)]
WaitMs = Annotated[int, Field(ge=0, le=300_000)]

KEY_PATTERN: Final = (
    r"^(?:(?:Control|Shift|Alt|Meta)\+){0,4}(?:[ -~]|Enter|NumpadEnter|Tab|Space|Backspace|Delete|Insert|Escape|Home"
    r"|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|F(?:[1-9]|1[0-2]))$"
)
"""One key at a time, by one name each: what it sets off is judged by its name, so no other writing reaches a page."""

_MAX_PLACE = 200


def place_of(problem: ErrorDetails) -> str:
    """The field a model objects to, as `a.0.b`; cut, for the sender chooses the names of unknown fields."""
    return ".".join(str(part) for part in problem["loc"])[:_MAX_PLACE]


class Params(BaseModel):
    """Base of all parameter models."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class NoParams(Params):
    """An action without parameters."""


class OptionalTarget(Params):
    """An element may be named by `selector` or by `ref`, never by both."""

    selector: Annotated[
        Selector | None, Field(description="Element by CSS; ` >>> ` steps into an open shadow root or a frame.")
    ] = None
    ref: Annotated[Ref | None, Field(description="Element by its number in a snapshot.")] = None

    @model_validator(mode="after")
    def _at_most_one(self) -> Self:
        if self.selector is not None and self.ref is not None:
            raise ValueError("selector and ref exclude each other")
        return self


class Target(OptionalTarget):
    """An element named by exactly one of `selector` and `ref`."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if self.selector is None and self.ref is None:
            raise ValueError("selector or ref is needed")
        return self


class Click(Target):
    button: Annotated[Literal["left", "right", "middle"], Field(description="Mouse button.")] = "left"
    count: Annotated[int, Field(ge=1, le=3, description="1 click, 2 double, 3 triple.")] = 1


class Type(Target):
    text: Annotated[str, Field(max_length=100_000, description="What to type.")]
    clear: Annotated[bool, Field(description="Replace what is in the field; false: add behind it.")] = True
    submit: Annotated[bool, Field(description="Press Enter afterwards.")] = False


class Navigate(Params):
    url: Annotated[Url, Field(description="Absolute http or https address.")]


class WaitForSelector(Target):
    timeout_ms: Annotated[WaitMs, Field(description="Milliseconds to wait at most.")] = 30_000
    state: Annotated[
        Literal["visible", "hidden", "attached", "detached"],
        Field(description="`visible`: one match, shown; `attached`: one; `hidden`: none shown; `detached`: none."),
    ] = "visible"


class Screenshot(OptionalTarget):
    full_page: Annotated[bool, Field(description="The whole page, not only what is in view.")] = False
    som_overlay: Annotated[bool, Field(description="Number the operable elements.")] = False


class Select(Target):
    value: Annotated[ShortText, Field(description="Value or visible text of the option, exactly.")]


class ScrollTo(OptionalTarget):
    x: Annotated[int, Field(ge=0, le=10_000_000, description="CSS pixels from the left; ignored with a target.")] = 0
    y: Annotated[int, Field(ge=0, le=10_000_000, description="CSS pixels from the top; ignored with a target.")] = 0


class Snapshot(OptionalTarget):
    detail: Annotated[
        Literal["brief", "full"], Field(description="`full` adds the facts by which an element is found again.")
    ] = "brief"
    max_nodes: Annotated[int, Field(ge=1, le=20_000, description="Most nodes; more make `cut` true.")] = 2_000


class StorageSet(Params):
    key: Annotated[str, Field(min_length=1, max_length=256, description="Name of the item.")]
    value: Annotated[str, Field(max_length=100_000, description="The item.")]


class StorageGet(Params):
    key: Annotated[str, Field(min_length=1, max_length=256, description="Name of the item.")]


class PageId(Params):
    page: Annotated[PageRef, Field(description="Id of the page.")]


class Login(Params):
    site: Annotated[str, Field(min_length=1, max_length=253, description="Host name of the system.")]
    credential: Annotated[
        str,
        Field(
            pattern=r"^%vault:[a-z0-9.-]{1,64}\.[a-z0-9_-]{1,64}%$",
            description="Reference into the host's vault; the secret never leaves the host.",
        ),
    ]


class Logout(Params):
    site: Annotated[str, Field(min_length=1, max_length=253, description="Host name of the system.")]


class Press(OptionalTarget):
    key: Annotated[
        str,
        Field(
            max_length=64,
            pattern=KEY_PATTERN,
            description="One key, a named one or a character, after any of Control, Shift, Alt, Meta: `Control+A`.",
        ),
    ]


class Check(Target):
    checked: Annotated[bool, Field(description="true ticks, false unticks.")] = True


class Upload(Target):
    file: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Id of an artifact, or of a file given with the task.")
    ]


class Download(Target):
    timeout_ms: Annotated[WaitMs, Field(description="Milliseconds until the file must be complete.")] = 60_000


class HandleDialog(Params):
    accept: Annotated[bool, Field(description="true is OK, false is Cancel.")]
    text: Annotated[ShortText | None, Field(description="What to type into a prompt.")] = None


class Query(OptionalTarget):
    fact: Annotated[
        Literal["exists", "visible", "enabled", "count", "attribute", "value", "url", "title"],
        Field(description="What to read."),
    ]
    name: Annotated[
        str | None,
        Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$", description="Name of the attribute, for `attribute` only."),
    ] = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        of_page = self.fact in ("url", "title")
        has_target = self.selector is not None or self.ref is not None
        if of_page == has_target:
            raise ValueError("url and title take no target, every other fact takes one")
        if (self.fact == "attribute") != (self.name is not None):
            raise ValueError("name goes with attribute only")
        return self


class ExtractTable(Target):
    max_rows: Annotated[int, Field(ge=1, le=10_000, description="Most rows to return; more make `complete` false.")] = (
        1_000
    )
