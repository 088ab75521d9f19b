"""The person at the terminal, for the questions of a task."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading

from sgclaw.cli.live import Live
from sgclaw.ports import Question

_CHUNK = 4096


class Lines:
    """Lines typed on a terminal, read by one thread that never keeps the process from ending.

    Create it inside a running loop. Plain `os.read`, because asyncio cannot watch every kind of terminal and a buffered
    reader would hold a lock at exit.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="sgclaw-terminal", daemon=True).start()

    def forget(self) -> None:
        """Drop what was typed before the question."""
        while not self._typed.empty():
            if self._typed.get_nowait() is None:
                self._typed.put_nowait(None)
                return

    async def next(self) -> str | None:
        """The next line without its end; None when the terminal is closed, for ever after."""
        line = await self._typed.get()
        if line is None:
            self._typed.put_nowait(None)
        return line

    def _read(self) -> None:
        held = b""
        with contextlib.suppress(OSError):  # a terminal that went away has ended
            while chunk := os.read(self._fd, _CHUNK):
                *whole, held = (held + chunk).split(b"\n")
                for line in whole:
                    self._give(line.decode("utf-8", "replace").rstrip("\r"))
        self._give(None)

    def _give(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            self._loop.call_soon_threadsafe(self._typed.put_nowait, line)


class TerminalPerson:
    """`ports.Person` on a terminal: an empty line, the end of input and silence until the deadline are no answer."""

    def __init__(self, fd: int, live: Live) -> None:
        self._fd, self._live = fd, live
        self._lines: Lines | None = None

    async def ask(self, task_id: str, question: Question) -> str | None:
        del task_id
        if self._lines is None:
            self._lines = Lines(self._fd)
        self._lines.forget()
        self._live.say(f"？{question.text}")
        for number, choice in enumerate(question.choices, 1):
            self._live.say(f"   {number}. {choice}")
        self._live.say(f"   请输入{'序号或文字' if question.choices else ''}后回车，直接回车表示不回答：")
        try:
            async with asyncio.timeout(question.deadline_s):
                typed = await self._lines.next()
        except TimeoutError:
            self._live.say("   没有在期限内回答")
            return None
        return _picked((typed or "").strip(), question.choices) or None


class NobodyHere:
    """`ports.Person` without a terminal: no question is answered, at once."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def ask(self, task_id: str, question: Question) -> str | None:
        del task_id
        self._live.say(f"？{question.text}")
        self._live.say("   没有终端，无法回答")
        return None


def _picked(typed: str, choices: tuple[str, ...]) -> str:
    """The choice that was typed by its number; a choice that is itself that text goes first."""
    if typed in choices or not typed.isdecimal():
        return typed
    number = int(typed)
    return choices[number - 1] if 1 <= number <= len(choices) else typed
