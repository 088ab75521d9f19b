"""Sees that a run goes nowhere: the same call with the same result, acts that change nothing."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from dataclasses import dataclass
from typing import Final

from sgclaw.errors import NeedsHumanError

NUDGE_AT: Final = 3
STOP_AT: Final = 5
_WINDOW: Final = 40
"""Calls that are looked back at: going round in circles is repeating too."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made. `unchanged`: it should have changed the page and did not; None when that is no question."""

    tool: str
    arguments: str
    text: str
    unchanged: bool | None = None


class Critic:
    """Judges each call after it was made."""

    def __init__(self) -> None:
        self._window: deque[str] = deque(maxlen=_WINDOW)
        self._still = 0

    def judge(self, made: Made) -> str | None:
        """A nudge for the model, or None. Raises `NEEDS_HUMAN` when the same call was of no use five times."""
        key = _key(made)
        self._window.append(key)
        times = Counter(self._window)[key]
        if times >= STOP_AT:
            raise NeedsHumanError(
                f"同一操作（{made.tool}）重复了 {times} 次，结果都一样，任务已停止",
                next_step="请查看页面当前状态，换一种说法重新提交任务，或由您处理这一步",
                facts={"reason": "repeats", "tool": made.tool, "times": times},
            )
        if made.unchanged is not None:
            self._still = self._still + 1 if made.unchanged else 0
        if times >= NUDGE_AT:
            return f"提醒：同样的 {made.tool} 已经做了 {times} 次，结果都一样。换一个办法，或用 ask_user 问用户。"
        if made.unchanged and self._still % NUDGE_AT == 0:
            return f"提醒：连续 {self._still} 次操作之后页面都没有变化。先用 read_page 重新看清页面，再决定下一步。"
        return None


def _key(made: Made) -> str:
    return hashlib.sha256(f"{made.tool}\0{made.arguments}\0{made.text}".encode("utf-8", "surrogatepass")).hexdigest()
