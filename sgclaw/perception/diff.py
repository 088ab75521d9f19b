"""What changed between two snapshots of the same document.

Both sides of the pipe use this file: a host to answer `observe: diff`, sgclaw to keep its picture of a page up to date.
An element is the same as before when it has the same ref. A node without one (a text, a plain container) is known by
what it is in, its role, its name and its turn among siblings that share both; so a changed text is a new node.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from sgclaw.protocol.results import AomNode

_facts: Final = attrgetter(
    *("role", "name", "value", "focused", "disabled", "checked", "selected"),
    *("expanded", "readonly", "covered", "inferred", "row_count", "origin"),
)
"""What a change is made of. Where a node lies and how it is found (bounds, selector, identity) may differ freely."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Nodes that are new, changed or in another order among their siblings, flat and in reading order; refs gone."""

    changed: tuple[AomNode, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)


_Key = str | int
_TOP: Final = -1


@dataclass(frozen=True, slots=True)
class _Placed:
    node: AomNode
    parent: _Key


def diff(old: Sequence[AomNode], new: Sequence[AomNode]) -> Difference:
    """The difference that leads from `old` to `new`; work grows with the number of nodes."""
    known: dict[Hashable, int] = {}
    before, after = _by_key(old, known), _by_key(new, known)
    moved = _moved(before, after)
    changed = tuple(
        _flat(placed.node)
        for key, placed in after.items()
        if key in moved or key not in before or not _same(before[key].node, placed.node)
    )
    return Difference(changed, tuple(key for key in before if isinstance(key, str) and key not in after))


def apply(old: Sequence[AomNode], difference: Difference) -> tuple[AomNode, ...]:
    """`old` brought up to date as far as a flat list allows.

    Known elements take their new facts where they stood; elements gone leave, and what was inside them stays unless it
    is gone too. New nodes follow at the end: a difference does not say where they belong. Texts without a ref that
    vanished stay. So every element is there with its present facts, and only places and plain texts may be behind.
    """
    gone = frozenset(difference.removed)
    fresh = {node.ref: node for node in difference.changed if node.ref is not None}
    seen: set[str] = set()
    kept = _updated(old, fresh, gone, seen)
    return (*kept, *(node for node in difference.changed if node.ref is None or node.ref not in seen))


def _updated(
    nodes: Sequence[AomNode], fresh: dict[str, AomNode], gone: frozenset[str], seen: set[str]
) -> list[AomNode]:
    result: list[AomNode] = []
    for node in nodes:
        children = _updated(node.children, fresh, gone, seen)
        if node.ref is not None and node.ref in gone:
            result += children
            continue
        present = node
        if node.ref is not None and node.ref in fresh:
            seen.add(node.ref)
            present = fresh[node.ref]
        result.append(present.model_copy(update={"children": tuple(children)}))
    return result


def _by_key(nodes: Sequence[AomNode], known: dict[Hashable, int]) -> dict[_Key, _Placed]:
    """Every node by what it is known by, in reading order; `known` numbers what has no ref, for both snapshots alike.

    A ref that occurs twice is a host's mistake: only its first node counts as that element.
    """
    result: dict[_Key, _Placed] = {}
    turns: dict[Hashable, int] = {}
    stack: list[tuple[AomNode, _Key]] = [(node, _TOP) for node in reversed(nodes)]
    while stack:
        node, parent = stack.pop()
        key: _Key
        if node.ref is not None and node.ref not in result:
            key = node.ref
        else:
            about = (parent, node.role, node.name)
            turns[about] = turns.get(about, 0) + 1
            key = known.setdefault((*about, turns[about]), len(known))
        result[key] = _Placed(node, parent)
        stack += [(child, key) for child in reversed(node.children)]
    return result


def _moved(before: dict[_Key, _Placed], after: dict[_Key, _Placed]) -> set[_Key]:
    """Nodes that stand elsewhere among siblings that were there before: the fewest whose move explains the order."""
    rank = {key: place for place, key in enumerate(before)}
    siblings: dict[_Key, list[_Key]] = {}
    for key, placed in after.items():
        if key in before and before[key].parent == placed.parent:
            siblings.setdefault(placed.parent, []).append(key)
    return {key for group in siblings.values() for key in _out_of_order(group, rank)}


def _out_of_order(keys: Sequence[_Key], rank: dict[_Key, int]) -> set[_Key]:
    """What remains when the longest run in the old order is left where it is."""
    tails: list[int] = []  # lowest rank that ends a run of each length
    ends: list[_Key] = []
    before: dict[_Key, _Key | None] = {}
    for key in keys:
        length = bisect_left(tails, rank[key])
        before[key] = ends[length - 1] if length else None
        if length == len(tails):
            tails.append(rank[key])
            ends.append(key)
        else:
            tails[length], ends[length] = rank[key], key
    kept: set[_Key] = set()
    last = ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return set(keys) - kept


def _flat(node: AomNode) -> AomNode:
    return node.model_copy(update={"children": ()}) if node.children else node


def _same(one: AomNode, other: AomNode) -> bool:
    return one is other or bool(_facts(one) == _facts(other))
