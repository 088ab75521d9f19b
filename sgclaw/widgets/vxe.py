"""vxe-table 4 with vxe-pc-ui 4."""

from __future__ import annotations

from typing import Final

from sgclaw.widgets.model import (
    PICK_A_DAY,
    PICK_A_QUARTER,
    QUARTERS,
    WEEKS,
    DateParts,
    GroupParts,
    Library,
    ListParts,
    NumberParts,
    Panel,
    Popup,
    TickParts,
    TreeParts,
    Twins,
    Unsupported,
    Widget,
    Window,
)

_LIB: Final = "vxe-table"
_INPUT: Final = ".vxe-input--inner"
_OWN: Final = f"> .vxe-input {_INPUT}"
"""The control's own field: its popup may be in it, with one to search in."""
_LEAVING: Final = ".vxe-table--ignore-clear.ani--leave"
_TICKED: Final = ":has(> input:checked)"

_SELECT_PANEL: Final = ".vxe-select--panel.ani--enter"
_SELECT: Final = ListParts(
    popup=Popup(_OWN, "&.is--visible", _SELECT_PANEL, _OWN, closes=_OWN, off="&.is--disabled"),
    option=".vxe-select-option:not(.vxe-select-optgroup)",
    chosen=".is--selected",
    disabled=".is--disabled",
    shown=_OWN,
    held="",
    search="",
    search_below=".vxe-select-search--input .vxe-input--inner",
    multiple="",
    titled="> .vxe-input .vxe-input--wrapper",
    busy=f"{_SELECT_PANEL} .vxe-select--search-loading",
    clears=".vxe-input--clear-icon",
    window=".vxe-select--y-space",
    value=True,
)
_NODE: Final = ".vxe-tree--node-item"
_BOX: Final = ".vxe-tree--checkbox-option"
_TREE: Final = TreeParts(
    nodes=".vxe-tree--node-wrapper",
    content=_NODE,
    children="",
    expander=f"{_NODE} > .vxe-tree--node-item-switcher:has(.vxe-tree--node-item-icon > :not(.rotate90))",
    checkbox=f"{_NODE} > {_BOX}",
    ticked=".is--checked",
    chosen="",
    container=".vxe-tree",
    level=".node--level-{depth}",
    disabled=f":has(> {_NODE} > :is({_BOX}, .vxe-tree--radio-option).is--disabled)",
)
_TREE_PANEL: Final = ".vxe-tree-select--panel.ani--enter"
_TREE_SELECT: Final = ListParts(
    popup=Popup(_OWN, "&.is--visible", _TREE_PANEL, _OWN, closes=_OWN, off="&.is--disabled"),
    option=".vxe-tree--node-wrapper",
    chosen=f":has(> {_NODE}.is-checkbox--checked)",
    disabled="",
    shown=_OWN,
    held="",
    search="",
    multiple=f"{_TREE_PANEL} {_BOX}",
    busy="",
    clears=".vxe-input--clear-icon",
    value=True,
    tree=_TREE,
)
_SIDE: Final = ".vxe-date-panel:nth-child(1 of .vxe-date-panel)"
"""Of the two of a range, where both ends can be chosen on the first."""
_HEAD: Final = f"{_SIDE} .vxe-date-panel--picker-header"
_PREV, _NEXT = f"{_HEAD} .vxe-date-panel--picker-prev-btn", f"{_HEAD} .vxe-date-panel--picker-next-btn"
_CELL: Final = _SIDE + " .vxe-date-panel--view-body > :nth-child({row}) > :nth-child({column})"
_PANEL: Final = Panel(
    title=f"{_HEAD} .vxe-date-panel--picker-btns",
    prev_year=_PREV,
    prev_month=_PREV,
    next_month=_NEXT,
    next_year=_NEXT,
    cell=_CELL,
    before=f"{_SIDE} .vxe-date-panel--view-item.is--prev",
    month_title=f"{_HEAD} .vxe-date-panel--picker-btns",
    month_cell=_CELL,
    off=".is--disabled",
)
_DATE: Final = DateParts(
    popup=Popup(
        ".vxe-date-picker--inner",
        "&.is--visible",
        ".vxe-date-picker--panel.ani--enter",
        ".vxe-date-picker--inner",
        off="&.is--disabled",
        on_focus=True,
    ),
    field=".vxe-date-picker--inner",
    panel=_PANEL,
    clears=".vxe-date-picker--clear-icon",
    leaving=_LEAVING,
    in_popup=True,
)
_RANGE: Final = DateParts(
    popup=Popup(
        ".vxe-date-range-picker--inner",
        "&.is--visible",
        ".vxe-date-range-picker--panel.ani--enter",
        ".vxe-date-range-picker--inner",
        off="&.is--disabled",
        on_focus=True,
    ),
    field=".vxe-date-range-picker--inner",
    panel=_PANEL,
    typed=False,
    joint=" ~ ",
    ranged=".vxe-date-range-picker--panel",
    clears=".vxe-date-range-picker--clear-icon",
)
_OLD_DATE: Final = DateParts(
    popup=Popup(_INPUT, "&.is--visible", ".vxe-input--panel.ani--enter", _INPUT, off="&.is--disabled", on_focus=True),
    field=_INPUT,
    panel=None,
    clears=".vxe-input--clear-icon",
    leaving=_LEAVING,
    in_popup=True,
)
_OPENED: Final = (
    ":is(.vxe-date-picker.is--visible .vxe-date-picker--inner, "
    ".vxe-date-range-picker.is--visible .vxe-date-range-picker--inner, "
    ".vxe-input.is--visible .vxe-input--inner):focus"
)
_PICK: Final = ":is(.vxe-cell--checkbox, .vxe-cell--radio)"
_TWINS: Final = Twins(
    ".vxe-table",
    (".fixed-left--wrapper tr", ".fixed-right--wrapper tr", ".body--wrapper tr"),
    "rowid",
)


