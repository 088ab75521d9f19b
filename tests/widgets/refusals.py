"""What a component cannot do: one row for each intent, with the code it ends as and where each gallery page has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

EP: Final = "element-plus"
ANT: Final = "ant-design"
LAYUI: Final = "layui"
VXE: Final = "vxe"
PAGES: Final = (EP, ANT, LAYUI, VXE)

_GIVEN: Final[Mapping[str, str]] = {"select": "value", "type": "text"}
"""What the value of an intent is called among its parameters."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One intent that must end as `code` and leave the site as it was; `on` is its target on each page that has it."""

    name: str
    action: str
    value: str
    code: str
    on: Mapping[str, str]

    def params(self, page: str) -> dict[str, object]:
        """The parameters of the act on this page."""
        given = {_GIVEN[self.action]: self.value} if self.action in _GIVEN else {}
        return {"selector": self.on[page], **given}


def _everywhere(selector: str, *but: str) -> dict[str, str]:
    return {page: selector for page in PAGES if page not in but}


_LISTS: Final = {EP: "#dept", ANT: "#dept", LAYUI: "#search", VXE: "#search"}
_TREES: Final = {EP: "#tree", ANT: ".tree", LAYUI: "#tree > .layui-tree", VXE: ".tree"}
_TRANSFERS: Final = {EP: "#transfer", ANT: ".transfer"}
_LAYUI_TRANSFER: Final = {LAYUI: "#transfer > .layui-transfer"}
_PATHS: Final = {EP: ".region", ANT: ".region"}
_RANGES: Final = {EP: ".range", ANT: ".range", LAYUI: "#range", VXE: "#range"}
_DANGERS: Final = {EP: "#danger", ANT: "#danger"}

REFUSALS: Final = (
    Refusal("an option that is not there", "select", "研发部", "NOT_FOUND", _LISTS),
    Refusal("an option of two of the same name", "select", "财务部", "AMBIGUOUS_TARGET", _everywhere("#twins")),
    Refusal("an option that is switched off", "select", "已停用部门", "DISABLED_TARGET", _everywhere("#dept")),
    Refusal("a list that is switched off", "select", "甲", "DISABLED_TARGET", _everywhere("#off", VXE)),
    Refusal("a list that is switched off", "select", "财务部", "DISABLED_TARGET", {VXE: "#off"}),
    Refusal("a list that takes nothing", "select", "甲", "ACTION_FAILED", {ANT: "#never"}),
    Refusal("a path that ends elsewhere", "select", "浙江/温州", "NOT_FOUND", _PATHS),
    Refusal("a path that ends too early", "select", "浙江/杭州", "ACTION_FAILED", {ANT: ".region"}),
    Refusal("a node that is not there", "select", "集团总部/研发部", "NOT_FOUND", _TREES),
    Refusal("an item that is not there", "select", "张敏、无名", "NOT_FOUND", _TRANSFERS),
    Refusal("an item that is switched off", "select", "陈静", "DISABLED_TARGET", _TRANSFERS | _LAYUI_TRANSFER),
    Refusal("a round button that is switched off", "select", "已离职", "DISABLED_TARGET", {LAYUI: "#kinds"}),
    Refusal("a day that is switched off", "type", "2026-03-25", "DISABLED_TARGET", _everywhere("#date-limited", VXE)),
    Refusal("a date field that is switched off", "type", "2026-03-25", "DISABLED_TARGET", {ANT: "#date-off"}),
    Refusal("words for a date", "type", "明天", "BAD_PARAMS", _everywhere("#date-cn")),
    Refusal("one date for a range", "type", "2026-03-01", "BAD_PARAMS", _RANGES),
    Refusal("a range for one date", "type", "2026-03-01 ~ 2026-03-02", "BAD_PARAMS", _everywhere("#date-cn", VXE)),
    Refusal("a range that ends early", "type", "2026-03-31 ~ 2026-03-01", "DISABLED_TARGET", {ANT: ".range"}),
    Refusal("a box that is switched off", "check", "", "DISABLED_TARGET", {LAYUI: "#agree-off"}),
    Refusal("a switch that is switched off", "check", "", "DISABLED_TARGET", {VXE: "#switch-off"}),
    Refusal("a switch that does not move", "check", "", "ACTION_FAILED", _everywhere("#switch-never", VXE)),
    Refusal("a row that cannot be ticked", "check", "", "DISABLED_TARGET", {ANT: "#table .row-5"}),
    Refusal("what is no control", "select", "甲", "UNSUPPORTED_WIDGET", _everywhere("h1", ANT)),
    Refusal("an option that a person must agree to", "select", "删除全部", "NEEDS_APPROVAL", _DANGERS),
)
"""Every refusal of every page."""
