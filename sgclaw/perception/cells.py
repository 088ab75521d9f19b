"""Rows told as one text, `HT-1 | 甲公司 | 查看 编辑`, taken apart into cells; tables drawn in parts, as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sgclaw.perception.roles import TABLE_ROLES, is_operable
from sgclaw.perception.runs import base_name
from sgclaw.perception.untrusted import MAX_TEXT, shown
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import CUT, visible

CELLS: Final = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_BETWEEN: Final = re.compile(r"\s*\|\s*")


def cellular(row: AomNode) -> AomNode:
    """The row with `cell` children: each text of its name, with what can be operated where its name stands in it.

    What no text names stands in the next empty cell, as a box to tick does. A row that has cells stays as it is.
    """
    if not visible(row.name) or any(child.role in CELLS for child in row.children):
        return row
    texts = _BETWEEN.split(visible(row.name))
    if len(texts) == 1 and is_operable(row):
        return row
    inside = _placed(texts, row.children)
    cells = tuple(
        AomNode(role="cell", name=text, children=tuple(inside.get(place, ()))) for place, text in enumerate(texts)
    )
    return row.model_copy(update={"children": cells})


def told(row: AomNode, longest: int = MAX_TEXT) -> str:
    """What is read in a row, its cells apart, as it may stand in a view."""
    texts = (shown(text, longest) for text in _BETWEEN.split(visible(row.name)))
    return " | ".join(texts).strip(" |")


def _placed(texts: list[str], children: Sequence[AomNode]) -> dict[int, list[AomNode]]:
    """Children by the place of their cell; a text leaves `texts` where a child says it."""
    inside: dict[int, list[AomNode]] = {}
    at = 0
    for child in children:
        name = base_name(child).rstrip(CUT)
        found = next((place for place in range(at, len(texts)) if name and _says(texts[place], name)), None)
        if found is None:
            empty = next((place for place in range(at, len(texts)) if not texts[place] and place not in inside), None)
            if empty is None and at not in inside and not _is_last(at, texts):
                texts.append("")
                empty = len(texts) - 1
            at = at if empty is None else empty
        else:
            at = found
            texts[at] = _without(texts[at], name)
        inside.setdefault(at, []).append(child)
    return inside


def _is_last(place: int, texts: Sequence[str]) -> bool:
    return place == len(texts) - 1


def _says(text: str, name: str) -> bool:
    return name.replace(" ", "") in text.replace(" ", "")


def _without(text: str, name: str) -> str:
    """The text without the name, which may be spaced otherwise; what is left of it, in one line."""
    spaced = r"\s*".join(re.escape(character) for character in name if not character.isspace())
    return visible(re.sub(spaced, " ", text, count=1))


def whole_tables(nodes: Sequence[AomNode]) -> Iterator[AomNode]:
    """Tables in parts as one: columns that stand apart before their rows, a scrolled box around nothing but a table."""
    before: AomNode | None = None
    for node in map(_inner, nodes):
        if before is not None and _is_heads(before) and _is_body(node):
            whole = {"children": (*before.children, *node.children), "name": node.name or before.name}
            before = node.model_copy(update=whole)
            continue
        if before is not None:
            yield before
        before = node
    if before is not None:
        yield before


def _inner(node: AomNode) -> AomNode:
    if node.role in TABLE_ROLES and not visible(node.name) and len(node.children) == 1:
        only = node.children[0]
        if only.role in TABLE_ROLES and not is_operable(node):
            return _inner(only)
    return node


def _roles(node: AomNode) -> frozenset[str]:
    return frozenset(child.role for child in node.children) if node.role in TABLE_ROLES else frozenset()


def _is_heads(node: AomNode) -> bool:
    return _roles(node) == {"columnheader"}


def _is_body(node: AomNode) -> bool:
    roles = _roles(node)
    return "row" in roles and "columnheader" not in roles
