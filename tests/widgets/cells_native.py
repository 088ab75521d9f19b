"""Native controls: the same intents, with no act more than a plain browser needs."""

from __future__ import annotations

from typing import Final

from tests.widgets.cells import Cell, act, check, select, steps, typed

NATIVE: Final[tuple[Cell, ...]] = (
    select("下拉框", "#dept", "人力资源部", "dept", "hr"),
    select("下拉框（三千项）", "#huge", "科目2900", "huge", "科目2900"),
    typed("日期", "#date", "2026-03-05", "date", "2026-03-05"),
    typed("月份", "#month", "2026-03", "month", "2026-03"),
    typed("时间", "#time", "09:30", "time", "09:30"),
    steps("数字", "type", "number", "42", act("type", "#number", text="42"), act("press", "#number", key="Tab")),
    steps("文本", "type", "text", "说明", act("type", "#text", text="说明"), act("press", "#text", key="Tab")),
    check("勾选框", "#agree", "agree", True),
    check("单选框", "#kind-b", "kind", "b"),
    typed("富文本", "#rich", "新的正文", "rich", "新的正文"),
    steps(
        "右键菜单",
        "click",
        "context",
        "copied",
        act("click", "#menu-owner", button="right"),
        act("click", "#ctx-copy"),
    ),
)
