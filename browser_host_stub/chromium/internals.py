"""What custom elements tell the browser alone (`ElementInternals`): role, name and state, from the accessibility tree.

The tree of a whole page costs more than all the rest of a snapshot: only elements with a dash in their names are asked
about, and while nothing is asked the browser keeps no such tree.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_host_stub.driver import JsonObject

MAX_ASKED: Final = 200
"""Custom elements of one document that are asked about."""
_STATES: Final = ("expanded", "selected", "disabled")
_MAX_TEXT: Final = 500
_NO_ROLE: Final = frozenset({"generic", "none", "unknown", ""})


async def told_of(session: CDPSession, nodes: Sequence[Mapping[str, object]]) -> list[JsonObject]:
    """Role, name, value, checked, expanded, selected, disabled of each element as far as it tells them; {} for nothing.

    An element is given as `objectId` or `backendNodeId`. Without elements the browser is not asked.
    """
    if not nodes:
        return []
    try:
        await session.send("Accessibility.enable")
        answers = await asyncio.gather(*(_asked(session, node) for node in nodes))
        await session.send("Accessibility.disable")
    except PlaywrightError:
        return [{} for _ in nodes]  # the document has just ended
    return answers


async def _asked(session: CDPSession, node: Mapping[str, object]) -> JsonObject:
    try:
        reply = await session.send("Accessibility.getPartialAXTree", {**node, "fetchRelatives": False})
    except PlaywrightError:
        return {}  # gone meanwhile
    return _facts_of(reply["nodes"][0]) if reply["nodes"] else {}


def _facts_of(node: Mapping[str, Any]) -> JsonObject:
    said = {name: str(node.get(name, {}).get("value", ""))[:_MAX_TEXT] for name in ("role", "name", "value")}
    facts: JsonObject = {name: text for name, text in said.items() if text and text not in _NO_ROLE}
    stated = {item["name"]: item["value"].get("value") for item in node.get("properties", ())}
    if "checked" in stated:
        facts["checked"] = stated["checked"] == "true"
    facts.update({name: stated[name] for name in _STATES if isinstance(stated.get(name), bool)})
    return facts
