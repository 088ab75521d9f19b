"""Acts on elements, by real mouse and keyboard input."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import POLL_S
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_TYPED_KEY_BY_KEY = 8
"""Longer texts are inserted but for their last character: filters want a key event, not one for each character."""
_NOT_KEYS = re.compile(r"([\n\r\t])")
_NAVIGATION_WAIT_S = 5.0
_CLOSING_S = 0.3
_DRAWN_S = 0.5
"""For a component to show the state a click gave it."""


async def _mouse(run: Run, press: Callable[[float, float], Awaitable[None]]) -> None:
    """Use the mouse on the located element; events that would reach another element never reach the page."""
    x, y = await run.aim()
    run.page.dialogs.input_sent = True
    try:
        await press(x, y)
        await _arrived(run)
    except PlaywrightError:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await run.page.gone.wait()
        if not run.page.closed_itself:
            raise  # a window whose button closes it was clicked all the same


async def _arrived(run: Run) -> None:
    try:
        await run.landed()
    except ActionError as error:
        if error.code == ActionCode.STALE_REF:
            return  # the press led to another document, so it arrived
        raise


async def click_on(run: Run, button: str = "left", count: int = 1) -> None:
    """Click the located element, guarded as `_mouse` does."""
    buttons = {"left": "left", "right": "right", "middle": "middle"}
    mouse = run.page.page.mouse
    await _mouse(run, lambda x, y: mouse.click(x, y, button=buttons[button], click_count=count))  # type: ignore[arg-type]


async def after_act(run: Run) -> None:
    """When the act made the page leave, wait for the next document: the following act must not meet the old one."""
    await run.page.leaving.wait_settled(min(run.left_s, _NAVIGATION_WAIT_S))


async def click(run: Run) -> JsonObject:
    """A real click at a point of the element that nothing covers."""
    params = run.located.params
    if isinstance(params, p.Click):
        await click_on(run, params.button, params.count)
    await after_act(run)
    return {"clicked": True}


async def hover(run: Run) -> JsonObject:
    """Move the mouse onto the element."""
    mouse = run.page.page.mouse
    await _mouse(run, mouse.move)
    return {"hovered": True}


async def type_text(run: Run) -> JsonObject:
    """Replace (or extend) the content of a field by keyboard; pickers of dates and the like are set directly."""
    params = run.located.params
    if not isinstance(params, p.Type):
        raise TypeError(params)
    field = await run.on_element("fieldKind")
    if field["kind"] == "set":
        run.page.dialogs.input_sent = True
        await run.on_element("setField", params.text)
    else:
        if field["one_line"] and re.search(r"[\n\r]", params.text):
            raise refusal({"code": ActionCode.BAD_PARAMS, "why": "单行输入框不能输入换行"})
        await _by_keys(run, params.text, clear=params.clear)
    now = await run.on_element("fieldValue")
    if params.submit:
        async with run.keys():
            await run.on_element("recheck")
            await run.page.page.keyboard.press("Enter")
        await after_act(run)
    return {"typed": True, "value": now["value"], "within": now["within"]}


async def _by_keys(run: Run, text: str, *, clear: bool) -> None:
    await click_on(run)
    async with run.keys():
        await run.on_element("enterField", clear)
        await _press_all(run, text, clear=clear)


async def _press_all(run: Run, text: str, *, clear: bool) -> None:
    keyboard = run.page.page.keyboard
    if not clear:
        await keyboard.press("Control+End")
    elif not text:
        await keyboard.press("Delete")  # a text replaces the selected content by itself
    if len(text) > _TYPED_KEY_BY_KEY:
        await keyboard.insert_text(text[:-1])
        text = text[-1:]
    for piece in _NOT_KEYS.split(text):
        # As keys, Enter would submit the form and Tab would leave the field.
        if _NOT_KEYS.fullmatch(piece):
            await keyboard.insert_text(piece)
        elif piece:
            await keyboard.type(piece)


async def clear(run: Run) -> JsonObject:
    """Empty a field."""
    field = await run.on_element("fieldKind")
    if field["kind"] == "set":
        await run.on_element("setField", "")
    else:
        await _by_keys(run, "", clear=True)
    try:
        within = (await run.on_element("fieldValue"))["within"]
    except ActionError:
        within = None  # the page drew the field anew, empty
    return {"cleared": True, "within": within}


async def select(run: Run) -> JsonObject:
    """Choose an option of a native select by value or label."""
    params = run.located.params
    chosen = await run.on_element("choose", params.value if isinstance(params, p.Select) else "")
    await after_act(run)
    return chosen


async def check(run: Run) -> JsonObject:
    """Tick or untick, and report the state read back."""
    params = run.located.params
    wanted = isinstance(params, p.Check) and params.checked
    state = await run.on_element("checkedState")
    if state["checked"] != wanted:
        if state["radio"] and not wanted:
            raise refusal(
                {"code": ActionCode.BAD_PARAMS, "why": "单选项不能取消，请选择另一项", "within": state["within"]}
            )
        await click_on(run)
        await after_act(run)
        state = await _ticked(run, wanted=wanted)
    return {"checked": wanted, "within": state["within"]}


async def _ticked(run: Run, *, wanted: bool) -> JsonObject:
    """The state after a click, once the component has drawn it."""
    loop = asyncio.get_running_loop()
    until = loop.time() + min(_DRAWN_S, run.left_s)
    while True:
        state = await run.on_element("checkedState")
        if state["checked"] == wanted:
            return state
        if loop.time() >= until:
            why = "点击后勾选状态没有改变"
            raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, "within": state["within"]})
        await asyncio.sleep(POLL_S)


async def press(run: Run) -> JsonObject:
    """Press a key or a combination such as `Control+A`, on the element or on what has the focus."""
    params = run.located.params
    if not isinstance(params, p.Press):
        raise TypeError(params)
    focused = "focusStays" if params.selector is None and params.ref is None else "focusKept"
    try:
        async with run.keys():
            await run.on_element(focused)
            run.page.dialogs.input_sent = True
            await run.page.page.keyboard.press(params.key)
    except PlaywrightError as error:
        if "Unknown key" in error.message:
            raise refusal({"code": ActionCode.BAD_PARAMS, "why": "没有这个按键", "key": params.key}) from None
        raise
    await after_act(run)
    return {"pressed": True}


async def download(run: Run) -> JsonObject:
    """Click, and wait until the file that follows is complete on disk."""
    params = run.located.params
    limit = params.timeout_ms / 1000 if isinstance(params, p.Download) else run.deadline_s

    try:
        async with asyncio.timeout(min(limit, run.left_s)):
            stored = await run.downloads.next_from(run.page.page, lambda: click_on(run))
    except TimeoutError:
        raise ActionError(
            ActionCode.DOWNLOAD_FAILED,
            f"{limit:g} 秒内没有下载完文件",
            facts={"timeout_s": limit, "reason": "timeout"},
        ) from None
    return {"artifact": stored.artifact.model_dump(mode="json")}


HANDLERS: Handlers = {
    "click": click,
    "hover": hover,
    "type": type_text,
    "clear": clear,
    "select": select,
    "check": check,
    "press": press,
    "download": download,
}