def _old_inputs() -> list[Widget]:
    """`vxe-input` of earlier versions, whose type makes it a date or a number."""
    dates = [
        Widget(_LIB, "日期输入", f".vxe-input.type--{kind}", _OLD_DATE)
        for kind in ("date", "datetime", "month", "year", "time")
    ]
    numbers = [
        Widget(_LIB, "数字输入", f".vxe-input.type--{kind}", NumberParts(_INPUT))
        for kind in ("number", "integer", "float")
    ]
    return [*dates, *numbers]


VXE: Final = Library(
    _LIB,
    (
        Widget(_LIB, "下拉框", ".vxe-select", _SELECT),
        Widget(_LIB, "树选择", ".vxe-tree-select", _TREE_SELECT),
        Widget(_LIB, "周", ".vxe-date-picker.type--week", Unsupported(WEEKS, PICK_A_DAY)),
        Widget(_LIB, "季度", ".vxe-date-picker.type--quarter", Unsupported(QUARTERS, PICK_A_QUARTER)),
        Widget(_LIB, "日期", ".vxe-date-picker", _DATE),
        Widget(_LIB, "日期范围", ".vxe-date-range-picker", _RANGE),
        *_old_inputs(),
        Widget(_LIB, "数字", ".vxe-number-input", NumberParts(".vxe-number-input--input")),
        Widget(_LIB, "开关", ".vxe-switch", TickParts(".vxe-switch--button", "&.is--on", "&.is--disabled")),
        Widget(
            _LIB, "勾选框", ".vxe-checkbox", TickParts("", "&.is--checked", "&.is--disabled", "&.is--indeterminate")
        ),
        Widget(_LIB, "单选框", ".vxe-radio", TickParts("", f"&{_TICKED}", "&.is--disabled", radio=True)),
        Widget(_LIB, "单选组", ".vxe-radio-group", GroupParts(".vxe-radio", _TICKED, ".is--disabled")),
        Widget(
            _LIB,
            "勾选组",
            ".vxe-checkbox-group",
            GroupParts(".vxe-checkbox", _TICKED, ".is--disabled", several=True),
        ),
        Widget(
            _LIB,
            "树节点",
            _NODE,
            TickParts(_BOX, f"{_BOX}.is--checked", f"{_BOX}.is--disabled", f"{_BOX}.is--indeterminate"),
        ),
        Widget(_LIB, "树", ".vxe-tree", _TREE),
        Widget(
            _LIB,
            "表格行",
            "tr.vxe-body--row",
            TickParts(_PICK, f"{_PICK}.is--checked", f"{_PICK}.is--disabled", twins=_TWINS),
        ),
    ),
    opened=_OPENED,
    windows=(Window(".vxe-table--body-wrapper.body--wrapper tbody", "tr"),),
    prefix="vxe-",
)
