"""An instruction read once: folded, framed, its values found, and the text that is left to say what task is meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from sgclaw.gateway.understand.dates import find_dates
from sgclaw.gateway.understand.frame import REMINDER, Frame, read_frame
from sgclaw.gateway.understand.periods import Base
from sgclaw.gateway.understand.spans import QUOTES, Span, find_spans
from sgclaw.skills.words import clean, fold

LONGEST = 2000
"""Characters of an instruction that are read; more is a document, not an order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`source` and `text` (folded) have the same positions; `core` is `text` with values and unwanted parts blank."""

    source: str
    text: str
    core: str
    frame: Frame
    spans: tuple[Span, ...]
    later: tuple[Span, ...]
    """The same spans with dates read forward, for appointments and deadlines."""
    today: date

    def said(self, start: int, end: int) -> str:
        """The person's own characters."""
        return self.source[start:end].strip()


def read(instruction: str, today: date, plain: Callable[[str], bool] = lambda _: False) -> Reading:
    """Read an instruction. `plain` says which quoted texts are words about the task and not values."""
    source = clean(instruction)[:LONGEST]

    def unquoted(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        return f" {inner} " if plain(inner.strip()) or _is_date(inner.strip(), today) else match[0]

    text = REMINDER.sub(lambda match: " " * len(match[0]), QUOTES.sub(unquoted, fold(source)))
    quoted = [match.span() for match in QUOTES.finditer(text)]
    frame = read_frame(blank(text, quoted))
    kept = blank(text, list(frame.blanks))
    spans = find_spans(kept, source, Base(today))
    return Reading(
        source=source,
        text=text,
        core=_core(kept, spans, plain),
        frame=frame,
        spans=spans,
        later=find_spans(kept, source, Base(today, forward=True)),
        today=today,
    )


def blank(text: str, places: list[tuple[int, int]]) -> str:
    """The text with spaces in these places; positions stay."""
    chars = list(text)
    for start, end in places:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _is_date(text: str, today: date) -> bool:
    found = find_dates(text, Base(today))
    return len(found) == 1 and found[0].end - found[0].start == len(text)


def _core(text: str, spans: tuple[Span, ...], names_task: Callable[[str], bool]) -> str:
    places = [(span.start, span.end - _kept(text, span, names_task)) for span in spans]
    return blank(text, places)


def _kept(text: str, span: Span, names_task: Callable[[str], bool]) -> int:
    """How many last characters of a period belong to the task's name: 「第一季度报表」 is a 季度报表, 「3月报」 a
    月报.
    """
    size = 2 if text[: span.end].endswith(("季度", "年度")) else 1
    following = text[span.end : span.end + 2]
    if span.kind != "date" or not following or (size == 1 and (following[0] != "报" or following[1:] in _REPORT_WORDS)):
        return 0
    return size if names_task((text[span.end - size : span.end] + following)[: size * 2]) else 0


_REPORT_WORDS = frozenset("表告销送税账批备修名考价关废损失错到单")
"""What makes 报 the start of the next word: 3月报销 is no 月报."""
