"""How results are told to a model: within a cap, in labelled blocks, errors with their next step."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sgclaw.agent.desk import Desk
from sgclaw.agent.pages import Sight
from sgclaw.agent.recovery import act_surely
from sgclaw.agent.tools.model import ToolOutcome
from sgclaw.context.untrusted import Untrusted, escaped
from sgclaw.errors import SgClawError
from sgclaw.perception.pages import text_view
from sgclaw.ports import Act, Observed
from sgclaw.tokens.bound import estimate

CUT_NOTE: Final = "\n…（结果太长，已截断）"


def capped(data: Untrusted, cap: int) -> str:
    """The block, with its text cut so that it takes at most about `cap` tokens; that it was cut is said outside."""
    text = escaped(data.text)
    if estimate(text) <= cap:
        return data.block()
    while estimate(text) > cap:
        text = text[: max(1, len(text) * min(9 * cap, 8 * estimate(text)) // (9 * estimate(text)))]
    return f"{replace(data, text=text).block()}{CUT_NOTE}"


def told_error(error: SgClawError) -> str:
    """An error as a model reads it: our own words, in one piece."""
    return f"没有执行：{error.cause}。{error.next_step}"


async def snapshot(desk: Desk, page: str | None, host: str | None) -> tuple[Observed, Sight]:
    """Look at a page as it is now; `host` None is where the task took it."""
    page = page or desk.pages.current
    origin = desk.task.scope.origin_for(host or desk.bound(page), desk.pages.origin(page))
    await desk.admit(origin, "读取页面")
    act = Act("getAomSnapshot", {}, page, origin.host)
    observed = await act_surely(desk.browser, act, desk.equipment.sleep)
    sight = desk.took(observed, page)
    desk.bind(sight.page.id, origin.host)
    return observed, sight


async def looked(desk: Desk, page: str | None, host: str | None, head: str) -> ToolOutcome:
    """The page as it is now, after some words of ours."""
    observed, sight = await snapshot(desk, page, host)
    shown = text_view(sight.view).page(1) if sight.view is not None else "看不到页面的内容。"
    return ToolOutcome(f"{head}\n{shown}", observed=observed)
