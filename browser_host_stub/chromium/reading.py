"""Acts that only look."""

from __future__ import annotations

import asyncio

from browser_host_stub.chromium.faults import not_implemented, refusal, timed_out
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import POLL_S
from browser_host_stub.chromium.world import StaleWorldError
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode
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
        counted = int(str((await run.in_page("countOf", params.selector))["count"]))
        return {"value": counted > 0 if params.fact == "exists" else counted}
    return {"value": (await run.on_element("readFact", params.fact, params.name))["value"]}


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
    try:
        state, _ = await run.page.world.call("waitState", params.selector, params.state)
    except StaleWorldError:
        return {"done": False, "now": {"code": ActionCode.NOT_FOUND}}
    if state["origin"] != run.located.origin:
        raise refusal({"code": ActionCode.STALE_REF, "why": "等待期间页面跳转到了别的来源"})
    now = state["now"]
    if isinstance(now, dict) and now["code"] not in _NOT_YET:
        raise refusal(now)
    return state


async def screenshot(run: Run) -> JsonObject:
    """A PNG of the viewport, the whole page or one element, kept as an artifact."""
    params = run.located.params
    if not isinstance(params, p.Screenshot):
        raise TypeError(params)
    if params.som_overlay:
        raise not_implemented("带编号的截图（som_overlay）")
    clip = await run.on_element("boxOfKept") if run.handle.element is not None else None
    taken = await run.page.page.screenshot(
        full_page=params.full_page and clip is None,
        clip=clip,  # type: ignore[arg-type]
        type="png",
        timeout=max(1.0, run.left_s * 1000),
    )
    await run.still_there()  # the picture must not show a document that was never checked
    stored = await run.artifacts.keep_bytes(taken, "screenshot.png")
    return {"artifact": stored.artifact.model_dump(mode="json"), "som_labels": []}


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


async def aom_snapshot(run: Run) -> JsonObject:
    """Landmarks, tables and operable elements with selectors that match one element each."""
    return await run.on_element("snapshot")


HANDLERS: Handlers = {
    "getText": get_text,
    "getHtml": get_html,
    "query": query,
    "waitForSelector": wait_for_selector,
    "pageScreenshot": screenshot,
    "scrollTo": scroll_to,
    "extractTable": extract_table,
    "getAomSnapshot": aom_snapshot,
}
