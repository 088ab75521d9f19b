"""The router as the gateway sees it: light to import, with everything that decides loaded on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sgclaw.gateway.routes import (
    Answered,
    AskInput,
    AskWhich,
    NoRoute,
    Route,
    RouteRequest,
    RunSkill,
    Understood,
)
from sgclaw.skills.manifest import Manifest

if TYPE_CHECKING:
    from sgclaw.gateway.routing import RoutingTable

__all__ = ["Answered", "AskInput", "AskWhich", "NoRoute", "Route", "RouteRequest", "Router", "RunSkill", "Understood"]


class Router:
    """Routes instructions over one catalogue. Nothing is built and nothing heavy loaded before the first call."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        self._manifests = tuple(manifests)

    def route(self, request: RouteRequest) -> Route:
        """Decide, from this request alone. Any text gives a route; a `RunSkill` has every input its schema requires.

        The inputs of a `RunSkill` are not yet checked against the schema's types and limits.
        """
        return self._table.route(request)

    @cached_property
    def _table(self) -> RoutingTable:
        # Patterns and word lists take about 50 ms, the dictionary 0.3 s: more than the start of the process may cost.
        from sgclaw.gateway.routing import RoutingTable  # noqa: PLC0415

        return RoutingTable(self._manifests)
