"""Trees of nodes for the tests of this room: short builders, and strategies for hostile ones."""

from __future__ import annotations

import quicktok  # type: ignore[import-untyped]
from hypothesis import strategies as st

from sgclaw.perception.model import View
from sgclaw.protocol.results import AomNode, PageInfo


def node(role: str, name: str = "", *children: AomNode, ref: int | str | None = None, **facts: object) -> AomNode:
    """A node; a bare number is a ref of version 1."""
    wire = f"1:{ref}" if ref is not None else None
    return AomNode.model_validate({"role": role, "name": name, "ref": wire, "children": children, **facts})


def with_refs(trees: list[AomNode]) -> tuple[AomNode, ...]:
    """The same trees, each node numbered in reading order."""
    count = 0

    def numbered(tree: AomNode) -> AomNode:
        nonlocal count
        count += 1
        own = f"1:{count}"
        return tree.model_copy(update={"ref": own, "children": tuple(numbered(child) for child in tree.children)})

    return tuple(numbered(tree) for tree in trees)


ROLES = (
    "button",
    "link",
    "textbox",
    "checkbox",
    "table",
    "row",
    "cell",
    "group",
    "text",
    "dialog",
    "heading",
    "option",
)
PAGE_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "合同提交删除审批报表甲乙丙丁一二三四五六七八九十，。：（）abcDEF xyz0123456789-_/.[]<>{}|#+~=\n\t\"'"
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=40,
)


def _node(children: st.SearchStrategy[tuple[AomNode, ...]]) -> st.SearchStrategy[AomNode]:
    return st.builds(
        AomNode,
        role=st.sampled_from(ROLES),
        name=PAGE_TEXT,
        value=st.none() | PAGE_TEXT,
        disabled=st.none() | st.booleans(),
        checked=st.none() | st.booleans(),
        covered=st.none() | st.booleans(),
        children=children,
    )


TREES: st.SearchStrategy[list[AomNode]] = st.lists(
    st.recursive(_node(st.just(())), lambda inner: _node(st.lists(inner, max_size=6).map(tuple)), max_leaves=25),
    max_size=5,
)


_CL100K, _O200K = quicktok.get_encoding("cl100k_base"), quicktok.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """Tokens by a real tokenizer: the larger figure of both encodings."""
    return max(len(_CL100K.encode(text)), len(_O200K.encode(text)))


def page_of(*nodes: AomNode, total: int | None = None, blank: bool = False, cut: bool = False) -> View:
    """A view of version 1 that lists all there is to operate, unless `total` says otherwise."""
    page = PageInfo(id="p1", url="https://erp.example.com/report", title="合规报表", version=1)
    listed = len(View(page, nodes, 0).operable)
    return View(page, nodes, listed if total is None else total, blank, cut)
