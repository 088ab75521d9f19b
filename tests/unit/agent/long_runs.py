"""Two runs of fixed length over a page with many controls: of ten steps, measured, and of sixty, which must stay small.

What a model is sent in them is the same to the last byte on every machine: the clock stands still, the ids are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.unit.agent.room import Room, act, call
from tests.unit.agent.site import ERP, Control, Site

BUTTONS: Final = 150
"""Controls of the list: more than three pages of text at the usual cap."""
INSTRUCTION: Final = "查询 2026-03 的合同，确认第 3 页的合同 HT-2026-0301 的状态"
CRITERION: Final = "看到合同的状态"


def _list(site: Site) -> list[Control]:
    page = int(site.notes.get("page", "1"))
    return [
        Control("heading", f"合同列表 第 {page} 页 共 12,345 条"),
        Control("textbox", "签订月份", value=site.notes.get("month", "")),
        Control("button", "查询", click=lambda site: site.notes.update(page="1")),
        Control("button", "下一页", click=_turn),
        *(Control("button", f"查看 HT-2026-{page * 100 + row:04d}") for row in range(1, BUTTONS + 1)),
    ]


def _turn(site: Site) -> None:
    site.notes["page"] = str(int(site.notes.get("page", "1")) + 1)
    site.controls = _list(site)


def _detail(_: Site) -> list[Control]:
    return [
        Control("heading", "合同 HT-2026-0301"),
        Control("text", "状态 执行中"),
        Control("textbox", "备注", value="无"),
    ]


def contracts() -> Site:
    """The list of contracts and one contract."""
    return Site({f"{ERP}/contracts": _list, f"{ERP}/contract": _detail}, f"{ERP}/contracts")


def _step(*calls: Mapping[str, object]) -> dict[str, object]:
    """A step of a model that tells no usage: it is counted by us, as it is for servers that tell none."""
    return {"calls": list(calls)}


def _finish(seq: int) -> dict[str, object]:
    claims = [{"seq": seq, "quote": "执行中"}]
    summary = "合同 HT-2026-0301 的状态是执行中。"
    return _step(call("finish", outcome="done", summary=summary, criterion=CRITERION, evidence=claims))


_TURN: Final = _step(act("click", CRITERION, ref="1:4"))
_DETAIL: Final = (_step(act("navigate", CRITERION, url=f"{ERP}/contract")), _step(call("read_page")))

TEN: Final[Sequence[Mapping[str, object]]] = (
    _step(call("read_page")),
    _step(act("type", CRITERION, ref="1:2", text="2026-03")),
    _step(act("click", CRITERION, ref="1:3")),
    _step(call("read_page", number=2)),
    _TURN,
    _TURN,
    _step(call("read_page", mode="find", query="HT-2026-0301")),
    *_DETAIL,
    _finish(8),
)
_LOOK: Final = _step(call("read_page"))
_HEADING: Final = _step(act("getText", CRITERION, ref="1:1"))
SIXTY: Final[Sequence[Mapping[str, object]]] = (
    _LOOK,
    *(_LOOK if number % 8 == 0 else _HEADING if number % 2 else _TURN for number in range(2, 58)),
    *_DETAIL,
    _finish(59),
)


def long_run(steps: Sequence[Mapping[str, object]], **more: Any) -> Room:
    """A run of these steps over the list."""
    return Room(steps, site=contracts(), instruction=INSTRUCTION, page_url=f"{ERP}/contracts", **more)
