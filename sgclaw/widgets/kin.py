"""Which nodes of a tree are siblings: where nodes are in nodes, and where they stand one behind the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sgclaw.widgets.hands import Hands
from sgclaw.widgets.model import TreeParts
from sgclaw.widgets.spot import INTO


@dataclass(frozen=True, slots=True)
class Kin:
    """The nodes of one level below one node: `place` is what they are in, `own` is what they are and no others."""

    tree: str
    parts: TreeParts
    place: str
    own: str
    depth: int = 0

    @property
    def all(self) -> str:
        return f"{self.place} {self.own}" if self.parts.flat else f"{self.place} > {self.own}"

    def nth(self, number: int) -> str:
        """The node of this number, counted from 1."""
        step = " " if self.parts.flat else " > "
        return f"{self.place}{step}:nth-child({number} of {self.own})"

    def expander(self, node: str) -> str:
        """What opens a node that is closed."""
        content = "" if self.parts.flat else f"{self.parts.content} "
        return f"{node} > {content}{self.parts.expander}"

    async def below(self, hands: Hands, node: str) -> Kin:
        """The children of a node."""
        if not self.parts.flat:
            return replace(self, place=f"{node} > {self.parts.children}", depth=self.depth + 1)
        # By its number among all nodes: selectors would double with every level.
        css = node.rpartition(INTO)[2]
        before = await hands.count(f"{self.tree} {self.parts.nodes}:not({css}, {css} ~ *)")
        mark = f"{self.tree.rpartition(INTO)[2]} :nth-child({before + 1} of {self.parts.nodes})"
        own = (
            f"{self.parts.nodes}{_deep(self.parts, self.depth + 1)}:is({mark} ~ *)"
            f":not({mark} ~ {self.parts.nodes}{_shallower(self.parts, self.depth + 1)} ~ *)"
        )
        return replace(self, own=own, depth=self.depth + 1)


def kin_of(tree: str, parts: TreeParts) -> Kin:
    """The outermost nodes of a tree."""
    return Kin(tree, parts, tree, parts.nodes + (_deep(parts, 0) if parts.flat else ""))


def part_of(parts: TreeParts, node: str, css: str) -> str:
    """The expander or the box of a node."""
    return f"{node} > {css}" if parts.flat else f"{node} > {parts.content} {css}"


def _deep(parts: TreeParts, depth: int) -> str:
    """State of a node that is so deep."""
    if parts.level:
        return parts.level.format(depth=depth)
    return (f":has(> {parts.indent} > :nth-child({depth}))" if depth else "") + _shallower(parts, depth + 1)


def _shallower(parts: TreeParts, depth: int) -> str:
    """State of a node that is less deep."""
    if parts.level:
        return f":is({', '.join(parts.level.format(depth=each) for each in range(depth))})"
    return f":not(:has(> {parts.indent} > :nth-child({depth})))"
