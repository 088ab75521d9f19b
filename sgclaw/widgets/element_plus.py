"""Element Plus 2."""

from __future__ import annotations

from typing import Final

from sgclaw.widgets.model import (
    PICK_A_DAY,
    WEEKS,
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
    Unsupported,
    Widget,
    Window,
)

_LIB: Final = "Element Plus"
_OPEN: Final = '[aria-hidden="false"]'

_TREE: Final = TreeParts(
    nodes=".el-tree-node",
    content=".el-tree-node__content",
    children=".el-tree-node__children",
    expander=".el-tree-node__expand-icon:not(.is-leaf, .expanded)",
    checkbox=".el-checkbox",
    ticked=".is-checked",
    chosen="",
    container=".el-tree",
)
_SELECT: Final = ListParts(
    popup=Popup(
        ".el-select__wrapper",
        '[aria-expanded="true"]',
        f".el-select__popper{_OPEN}",
        ".el-select__input",
        off=".el-select__wrapper.is-disabled",
    ),
    option=".el-select-dropdown__item:not([style*='display: none'])",
    chosen=".is-selected",
    disabled="",
    shown=".el-select__placeholder:not(.is-transparent)",
    held=":is(.el-select__placeholder:not(.is-transparent), .el-tag)",
    search=".el-select__input:not([readonly], :disabled)",
    multiple=f".el-select__popper{_OPEN} .el-select-dropdown.is-multiple",
    busy=f".el-select__popper{_OPEN} .el-select-dropdown__loading",
    clears=".el-select__clear",
    window=".el-vl__window",
    tree=_TREE,
)
_AUTOCOMPLETE: Final = ListParts(
    popup=Popup(".el-input__inner", '&[aria-expanded="true"]', f".el-autocomplete__popper{_OPEN}", ".el-input__inner"),
    option="[role='option']",
    chosen="",
    disabled="",
    shown=".el-input__inner",
    held="",
    search=".el-input__inner:not([readonly], :disabled)",
    multiple="",
    busy=f".el-autocomplete__popper{_OPEN} .el-autocomplete-suggestion.is-loading",
    value=True,
)
_CASCADER: Final = CascadeParts(
    popup=Popup("", ".is-reverse", f".el-cascader__dropdown{_OPEN}", ".el-input__inner"),
    column=".el-cascader-menu",
    option=".el-cascader-node",
    active=".in-active-path",
    checkbox=":is(.el-checkbox, .el-radio)",
    ticked=":has(.el-checkbox.is-checked, .el-radio.is-checked)",
    shown=".el-input__inner",
    several=f".el-cascader__dropdown{_OPEN} .el-cascader-node .el-checkbox",
    clears=".icon-circle-close",
)
_PICKER: Final = f".el-picker__popper{_OPEN}"
_HEAD: Final = ".el-date-picker__header"
_PANEL: Final = Panel(
    title=_HEAD,
    prev_year=f"{_HEAD} .d-arrow-left",
    prev_month=f"{_HEAD} .arrow-left",
    next_month=f"{_HEAD} .arrow-right",
    next_year=f"{_HEAD} .d-arrow-right",
    cell=".el-date-table .el-date-table__row:nth-child({row} of .el-date-table__row) > td:nth-child({column})",
    before=".el-date-table td.prev-month",
    month_title=_HEAD,
    month_cell=".el-month-table tr:nth-child({row}) > td:nth-child({column})",
    off=".disabled",
)
_LEFT, _RIGHT = ".el-date-range-picker__content.is-left", ".el-date-range-picker__content.is-right"
_RANGE_PANEL: Final = Panel(
    title=f"{_LEFT} .el-date-range-picker__header",
    prev_year=f"{_LEFT} .d-arrow-left",
    prev_month=f"{_LEFT} .arrow-left",
    next_month=f"{_RIGHT} .arrow-right",
    next_year=f"{_RIGHT} .d-arrow-right",
    cell=_LEFT + " .el-date-table__row:nth-child({row} of .el-date-table__row) > td:nth-child({column})",
    before=f"{_LEFT} .el-date-table td.prev-month",
    month_title=f"{_LEFT} .el-date-range-picker__header",
    month_cell=_LEFT + " .el-month-table tr:nth-child({row}) > td:nth-child({column})",
    off=".disabled",
)
_DATE: Final = DateParts(
    popup=Popup(".el-input__inner", '[aria-expanded="true"]', _PICKER, ".el-input__inner"),
    field=".el-input__inner",
    panel=_PANEL,
    confirms=f"{_PICKER} .el-picker-panel__footer .el-picker-panel__link-btn:last-child",
    clears=".clear-icon",
)
_FIRST: Final = ".el-range-input:nth-child(1 of .el-range-input)"
_DATE_RANGE: Final = DateParts(
    popup=Popup(_FIRST, '[aria-expanded="true"]', _PICKER, _FIRST),
    field=".el-range-input:nth-child({n} of .el-range-input)",
    panel=_RANGE_PANEL,
    several=True,
    clears=".el-range__close-icon",
)

