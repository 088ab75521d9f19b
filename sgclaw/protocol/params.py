"""Parameters of every action. Closed models: an unknown field is refused, nothing is coerced."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Selector = Annotated[str, Field(min_length=1, max_length=2_000, description="CSS 选择器；` >>> ` 进入影子根或框架")]
Ref = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$", description="快照中的元素编号")]
Url = Annotated[str, Field(min_length=1, max_length=8_000)]
PageRef = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="页面编号")]
ShortText = Annotated[str, Field(max_length=2_000)]
WaitMs = Annotated[int, Field(ge=0, le=300_000, description="最长等待的毫秒数")]


class Params(BaseModel):
    """Base of all parameter models."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class NoParams(Params):
    """An action without parameters."""


class OptionalTarget(Params):
    """An element may be named by `selector` or by `ref`, never by both."""

    selector: Selector | None = None
    ref: Ref | None = None

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
    button: Literal["left", "right", "middle"] = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1


class Type(Target):
    text: Annotated[str, Field(max_length=100_000)]
    clear: bool = True
    submit: bool = False


class Navigate(Params):
    url: Url


class WaitForSelector(Target):
    timeout_ms: WaitMs = 30_000
    state: Literal["visible", "hidden", "attached", "detached"] = "visible"


class Screenshot(OptionalTarget):
    full_page: bool = False
    som_overlay: bool = False


class Select(Target):
    value: ShortText


class ScrollTo(OptionalTarget):
    x: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    y: Annotated[int, Field(ge=0, le=10_000_000)] = 0


class Snapshot(OptionalTarget):
    pass


class StorageSet(Params):
    key: Annotated[str, Field(min_length=1, max_length=256)]
    value: Annotated[str, Field(max_length=100_000)]


class StorageGet(Params):
    key: Annotated[str, Field(min_length=1, max_length=256)]


class PageId(Params):
    page: PageRef


class Login(Params):
    site: Annotated[str, Field(min_length=1, max_length=253)]
    credential: Annotated[str, Field(pattern=r"^%vault:[a-z0-9.-]{1,64}\.[a-z0-9_-]{1,64}%$")]


class Logout(Params):
    site: Annotated[str, Field(min_length=1, max_length=253)]


class Press(OptionalTarget):
    key: Annotated[str, Field(min_length=1, max_length=64)]


class Check(Target):
    checked: bool = True


class Upload(Target):
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="文件编号")]


class Download(Target):
    timeout_ms: WaitMs = 60_000


class HandleDialog(Params):
    accept: bool
    text: ShortText | None = None


class Query(OptionalTarget):
    fact: Literal["exists", "visible", "enabled", "count", "attribute", "value", "url", "title"]
    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$", description="属性名")] | None = None

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
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 1_000
