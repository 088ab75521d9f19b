"""What a component cannot do: by gallery page, the intent and the code it must be refused with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Refusal:
    """One intent that must end as `code` and leave the site as it was."""

    name: str
    action: str
    params: Mapping[str, object]
    code: str


REFUSALS: Final[Mapping[str, Sequence[Refusal]]] = MappingProxyType(
    {
        "element-plus": (
            Refusal("an option that is not there", "select", {"selector": "#dept", "value": "研发部"}, "NOT_FOUND"),
            Refusal(
                "an option of two of the same name",
                "select",
                {"selector": "#twins", "value": "财务部"},
                "AMBIGUOUS_TARGET",
            ),
            Refusal(
                "an option that is switched off",
                "select",
                {"selector": "#dept", "value": "已停用部门"},
                "DISABLED_TARGET",
            ),
            Refusal("a list that is switched off", "select", {"selector": "#off", "value": "甲"}, "DISABLED_TARGET"),
            Refusal("a path that ends elsewhere", "select", {"selector": ".region", "value": "浙江/温州"}, "NOT_FOUND"),
            Refusal(
                "a node that is not there", "select", {"selector": "#tree", "value": "集团总部/研发部"}, "NOT_FOUND"
            ),
            Refusal(
                "an item that is not there", "select", {"selector": "#transfer", "value": "张敏、无名"}, "NOT_FOUND"
            ),
            Refusal(
                "an item that is switched off", "select", {"selector": "#transfer", "value": "陈静"}, "DISABLED_TARGET"
            ),
            Refusal(
                "a day that is switched off",
                "type",
                {"selector": "#date-limited", "text": "2026-03-25"},
                "DISABLED_TARGET",
            ),
            Refusal("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
            Refusal("one date for a range", "type", {"selector": ".range", "text": "2026-03-01"}, "BAD_PARAMS"),
            Refusal(
                "a range for one date",
                "type",
                {"selector": "#date-cn", "text": "2026-03-01 ~ 2026-03-02"},
                "BAD_PARAMS",
            ),
            Refusal("a switch that does not move", "check", {"selector": "#switch-never"}, "ACTION_FAILED"),
            Refusal("what is no control", "select", {"selector": "h1", "value": "甲"}, "UNSUPPORTED_WIDGET"),
            Refusal(
                "an option that a person must agree to",
                "select",
                {"selector": "#danger", "value": "删除全部"},
                "NEEDS_APPROVAL",
            ),
        ),
        "ant-design": (
            Refusal("an option that is not there", "select", {"selector": "#dept", "value": "研发部"}, "NOT_FOUND"),
            Refusal(
                "an option of two of the same name",
                "select",
                {"selector": "#twins", "value": "财务部"},
                "AMBIGUOUS_TARGET",
            ),
            Refusal(
                "an option that is switched off",
                "select",
                {"selector": "#dept", "value": "已停用部门"},
                "DISABLED_TARGET",
            ),
            Refusal("a list that is switched off", "select", {"selector": "#off", "value": "甲"}, "DISABLED_TARGET"),
            Refusal("a list that takes nothing", "select", {"selector": "#never", "value": "甲"}, "ACTION_FAILED"),
            Refusal("a path that ends elsewhere", "select", {"selector": ".region", "value": "浙江/温州"}, "NOT_FOUND"),
            Refusal(
                "a path that ends too early", "select", {"selector": ".region", "value": "浙江/杭州"}, "ACTION_FAILED"
            ),
            Refusal(
                "a node that is not there", "select", {"selector": ".tree", "value": "集团总部/研发部"}, "NOT_FOUND"
            ),
            Refusal(
                "an item that is not there", "select", {"selector": ".transfer", "value": "张敏、无名"}, "NOT_FOUND"
            ),
            Refusal(
                "an item that is switched off", "select", {"selector": ".transfer", "value": "陈静"}, "DISABLED_TARGET"
            ),
            Refusal(
                "a day that is switched off",
                "type",
                {"selector": "#date-limited", "text": "2026-03-25"},
                "DISABLED_TARGET",
            ),
            Refusal(
                "a date field that is switched off",
                "type",
                {"selector": "#date-off", "text": "2026-03-25"},
                "DISABLED_TARGET",
            ),
            Refusal("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
            Refusal("one date for a range", "type", {"selector": ".range", "text": "2026-03-01"}, "BAD_PARAMS"),
            Refusal(
                "a range for one date",
                "type",
                {"selector": "#date-cn", "text": "2026-03-01 ~ 2026-03-02"},
                "BAD_PARAMS",
            ),
            Refusal(
                "a range that ends early",
                "type",
                {"selector": ".range", "text": "2026-03-31 ~ 2026-03-01"},
                "DISABLED_TARGET",
            ),
            Refusal("a switch that does not move", "check", {"selector": "#switch-never"}, "ACTION_FAILED"),
            Refusal("a row that cannot be ticked", "check", {"selector": "#table .row-5"}, "DISABLED_TARGET"),
            Refusal(
                "an option that a person must agree to",
                "select",
                {"selector": "#danger", "value": "删除全部"},
                "NEEDS_APPROVAL",
            ),
        ),
        "layui": (
            Refusal("an option that is not there", "select", {"selector": "#search", "value": "研发部"}, "NOT_FOUND"),
            Refusal(
                "an option of two of the same name",
                "select",
                {"selector": "#twins", "value": "财务部"},
                "AMBIGUOUS_TARGET",
            ),
            Refusal(
                "an option that is switched off",
                "select",
                {"selector": "#dept", "value": "已停用部门"},
                "DISABLED_TARGET",
            ),
            Refusal("a list that is switched off", "select", {"selector": "#off", "value": "甲"}, "DISABLED_TARGET"),
            Refusal("a box that is switched off", "check", {"selector": "#agree-off"}, "DISABLED_TARGET"),
            Refusal(
                "a round button that is switched off",
                "select",
                {"selector": "#kinds", "value": "已离职"},
                "DISABLED_TARGET",
            ),
            Refusal("a switch that does not move", "check", {"selector": "#switch-never"}, "ACTION_FAILED"),
            Refusal(
                "a node that is not there",
                "select",
                {"selector": "#tree > .layui-tree", "value": "集团总部/研发部"},
                "NOT_FOUND",
            ),
            Refusal(
                "an item that is switched off",
                "select",
                {"selector": "#transfer > .layui-transfer", "value": "陈静"},
                "DISABLED_TARGET",
            ),
            Refusal(
                "a day that is switched off",
                "type",
                {"selector": "#date-limited", "text": "2026-03-25"},
                "DISABLED_TARGET",
            ),
            Refusal("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
            Refusal("one date for a range", "type", {"selector": "#range", "text": "2026-03-01"}, "BAD_PARAMS"),
            Refusal(
                "a range for one date",
                "type",
                {"selector": "#date-cn", "text": "2026-03-01 ~ 2026-03-02"},
                "BAD_PARAMS",
            ),
            Refusal("what is no control", "select", {"selector": "h1", "value": "甲"}, "UNSUPPORTED_WIDGET"),
        ),
        "vxe": (
            Refusal("an option that is not there", "select", {"selector": "#search", "value": "研发部"}, "NOT_FOUND"),
            Refusal(
                "an option of two of the same name",
                "select",
                {"selector": "#twins", "value": "财务部"},
                "AMBIGUOUS_TARGET",
            ),
            Refusal(
                "an option that is switched off",
                "select",
                {"selector": "#dept", "value": "已停用部门"},
                "DISABLED_TARGET",
            ),
            Refusal(
                "a list that is switched off", "select", {"selector": "#off", "value": "财务部"}, "DISABLED_TARGET"
            ),
            Refusal("a switch that is switched off", "check", {"selector": "#switch-off"}, "DISABLED_TARGET"),
            Refusal(
                "a node that is not there", "select", {"selector": ".tree", "value": "集团总部/研发部"}, "NOT_FOUND"
            ),
            Refusal("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
            Refusal("one date for a range", "type", {"selector": "#range", "text": "2026-03-01"}, "BAD_PARAMS"),
            Refusal("what is no control", "select", {"selector": "h1", "value": "甲"}, "UNSUPPORTED_WIDGET"),
        ),
    }
)
