"""Leaves beside each other, in as few words as carry everything.

A host tells equal controls of many rows apart by adding what the row is about (`编辑 · HT-1`). Written out, each row
says so once; and what nearly every row offers is said once for all of them, so that a row is its key and its refs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from sgclaw.perception import wording
from sgclaw.perception.roles import STRUCTURE_WORDS, is_operable
from sgclaw.perception.untrusted import shown
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import visible
from sgclaw.tokens.bound import estimate

MAX_LINE: Final = 110
"""Tokens of one line; a longer run goes on in the next, so that a page can end there."""
ROWS_ALIKE: Final = 3
"""Rows from which on it pays to say once what each offers."""
LABEL_ENDS: Final = " ：:*＊"
_KEY_MARK: Final = " · "
_MAX_KEY: Final = 40

Signature = tuple[tuple[str, str], ...]
"""What a row offers: role and name of each control."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Leaves of a run that belong to one row, or to none (`key` empty)."""

    key: str
    nodes: tuple[AomNode, ...]

    @property
    def offers(self) -> Signature:
        """What the row has that its neighbours have too; what is this row's alone has a name without the key."""
        return tuple((node.role, base_name(node)) for node in self.nodes if row_key(node))


def run_lines(run: Sequence[AomNode], *, covered: bool = True) -> Iterator[str]:
    """The lines of a run of leaves."""
    parts = _rows([_Part(key, tuple(nodes)) for key, nodes in groupby(run, key=row_key)])
    offers = [part.offers for part in parts if part.key]
    usual = most_usual(offers, len(offers))
    announced = False
    for part in parts:
        if not part.key:
            yield from joined(words_of(part.nodes, covered=covered), " ")
            continue
        brief = part.offers == usual
        if brief and not announced:
            announced = True
            yield offers_text(usual)
        words = [_in_row(node, brief=brief, covered=covered) for node in part.nodes]
        yield from joined([f"{shown(part.key, _MAX_KEY)}:", *words], " ")


def _rows(parts: Sequence[_Part]) -> list[_Part]:
    """Parts put together where something without a key stands between two parts of one row: it belongs to that row."""
    rows: list[_Part] = []
    for part in parts:
        nodes = part.nodes
        if part.key and len(rows) > 1 and rows[-2].key == part.key and not rows[-1].key:
            between, before = rows.pop(), rows.pop()
            nodes = (*before.nodes, *between.nodes, *nodes)
        rows.append(_Part(part.key, nodes))
    return rows


def row_key(node: AomNode) -> str:
    """What the host added to a name to tell its row; empty for a name without."""
    if _KEY_MARK not in node.name or "name" not in (node.inferred or ()) or not is_operable(node):
        return ""
    return visible(node.name).rpartition(_KEY_MARK)[2]


def base_name(node: AomNode) -> str:
    """The name without its row."""
    key = row_key(node)
    return visible(node.name).removesuffix(f"{_KEY_MARK}{key}") if key else visible(node.name)


def _in_row(node: AomNode, *, brief: bool, covered: bool) -> str:
    """One control of a row: its ref where its name was said for all rows, else with the name it has in the row."""
    if not is_operable(node):
        return wording.text(node)
    if brief and row_key(node):
        return brief_mark(node, covered=covered)
    return wording.element(node.model_copy(update={"name": base_name(node)}), covered=covered)


def offers_text(offers: Signature) -> str:
    """`{每行:查看,编辑}`."""
    return f"{{每行:{','.join(shown(name, 20) or '未命名' for _, name in offers)}}}"


def brief_mark(node: AomNode, *, covered: bool) -> str:
    """An element whose name was said for all rows: its ref, value and states."""
    return wording.mark(node) + wording.value_of(node) + wording.states(node, covered=covered)


def most_usual(offers: Sequence[Signature], rows: int) -> Signature:
    """What more than half of the rows offer; empty when there is no such thing or too few rows."""
    if rows < ROWS_ALIKE or not offers:
        return ()
    best, times = Counter(offers).most_common(1)[0]
    return best if times * 2 > rows and any(name for _, name in best) else ()


def words_of(run: Sequence[AomNode], *, covered: bool) -> Iterator[str]:
    """Each leaf in words; a label is left out where the field it belongs to says it."""
    for place, node in enumerate(run):
        if is_operable(node):
            yield wording.element(node, covered=covered)
            continue
        following = run[place + 1] if place + 1 < len(run) else None
        label = visible(node.name).rstrip(LABEL_ENDS)
        if following is not None and is_operable(following) and label == visible(following.name).rstrip(LABEL_ENDS):
            continue
        is_section = node.role in STRUCTURE_WORDS and node.role not in ("listitem", "row")
        yield wording.structure(node) if is_section else wording.text(node)


def joined(words: Iterable[str], separator: str) -> Iterator[str]:
    """The words in as many lines as their tokens need."""
    return broken((separator, word) for word in words)


def broken(words: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Words with what stands before each, broken into lines of `MAX_LINE` tokens."""
    line, spent = "", 0
    for before, word in words:
        cost = estimate(before + word)
        if line and spent + cost > MAX_LINE:
            yield line
            line, spent = "", 0
        line += (before if line else before.lstrip()) + word
        spent += cost
    if line:
        yield line
