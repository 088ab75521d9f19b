"""The person at the terminal: sees progress, confirms, answers. Everything but the result goes to stderr."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping

from browser_host_stub.output import prompt, quoted, say
from browser_host_stub.typed import Typed
from sgclaw.protocol.messages import LogEntry, Message, TaskState

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
_SHOWN = {
    "action": "操作",
    "params": "参数",
    "origin": "系统",
    "label": "页面上的文字",
    "element": "元素",
    "value": "当前值",
    "form_action": "提交到",
    "skill": "技能",
}


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
            for key, title in _SHOWN.items():
                if facts.get(key):
                    say(f"    {title}：{quoted(facts[key])}")
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


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
