"""Whether an instruction is small, decided without a model: one piece of work in one system is not worth a plan.

An instruction is small when no sign of `SIGNS` is in it, it names at most one system, it is short, and it has one
clause that is work. A clause that only leads somewhere (`打开首页`, `看看列表`) is none. Everything else is put to the
planner, which may still say `single`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LONGEST: Final = 60
"""Characters of an instruction that can be small."""
SIGNS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "repeats": re.compile(r"每[一个条笔张家位名份]|逐[一个条笔张家]|分别|依次|挨个|批量"),
        "lists": re.compile(r"[^\s、]、[^\s、]"),
        "numbered": re.compile(r"第[一二三1-3]步|(?:^|\s)[1-9][.、）)]|首先|其次"),
        "compares": re.compile(r"核对|比对|对比|比较|对账|汇总|合并"),
        "waits": re.compile(r"如果|若是|要是|直到|等到|否则"),
    }
)
"""Signs of more than one step's work, by what they stand for."""
_BETWEEN: Final = re.compile(
    r"[，,。；;！!？?\n]+|(?:然后|接着|之后|随后|最后|同时|并且|以及|再把|再将|并(?=[发导提填通上下保打]))"
)
_LEADS: Final = re.compile(r"^(?:请|麻烦)?(?:先)?(?:打开|进入|进到|登录|去|到|看看|看一下|查看|回到|切换到|在)")
_EMPTY: Final = re.compile(r"^[\s的了吧吗呢请]*$")


def why_planned(instruction: str, systems: int) -> str | None:
    """Which sign says that the planner is to be asked; None when the instruction is small."""
    text = instruction.strip()
    if systems > 1:
        return "systems"
    if len(text) > LONGEST:
        return "long"
    found = next((name for name, pattern in SIGNS.items() if pattern.search(text)), None)
    return found or ("clauses" if _work(text) > 1 else None)


def _work(text: str) -> int:
    clauses = [clause.strip() for clause in _BETWEEN.split(text) if not _EMPTY.match(clause)]
    leading = sum(1 for clause in clauses[:-1] if _LEADS.match(clause))
    return len(clauses) - leading
