"""Ant Design Vue 4."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sgclaw.widgets.model import (
    CascadeParts,
    DateParts,
    GroupParts,
    Library,
    ListParts,
    NumberParts,
    Panel,
    Popup,
    TickParts,
    TransferParts,
    TreeParts,
    Widget,
)

_LIB: Final = "Ant Design Vue"
_SHUT: Final = '[style*="display: none"], [class*="-leave"]'
"""States of a popup that is shut or on its way there: the next one may be open already."""
_DROPDOWN: Final = f".ant-select-dropdown:not({_SHUT})"
_INPUT: Final = ".ant-select-selection-search-input"
_CHIP: Final = ".ant-select-selection-overflow-item"
_ITEM: Final = ".ant-select-selection-item"

_POPUP: Final = Popup(
    ".ant-select-selector",
    "&.ant-select-open",
    _DROPDOWN,
    _INPUT,
    off="&.ant-select-disabled",
)


def _tree(prefix: str) -> TreeParts:
    """Nodes of a tree stand one behind the other, however deep they are."""
    return TreeParts(
        nodes=f".{prefix}-treenode:not([aria-hidden])",
        content=f".{prefix}-node-content-wrapper",
        children="",
        expander=f".{prefix}-switcher_close",
        checkbox=f".{prefix}-checkbox",
        ticked=f".{prefix}-checkbox-checked",
        chosen=f":has(> .{prefix}-node-selected)",
        disabled=f".{prefix}-treenode-disabled",
        indent=f".{prefix}-indent",
        container=f".{prefix}",
        window=f".{prefix}-list-scrollbar-show",
    )


_SELECT: Final = ListParts(
    popup=_POPUP,
    option=".ant-select-item-option",
    chosen=".ant-select-item-option-selected",
    disabled=".ant-select-item-option-disabled",
    shown=_ITEM,
    held=_ITEM,
    search=f"&.ant-select-show-search {_INPUT}",
    multiple="&.ant-select-multiple",
    busy=f"{_DROPDOWN} .ant-spin-spinning",
    clears=".ant-select-clear",
    window=".rc-virtual-list-scrollbar:not([style*='display: none'])",
    within=".rc-virtual-list",
    each=f"{_CHIP}:not({_CHIP}-suffix, {_CHIP}-rest)",
    rest=f"{_CHIP}-rest",
    drops=".ant-select-selection-item-remove",
)
_AUTO_COMPLETE: Final = replace(
    _SELECT, shown=_INPUT, held="", search=_INPUT, multiple="", value=True, chosen="", each="", rest="", drops=""
)
_TREE_SELECT: Final = replace(
    _SELECT, option=".ant-select-tree-treenode:not([aria-hidden])", tree=replace(_tree("ant-select-tree"), chosen="")
)
_CASCADER: Final = CascadeParts(
    popup=_POPUP,
    column=".ant-cascader-menu",
    option=".ant-cascader-menu-item",
    active=".ant-cascader-menu-item-active",
    checkbox=".ant-cascader-checkbox",
    ticked=":has(.ant-cascader-checkbox-checked)",
    shown=_ITEM,
    several="&.ant-select-multiple",
    clears=".ant-select-clear",
    value=False,
    disabled=".ant-cascader-menu-item-disabled",
)

_PICKER: Final = f".ant-picker-dropdown:not({_SHUT})"
_FIRST_PANEL: Final = ".ant-picker-panel:first-child"
_LAST_PANEL: Final = ".ant-picker-panel:last-child"


_TIMES: Final = ".ant-picker-time-panel-column"
_TIME: Final = ".ant-picker-time-panel-cell"


def _panel(first: str, last: str) -> Panel:
    """The calendar of one field, or the two of a range; days and months say what they are."""
    return Panel(
        title=f"{first} .ant-picker-date-panel .ant-picker-header-view",
        prev_year=f"{first} .ant-picker-header-super-prev-btn",
        prev_month=f"{first} .ant-picker-header-prev-btn",
        next_month=f"{last} .ant-picker-header-next-btn",
        next_year=f"{last} .ant-picker-header-super-next-btn",
        cell=first + " .ant-picker-date-panel .ant-picker-cell-in-view[title='{iso}']",
        before="",
        month_title=f"{first} .ant-picker-month-panel .ant-picker-header-view",
        month_cell=first + " .ant-picker-month-panel .ant-picker-cell-in-view[title='{iso}']",
        off=".ant-picker-cell-disabled",
        time_cell=f"{_TIMES}:nth-child({{n}} of {_TIMES}) {_TIME}:nth-child({{at}} of {_TIME})",
    )


_OK: Final = f"{_PICKER} .ant-picker-ok button"
_DATE: Final = DateParts(
    popup=Popup(".ant-picker-input input", "", _PICKER, ".ant-picker-input input", off="&.ant-picker-disabled"),
    field=".ant-picker-input input",
    panel=_panel("", ""),
    confirms=_OK,
    clears=".ant-picker-clear",
    wakes=True,
    tabs=2,
)
_FIELD: Final = ".ant-picker-input:nth-child(1 of .ant-picker-input) input"
_DATE_RANGE: Final = replace(
    _DATE,
    popup=replace(_DATE.popup, opens=_FIELD, keys=_FIELD),
    field=".ant-picker-input:nth-child({n} of .ant-picker-input) input",
    panel=_panel(_FIRST_PANEL, _LAST_PANEL),
    several=True,
)


def _tick(name: str, root: str, *, radio: bool = False) -> Widget:
    last = root.rpartition(".")[2]
    return Widget(_LIB, name, root, TickParts("", f"&.{last}-checked", f"&.{last}-disabled", radio=radio))


def _in(cell: str, state: str) -> str:
    return f"{cell} :is(.ant-checkbox-{state}, .ant-radio-{state})"


_PICKED: Final = "> .ant-table-selection-column"
ANT_DESIGN: Final = Library(
    _LIB,
    (
        Widget(_LIB, "级联选择", ".ant-select.ant-cascader", _CASCADER),
        Widget(_LIB, "树选择", ".ant-select.ant-tree-select", _TREE_SELECT),
        Widget(_LIB, "自动补全", ".ant-select.ant-select-auto-complete", _AUTO_COMPLETE),
        Widget(_LIB, "下拉框", ".ant-select", _SELECT),
        Widget(_LIB, "日期范围", ".ant-picker.ant-picker-range", _DATE_RANGE),
        Widget(_LIB, "日期", ".ant-picker", _DATE),
        Widget(_LIB, "数字", ".ant-input-number", NumberParts(".ant-input-number-input")),
        Widget(_LIB, "开关", ".ant-switch", TickParts("", "&.ant-switch-checked", "&:disabled")),
        _tick("勾选框", ".ant-checkbox-wrapper"),
        _tick("单选框", ".ant-radio-wrapper", radio=True),
        _tick("单选按钮", ".ant-radio-button-wrapper", radio=True),
        Widget(
            _LIB,
            "分段",
            ".ant-segmented",
            GroupParts(".ant-segmented-item", ".ant-segmented-item-selected", ".ant-segmented-item-disabled"),
        ),
        Widget(
            _LIB,
            "单选组",
            ".ant-radio-group",
            GroupParts(
                ":is(.ant-radio-wrapper, .ant-radio-button-wrapper)",
                ":is(.ant-radio-wrapper-checked, .ant-radio-button-wrapper-checked)",
                ":is(.ant-radio-wrapper-disabled, .ant-radio-button-wrapper-disabled)",
            ),
        ),
        Widget(
            _LIB,
            "勾选组",
            ".ant-checkbox-group",
            GroupParts(
                ".ant-checkbox-wrapper", ".ant-checkbox-wrapper-checked", ".ant-checkbox-wrapper-disabled", several=True
            ),
        ),
        Widget(
            _LIB,
            "树节点",
            ".ant-tree-treenode",
            TickParts(
                ".ant-tree-checkbox",
                ".ant-tree-checkbox-checked",
                ".ant-tree-checkbox-disabled",
                ".ant-tree-checkbox-indeterminate",
            ),
        ),
        Widget(_LIB, "树", ".ant-tree", _tree("ant-tree")),
        Widget(
            _LIB,
            "穿梭框",
            ".ant-transfer",
            TransferParts(
                left=".ant-transfer-list:first-child",
                right=".ant-transfer-list:last-child",
                option=".ant-transfer-list-content-item",
                ticked=".ant-transfer-list-content-item-checked",
                to_left=".ant-transfer-operation button:last-child",
                to_right=".ant-transfer-operation button:first-child",
                disabled=".ant-transfer-list-content-item-disabled",
            ),
        ),
        Widget(
            _LIB,
            "表格行",
            "tr.ant-table-row",
            TickParts(
                f"{_PICKED} :is(.ant-checkbox-wrapper, .ant-radio-wrapper)",
                _in(_PICKED, "checked"),
                _in(_PICKED, "disabled"),
                f"{_PICKED} .ant-checkbox-indeterminate",
            ),
        ),
    ),
)
