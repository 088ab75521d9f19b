"""`read_page`: the page in words, a search in it, a part of it, what changed; a numbered picture where words fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sgclaw.agent.desk import Desk
from sgclaw.agent.pages import Sight
from sgclaw.agent.recovery import act_surely
from sgclaw.agent.tools.model import Tool, ToolOutcome
from sgclaw.agent.tools.telling import snapshot
from sgclaw.context.chat import Picture, ToolSpec
from sgclaw.errors import SgClawError
from sgclaw.perception.changes import difference_text
from sgclaw.perception.diff import Difference
from sgclaw.perception.find import found_text
from sgclaw.perception.marks import marks_of, marks_text, resolve_target
from sgclaw.perception.model import View
from sgclaw.perception.pages import text_view
from sgclaw.perception.tiers import Tier, choose
from sgclaw.ports import Act, Observed
from sgclaw.protocol.results import Screenshot

NAME: Final = "read_page"
_MODES: Final = ("page", "find", "scope", "diff")
_LONG: Final = 2_000


def reading_tool(desk: Desk) -> Tool:
    """The tool over one desk."""
    return Tool(_SPEC, _Reading(desk).call, changes=False)


class _Reading:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def call(self, arguments: Mapping[str, object]) -> ToolOutcome:
        """Look anew and tell what was asked for. Pages after the first are those of the look before, while it holds."""
        mode = str(arguments.get("mode", "page"))
        number = arguments.get("number", 1)
        page = _text(arguments, "page")
        known = self._desk.pages.view(page)
        if mode == "page" and isinstance(number, int) and number > 1 and known is not None:
            return ToolOutcome(text_view(known).page(number))
        observed, sight = await snapshot(self._desk, page, _text(arguments, "expected_domain"))
        if sight.view is None:
            return ToolOutcome("看不到页面的内容。", failed=True, observed=observed)
        tell = _TELLERS[mode]
        text = tell(self._desk, sight, sight.view, arguments)
        if mode != "page":
            return ToolOutcome(text, observed=observed)
        return await self._escalated(observed, sight.view, text)

    async def _escalated(self, observed: Observed, view: View, text: str) -> ToolOutcome:
        """Words, or a numbered picture too, by how complete the words are."""
        desk = self._desk
        sees = desk.equipment.model.sees_pictures and desk.equipment.pictures is not None
        choice = choose(view, pictures=sees)
        if choice.tier is Tier.AOM:
            return ToolOutcome(text, observed=observed)
        if choice.tier is Tier.PERSON:
            return ToolOutcome(f"{text}\n（{choice.reason}；看不清时用 ask_user 请用户说明）", observed=observed)
        try:
            picture, listed = await self._picture(view)
        except SgClawError as error:
            return ToolOutcome(f"{text}\n（{choice.reason}；取不到截图：{error.cause}）", observed=observed)
        words = f"{choice.reason}，另附带编号的截图：\n{listed}"
        whole = words if choice.tier is Tier.SOM else f"{text}\n{words}"
        return ToolOutcome(whole, observed=observed, pictures=(picture,))

    async def _picture(self, view: View) -> tuple[Picture, str]:
        desk = self._desk
        pictures = desk.equipment.pictures
        if pictures is None:
            raise SgClawError("没有截图可用")
        act = Act("pageScreenshot", {"som_overlay": True}, view.page.id, desk.bound(view.page.id))
        observed = await act_surely(desk.browser, act, desk.equipment.sleep)
        shot = Screenshot.model_validate(observed.data)
        desk.pages.mark(view.page.id, marks_of(shot.som_labels))
        data = await pictures.picture(shot.artifact)
        return Picture(data, shot.artifact.mime or "image/png"), marks_text(shot.som_labels, view)


_Tell = Callable[[Desk, Sight, View, Mapping[str, object]], str]


def _page(_: Desk, __: Sight, view: View, arguments: Mapping[str, object]) -> str:
    number = arguments.get("number", 1)
    return text_view(view).page(number if isinstance(number, int) else 1)


def _find(_: Desk, __: Sight, view: View, arguments: Mapping[str, object]) -> str:
    return found_text(view, str(arguments.get("query", "")))


def _scope(desk: Desk, _: Sight, view: View, arguments: Mapping[str, object]) -> str:
    ref = resolve_target(str(arguments.get("ref", "")), view, desk.pages.marks(view.page.id))
    part = view.within(ref)
    return text_view(part or view).page(1)


def _diff(_: Desk, sight: Sight, view: View, __: Mapping[str, object]) -> str:
    if sight.fresh or sight.before is None:
        return f"页面已经换了，或是第一次看：\n{text_view(view).page(1)}"
    return difference_text(sight.difference or Difference(), sight.page, before=sight.before, cap=_LONG)


_TELLERS: Final[Mapping[str, _Tell]] = {"page": _page, "find": _find, "scope": _scope, "diff": _diff}


def _text(arguments: Mapping[str, object], name: str) -> str | None:
    value = arguments.get(name)
    return value if isinstance(value, str) and value else None


_SPEC: Final = ToolSpec(
    NAME,
    "读取页面：page 全文（分页，用 number 翻页），find 按文字查找，scope 只看一个元素里面，diff 只看变化。",
    {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "enum": list(_MODES)},
            "number": {"type": "integer", "minimum": 1, "description": "第几页"},
            "query": {"type": "string", "description": "find 要找的文字"},
            "ref": {"type": ["string", "integer"], "description": "scope 的元素编号"},
            "page": {"type": "string", "description": "页面编号，省略为当前页面"},
            "expected_domain": {"type": "string", "description": "页面的域名"},
        },
        "additionalProperties": False,
    },
)
