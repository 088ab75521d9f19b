"""Acts that only look."""

from __future__ import annotations

import asyncio

from browser_host_stub.chromium.faults import refusal, timed_out
from browser_host_stub.chromium.finding import sought
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import POLL_S
from browser_host_stub.chromium.world import StaleWorldError
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_NOT_YET = (ActionCode.NOT_FOUND, ActionCode.HIDDEN_TARGET, ActionCode.AMBIGUOUS_TARGET)


async def get_text(run: Run) -> JsonObject:
    """Visible text; for a field its value, for a password field nothing."""
    return {"text": (await run.on_element("readText"))["text"]}


async def get_html(run: Run) -> JsonObject:
    """Outer HTML without script bodies and without values of password and token fields."""
    return {"html": (await run.on_element("readHtml"))["text"]}


async def query(run: Run) -> JsonObject:
    """One fact. `exists` and `count` say what is there now."""
    params = run.located.params
    if not isinstance(params, p.Query):
        raise TypeError(params)
    if params.fact in ("url", "title"):
        await run.still_there()
        info = await run.page.info()
        return {"value": info.url if params.fact == "url" else info.title}
    if params.fact in ("exists", "count"):
        counted = await _count(run, params)
        return {"value": counted > 0 if params.fact == "exists" else counted}
    return {"value": (await run.on_element("readFact", params.fact, params.name))["value"]}


async def _count(run: Run, params: p.Query) -> int:
    stale = refusal({"code": ActionCode.STALE_REF, "why": "页面已经跳转"})
    target, start = await sought(run.page, params)
    try:
        reached = await run.page.documents.through(target, "countOf", start=start)
    except StaleWorldError:
        raise stale from None
    if reached.place.root.token != run.handle.token:
        raise stale
    if "code" in reached.answer:
        raise refusal(reached.answer)
    return int(str(reached.answer["count"]))


async def wait_for_selector(run: Run) -> JsonObject:
    """Wait for a state; raises `TIMEOUT` with what stood in the way last, never answers that it was not found."""
    params = run.located.params
    if not isinstance(params, p.WaitForSelector):
        raise TypeError(params)
    loop = asyncio.get_running_loop()
    limit = min(params.timeout_ms / 1000, run.deadline_s)
    while True:
        state = await _state_now(run, params)
        if state["done"]:
            return {"found": True}
        if loop.time() - run.started >= limit:
            now = state["now"]
            last = now["code"] if isinstance(now, dict) else "NOT_YET"
            waited_for = {"selector": params.selector, "state": params.state, "last": last}
            raise timed_out("waitForSelector", limit, waited_for)
        await asyncio.sleep(min(POLL_S, max(0.0, limit - (loop.time() - run.started))))


async def _state_now(run: Run, params: p.WaitForSelector) -> JsonObject:
    target, start = await sought(run.page, params)
    try:
        reached = await run.page.documents.through(target, "waitState", params.state, start=start)
    except StaleWorldError:
        return {"done": False, "now": {"code": ActionCode.NOT_FOUND}}
    except ActionError as error:
        if error.code not in (*_NOT_YET, ActionCode.STALE_REF):
            raise
        return {"done": False, "now": {"code": ActionCode.NOT_FOUND}}
    if reached.place.root.origin != run.located.origin:
        raise refusal({"code": ActionCode.STALE_REF, "why": "等待期间页面跳转到了别的来源"})
    now = reached.answer["now"]
    if isinstance(now, dict) and now["code"] not in _NOT_YET:
        raise refusal(now)
    return reached.answer


async def scroll_to(run: Run) -> JsonObject:
    """Scroll the page to coordinates or an element into view; answers where it stands."""
    params = run.located.params
    if run.handle.element is not None:
        return await run.on_element("scrollToKept")
    x, y = (params.x, params.y) if isinstance(params, p.ScrollTo) else (0, 0)
    return await run.in_page("scrollPage", x, y)


async def extract_table(run: Run) -> JsonObject:
    """Columns and rows of an HTML table; `complete` says whether they are all the page itself counts."""
    params = run.located.params
    return await run.on_element("extract", params.max_rows if isinstance(params, p.ExtractTable) else 0)


HANDLERS: Handlers = {
    "getText": get_text,
    "getHtml": get_html,
    "query": query,
    "waitForSelector": wait_for_selector,
    "scrollTo": scroll_to,
    "extractTable": extract_table,
}
