"""From nodes to lines: what carries nothing is dropped, what belongs together stands in one line, nothing is lost.

Every operable element is written exactly once. Containers without a name give their content to what is around them;
texts that repeat the name of the element beside or around them are left out; leaves beside each other share a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sgclaw.perception import tables, wording
from sgclaw.perception.cells import whole_tables
from sgclaw.perception.model import View, walk
from sgclaw.perception.roles import DIALOG_ROLES, FRAME_ROLES, TABLE_ROLES, is_operable
from sgclaw.perception.runs import LABEL_ENDS, MAX_LINE, broken, joined, row_key, run_lines, words_of
from sgclaw.perception.untrusted import shown
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import visible
from sgclaw.tokens.bound import estimate

_LINE_ROLES: Final = frozenset({"listitem", "row", "article"})
"""One of many alike: gets a line of its own."""
_OWN_LINE: Final = frozenset({"heading", "alert", "status", "note"})
"""Heads what follows, or must not be overlooked."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a view. `above` is the section it is in; `again` is how that is called where a page goes on in it."""

    depth: int
    text: str
    above: Line | None = None
    again: str = ""
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", estimate(self.drawn) + 1)

    @property
    def drawn(self) -> str:
        """The line with its indent, two levels to a space: depth matters little, and each space costs."""
        return " " * min(self.depth, 6) + self.text


def lines_of(view: View) -> list[Line]:
    """The whole view as lines; open dialogs first, for they take the next click."""
    dialogs = _outermost_dialogs(view.nodes)
    behind = _behind(view.nodes) if dialogs else 0
    writer = _Writer(view.origin, frozenset(id(node) for node in dialogs), covered=not behind)
    for node in dialogs:
        writer.dialog(node)
    if behind:
        writer.put(0, f"#对话框之外（{behind} 个元素被遮住，不再逐个标出）")
    writer.nodes(view.nodes, 0, None)
    return writer.lines


def _outermost_dialogs(nodes: Sequence[AomNode]) -> list[AomNode]:
    """Dialogs to write first. One inside a row or a table is written there: those are read as a whole."""
    stay = DIALOG_ROLES | TABLE_ROLES | _LINE_ROLES
    return [
        node
        for node, path in walk(nodes)
        if node.role in DIALOG_ROLES and not any(outer.role in stay for outer in path)
    ]


_MANY: Final = 6


def _behind(nodes: Sequence[AomNode]) -> int:
    """How many covered elements lie outside dialogs; 0 when they are few enough to be marked one by one."""
    count = sum(
        1
        for node, path in walk(nodes)
        if node.covered and is_operable(node) and not any(outer.role in DIALOG_ROLES for outer in path)
    )
    return count if count >= _MANY else 0


