"""What the page library does not see and the browser tells it: closed shadow roots, words of custom elements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.internals import told_of


async def tell(place: Place, numbers: Sequence[int]) -> bool:
    """Ask the browser what custom elements tell it alone, for the library; whether one says something new.

    Without numbers the browser is not asked. Raises `STALE_REF` when the document of `place` has ended.
    """
    if not numbers:
        return False
    try:
        async with place.world.objects_in(place.token, numbers) as found:
            said = await told_of(place.world.session, [{"objectId": handle} for _, handle in found])
    except PlaywrightError:
        return False  # the document is ending: the next call of the library tells so
    facts = [[number, answer] for (number, _), answer in zip(found, said, strict=True)]
    return bool((await place.ask("tell", facts))["anew"])


async def open_roots(place: Place, numbers: Sequence[int]) -> bool:
    """Let the library look into the closed shadow roots that elements have; whether it sees more than before.

    Raises `STALE_REF` when the document of `place` has ended.
    """
    if not numbers:
        return False
    session = place.world.session
    try:
        async with place.world.objects_in(place.token, numbers) as found:
            asked = [session.send("DOM.describeNode", {"objectId": handle, "depth": 0}) for _, handle in found]
            nodes = [answer["node"] for answer in await asyncio.gather(*asked)]
    except PlaywrightError:
        return False  # as above
    closed = [node for node in nodes if any(root["shadowRootType"] == "closed" for root in node.get("shadowRoots", ()))]
    return await place.world.open_closed(place.token, [int(node["backendNodeId"]) for node in closed])
