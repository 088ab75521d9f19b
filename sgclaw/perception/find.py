"""Finding elements of a view by words: what stands where, with what is around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.perception import cells, wording
from sgclaw.perception.model import Path, View, walk
from sgclaw.perception.pages import DEFAULT_CAP
from sgclaw.perception.roles import OPERABLE_WORDS, STRUCTURE_WORDS, is_operable
from sgclaw.perception.untrusted import block, shown
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import visible
from sgclaw.tokens.bound import SLACK, estimate

_WORD: Final = re.compile(r"[^\s,，、;；。|/]+")
_ROW_ROLES: Final = frozenset({"row", "listitem", "treeitem", "article"})
_READ: Final = frozenset({*STRUCTURE_WORDS, "text"})
"""What is found beside elements that can be operated, when it has a name."""
_MAX_WORDS: Final = 12
_MAX_ROW_TEXT: Final = 400
_CONTEXT_NAMES: Final = 3


@dataclass(frozen=True, slots=True)
class Match:
    """An element, what it is in, and how well it fits (any positive number; more is better)."""

    node: AomNode
    path: Path
    score: float


def find(view: View, query: str | Sequence[str]) -> list[Match]:
    """Elements and named structure that fit the words, best first, reading order among equals.

    A word counts most in the element's own name, less in its value, its role's word, its row, and what it is in.
    """
    words = _words(query)
    rows: dict[int, str] = {}
    found: list[Match] = []
    for node, path in walk(view.nodes):
        score = _score(node, path, words, rows)
        if score > 0:
            found.append(Match(node, path, score))
    return sorted(found, key=lambda match: -match.score)


def found_text(view: View, query: str, *, cap: int = DEFAULT_CAP) -> str:
    """The best matches with their surroundings, within `cap` tokens; the head says how many there are in all."""
    matches = find(view, query)
    head = f"页面{view.page.id} 版本{view.page.version} 找到{len(matches)}处"
    room = cap - estimate(head) - estimate(block(view.origin, "")) - SLACK
    lines: list[str] = []
    for match in matches:
        line = _line(match)
        room -= estimate(line) + 1
        if room < 0:
            head += f"，先列{len(lines)}处"
            break
        lines.append(line)
    return f"{head}\n{block(view.origin, chr(10).join(lines))}" if lines else head


def _line(match: Match) -> str:
    node = match.node
    told = _told(node)
    around = [shown(outer.name, 30) for outer in match.path if visible(outer.name)]
    row = next((_row_text(outer) for outer in reversed(match.path) if outer.role in _ROW_ROLES), "")
    context = [*around[-_CONTEXT_NAMES:], *([shown(row, 60)] if row else [])]
    return f"{told} @ {' > '.join(dict.fromkeys(context))}" if context else told


def _told(node: AomNode) -> str:
    if is_operable(node):
        return wording.element(node)
    if node.role == "row":
        return f"#行 {cells.told(node, 40)}"
    return wording.text(node) if node.role == "text" else wording.mark(node) + wording.structure(node)


def _words(query: str | Sequence[str]) -> list[str]:
    text = query if isinstance(query, str) else " ".join(query)
    return [word.lower() for word in _WORD.findall(visible(text))][:_MAX_WORDS]


def _score(node: AomNode, path: Path, words: Sequence[str], rows: dict[int, str]) -> float:
    """0 unless a word is in the element itself: being beside something is not being it."""
    operable = is_operable(node)
    if not operable and not (node.role in _READ and node.name):
        return 0.0
    own = [0.0 if _is_said_inside(node, word) else _own(node, word) for word in words]
    if not any(own):
        return 0.0
    around = " ".join(visible(outer.name) for outer in path).lower()
    row = _row_of(path, rows)
    beside = [(2.0 if word in row else 1.0 if word in around else 0.0) for word in words]
    total = sum(max(inner, outer) for inner, outer in zip(own, beside, strict=True))
    return total + (0.5 if operable else 0.0) - (0.25 if node.disabled or node.covered else 0.0)


def _is_said_inside(node: AomNode, word: str) -> bool:
    """Whether a row's text has the word from a control in it, which is found by itself."""
    if node.role not in _ROW_ROLES or is_operable(node):
        return False
    return any(word in visible(inner.name).lower() for inner, _ in walk(node.children) if is_operable(inner))


def _own(node: AomNode, word: str) -> float:
    name, value = visible(node.name).lower(), visible(node.value or "").lower()
    if word == name:
        return 5.0
    if word in name:
        return 3.0 + len(word) / max(1, len(name))
    if value and word in value:
        return 2.5
    if word in (OPERABLE_WORDS.get(node.role), STRUCTURE_WORDS.get(node.role), node.role):
        return 1.0
    return _overlap(name, word)


def _overlap(name: str, word: str) -> float:
    """Pairs of characters in common, for 导出报表 against 导出月报表; nothing below two thirds."""
    pairs = {word[place : place + 2] for place in range(len(word) - 1)}
    share = sum(pair in name for pair in pairs) / len(pairs) if len(pairs) > 1 else 0.0
    return 2.0 * share if share >= 2 / 3 else 0.0


def _row_of(path: Path, rows: dict[int, str]) -> str:
    for outer in reversed(path):
        if outer.role in _ROW_ROLES:
            if id(outer) not in rows:
                rows[id(outer)] = _row_text(outer).lower()
            return rows[id(outer)]
    return ""


def _row_text(row: AomNode) -> str:
    """Everything said in a row but its controls, cut."""
    texts = [
        visible(node.name) for node, _ in walk((row,)) if node.name and not (is_operable(node) and node is not row)
    ]
    return " ".join(dict.fromkeys(texts))[:_MAX_ROW_TEXT]
