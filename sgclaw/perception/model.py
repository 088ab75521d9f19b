"""A page as it was seen once: nodes as the wire has them, with what the envelope and the caller know about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sgclaw.errors import PolicyDeniedError
from sgclaw.perception.roles import is_operable
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, PageInfo, Snapshot

Path = tuple[AomNode, ...]
"""The nodes around a node, outermost first."""


@dataclass(frozen=True, slots=True)
class View:
    """One page, seen at `taken_at` (seconds of the caller's clock). `interactive_total` is the host's own count."""

    page: PageInfo
    nodes: tuple[AomNode, ...]
    interactive_total: int
    blank: bool = False
    cut: bool = False
    taken_at: float = 0.0
    whole: bool = True
    """False for a part of a page: its operable elements cannot be compared with the page's total."""
    _index: Mapping[str, tuple[AomNode, Path]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index: dict[str, tuple[AomNode, Path]] = {}
        for node, path in walk(self.nodes):
            if node.ref is not None:
                index.setdefault(node.ref, (node, path))
        object.__setattr__(self, "_index", index)

    @property
    def origin(self) -> str:
        """The page's committed origin; empty when the address has none."""
        try:
            return str(origin_of(self.page.url))
        except PolicyDeniedError:
            return ""

    @property
    def operable(self) -> tuple[AomNode, ...]:
        """Every element a person can operate, in reading order."""
        return tuple(node for node, _ in walk(self.nodes) if is_operable(node))

    def node(self, ref: str) -> AomNode | None:
        """The node with this wire ref."""
        found = self._index.get(ref)
        return found[0] if found else None

    def path(self, ref: str) -> Path:
        """What is around the node with this wire ref, outermost first; empty for an unknown one."""
        found = self._index.get(ref)
        return found[1] if found else ()

    @property
    def refs(self) -> frozenset[str]:
        """Every wire ref of the view."""
        return frozenset(self._index)

    def age_s(self, now: float) -> float:
        """Seconds since it was taken, by the caller's clock."""
        return max(0.0, now - self.taken_at)

    def within(self, ref: str) -> View | None:
        """The part of the page that is the node with this wire ref; None for an unknown one."""
        node = self.node(ref)
        return None if node is None else replace(self, nodes=(node,), whole=False)


def view_of(page: PageInfo, nodes: Sequence[AomNode], facts: AomFacts | Snapshot, taken_at: float = 0.0) -> View:
    """A view from what a response or the result of `getAomSnapshot` says."""
    return View(page, tuple(nodes), facts.interactive_total, facts.blank, facts.cut, taken_at)


def walk(nodes: Sequence[AomNode]) -> Iterator[tuple[AomNode, Path]]:
    """Every node in reading order with what is around it."""
    stack: list[tuple[AomNode, Path]] = [(node, ()) for node in reversed(nodes)]
    while stack:
        node, path = stack.pop()
        yield node, path
        inner = (*path, node)
        stack += [(child, inner) for child in reversed(node.children)]


def short_ref(ref: str) -> str:
    """What people and models see of a ref: the part after the page's version."""
    return ref.partition(":")[2] or ref


SHORT_REF: Final = r"\d{1,9}(?:\.\d{1,9})?"
"""How a shown ref is written."""
