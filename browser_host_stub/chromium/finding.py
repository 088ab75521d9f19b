"""From an action and its parameters to one resolved element, or why there is none and what may have been meant."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import cast

from playwright.async_api import Error as PlaywrightError
from pydantic import TypeAdapter

from browser_host_stub.chromium.asking import open_roots, tell
from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.frames import Place, Reached
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.refs import Ref
from browser_host_stub.chromium.targets import POLL_S, Found, Handle, Needs
from browser_host_stub.chromium.world import StaleWorldError
from browser_host_stub.driver import TargetFacts
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_FACTS = TypeAdapter(TargetFacts)
_GRACE_S = 0.5
"""For what mostly stays as it is. Lists and transitions show an element twice, or not at all, for a moment."""
_NO_WAIT = frozenset(
    {
        ActionCode.BAD_PARAMS,
        ActionCode.NOT_IMPLEMENTED,
        ActionCode.ACTION_FAILED,
        ActionCode.STALE_REF,
        ActionCode.UNSUPPORTED_WIDGET,
    }
)
_LITTLE_WAIT = frozenset({ActionCode.AMBIGUOUS_TARGET, ActionCode.DETACHED_TARGET})
_NO_ALTERNATIVES = frozenset({ActionCode.BAD_PARAMS, ActionCode.ACTION_FAILED, ActionCode.UNSUPPORTED_WIDGET})
_ALTERNATIVES_S = 0.5
_LEAVING = "页面或框架正在跳转"
_RESTLESS = "元素的名称、状态或所在的影子根一直在变，无法确认操作的是什么"
_LOOKS = 4
"""Looks in a row, each because the browser told of more than the one before knew; a page could go on without end."""


@dataclass(frozen=True, slots=True)
class Missed:
    """One look that did not find the element operable; `reached` is where it ended."""

    error: ActionError
    reached: Reached | None = None
    brief: bool = False
    """Waiting hardly changes it."""


async def sought(page: OpenPage, params: p.OptionalTarget) -> tuple[str | int | None, Place | None]:
    """What to ask the page library for, and in which document; None is the main one.

    Raises `STALE_REF` for a ref of an earlier version of the page or of a frame's document that is gone.
    """
    if params.ref is None:
        return params.selector, None
    ref = Ref.read(params.ref)
    ref.check_version(page.version)
    if ref.frame is None:
        return ref.number, None
    place = await page.documents.at(ref.frame)
    if place is None:
        raise refusal({"code": ActionCode.STALE_REF, "why": "编号所在的框架里已经不是那个文档", "ref": params.ref})
    return ref.number, place


async def find_element(page: OpenPage, params: p.OptionalTarget, needs: Needs, wait_s: float) -> Found:
    """Resolve until it succeeds or the time is up; then raise what stood in the way last, with `facts.alternatives`."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        waited = loop.time() - start
        found = await _look(page, params, needs)
        if isinstance(found, Found):
            return found
        if waited >= _patience(found, wait_s):
            raise await _told(page, found)
        await asyncio.sleep(POLL_S)


def _patience(missed: Missed, wait_s: float) -> float:
    if missed.error.code in _NO_WAIT:
        return 0.0
    return min(wait_s, _GRACE_S) if missed.brief or missed.error.code in _LITTLE_WAIT else wait_s


async def _look(page: OpenPage, params: p.OptionalTarget, needs: Needs) -> Found | Missed:
    target, start = await sought(page, params)
    for _ in range(_LOOKS):
        try:
            reached = await page.documents.through(target, "resolve", asdict(needs), start=start)
            learned = await _learned(reached)
        except StaleWorldError:
            return _leaving()
        except ActionError as error:
            return _leaving() if error.code == ActionCode.STALE_REF else Missed(error)
        if not learned:
            return await _judged(page, reached, needs)
    return Missed(refusal({"code": ActionCode.STALE_REF, "why": _RESTLESS}))


async def _learned(reached: Reached) -> bool:
    """Whether the browser told the library something by which it would have answered otherwise."""
    answer, place = reached.answer, reached.place
    if "at" in answer:
        return await open_roots(place, [int(str(answer["at"]))])
    if "code" in answer:
        return False
    if await open_roots(place, cast("list[int]", answer["hosts"])):
        return True
    if not await tell(place, cast("list[int]", answer["customs"])):
        return False
    try:
        await place.ask("recheck", answer["element"])
    except ActionError:
        return True
    return False


async def _judged(page: OpenPage, reached: Reached, needs: Needs) -> Found | Missed:
    answer, place = reached.answer, reached.place
    if "code" in answer:
        facts = {name: value for name, value in answer.items() if name != "brief"}
        return Missed(refusal(facts), reached, brief=bool(answer.get("brief")))
    customs = tuple(cast("list[int]", answer["customs"]))
    handle = Handle(page, place.token, int(str(answer["element"])), place=place, customs=customs)
    if needs.aim and place.owner is not None:
        missed = await _reach(handle, reached)
        if missed is not None:
            return missed
    facts_found = _FACTS.validate_python(answer["facts"])
    title = str(answer["title"]) if place.owner is None else None
    return Found(handle, str(answer["origin"]), facts_found, title)


async def _reach(handle: Handle, reached: Reached) -> Missed | None:
    """Whether the mouse gets to the element through the documents around its own; else they are scrolled."""
    place, point = reached.place, reached.answer["point"]
    x, y = (float(point["x"]), float(point["y"])) if isinstance(point, dict) else (0.0, 0.0)
    try:
        await handle.page.documents.reach(place, x, y, arms=False)
    except ActionError as error:
        if error.code == ActionCode.STALE_REF:
            return _leaving()
        try:
            await place.ask("scrollFar", handle.element)
        except ActionError:
            return _leaving()  # it has just gone
        return Missed(error, reached)
    return None


def _leaving() -> Missed:
    return Missed(refusal({"code": ActionCode.NOT_FOUND, "why": _LEAVING}))


async def _told(page: OpenPage, missed: Missed) -> ActionError:
    """The error with what else may have been meant, as far as that is known in a moment."""
    error, reached = missed.error, missed.reached
    if reached is None or error.code in _NO_ALTERNATIVES:
        return error
    try:
        async with asyncio.timeout(_ALTERNATIVES_S):
            error.facts.pop("at", None)
            items = (await reached.place.ask("alternatives", reached.target, error.code))["items"]
            way = await reached.place.way()
    except (TimeoutError, ActionError, PlaywrightError):
        return error  # the page is busy or gone: what is known is told
    if isinstance(items, list) and items:
        error.facts["alternatives"] = [{**item, "selector": way + item["selector"]} for item in items]
    return error
