"""The person at the terminal: sees progress, confirms, answers. Everything but the result goes to stderr."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping

from browser_host_stub.output import prompt, quoted, say
from browser_host_stub.typed import Typed
from sgclaw.policy.explain import RULES
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import LogEntry, Message, TaskState
from sgclaw.redact import hide_typed

_STATES = {
    "planning": "理解任务",
    "executing": "开始执行",
    "confirming": "等待您的确认",
    "evaluating": "核对结果",
    "completed": "完成",
    "failed": "失败",
    "aborted": "已停止",
    "unverified": "结果待核对",
}
_FACTS = {
    "label": "页面上的文字",
    "element": "元素",
    "origin": "系统",
    "value": "当前值",
    "form_action": "提交到",
    "href": "链接到",
    "context": "所在的行、表单或本页已填的内容",
    "skill": "技能",
}
"""Facts in the order they are shown: what the page says, in quotation marks, is never our own text."""
PARAMETERS = {
    "selector": "选择器",
    "ref": "元素编号",
    "button": "鼠标键",
    "count": "点击次数",
    "text": "输入的文字",
    "clear": "先清空",
    "submit": "输入后回车",
    "url": "网址",
    "timeout_ms": "最长等待毫秒",
    "state": "等到的状态",
    "full_page": "整页",
    "som_overlay": "叠加元素编号",
    "value": "要写入的值",
    "x": "横坐标",
    "y": "纵坐标",
    "key": "按键或键名",
    "page": "页面编号",
    "site": "登录或退出的系统",
    "credential": "凭据编号",
    "checked": "勾选",
    "file": "文件编号",
    "accept": "接受对话框",
    "fact": "查询的内容",
    "name": "属性名",
    "max_rows": "最多行数",
    "detail": "详细程度",
    "max_nodes": "最多节点数",
}
"""Parameters of acts in Chinese; one that is missing here is shown by its name."""


def show(message: Message) -> None:
    """Show one message of the live view."""
    if isinstance(message, TaskState):
        detail = f"：{message.detail}" if message.detail else ""
        say(f"● {_STATES.get(message.state.value, message.state.value)}{detail}")
    elif isinstance(message, LogEntry):
        step, duration = message.data.get("step"), message.data.get("duration_ms")
        prefix = f"  {step:>2}. " if isinstance(step, int) else "   · "
        say(f"{prefix}{message.text}" + (f"（{duration} 毫秒）" if duration is not None else ""))


class TerminalPerson:
    """Asks on the terminal; without one, `default` is the answer to every approval and questions stay open."""

    def __init__(self, typed: Typed, *, default: bool = False) -> None:
        self._typed = typed
        self._default = default
        self._asking = asyncio.Lock()

    async def approve(self, facts: Mapping[str, object]) -> bool:
        async with self._asking:
            say("需要您确认的操作：")
            for title, told in _told(facts):
                say(f"    {title}：{told}")
            if self._default or not _at_terminal():
                say(f"    回答：{'同意' if self._default else '不同意（没有终端）'}")
                return self._default
            prompt("同意请输入 y：")
            return (await self._typed.next() or "").strip().lower() == "y"

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        async with self._asking:
            say(f"？{text}")
            for number, choice in enumerate(choices, 1):
                say(f"    {number}. {choice}")
            if not _at_terminal():
                say("    没有终端，无法回答")
                return None
            prompt("回答：")
            typed = (await self._typed.next() or "").strip()
            picked = int(typed) if typed.isdecimal() and len(typed) < 5 else 0
            return choices[picked - 1] if 1 <= picked <= len(choices) else typed or None


class SamePerson:
    """Gives every approval the same answer, `None` none at all; no question is answered."""

    def __init__(self, answer: bool | None) -> None:
        self._answer = answer

    async def approve(self, _facts: Mapping[str, object]) -> bool:
        if self._answer is None:
            await asyncio.Event().wait()
        return bool(self._answer)

    async def answer(self, _text: str, _choices: tuple[str, ...]) -> str | None:
        return None


PEOPLE: Mapping[str, SamePerson] = {"yes": SamePerson(True), "no": SamePerson(False), "silent": SamePerson(None)}
"""Who answers for a host that is tried out, by what they say."""


def _told(facts: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The act line by line: what is done, to what, where, with which values, and why a person is asked."""
    action, params, rule = str(facts.get("action", "")), facts.get("params"), facts.get("rule")
    known = ACTIONS.get(action)
    yield "操作", known.description if known else quoted(action)
    for name, title in _FACTS.items():
        if facts.get(name):
            yield title, quoted(facts[name])
    for name, value in hide_typed(params).items() if isinstance(params, Mapping) else ():
        yield f"参数 {PARAMETERS.get(name) or quoted(name)}", _in_words(value)
    if rule:
        why = RULES.get(str(rule))
        yield "原因", f"{why.meaning}（规则 {rule}）" if why else quoted(rule)


def _in_words(value: object) -> str:
    return ("是" if value else "否") if isinstance(value, bool) else quoted(value)


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
