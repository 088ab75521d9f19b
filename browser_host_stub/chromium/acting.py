"""Acts on elements, by real mouse and keyboard input."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Literal

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.chromium.faults import refusal
from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.targets import POLL_S
from browser_host_stub.chromium.typed import shows
from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p

_TYPED_KEY_BY_KEY = 8
"""Longer texts are inserted but for their last character: filters want a key event, not one for each character."""
_NOT_KEYS = "\n\r\t"
Button = Literal["left", "right", "middle"]
_NAVIGATION_WAIT_S = 5.0
_SETTLING_S = (0.05, 0.1, 0.2, 0.3)
"""Waits between aims at what is covered: a layer or a scrolled list moves for some 300 ms."""
_CLOSING_S = 0.3
_DRAWN_S = 0.5
"""For a component to show the state a click gave it."""


async def _mouse(run: Run, button: Button = "left", count: int = 0) -> None:
    """Bring the mouse onto the located element and press that often; what would reach another element is stopped."""
    mouse = run.page.page.mouse
    try:
        at = await _over(run, presses=count > 0)
        for nth in range(1, count + 1):
            if nth > 1 and not await _stands(run, at, nth):
                break
            run.page.dialogs.input_sent = True
            # Sent together as one click: being cancelled must not leave the button down.
            await asyncio.gather(mouse.down(button=button, click_count=nth), mouse.up(button=button, click_count=nth))
        await _arrived(run, pressed=count > 0)
    except PlaywrightError:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await run.page.gone.wait()
        if not run.page.closed_itself:
            raise  # a window whose button closes it was clicked all the same


async def _over(run: Run, *, presses: bool) -> tuple[float, float]:
    """Where the mouse now lies on the element. A layer that still settles gets another aim: nothing was pressed yet."""
    waits = iter(_SETTLING_S)
    while True:
        try:
            at = await run.aim()
            await run.page.page.mouse.move(*at)
            if presses:
                await run.stands(at, pressed=False)
            return at
        except ActionError as error:
            wait = next(waits, None)
            if wait is None or error.code != ActionCode.COVERED_TARGET:
                raise
        await asyncio.sleep(wait)


async def _stands(run: Run, at: tuple[float, float], nth: int) -> bool:
    """Whether to press again; not when the press before led to another document. Raises when it is covered now."""
    try:
        await run.stands(at, pressed=True)
    except ActionError as error:
        if error.code == ActionCode.STALE_REF:
            return False
        why = f"点了 {nth - 1} 次以后，鼠标下面已不是目标，没有再点（{error.cause}）"
        raise ActionError(ActionCode.ACTION_FAILED, why, facts={**error.facts, "clicks": nth - 1}) from None
    return True


async def _arrived(run: Run, *, pressed: bool) -> None:
    try:
        await run.landed(pressed=pressed)
    except ActionError as error:
        if error.code == ActionCode.STALE_REF:
            return  # the press led to another document, so it arrived
        raise


async def click_on(run: Run, button: Button = "left", count: int = 1) -> None:
    """Click the located element, guarded as `_mouse` does."""
    await _mouse(run, button, count)


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
    run.page.dialogs.input_sent = True
    await _mouse(run)
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
    if field["kind"] != "set":
        now = await _taken(run, params.text, now)
    if params.submit:
        async with run.keys(single=True):
            await run.on_element("focusKept" if field["kind"] == "set" else "focusIsOn")
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
    await run.in_page("focusHeld")
    if not clear:
        await keyboard.press("Control+End")
    elif not text:
        await keyboard.press("Delete")  # a text replaces the selected content by itself
    if len(text) > _TYPED_KEY_BY_KEY:
        await keyboard.insert_text(text[:-1])
        text = text[-1:]
    for character in text:
        await run.in_page("focusHeld")
        # As keys, Enter would submit the form and Tab would leave the field.
        if character in _NOT_KEYS:
            await keyboard.insert_text(character)
        else:
            await keyboard.type(character)


async def _taken(run: Run, text: str, now: JsonObject) -> JsonObject:
    """The field's value, once it shows what was typed; raises `ACTION_FAILED` when it never does."""
    loop = asyncio.get_running_loop()
    until = loop.time() + min(_DRAWN_S, run.left_s)
    while not shows(now["value"], text):
        if loop.time() >= until:
            why = "输入之后，输入框里的内容不是要输入的内容"
            raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, **now})
        await asyncio.sleep(POLL_S)
        now = await run.on_element("fieldValue")
    return now


async def clear(run: Run) -> JsonObject:
    """Empty a field."""
    field = await run.on_element("fieldKind")
    if field["kind"] == "set":
        await run.on_element("setField", "")
    else:
        await _by_keys(run, "", clear=True)
    state = await _once_drawn(run, "remaining")
    if state is not None and not state["empty"]:
        why = "清空后输入框里仍有内容"
        raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, "left": state["left"], "within": state["within"]})
    return {"cleared": True, "within": state["within"] if state else None}


async def select(run: Run) -> JsonObject:
    """Choose an option of a native select by value or label."""
    params = run.located.params
    chosen = await run.on_element("choose", params.value if isinstance(params, p.Select) else "")
    await after_act(run)
    state = await _once_drawn(run, "chosenNow", chosen["value"], chosen["label"])
    if state is None:
        return {**chosen, "within": None}
    if not state["kept"]:
        why = "选好后页面又改成了别的选项"
        raise refusal({"code": ActionCode.ACTION_FAILED, "why": why, "now": state["now"], "within": state["within"]})
    return {**chosen, "within": state["within"]}


async def _once_drawn(run: Run, name: str, *args: object) -> JsonObject | None:
    """What the page made of the act; None when it drew the element anew or left for another document."""
    try:
        await run.on_element(name, *args)
        await asyncio.sleep(POLL_S)
        return await run.on_element(name, *args)
    except ActionError as error:
        if error.code in (ActionCode.STALE_REF, ActionCode.DETACHED_TARGET):
            return None
        raise


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
        async with run.keys(single=True):
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
