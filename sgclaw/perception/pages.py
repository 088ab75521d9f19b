"""A view as pages of text, each within a hard cap of tokens and complete in itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sgclaw.perception.lines import Line, lines_of
from sgclaw.perception.model import View
from sgclaw.perception.tiers import completeness
from sgclaw.perception.untrusted import block, shown
from sgclaw.redact.seen import CUT
from sgclaw.tokens.bound import SLACK, estimate

DEFAULT_CAP: Final = 2_000
LEAST_CAP: Final = 300
"""Tokens below which a page could not hold its own head and one element."""
_FILLED: Final = 0.7
"""Share of a page that must be full before it may end early, where a section begins."""
_CONTEXT: Final = 0.25
"""Largest share of a page that repeats what its first line is in."""


@dataclass(frozen=True, slots=True)
class TextView:
    """All pages of one view. Together they hold every operable element exactly once."""

    pages: tuple[str, ...]

    def page(self, number: int) -> str:
        """One page, counted from 1; a number out of range gives the nearest page."""
        return self.pages[min(max(number, 1), len(self.pages)) - 1]


def text_view(view: View, *, cap: int = DEFAULT_CAP, now: float | None = None) -> TextView:
    """The view in Chinese, in pages of at most `cap` tokens (at least `LEAST_CAP`); `now` dates it."""
    room = max(cap, LEAST_CAP)
    lines = [*_address(view), *lines_of(view)]
    frame = estimate(block(view.origin, "")) + SLACK
    budget = room - frame - estimate(_head(view, 999, 999, now)) - 1
    packed = _packed(lines, budget)
    return TextView(
        tuple(
            f"{_head(view, number, len(packed), now)}\n{block(view.origin, page)}"
            for number, page in enumerate(packed, start=1)
        )
    )


def _head(view: View, number: int, of: int, now: float | None) -> str:
    """Our own words about the page, outside the block: which document, how old, how complete."""
    state = completeness(view)
    age = f" {view.age_s(now):.0f}秒前" if now is not None else ""
    told = "空白" if view.blank else f"可操作{state.listed}" if state.complete else f"不完整：{state.reason}"
    if not view.whole:
        told = f"局部，可操作{state.listed}"
    return f"页面{view.page.id} 版本{view.page.version}{age} 第{number}/{of}页 {told}"


def _address(view: View) -> list[Line]:
    title, url = shown(view.page.title), shown(view.page.url.removeprefix(view.origin), 120)
    return [Line(0, f"{title} {url}".strip())] if title or url else []


def _packed(lines: Sequence[Line], budget: int) -> list[str]:
    pages: list[str] = []
    start = 0
    while start < len(lines):
        context = _context(lines[start], budget) if start else []
        end = _end(lines, start, budget - sum(line.cost for line in context))
        drawn = [line.drawn for line in (*context, *lines[start:end])]
        if end == start:
            drawn, end = [_fitted(lines[start].drawn, budget)], start + 1
        pages.append("\n".join(drawn))
        start = end
    return pages or [""]


def _end(lines: Sequence[Line], start: int, room: int) -> int:
    """Where a page that begins at `start` ends: full, or a little earlier where the outermost section begins."""
    spent, end = 0, start
    while end < len(lines) and spent + lines[end].cost <= room:
        spent += lines[end].cost
        end += 1
    if end == len(lines):
        return end
    earliest = start + max(1, int((end - start) * _FILLED))
    return min(range(end, earliest - 1, -1), key=lambda place: lines[place].depth, default=end)


def _context(line: Line, budget: int) -> list[Line]:
    """What the line is in, outermost first, as far as there is room; nearest counts most."""
    context: list[Line] = []
    room = budget * _CONTEXT
    above = line.above
    while above is not None:
        again = Line(above.depth, f"{above.again}(续)")
        room -= again.cost
        if room < 0:
            break
        context.insert(0, again)
        above = above.above
    return context


def _fitted(text: str, budget: int) -> str:
    """One line cut to a page: its refs stand in front, for a line of several elements is never this long."""
    while estimate(text) + 1 > budget:
        text = text[: len(text) * 3 // 4] + CUT
    return text
