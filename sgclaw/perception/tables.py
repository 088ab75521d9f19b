"""Tables in lines: columns once, rows with their cells, what every row offers said once, counts that agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgclaw.perception import wording
from sgclaw.perception.cells import CELLS, cellular
from sgclaw.perception.roles import TABLE_ROLES, is_operable
from sgclaw.perception.runs import Signature, base_name, brief_mark, most_usual, offers_text
from sgclaw.perception.untrusted import shown
from sgclaw.protocol.results import AomNode, Table
from sgclaw.redact.seen import visible

Cell = tuple[str, ...]
"""The words in a cell: elements and texts."""


@dataclass(frozen=True, slots=True)
class TableText:
    """A table in words: columns, rows of cells, and what stands in it outside rows."""

    counts: str
    names: tuple[str, ...]
    """Of the columns, without refs."""
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    rest: tuple[AomNode, ...]


def has_cells(node: AomNode) -> bool:
    """Whether the host listed this table's rows or columns, rather than only what can be operated in it."""
    return any(True for _ in _own_rows(node)) or any(child.role == "columnheader" for child in node.children)


def read(node: AomNode, *, covered: bool = True) -> TableText:
    """The table in words; every operable element in it occurs once in `columns`, `rows` or `rest`."""
    rows = [cellular(row) for row in _own_rows(node)]
    heads = [row for row in rows if _is_head(row)]
    loose = [child for child in node.children if child.role == "columnheader"]
    head_cells = [*loose, *(cell for row in heads[:1] for cell in row.children)]
    body = [row for row in rows if not _is_head(row)]
    usual = _usual(body)
    offers = {place: offers_text(offered) for place, offered in usual.items()}
    width = max(len(head_cells), *(place + 1 for place in offers), 0)
    heads_as = [_head_cell(cell, covered=covered) for cell in head_cells] + [()] * (width - len(head_cells))
    columns = [(*cell, offers[place]) if place in offers else cell for place, cell in enumerate(heads_as)]
    names = [shown(cell.name, 20) for cell in head_cells]
    written = [_row(row, usual, covered=covered) for row in (*heads[1:], *body)]
    taken = {id(row) for row in _own_rows(node)} | {id(cell) for cell in loose}
    counts = counts_of_rows(len(body), node.row_count)
    return TableText(counts, tuple(names), tuple(columns), tuple(written), tuple(_rest(node.children, taken)))


def cells_of(row: AomNode, *, covered: bool = True) -> tuple[Cell, ...]:
    """The cells of a row that stands alone."""
    return _row(cellular(row), {}, covered=covered)


def counts_of_rows(shown_rows: int, row_count: int | None) -> str:
    """`共128行 显示20行`; what is not known is not said."""
    if row_count is None:
        return f"{shown_rows}行" if shown_rows else ""
    if not shown_rows or shown_rows >= row_count:
        return f"共{max(row_count, shown_rows)}行"
    return f"共{row_count}行 显示{shown_rows}行"


def counts_of_table(table: Table) -> str:
    """What `extractTable` read, against what the page says there is: `显示 20 行，页面共 128 条，未读完`."""
    total = "" if table.page_total is None else f"，页面共 {table.page_total} 条"
    return f"显示 {table.row_count} 行{total}，{'已读完' if table.complete else '未读完'}"


def words_in(nodes: Sequence[AomNode], *, covered: bool = True) -> list[str]:
    """Every operable element and text inside, flat and in reading order."""
    return [word for node in nodes for word in _words(node, covered)]


def _words(node: AomNode, covered: bool) -> Iterator[str]:
    name = visible(node.name)
    if is_operable(node):
        yield wording.element(node, covered=covered)
    elif name or node.origin is not None:
        told = wording.text(node)
        if told:
            yield told
    for child in node.children:
        if not is_operable(child) and not child.children and visible(child.name) in name:
            continue
        yield from _words(child, covered)


def _own_rows(node: AomNode) -> Iterator[AomNode]:
    """The rows of a table, not those of a table inside it."""
    for child in node.children:
        if child.role == "row":
            yield child
        elif child.role not in TABLE_ROLES and not is_operable(child):
            yield from _own_rows(child)


def _rest(nodes: Sequence[AomNode], taken: set[int]) -> Iterator[AomNode]:
    """What is in a table and in no row: its caption, a pager, rows' containers emptied."""
    for node in nodes:
        if id(node) in taken:
            continue
        if any(id(row) in taken for row in _own_rows(node)) and not is_operable(node) and node.role not in TABLE_ROLES:
            yield from _rest(node.children, taken)
        else:
            yield node


def _is_head(row: AomNode) -> bool:
    return bool(row.children) and all(cell.role == "columnheader" for cell in row.children)


def _operable_in(node: AomNode) -> list[AomNode]:
    inside = [found for child in node.children for found in _operable_in(child)]
    return [node, *inside] if is_operable(node) else inside


def _signature(cell: AomNode) -> Signature:
    return tuple((node.role, base_name(node)) for node in _operable_in(cell))


def _usual(rows: Sequence[AomNode]) -> dict[int, Signature]:
    """What most rows offer, by column."""
    result: dict[int, Signature] = {}
    for place in range(max((len(row.children) for row in rows), default=0)):
        cells = [row.children[place] for row in rows if place < len(row.children)]
        if offered := most_usual([_signature(cell) for cell in cells], len(rows)):
            result[place] = offered
    return result


def _row(row: AomNode, usual: dict[int, Signature], *, covered: bool) -> tuple[Cell, ...]:
    if not row.children:
        return ((wording.element(row, covered=covered) if is_operable(row) else wording.text(row),),)
    cells = [_cell(cell, usual.get(place, ()), covered=covered) for place, cell in enumerate(row.children)]
    said = all(cell.role in CELLS for cell in row.children)
    own = _row_head(row, brief=said, covered=covered)
    return ((own, *cells[0]), *cells[1:]) if own else tuple(cells)


def _head_cell(cell: AomNode, *, covered: bool) -> Cell:
    """A column's name; where the head itself sorts, its ref stands before the name and says nothing else."""
    inside = _operable_in(cell)
    if inside and inside[0].role == "button" and visible(inside[0].name).endswith(visible(cell.name)):
        rest = (wording.element(node, covered=covered) for node in inside[1:])
        return (brief_mark(inside[0], covered=covered) + shown(cell.name), *rest)
    return tuple(_words(cell, covered))


def _row_head(row: AomNode, *, brief: bool, covered: bool) -> str:
    """What stands before a row's cells; `brief` when the cells say what the row's name would."""
    if is_operable(row):
        return brief_mark(row, covered=covered) if brief else wording.element(row, covered=covered)
    return wording.states(row, covered=covered) if brief else wording.text(row)


def _cell(cell: AomNode, usual: Signature, *, covered: bool) -> Cell:
    """A cell in words; elements that its column names for every row are their refs and states only."""
    if not usual or _signature(cell) != usual:
        return tuple(_words(cell, covered))
    own, named = visible(cell.name), [name for _, name in usual]
    repeats = is_operable(cell) or own.replace(" ", "") == "".join(named).replace(" ", "")
    texts = [wording.text(cell)] if own and not repeats else []
    marks = [brief_mark(node, covered=covered) for node in _operable_in(cell)]
    return (*texts, *marks)
