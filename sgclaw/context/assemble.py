"""Puts the layers of one role together: the messages before the history, each layer within its budget.

Rules of cutting: L0 and L1 are never cut (a template over its budget is refused); L2 loses the oldest upstream results
first, then background, then the oldest data of the task, at the very last scope and must-haves; the recall slot and L3
lose what matches least. What was cut is counted in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgclaw.context import budgets
from sgclaw.context.chat import ChatMessage
from sgclaw.context.components import recall_of, references_of, sections_of
from sgclaw.context.matrix import row_of
from sgclaw.context.parts import L2Parts, Reference
from sgclaw.context.sections import Section, fitted, joined
from sgclaw.context.texts import Templates, templates
from sgclaw.errors import ConfigError
from sgclaw.tokens.counter import Count, counter


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer as it was assembled. `parts` are its pieces: mark, title and tokens, for showing."""

    name: str
    title: str
    text: str
    tokens: int
    budget: int
    parts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Assembled:
    """What stands before the history in every request of a task: `messages` are these layers and the instruction.

    L0 is the beginning of the first message. The instruction is the last one, word for word. `keeps` stands where
    L1 ends (the same for every task of the role and session) and at the instruction (the same for the whole task).
    """

    role: str
    layers: tuple[Layer, ...]
    messages: tuple[ChatMessage, ...]

    @property
    def bootstrap(self) -> int:
        """Tokens of all layers but L3."""
        return sum(layer.tokens for layer in self.layers if layer.name != "L3")


def assemble(
    role: str,
    parts: L2Parts,
    trace_id: str,
    references: tuple[Reference, ...] = (),
    count: Count | None = None,
) -> Assembled:
    """The layers of a role for a task; an unknown role raises `BAD_USAGE` that lists the known ones."""
    count = count or counter()
    row = row_of(role)
    texts = templates()
    first = _whole("L0", "铁律", texts.iron_rules, budgets.L0, count)
    second = _whole("L1", "角色", _role_text(role, texts, trace_id), budgets.L1, count)
    l2 = _layer("L2", f"为{row.title}装配", sections_of(role, parts, texts), budgets.L2, count)
    left = budgets.BOOTSTRAP - sum(layer.tokens for layer in (first, second, l2[0]))
    recall = _layer("RECALL", "长期记忆", [recall_of(role, parts)], min(budgets.RECALL, left), count)
    l3 = _layer("L3", "被动参考", [references_of(role, references)], budgets.L3, count)
    system = [section for section in (*l2[1], *l3[1]) if not section.data]
    data = [section for section in (*l2[1], *recall[1]) if section.data]
    messages = [ChatMessage("system", f"{first.text}\n\n{second.text}", keeps=True)]
    messages += [ChatMessage("system", joined(system))] if system else []
    messages += [ChatMessage("user", joined(data))] if data else []
    messages.append(ChatMessage("user", parts.task.instruction, keeps=True))
    return Assembled(role, (first, second, l2[0], recall[0], l3[0]), tuple(messages))


def _role_text(role: str, texts: Templates, trace_id: str) -> str:
    board = (texts.board,) if row_of(role).board else ()
    return "\n".join((texts.identity.replace("{trace_id}", trace_id), *board, texts.roles[role]))


def _whole(name: str, title: str, text: str, budget: int, count: Count) -> Layer:
    tokens = count(text)
    if tokens > budget:
        raise ConfigError(
            f"提示词 {name} 层有 {tokens} 个 token，超过上限 {budget}",
            next_step="请重新安装 sgclaw，或缩短该层的模板",
            facts={"layer": name, "tokens": tokens, "budget": budget},
        )
    return Layer(name, title, text, tokens, budget)


def _layer(
    name: str, title: str, sections: Sequence[Section], budget: int, count: Count
) -> tuple[Layer, tuple[Section, ...]]:
    kept = tuple(
        each for each in fitted([s for s in sections if s.entries], budget, count) if each.entries or each.dropped
    )
    text = joined(kept)
    pieces = tuple((f"{each.mark} {each.title}".strip(), count(each.text())) for each in kept)
    return Layer(name, title, text, count(text), budget, pieces), kept
