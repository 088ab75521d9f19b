"""The live view of a task on stderr: one Chinese line for each thing that happens; in colour on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from sgclaw.cli.output import warn
from sgclaw.protocol.messages import LogEntry, Message, TaskState
from sgclaw.protocol.parts import State
from sgclaw.redact import inert

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

STATES: Mapping[State, str] = MappingProxyType(
    {
        State.IDLE: "排队等待",
        State.PLANNING: "理解任务",
        State.EXECUTING: "开始执行",
        State.WAITING: "等待页面",
        State.OBSERVING: "观察页面",
        State.CONFIRMING: "等待您的答复",
        State.EVALUATING: "核对结果",
        State.COMPLETED: "完成",
        State.FAILED: "失败",
        State.ABORTED: "已停止",
        State.UNVERIFIED: "结果待核对",
    }
)
_STYLES: Mapping[str, str] = MappingProxyType({"warning": "yellow", "error": "bold red", "debug": "dim"})


def line_of(message: Message) -> str | None:
    """What the person reads for one message of the live view; None for messages that are not part of it."""
    if isinstance(message, TaskState):
        detail = f"：{message.detail}" if message.detail else ""
        return f"● {STATES[message.state]}{detail}"
    if not isinstance(message, LogEntry):
        return None
    step, took = message.data.get("step"), message.data.get("duration_ms")
    lead = f"{step:>4}. " if isinstance(step, int) else "   ·  "
    return lead + message.text + (f"（{_duration(took)}）" if isinstance(took, int) else "")


def _duration(ms: int) -> str:
    return f"{ms} 毫秒" if ms < 1_000 else f"{ms / 1_000:.1f} 秒"


class Live(Protocol):
    """Where the progress of a task is shown."""

    def show(self, message: Message) -> None:
        """Show one message if it is part of the live view."""
        ...

    def say(self, text: str) -> None:
        """Show one line of our own; a question to the person too."""
        ...

    def close(self) -> None:
        """Nothing moves on the terminal after this."""
        ...


class PlainLive:
    """Lines, for files and pipes."""

    def show(self, message: Message) -> None:
        line = line_of(message)
        if line is not None:
            warn(line)

    def say(self, text: str) -> None:
        warn(text)

    def close(self) -> None:
        """There is nothing to take back."""


class TerminalLive:
    """Coloured lines, and below them what is going on now; that line rests while the person is asked."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console: Console = Console(stderr=True, highlight=False)
        self._status: Status = self._console.status("正在启动浏览器")
        self._status.start()

    def show(self, message: Message) -> None:
        line = line_of(message)
        if line is None:
            return
        if isinstance(message, TaskState):
            self._now(message.state)
        self._print(line, _STYLES.get(message.level, "") if isinstance(message, LogEntry) else "bold")

    def say(self, text: str) -> None:
        self._print(text, "")

    def close(self) -> None:
        self._status.stop()

    def _now(self, state: State) -> None:
        if state in (State.PLANNING, State.EXECUTING, State.EVALUATING):
            self._status.update(STATES[state])
            self._status.start()
        else:
            self._status.stop()

    def _print(self, line: str, style: str) -> None:
        from rich.text import Text

        self._console.print(Text(inert(line), style=style))


def live_view() -> Live:
    """The live view that fits where stderr goes."""
    return TerminalLive() if sys.stderr is not None and sys.stderr.isatty() else PlainLive()
