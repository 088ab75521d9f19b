"""`WidgetBrowser`: the `Browser` port with intents that also work on component libraries.

An act goes to the wrapped browser as it is. Only when that says that the element is no native control, or that it is a
field which a component reads when it is left, the component is driven, by further acts through the same browser:
policy, approval, audit and the skill's own capabilities see every one of them.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.ports import Act, Browser, JsonObject, Observed
from sgclaw.protocol.actions import spec_of
from sgclaw.widgets import choosing, moments, paths, ticking, transfer
from sgclaw.widgets.hands import Hands
from sgclaw.widgets.model import (
    CascadeParts,
    DateParts,
    GroupParts,
    ListParts,
    NumberParts,
    Parts,
    TickParts,
    TransferParts,
    TreeParts,
    Unsupported,
    Widget,
)
from sgclaw.widgets.scrolling import bring
from sgclaw.widgets.spot import Spot, spot_of
from sgclaw.widgets.table import opened_of, recognised, rows_for
from sgclaw.widgets.values import is_range


@dataclass(frozen=True, slots=True)
class _Job:
    """One recognised widget and what is asked of it."""

    hands: Hands
    spot: Spot
    widget: Widget
    params: Mapping[str, object]

    @property
    def opened(self) -> str:
        return opened_of(self.widget.library)


Driver = Callable[[_Job], Awaitable[JsonObject]]


async def _select(job: _Job) -> JsonObject:
    value = str(job.params["value"])
    match job.widget.parts:
        case ListParts() as parts:
            return await choosing.select_in_list(job.hands, job.spot, parts, value)
        case GroupParts() as parts:
            return await choosing.select_in_group(job.hands, job.spot, parts, value)
        case CascadeParts() as parts:
            return await paths.select_in_columns(job.hands, job.spot, parts, value)
        case TreeParts() as parts:
            return await paths.select_in_tree(job.hands, job.spot, parts, value)
        case TransferParts() as parts:
            return await transfer.select_in_transfer(job.hands, job.spot, parts, value)
    raise TypeError(job.widget)


async def _type(job: _Job) -> JsonObject:
    text = str(job.params["text"])
    match job.widget.parts:
        case DateParts() as parts:
            return await moments.type_moment(job.hands, job.spot, parts, text, job.opened)
        case NumberParts() as parts:
            return await moments.type_number(job.hands, job.spot, parts, text, job.opened)
    raise TypeError(job.widget)


async def _check(job: _Job) -> JsonObject:
    parts = job.widget.parts
    if not isinstance(parts, TickParts):
        raise TypeError(job.widget)
    return await ticking.tick(job.hands, job.spot, parts, job.params.get("checked", True) is True)


async def _clear(job: _Job) -> JsonObject:
    match job.widget.parts:
        case ListParts() as parts:
            await choosing.clear_list(job.hands, job.spot, parts)
        case DateParts() as parts:
            await moments.clear_moment(job.hands, job.spot, parts, job.opened)
        case CascadeParts() as parts:
            await choosing.clear_by_sign(job.hands, job.spot, parts.clears)
    return {"cleared": True}


@dataclass(frozen=True, slots=True)
class _Intent:
    drive: Driver
    kinds: tuple[type[Parts], ...]
    commits: tuple[type[Parts], ...] = ()
    """Kinds that are driven even when the native act succeeded: it filled the field, and the component waits."""


_INTENTS: Final[Mapping[str, _Intent]] = MappingProxyType(
    {
        "select": _Intent(_select, (ListParts, GroupParts, CascadeParts, TreeParts, TransferParts, Unsupported)),
        "type": _Intent(_type, (DateParts, NumberParts, Unsupported), commits=(DateParts, NumberParts)),
        "check": _Intent(_check, (TickParts,)),
        "clear": _Intent(_clear, (ListParts, DateParts, CascadeParts), commits=(ListParts, DateParts, CascadeParts)),
    }
)
_NOT_NATIVE: Final = frozenset(
    {
        ActionCode.UNSUPPORTED_WIDGET,
        ActionCode.HIDDEN_TARGET,
        ActionCode.COVERED_TARGET,
        ActionCode.DISABLED_TARGET,
    }
)
"""What a host may answer because an element is part of a component. Nothing was done to the page then."""


_SCROLLED: Final = frozenset({"click", "hover", "check", "type", "select", "getText", "extractTable", "scrollTo"})
"""Acts on one element that a list may not have rendered yet."""


class WidgetBrowser:
    """A `Browser` around another; its trail holds intents, not the acts they were made of.

    What a driver reads on its way proves nothing about the task, so it must not count as evidence.
    """

    def __init__(self, inner: Browser) -> None:
        self._inner = inner
        self._trail: list[Observed] = []

    @property
    def trail(self) -> Sequence[Observed]:
        return tuple(self._trail)

    async def act(self, act: Act) -> Observed:
        try:
            observed = await self._once(act)
        except ActionError as error:
            if error.code != ActionCode.NOT_FOUND or not await self._scrolled_to(act, error):
                raise
            observed = await self._once(act)
        self._trail.append(observed)
        return observed

    async def _scrolled_to(self, act: Act, error: ActionError) -> bool:
        """Whether an element that was not there is now, because a list that renders a part of its rows was scrolled."""
        selector = act.params.get("selector")
        if act.action not in _SCROLLED or not isinstance(selector, str) or error.facts.get("widget"):
            return False
        return await bring(Hands(self._inner, act), selector)

    async def _once(self, act: Act) -> Observed:
        intent = _INTENTS.get(act.action)
        return await (self._inner.act(act) if intent is None else self._intended(act, intent))

    async def _intended(self, act: Act, intent: _Intent) -> Observed:
        started = time.monotonic()
        if act.action == "type" and is_range(str(act.params.get("text", ""))):
            # A text for two fields must not go into the first of them.
            widget = await self._seek(act, rows_for(intent.kinds))
            if widget is not None:
                return await self._drive(act, intent, widget, started)
        try:
            observed = await self._inner.act(act)
        except ActionError as error:
            widget = (
                await self._recognise(act, rows_for(intent.kinds), error.facts) if error.code in _NOT_NATIVE else None
            )
            if widget is None:
                raise
        else:
            widget = await self._recognise(act, rows_for(intent.commits), observed.data) if intent.commits else None
            if widget is None:
                return observed
        return await self._drive(act, intent, widget, started)

    async def _recognise(self, act: Act, rows: Sequence[Widget], facts: Mapping[str, object]) -> Widget | None:
        """By what the host said the element is in; a host that did not say is asked."""
        within, beside = facts.get("within"), facts.get("next")
        if not isinstance(within, list | tuple):
            return await self._seek(act, rows)
        levels, left = [str(level) for level in within], list(rows)
        while widget := recognised(left, levels, beside if isinstance(beside, str) else None):
            if not widget.also or await self._seek(act, [widget]) is not None:
                return widget
            left.remove(widget)
        return None

    async def _seek(self, act: Act, rows: Sequence[Widget]) -> Widget | None:
        """The row by asking the page; a caller that may not look gets what a plain browser gives: no row."""
        around = [row for row in rows if not row.beside]
        try:
            return await _sought(Hands(self._inner, act), act, around) if around else None
        except PolicyDeniedError:
            return None

    async def _drive(self, act: Act, intent: _Intent, widget: Widget, started: float) -> Observed:
        hands = Hands(self._inner, act)
        what = f"{widget.library} {widget.name}"
        try:
            if isinstance(widget.parts, Unsupported):
                raise ActionError(ActionCode.UNSUPPORTED_WIDGET, widget.parts.why, next_step=widget.parts.instead)
            selector = await _selector_of(hands, act)
            if selector is None:
                raise ActionError(ActionCode.UNSUPPORTED_WIDGET, "找不到控件的选择器")
            spot = spot_of(selector, widget.css, beside=widget.beside)
            data = await intent.drive(_Job(hands, spot, widget, act.params))
        except ActionError as error:
            raise _told(what, error, hands.acts) from None
        except PolicyDeniedError as error:
            raise _refused(what, error) from None
        done = _observed(act.action, data, hands, round((time.monotonic() - started) * 1000))
        if act.observe == "none":
            return done
        looked = await self._inner.act(replace(act, action="query", params={"fact": "url"}))
        return replace(done, seq=looked.seq, page=looked.page, snapshot=looked.snapshot, facts=looked.facts)


async def _sought(hands: Hands, act: Act, rows: Sequence[Widget]) -> Widget | None:
    selector = await _selector_of(hands, act)
    any_root = f":is({', '.join(row.css for row in rows)})"
    if selector is None or (len(rows) > 1 and not await hands.exists(spot_of(selector, any_root).whole)):
        return None
    for row in rows:
        if await hands.exists(spot_of(selector, row.css).whole):
            return row
    return None


async def _selector_of(hands: Hands, act: Act) -> str | None:
    """CSS of the element that was named, from a snapshot where it was named by a ref."""
    selector, ref = act.params.get("selector"), act.params.get("ref")
    if isinstance(selector, str):
        return selector
    nodes = await hands.nodes(ref=ref)
    found = next((node.get("selector") for node in nodes if node.get("ref") == ref), None)
    return found if isinstance(found, str) else None


def _told(what: str, error: ActionError, acts: int) -> ActionError:
    facts = {**error.facts, "widget": what, "acts": acts}
    if error.code == ActionCode.UNKNOWN_OUTCOME:
        return ActionError(ActionCode.UNKNOWN_OUTCOME, error.cause, next_step=error.next_step, facts=facts)
    return ActionError(ActionCode(error.code), f"{what}：{error.cause}", next_step=error.next_step, facts=facts)


def _refused(what: str, error: PolicyDeniedError) -> PolicyDeniedError:
    if error.facts.get("rule") != "skill.action":
        return error
    step = f"操作 {what} 由点击、输入、读取等基本操作完成，请在技能的 @actions 中一并声明"
    return PolicyDeniedError(error.cause, next_step=step, facts={**error.facts, "widget": what})


def _observed(action: str, data: JsonObject, hands: Hands, duration_ms: int) -> Observed:
    """The result in the shape of the native action; its number is that of the last act."""
    spec = spec_of(action)
    checked = spec.result.model_validate(data).model_dump(mode="json", exclude_none=True)
    value = checked.get(spec.natural) if spec.natural else checked
    last = hands.last
    return Observed(last.seq if last else 0, action, checked, value, duration_ms, last.page if last else None)