class _Writer:
    def __init__(self, origin: str, apart: frozenset[int], *, covered: bool) -> None:
        self.lines: list[Line] = []
        self._origin = origin
        self._apart = apart  # dialogs, written already
        self._covered = covered

    def put(self, depth: int, text: str, above: Line | None = None, again: str = "") -> Line:
        line = Line(depth, text, above, again)
        self.lines.append(line)
        return line

    def dialog(self, node: AomNode) -> None:
        covered, self._covered = self._covered, True
        self._section(node, 0, None)
        self._covered = covered

    def nodes(self, nodes: Sequence[AomNode], depth: int, above: Line | None) -> None:
        """Write siblings: leaves beside each other as one run, the rest as sections."""
        run: list[AomNode] = []
        for node in whole_tables(list(self._hoisted(nodes))):
            if self._is_leaf(node):
                run.append(node)
                continue
            self._flush(run, depth, above)
            self._section(node, depth, above)
        self._flush(run, depth, above)

    def _hoisted(self, nodes: Sequence[AomNode]) -> Iterator[AomNode]:
        """The nodes, containers that say nothing replaced by their content."""
        for node in nodes:
            if id(node) in self._apart:
                continue
            if is_operable(node) or self._says_something(node):
                yield node
            else:
                yield from self._hoisted(node.children)

    def _says_something(self, node: AomNode) -> bool:
        if node.role in TABLE_ROLES or node.role in FRAME_ROLES or node.role in DIALOG_ROLES:
            return True
        return bool(visible(node.name)) or (node.role in _LINE_ROLES and bool(node.children))

    def _is_leaf(self, node: AomNode) -> bool:
        if node.role in TABLE_ROLES | FRAME_ROLES | _LINE_ROLES | _OWN_LINE:
            return False
        return not self._inside(node)

    def _inside(self, node: AomNode) -> list[AomNode]:
        """What is in a node and not said by its own name."""
        name = visible(node.name)
        return [
            child
            for child in self._hoisted(node.children)
            if is_operable(child) or child.children or visible(child.name).rstrip(LABEL_ENDS) not in name
        ]

    def _flush(self, run: list[AomNode], depth: int, above: Line | None) -> None:
        for text in run_lines(run, covered=self._covered):
            self.put(depth, text, above)
        run.clear()

    def _section(self, node: AomNode, depth: int, above: Line | None) -> None:
        if node.role in TABLE_ROLES and tables.has_cells(node):
            self._table(node, depth, above)
        elif node.role in FRAME_ROLES:
            self._frame(node, depth, above)
        elif node.role in _LINE_ROLES:
            self._item(node, depth, above)
        else:
            self._group(node, depth, above)

    def _group(self, node: AomNode, depth: int, above: Line | None) -> None:
        operable = is_operable(node)
        counts = f"共{node.row_count}行" if node.row_count is not None else ""
        head = wording.element(node, covered=self._covered) if operable else wording.structure(node, counts)
        again = f"#{shown(node.name, 40)}" if operable else head
        inside = self._inside(node)
        words = list(words_of(inside, covered=self._covered)) if self._fits_beside(inside) else []
        if words and estimate(head) + sum(map(estimate, words)) <= MAX_LINE:
            self.put(depth, f"{head}: {' '.join(words)}", above)
            return
        self.nodes(inside, depth + 1, self.put(depth, head, above, again))

    def _fits_beside(self, inside: Sequence[AomNode]) -> bool:
        """Whether a section is nothing but leaves, none of them one of many rows."""
        return bool(inside) and all(self._is_leaf(node) and not row_key(node) for node in inside)

    def _frame(self, node: AomNode, depth: int, above: Line | None) -> None:
        foreign = node.origin is not None and node.origin != self._origin
        head = wording.structure(node, origin=f"来自 {shown(node.origin or '')}" if foreign else "")
        if foreign and not node.children:
            head += "{内容未读}"
        self.nodes(node.children, depth + 1, self.put(depth, head, above, head))

    def _item(self, node: AomNode, depth: int, above: Line | None) -> None:
        """One of many alike in a line of its own, with everything in it."""
        if node.role == "row":
            for text in broken(_cells(tables.cells_of(node, covered=self._covered))):
                self.put(depth, text, above)
            return
        own = wording.text(node)
        words = [*([own] if own else []), *tables.words_in(self._inside(node), covered=self._covered)]
        if sum(map(estimate, words)) <= MAX_LINE:
            for text in joined(words, " "):
                self.put(depth, text, above)
            return
        below = self.put(depth, own, above, own) if own else above
        self.nodes(self._inside(node), depth + 1 if own else depth, below)

    def _table(self, node: AomNode, depth: int, above: Line | None) -> None:
        table = tables.read(node, covered=self._covered)
        head = wording.structure(node, table.counts)
        again = f"{head} 列: {' | '.join(table.names)}" if any(table.names) else head
        top = self.put(depth, head, above, again if estimate(again) <= MAX_LINE else head)
        if any(table.columns):
            for text in broken(_cells([("列:", *table.columns[0]), *table.columns[1:]])):
                self.put(depth + 1, text, top)
        for row in table.rows:
            for text in broken(_cells(row)):
                self.put(depth + 1, text, top)
        self.nodes(table.rest, depth + 1, top)


def _cells(row: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    for place, cell in enumerate(row):
        before = " | " if place else ""
        for word in cell or ("",):
            yield before, word
            before = " "
