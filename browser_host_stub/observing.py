"""What a command's `observe` asks for: the page after the act, or what changed on it.

The act is done by then. A snapshot that fails, is late or is too large therefore takes nothing from the answer: it goes
out as a success without `aom_snapshot` and `aom_facts`, which tells the asker to look by itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from browser_host_stub.driver import Driver, JsonObject, Located
from browser_host_stub.faults import well_formed
from sgclaw.errors import SgClawError
from sgclaw.perception.diff import diff
from sgclaw.policy.decide import is_listed
from sgclaw.policy.model import Policy
from sgclaw.protocol import results as r
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.messages import Command
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, PageInfo
from sgclaw.protocol.strict import encode

MAX_PAGES: Final = 16
"""Pages whose last snapshot is kept to compare with."""
MAX_BYTES: Final = 4 * 1024 * 1024
LONGEST_S: Final = 5.0
_SHARE: Final = 0.8
"""Of the time that is left: sgclaw counts from sending, and an answer that comes late was for nothing."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What goes with a response; both are None when there is nothing to tell."""

    nodes: tuple[AomNode, ...] | None = None
    facts: AomFacts | None = None


_NOTHING: Final = Observed()


class Observation:
    """Snapshots of one session, and the last one told of each page."""

    def __init__(self, driver: Driver, policy: Policy) -> None:
        self._driver, self._policy = driver, policy
        self._last: OrderedDict[str, tuple[int, tuple[AomNode, ...]]] = OrderedDict()
        self.missed: list[str] = []
        """Why a snapshot that was asked for was not told, in order: codes and types of errors."""

    async def after(self, command: Command, page: PageInfo | None, until: float) -> Observed:
        """What `command.observe` asks for of this page, which is on a listed origin or None; raises nothing."""
        if command.observe == "none" or page is None:
            return _NOTHING
        left = until - asyncio.get_running_loop().time()
        looking = asyncio.ensure_future(self._look(page.id, only_changes=command.observe == "diff"))
        try:
            await asyncio.wait({looking}, timeout=max(0.0, min(LONGEST_S, left * _SHARE)))
        finally:
            if not looking.done():
                looking.cancel()
        if not looking.done():
            await asyncio.wait({looking})
        error = TimeoutError() if looking.cancelled() else looking.exception()
        if error is None:
            return looking.result()
        self.missed.append(error.code if isinstance(error, SgClawError) else type(error).__name__)
        return _NOTHING

    def told(self, command: Command, page: PageInfo | None, data: JsonObject) -> None:
        """Remember a snapshot of a whole page that a command of its own brought."""
        if command.action != "getAomSnapshot" or page is None or {"selector", "ref"} & command.params.keys():
            return
        try:
            self._keep(page, r.Snapshot.model_validate(data).nodes)
        except ValidationError:
            return  # the answer's own check has refused it before

    async def _look(self, page_id: str, *, only_changes: bool) -> Observed:
        params = spec_of("getAomSnapshot").check({})
        located = await self._driver.locate("getAomSnapshot", params, page_id, deadline_s=LONGEST_S)
        if not self._may_be_seen(located):
            return _NOTHING
        data = await self._driver.perform(located, LONGEST_S)
        snapshot = r.Snapshot.model_validate(well_formed(data))
        before = self._last.get(page_id)
        nodes, removed = snapshot.nodes, None
        if only_changes and before is not None and before[0] == located.page.version:
            difference = diff(before[1], snapshot.nodes)
            nodes, removed = difference.changed, difference.removed
        if not _fits(nodes, removed or ()):
            return _NOTHING
        self._keep(located.page, snapshot.nodes)
        facts = AomFacts(
            interactive_total=snapshot.interactive_total, blank=snapshot.blank, cut=snapshot.cut, removed=removed
        )
        return Observed(nodes, facts)

    def _may_be_seen(self, located: Located) -> bool:
        """The page may have moved on since the act was answered."""
        return is_listed(self._policy, located.page.url) and is_listed(self._policy, f"{located.origin}/")

    def _keep(self, page: PageInfo, nodes: Sequence[AomNode]) -> None:
        self._last.pop(page.id, None)
        self._last[page.id] = (page.version, tuple(nodes))
        if len(self._last) > MAX_PAGES:
            self._last.popitem(last=False)


def _fits(nodes: Sequence[AomNode], removed: Sequence[str]) -> bool:
    told = [node.model_dump(mode="json", exclude_none=True) for node in nodes]
    return len(encode({"nodes": told, "removed": list(removed)})) <= MAX_BYTES
