"""Snapshots as flat lists, for tests."""

from collections.abc import Iterable
from typing import Any

from browser_host_stub.driver import JsonObject
from tests.unit.browser_host_stub.chromium.conftest import Tab

Node = dict[str, Any]

STRUCTURE = frozenset(
    {
        *(
            "banner",
            "navigation",
            "main",
            "complementary",
            "contentinfo",
            "region",
            "search",
            "form",
            "group",
            "heading",
        ),
        *("list", "grid", "table", "columnheader", "dialog", "alertdialog", "alert", "status", "tablist", "menu"),
        *("menubar", "tree", "toolbar", "radiogroup", "iframe", "note", "img"),
    }
)
"""Roles that are never operable by themselves."""


def flat(nodes: Iterable[Node]) -> list[Node]:
    """All nodes in reading order."""
    return [each for node in nodes for each in (node, *flat(node.get("children", ())))]


def nodes_of(data: JsonObject) -> list[Node]:
    nodes = data["nodes"]
    assert isinstance(nodes, list)
    return flat(nodes)


def named(data: JsonObject, name: str) -> Node:
    """The one node of this name."""
    found = [node for node in nodes_of(data) if node["name"] == name]
    assert len(found) == 1, [node["name"] for node in nodes_of(data)]
    return found[0]


def operable_in(data: JsonObject) -> list[Node]:
    return [node for node in nodes_of(data) if "ref" in node and node["role"] not in STRUCTURE]


async def see(tab: Tab, **params: object) -> JsonObject:
    return await tab.act("getAomSnapshot", None, 5.0, **params)


async def operable(tab: Tab) -> list[Node]:
    return operable_in(await see(tab))