_VIRTUAL_TREE: Final = Unsupported(
    "这棵树只渲染看得见的节点，节点上看不出它在哪一级之下", "请展开并滚动到要选的节点，再勾选或点击它"
)

_OPENED: Final = (
    ':is(:is(.el-select, .el-date-editor) input:nth-child(1 of [aria-expanded="true"]), '
    ".el-cascader:has(.is-reverse) .el-input__inner)"
)


def _box(name: str, root: str, *, radio: bool = False) -> Widget:
    return Widget(_LIB, name, root, TickParts("", "&.is-checked", "&.is-disabled", radio=radio))


ELEMENT_PLUS: Final = Library(
    _LIB,
    (
        Widget(_LIB, "下拉框", ".el-select", _SELECT),
        Widget(_LIB, "自动补全", ".el-autocomplete", _AUTOCOMPLETE),
        Widget(_LIB, "级联选择", ".el-cascader", _CASCADER),
        Widget(_LIB, "日期范围", ".el-date-editor.el-range-editor", _DATE_RANGE),
        Widget(_LIB, "周", ".el-date-editor.el-date-editor--week", Unsupported(WEEKS, PICK_A_DAY)),
        Widget(_LIB, "日期", ".el-date-editor", _DATE),
        Widget(_LIB, "数字", ".el-input-number", NumberParts(".el-input__inner")),
        Widget(_LIB, "开关", ".el-switch", TickParts(".el-switch__core", "&.is-checked", "&.is-disabled")),
        _box("勾选框", ".el-checkbox"),
        _box("勾选按钮", ".el-checkbox-button"),
        _box("单选框", ".el-radio", radio=True),
        Widget(_LIB, "单选按钮", ".el-radio-button", TickParts("", "&.is-active", "&.is-disabled", radio=True)),
        Widget(_LIB, "分段", ".el-segmented", GroupParts(".el-segmented__item", ".is-selected", ".is-disabled")),
        Widget(
            _LIB,
            "单选组",
            ".el-radio-group",
            GroupParts(":is(.el-radio, .el-radio-button)", ":is(.is-checked, .is-active)", ".is-disabled"),
        ),
        Widget(
            _LIB,
            "勾选组",
            ".el-checkbox-group",
            GroupParts(":is(.el-checkbox, .el-checkbox-button)", ".is-checked", ".is-disabled", several=True),
        ),
        Widget(
            _LIB,
            "树节点",
            ".el-tree-node__content",
            TickParts(".el-checkbox", ".el-checkbox.is-checked", ".el-checkbox.is-disabled", ".is-indeterminate"),
        ),
        Widget(_LIB, "虚拟树", ".el-tree", _VIRTUAL_TREE, also=":has(> .el-vl__wrapper)"),
        Widget(_LIB, "树", ".el-tree", _TREE),
        Widget(
            _LIB,
            "穿梭框",
            ".el-transfer",
            TransferParts(
                left=".el-transfer-panel:first-child",
                right=".el-transfer-panel:last-child",
                option=".el-transfer-panel__item",
                ticked=".is-checked",
                to_left=".el-transfer__buttons button:first-child",
                to_right=".el-transfer__buttons button:last-child",
                disabled=".is-disabled",
            ),
        ),
        Widget(
            _LIB,
            "表格行",
            "tr.el-table__row",
            TickParts(
                ".el-table-column--selection .el-checkbox",
                ".el-table-column--selection .el-checkbox.is-checked",
                ".el-table-column--selection .el-checkbox.is-disabled",
            ),
        ),
    ),
    opened=_OPENED,
    windows=(Window(".el-table-v2__main .el-table-v2__body", ".el-table-v2__row"),),
)
