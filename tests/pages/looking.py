"""What the tests of this folder do with a driver."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.driver import JsonObject
from browser_host_stub.faults import well_formed
from sgclaw.errors import ActionError
from sgclaw.perception.roles import is_operable
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.results import AomNode, Snapshot

_LOAD_S = 20.0


async def act(driver: ChromiumDriver, action: str, **params: object) -> JsonObject:
    """One act on the default page."""
    return await driver.perform(await driver.locate(action, spec_of(action).check(params), None), _LOAD_S)


async def snapshot(driver: ChromiumDriver) -> Snapshot:
    """The default page, checked against the wire's model."""
    data = well_formed(await act(driver, "getAomSnapshot"))
    return Snapshot.model_validate_json(orjson.dumps(data), strict=True)


async def settled(driver: ChromiumDriver, url: str, least: int) -> Snapshot:
    """The page at `url` when it is drawn: the same operable elements three times in a row, `least` of them or more."""
    await act(driver, "navigate", url=url)
    before: list[str | None] = []
    same = 0
    for _ in range(100):
        seen = await snapshot(driver)
        now = [node.ref for node in operable(seen)]
        same = same + 1 if now == before and len(now) >= least else 0
        before = now
        if same == 2:
            return seen
    raise AssertionError(f"{url} never stood still; at last {len(before)} operable elements")


def every(nodes: tuple[AomNode, ...]) -> Iterator[AomNode]:
    """All nodes in reading order."""
    for node in nodes:
        yield node
        yield from every(node.children)


def operable(seen: Snapshot) -> list[AomNode]:
    """Nodes that can be acted on."""
    return [
        node for node in every(seen.nodes) if node.selector is not None and (node.role == "row" or is_operable(node))
    ]


def uncounted(seen: Snapshot) -> float:
    """Share by which the total that is counted apart differs from what is listed; 0 for one element on a small page."""
    listed = len(operable(seen))
    apart = abs(seen.interactive_total - listed)
    return 0.0 if apart <= 1 else apart / max(1, listed)


async def refused_clicks(driver: ChromiumDriver, url: str, least: int) -> tuple[int, list[str]]:
    """Click one element of each role, each time on a fresh page: how many, and which could not be clicked."""
    kinds: dict[str, str] = {}
    for node in operable(await settled(driver, url, least)):
        if node.selector and not (node.disabled or node.covered):
            kinds.setdefault(node.role, node.selector)
    refused: list[str] = []
    for role, selector in kinds.items():
        await settled(driver, url, least)
        try:
            await act(driver, "click", selector=selector)
        except ActionError as error:
            refused.append(f"{role} {selector}: {error.code} {error.cause}")
    return len(kinds), refused
