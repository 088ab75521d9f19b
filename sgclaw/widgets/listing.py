"""Options by their names: in a popup or on the page, rendered whole or a window at a time."""

from __future__ import annotations

from dataclasses import dataclass

from sgclaw.errors import ActionCode, ActionError
from sgclaw.widgets.hands import GONE, Hands, doubtful, missing
from sgclaw.widgets.values import plain

_ROLES = ("option", "menuitem", "treeitem", "radio", "checkbox", "generic", "button")
_MAX_NODES = 20_000
_TURN_S = 0.6
"""For a window of a list to render its next options."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The options below `place`; `option` matches each of them there."""

    hands: Hands
    place: str
    option: str

    async def names(self) -> list[str]:
        """Visible lines, in order; none where there is no option."""
        return await self.hands.lines(self.place) if await self.hands.exists(f"{self.place} {self.option}") else []

    async def each(self) -> list[str]:
        """Names also of options that lie beside one another on one line, where they are siblings."""
        names, count = await self.names(), await self.hands.count(f"{self.place} {self.option}")
        if count == len(names) or await self.hands.count(self.nth(max(count, 1))) != 1:
            return names
        return [await self.hands.text(self.nth(number)) for number in range(1, count + 1)]

    def nth(self, number: int) -> str:
        """The option of this number among its siblings, counted from 1."""
        return f"{self.place} :nth-child({number} of {self.option})"

    async def one(self, name: str, names: list[str]) -> str:
        """The selector of the one option of this name; raises `NOT_FOUND` naming others, or `AMBIGUOUS_TARGET`."""
        found = [index for index, each in enumerate(names, 1) if each == name]
        if not found:
            raise missing(name, names)
        if len(found) == 1 and await self.hands.count(f"{self.place} {self.option}") == len(names):
            selector = self.nth(found[0])
            if await self._reads(selector, name):
                return selector
        return await self._by_snapshot(name, names)

    async def _reads(self, selector: str, name: str) -> bool:
        try:
            return await self.hands.text(selector) == name
        except ActionError as error:
            if error.code not in (ActionCode.NOT_FOUND, ActionCode.AMBIGUOUS_TARGET):
                raise
            return False  # options of several groups are no siblings

    async def _by_snapshot(self, name: str, names: list[str]) -> str:
        """Where lines are not options one by one: groups, titles, options of several lines."""
        nodes = await self.hands.nodes(selector=self.place, max_nodes=_MAX_NODES)
        same = {
            str(node["selector"])
            for node in nodes
            if node.get("role") in _ROLES and node.get("selector") and plain(str(node.get("name", ""))) == name
        }
        options = [each for each in sorted(same) if await self.hands.count(_both(each, self.option)) == 1]
        if len(options) > 1:
            raise doubtful(name, len(options))
        if not options:
            raise missing(name, names)
        return options[0]

    async def scroll_to(self, name: str) -> list[str]:
        """Scroll a window down, then up, until an option of this name is rendered; the names that are then."""
        seen: list[str] = []
        for edge in ("last", "first"):
            names = await self.names()
            while name not in names:
                seen += [each for each in names if each not in seen[-60:]]
                await self._turn(edge)
                if not await self._changed(names):
                    break
                names = await self.names()
            if name in names:
                return names
        raise missing(name, seen)

    async def _turn(self, edge: str) -> None:
        last = f"{self.place} {self.option}:nth-{'last-' if edge == 'last' else ''}child(1 of {self.option})"
        try:
            await self.hands.reach(last)
        except ActionError as error:
            if error.code not in GONE:
                raise  # else the window rendered anew just then, which is what was wanted

    async def _changed(self, before: list[str]) -> bool:
        async def differs() -> bool:
            return await self.names() != before

        return await self.hands.until(differs, _TURN_S)


def _both(selector: str, option: str) -> str:
    way, into, last = selector.rpartition(" >>> ")
    return f"{way}{into}:is({last}):is({option}, {option} *)"
