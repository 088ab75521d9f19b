"""layui 2.6 to 2.13."""

from __future__ import annotations

from typing import Final

from sgclaw.widgets.model import (
    DateParts,
    GroupParts,
    Library,
    ListParts,
    NumberParts,
    Panel,
    Parts,
    Popup,
    TickParts,
    TransferParts,
    TreeParts,
    Twins,
    Widget,
)

_LIB: Final = "layui"

_SELECT: Final = ListParts(
    popup=Popup(
        ".layui-select-title",
        "&.layui-form-selected",
        ":is(.layui-form-selected, .layui-select-panel-wrap) > dl",
        ".layui-select-title .layui-input",
        closes=".layui-select-title",
        off="&.layui-select-disabled",
    ),
    option="dd:not(.layui-hide)",
    chosen=".layui-this",
    disabled=".layui-disabled",
    shown=".layui-select-title .layui-input",
    held="",
    search=".layui-select-title .layui-input:not([readonly])",
    multiple="",
    busy="",
    value=True,
)
_LEFT, _RIGHT = ".laydate-main-list-0", ".laydate-main-list-1"


def _panel(side: str) -> Panel:
    head = f"{side} .layui-laydate-header"
    return Panel(
        title=f"{side} .laydate-set-ym",
        prev_year=f"{head} .laydate-prev-y",
        prev_month=f"{head} .laydate-prev-m",
        next_month=f"{head} .laydate-next-m",
        next_year=f"{head} .laydate-next-y",
        cell=side + " td[lay-ymd='{y}-{m}-{d}']:not(.laydate-day-prev, .laydate-day-next)",
        before="",
        month_title=f"{side} .laydate-set-ym",
        month_cell=side + " .laydate-month-list > li:nth-child({m})",
        off=".laydate-disabled",
        year_cell=side + " .laydate-year-list > li[lay-ym='{y}']",
        times=".laydate-btns-time[lay-type='datetime']",
        time_cell=side + " .laydate-time-list > li:nth-child({n}) li:nth-child({at})",
    )


def _date(field: str, opens: str, *, several: bool) -> DateParts:
    """A calendar whose popup says whether it is for a range; closed, the field does not."""
    return DateParts(
        popup=Popup(opens, ":not(*)", ".layui-laydate:not(.layui-laydate-static)", field.format(n=1)),
        field=field,
        panel=_panel(_LEFT),
        second=_panel(_RIGHT),
        several=several,
        confirms=".layui-laydate:not(.layui-laydate-static) .laydate-btns-confirm",
        typed=False,
        enters=True,
        joint="" if several else " - ",
        ranged=".layui-laydate-range",
    )


_TREE: Final = TreeParts(
    nodes=".layui-tree-set",
    content=".layui-tree-entry > .layui-tree-main",
    children=".layui-tree-pack",
    expander=".layui-tree-iconClick:is(.layui-tree-set:not(.layui-tree-spread) > .layui-tree-entry *)",
    checkbox=".layui-form-checkbox",
    ticked=".layui-form-checked",
    chosen="",
)
_CELL: Final = ".laytable-cell-checkbox .layui-form-checkbox"
_TWINS: Final = Twins(".layui-table-view", (".layui-table-fixed tr", ".layui-table-main tr"), "data-index")


def _stand_in(name: str, root: str, parts: Parts) -> tuple[Widget, Widget]:
    """What stands for a native control: named by the hidden control right before it, or by itself."""
    return Widget(_LIB, name, root, parts, beside=True), Widget(_LIB, name, root, parts)


LAYUI: Final = Library(
    _LIB,
    (
        *_stand_in("下拉框", ".layui-form-select", _SELECT),
        *_stand_in(
            "勾选框",
            ".layui-form-checkbox",
            TickParts("", "&.layui-form-checked", "&.layui-checkbox-disabled"),
        ),
        *_stand_in("开关", ".layui-form-switch", TickParts("", "&.layui-form-onswitch", "&.layui-checkbox-disabled")),
        *_stand_in(
            "单选框",
            ".layui-form-radio",
            TickParts("", "&.layui-form-radioed", "&.layui-radio-disabled", radio=True),
        ),
        Widget(
            _LIB,
            "单选组",
            "div",
            GroupParts(".layui-form-radio", ".layui-form-radioed", ".layui-radio-disabled"),
            also=":has(> .layui-form-radio)",
        ),
        Widget(
            _LIB,
            "勾选组",
            "div",
            GroupParts(".layui-form-checkbox", ".layui-form-checked", ".layui-checkbox-disabled", several=True),
            also=":has(> .layui-form-checkbox ~ .layui-form-checkbox)",
        ),
        Widget(_LIB, "数字", "input", NumberParts("&"), also="[lay-affix='number']"),
        Widget(_LIB, "日期", "input", _date("&", "", several=False), also="[lay-key]"),
        Widget(
            _LIB,
            "日期范围",
            "div",
            _date("input:nth-child({n} of input)", "input:nth-child(1 of input)", several=True),
            also="[lay-key]",
        ),
        Widget(
            _LIB,
            "树节点",
            ".layui-tree-entry",
            TickParts(
                ".layui-form-checkbox",
                ".layui-form-checkbox.layui-form-checked",
                ".layui-checkbox-disabled",
            ),
        ),
        Widget(_LIB, "树", ".layui-tree", _TREE),
        Widget(
            _LIB,
            "穿梭框",
            ".layui-transfer",
            TransferParts(
                left=".layui-transfer-box:first-child",
                right=".layui-transfer-box:last-child",
                option=".layui-transfer-data > li",
                ticked=":has(.layui-form-checked)",
                to_left=".layui-transfer-active > button:last-child",
                to_right=".layui-transfer-active > button:first-child",
                disabled=":has(.layui-checkbox-disabled)",
                hand=".layui-form-checkbox",
            ),
        ),
        Widget(
            _LIB,
            "表格行",
            "tr",
            TickParts(_CELL, f"{_CELL}.layui-form-checked", f"{_CELL}.layui-checkbox-disabled", twins=_TWINS),
            also="[data-index]:is(.layui-table-view *)",
        ),
    ),
    prefix="layui-",
)
