"""Background pages: each has its own id, is never the default page, and goes with the windows it opened."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.navigating import close, go_to
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import Handle
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_LEAVING_S = 1.0


async def spawn(run: Run) -> JsonObject:
    """Open an address in a background page; one that cannot be opened leaves no page."""
    params = run.located.params
    if not isinstance(params, p.Navigate):
        raise TypeError(params)
    zombie = await run.pages.open_hidden()
    opened = False
    try:
        with zombie.stops.watched():
            try:
                landed = await go_to(replace(run, handle=Handle(zombie)), params.url)
            except ActionError:
                zombie.stops.raise_if_any()
                raise
            await zombie.retreated(_LEAVING_S)
            zombie.stops.raise_if_any()
        opened = True
    finally:
        if not opened:
            await _end(zombie)
    return {"page": zombie.id, "url": landed["url"]}


async def kill(run: Run) -> JsonObject:
    """Close a background page and the windows it opened; a page that a person sees is not closed this way."""
    zombie = run.page
    if not zombie.hidden:
        raise refusal({"code": ActionCode.BAD_PARAMS, "why": "这不是后台页面，请用 closePage 关闭", "page": zombie.id})
    for item in run.pages.opened_by(zombie):
        await _end(item)
    await close(zombie, run.left_s)
    return {"closed": True}


async def _end(item: OpenPage) -> None:
    with contextlib.suppress(PlaywrightError):  # gone by itself
        await item.page.close()


HANDLERS: Handlers = {"zombieSpawn": spawn, "zombieKill": kill}
