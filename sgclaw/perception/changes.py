"""What an act changed, in a few words: `+` new, `~` changed, `-` gone; the rest is counted, never listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.perception import cells, wording
from sgclaw.perception.diff import Difference
from sgclaw.perception.model import View, short_ref
from sgclaw.perception.roles import DIALOG_ROLES, OPERABLE_WORDS, STRUCTURE_WORDS, is_operable
from sgclaw.perception.runs import base_name, joined
from sgclaw.perception.untrusted import block, shown
from sgclaw.protocol.results import AomNode, PageInfo
from sgclaw.redact.seen import visible
from sgclaw.tokens.bound import SLACK, estimate

DEFAULT_CAP: Final = 300
_TOLD_FIRST: Final = DIALOG_ROLES | {"alert", "status", "tooltip"}
_SUMMARY_ROOM: Final = 90
_KINDS: Final = 5
_ALIKE: Final = 3
"""Entries of one kind and name that are told; a hundred times 编辑 is a count."""
_MAX_CELL: Final = 40
_TEXT: Final = "文字"
_TEXTS: Final = 6
"""Texts that are told when not all fit: they come before what can be operated, and leave it room."""
_SIGNS: Final = {"+": "新增", "~": "改变", "-": "移除"}


@dataclass(frozen=True, slots=True)
class _Entry:
    place: int
    sign: str
    words: str
    kind: str
    name: str
    weight: int


def difference_text(
    difference: Difference, page: PageInfo, *, before: View | None = None, cap: int = DEFAULT_CAP
) -> str:
    """The difference within `cap` tokens: dialogs and messages first, then what can be operated, then texts.

    `before` is the page as it was: with it new is told from changed, and what is gone has its name.
    """
    origin = View(page, (), 0).origin
    if not difference:
        return f"页面{page.id} 版本{page.version} 没有变化"
    entries = _entries(difference, before)
    counts = Counter(entry.sign for entry in entries)
    told = " ".join(f"{sign}{counts[sign]}" for sign in _SIGNS if counts[sign])
    head = f"页面{page.id} 版本{page.version} 变化 {told}"
    room = cap - estimate(head) - estimate(block(origin, "")) - SLACK
    taken = _taken(entries, room)
    lines = [line for sign in _SIGNS for line in _lines(sign, (entry for entry in taken if entry.sign == sign))]
    places = {entry.place for entry in taken}
    left = [entry for entry in entries if entry.place not in places]
    if left:
        lines.append(f"另有: {_summary(left)}")
    return f"{head}\n{block(origin, chr(10).join(lines))}"


def _entries(difference: Difference, before: View | None) -> list[_Entry]:
    entries: list[_Entry] = []
    for node in difference.changed:
        is_new = node.ref is None or (before is not None and before.node(node.ref) is None)
        told = _told(node)
        if told:
            entries.append(_Entry(len(entries), "+" if is_new else "~", told, _kind(node), _alike(node), _weight(node)))
    for ref in difference.removed:
        old = before.node(ref) if before is not None else None
        name = shown(old.name, 20) if old is not None else ""
        kind = _kind(old) if old is not None else "元素"
        weight = 1 if old is not None and old.role in _TOLD_FIRST else 4
        alike = _alike(old) if old is not None else ""
        entries.append(_Entry(len(entries), "-", f"[{short_ref(ref)}]{name}", kind, alike, weight))
    return entries


def _told(node: AomNode) -> str:
    if is_operable(node):
        return wording.element(node)
    if node.role == "row":
        return cells.told(node, _MAX_CELL)
    if node.role in STRUCTURE_WORDS:
        return wording.structure(node) if visible(node.name) or node.role in _TOLD_FIRST else ""
    return wording.text(node)


def _alike(node: AomNode) -> str:
    """What is the same of nodes of which a few tell enough: rows and texts are alike whatever is in them."""
    return "" if node.role in ("row", "listitem", "text") else base_name(node)


def _weight(node: AomNode) -> int:
    """What is told first when there is not room for all."""
    if node.role in _TOLD_FIRST:
        return 0
    if is_operable(node):
        return 2
    return 1 if node.role == "text" else 3


def _kind(node: AomNode) -> str:
    return OPERABLE_WORDS.get(node.role) or STRUCTURE_WORDS.get(node.role) or ("按钮" if is_operable(node) else _TEXT)


def _taken(entries: Sequence[_Entry], room: int) -> list[_Entry]:
    """As many entries as there is room for, by weight; room for the summary is kept when not all fit."""
    costs = {entry.place: estimate(f" {entry.words}") + 1 for entry in entries}
    if sum(costs.values()) + len(_SIGNS) * 2 <= room:
        return sorted(entries, key=lambda entry: entry.weight != 0)
    room -= _SUMMARY_ROOM + len(_SIGNS) * 2
    taken: list[_Entry] = []
    alike: Counter[tuple[str, str, str]] = Counter()
    for entry in sorted(entries, key=lambda entry: entry.weight):
        alike[entry.sign, entry.kind, entry.name] += 1
        if alike[entry.sign, entry.kind, entry.name] > (_TEXTS if entry.kind == _TEXT else _ALIKE):
            continue
        room -= costs[entry.place]
        if room < 0:
            break
        taken.append(entry)
    return taken


def _lines(sign: str, entries: Iterable[_Entry]) -> list[str]:
    return [f"{sign} {line}" for line in joined((entry.words for entry in entries), " ")]


def _summary(entries: Sequence[_Entry]) -> str:
    """`新增 行128 按钮256；移除 384`: the largest kinds of each sort."""
    parts: list[str] = []
    for sign, word in _SIGNS.items():
        kinds = Counter(entry.kind for entry in entries if entry.sign == sign)
        most = kinds.most_common(_KINDS)
        rest = kinds.total() - sum(count for _, count in most)
        told = [f"{kind}{count}" for kind, count in most] + ([f"其它{rest}"] if rest else [])
        if told:
            parts.append(f"{word} {' '.join(told)}")
    return "；".join(parts)
