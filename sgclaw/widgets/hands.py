"""What a driver may do: ordinary acts through the wrapped browser, within one time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import Act, Browser, JsonObject, Observed
from sgclaw.protocol.actions import spec_of
from sgclaw.widgets.values import cut, lines, plain

LIMIT_S: Final = 60.0
"""For one intent, waiting for a person not counted: a long virtual list is scrolled through in this time."""
SETTLE_S: Final = 2.0
"""For a page to show what an act did."""
_POLL_S: Final = 0.03
_RENDERS: Final = 2
"""Times a component may render anew between a look and the act, as it does while it opens."""
GONE: Final = frozenset({ActionCode.STALE_REF, ActionCode.DETACHED_TARGET})
"""What a host answers when the element of its look is not on the page any more. Nothing was done to the page then."""
_ANEW: Final = frozenset({"click", "getText", "query", "waitForSelector"})
"""Acts that are given again then. `scrollTo` is not: its callers want to know."""
_CALM_S: Final = 0.3
"""For nodes that come one after the other."""


class Hands:
    """The acts of one intent, on the page and for the domain that the intent named."""

    def __init__(self, inner: Browser, intent: Act, limit_s: float = LIMIT_S) -> None:
        self._inner, self._intent, self._left_s = inner, intent, limit_s
        self.acts = 0
        self.last: Observed | None = None

    async def do(self, action: str, **params: object) -> Observed:
        """One act; raises `TIMEOUT` instead when the intent's time is up.

        What a component rendered anew between the host's look and the act is named again: reading does nothing to a
        page, and a click that met it reached nothing.
        """
        for _ in range(_RENDERS if action in _ANEW else 0):
            try:
                return await self._once(action, params)
            except ActionError as error:
                if error.code not in GONE:
                    raise
            await asyncio.sleep(_POLL_S)
        return await self._once(action, params)

    async def _once(self, action: str, params: Mapping[str, object]) -> Observed:
        if self._left_s <= 0:
            raise ActionError(ActionCode.TIMEOUT, "控件没有在限定时间内到达要求的状态", facts={"acts": self.acts})
        started = time.monotonic()
        self.acts += 1
        try:
            act = Act(action, params, page=self._intent.page, expected_domain=self._intent.expected_domain)
            self.last = await self._inner.act(act)
            return self.last
        finally:
            # An act that takes longer than its own deadline waits for a person, and that stops every clock.
            self._left_s -= min(time.monotonic() - started, spec_of(action).deadline_ms / 1000)

    async def click(self, selector: str) -> None:
        """Click one element."""
        await self.do("click", selector=selector)

    async def hover(self, selector: str) -> None:
        await self.do("hover", selector=selector)

    async def type(self, selector: str, text: str) -> None:
        await self.do("type", selector=selector, text=text)

    async def press(self, key: str, selector: str | None = None) -> None:
        await self.do("press", **({"key": key} if selector is None else {"key": key, "selector": selector}))

    async def text(self, selector: str) -> str:
        """Visible text of one element, on one line."""
        return plain(await self._text(selector))

    async def lines(self, selector: str) -> list[str]:
        """Visible lines of one element."""
        return lines(await self._text(selector))

    async def _text(self, selector: str) -> str:
        return str((await self.do("getText", selector=selector)).data["text"])

    async def count(self, selector: str) -> int:
        counted = (await self.do("query", selector=selector, fact="count")).data.get("value")
        return counted if isinstance(counted, int) else 0

    async def exists(self, selector: str) -> bool:
        return (await self.do("query", selector=selector, fact="exists")).data.get("value") is True

    async def value(self, selector: str) -> str:
        """What a field holds."""
        return plain(str((await self.do("query", selector=selector, fact="value")).data.get("value") or ""))

    async def attribute(self, selector: str, name: str) -> str:
        """An attribute of one element; empty when it has none."""
        return str((await self.do("query", selector=selector, fact="attribute", name=name)).data.get("value") or "")

    async def wait(self, selector: str, state: str = "visible", within_s: float = SETTLE_S) -> None:
        """Wait for a state of one element; raises `TIMEOUT`."""
        await self.do("waitForSelector", selector=selector, state=state, timeout_ms=round(within_s * 1000))

    async def reach(self, selector: str) -> None:
        """Scroll to one element."""
        await self.do("scrollTo", selector=selector)

    async def nodes(self, **target: object) -> list[Mapping[str, object]]:
        """Every node of a snapshot, in reading order."""
        return flat((await self.do("getAomSnapshot", **target)).data.get("nodes"))

    async def until(self, holds: Callable[[], Awaitable[bool]], within_s: float = SETTLE_S) -> bool:
        """Look again until it holds; False when the time is up."""
        end = time.monotonic() + within_s
        while not await holds():
            if time.monotonic() > end:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def appears(self, selector: str, within_s: float = SETTLE_S) -> bool:
        """Whether something matches within the time."""
        return await self.until(lambda: self.exists(selector), within_s)

    async def calm(self, selector: str) -> None:
        """Wait until as many elements match as a moment ago, as long as a page may take to show something."""

        async def the_same() -> bool:
            before = await self.count(selector)
            await asyncio.sleep(_CALM_S)
            return before == await self.count(selector)

        await self.until(the_same)


def flat(nodes: object) -> list[Mapping[str, object]]:
    """Nodes and those in them, in reading order."""
    found: list[Mapping[str, object]] = []
    for node in nodes if isinstance(nodes, Sequence) else ():
        found += [node, *flat(node.get("children"))]
    return found


def missing(wanted: str, names: Sequence[str]) -> ActionError:
    """The error of an option that is not there."""
    facts: JsonObject = {"wanted": wanted, "options": cut(names), "count": len(names)}
    shown = "、".join(cut(names, 5))
    return ActionError(
        ActionCode.NOT_FOUND, f"没有“{wanted[:40]}”这一项" + (f"，有：{shown}" if shown else ""), facts=facts
    )


def doubtful(wanted: str, count: int) -> ActionError:
    """The error of a name that several options have."""
    return ActionError(
        ActionCode.AMBIGUOUS_TARGET, f"“{wanted[:40]}”有 {count} 项，不能确定是哪一项", facts={"count": count}
    )


def not_taken(wanted: str, shown: str) -> ActionError:
    """The error of a widget that shows something else after all was done."""
    facts: JsonObject = {"wanted": wanted, "shown": shown[:200]}
    cause = f"控件现在是“{shown[:40]}”，不是“{wanted[:40]}”" if shown else f"控件没有接受“{wanted[:40]}”"
    return ActionError(ActionCode.ACTION_FAILED, cause, facts=facts)


def switched_off(what: str) -> ActionError:
    """The error of a control or an option that cannot be operated."""
    return ActionError(ActionCode.DISABLED_TARGET, f"{what}已被禁用")
