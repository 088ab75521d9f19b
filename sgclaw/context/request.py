"""One request to a model: layers, instruction and history within the model's window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sgclaw.context.assemble import Assembled
from sgclaw.context.budgets import GENERATION, PER_MESSAGE
from sgclaw.context.chat import ChatMessage, ToolSpec
from sgclaw.context.history import History, Step, cost, fit_history
from sgclaw.errors import BudgetExceededError
from sgclaw.tokens.counter import Count, counter


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. `tokens` is its planned size with the tools and without what the model will write."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    history: History


def compose(
    assembled: Assembled,
    steps: Sequence[Step],
    tools: Sequence[ToolSpec],
    window: int,
    count: Count | None = None,
) -> Request:
    """The request after these steps: never more than `window` less the reserve for the answer.

    Raises `BUDGET_EXCEEDED` when layers, tools and instruction alone leave no room; none of them is ever cut here.
    """
    count = count or counter()
    fixed = cost(assembled.messages, count) + _tools_cost(tools, count)
    room = window - GENERATION - fixed
    if room < 0:
        raise BudgetExceededError(
            f"指令和说明共 {fixed} 个 token，模型的窗口 {window} 放不下（另留 {GENERATION} 给回答）",
            next_step="请缩短指令，或换用窗口更大的模型",
            facts={"tokens": fixed, "window": window, "reserve": GENERATION},
        )
    history = fit_history(steps, room, count)
    return Request((*assembled.messages, *history.messages), fixed + history.tokens, history)


def _tools_cost(tools: Sequence[ToolSpec], count: Count) -> int:
    """Providers render schemas more tightly than JSON does."""
    written = (
        f"{tool.name} {tool.description} {json.dumps(tool.schema, ensure_ascii=False, default=dict)}" for tool in tools
    )
    return sum(count(text) + PER_MESSAGE for text in written)
