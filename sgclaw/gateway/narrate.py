"""What a person reads while a task runs: one plain Chinese line for each act."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sgclaw.protocol.actions import ACTIONS
from sgclaw.redact import redact_text

_TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "navigate": "打开 {url}",
        "click": "点击 {selector}",
        "type": "在 {selector} 输入“{text}”",
        "select": "在 {selector} 选择“{value}”",
        "waitForSelector": "等待 {selector}",
        "getText": "读取 {selector} 的文字",
        "query": "查询 {selector} 的 {fact}",
        "download": "点击 {selector} 并下载文件",
        "extractTable": "读取表格 {selector}",
        "press": "按下 {key}",
        "pageScreenshot": "截取页面图片",
        "getAomSnapshot": "读取页面结构",
    }
)
_MAX_PART = 80


class _Parts(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "页面" if key in ("selector", "url") else "…"


def describe(action: str, params: Mapping[str, object]) -> str:
    """One line saying what the act does; falls back on the action table's description."""
    template = _TEMPLATES.get(action)
    if template is None:
        row = ACTIONS.get(action)
        return row.description if row else action
    parts = _Parts({key: _short(value) for key, value in params.items()})
    return redact_text(template.format_map(parts))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MAX_PART else f"{text[:_MAX_PART]}…"
