"""An order that is a skill's own trigger, whatever values, counts or negations the trigger seems to hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sgclaw.gateway.understand.fields import Field
from sgclaw.gateway.understand.frame import read_frame
from sgclaw.gateway.understand.periods import Base
from sgclaw.gateway.understand.reading import Reading, blank
from sgclaw.gateway.understand.spans import find_spans
from sgclaw.gateway.understand.values import Filling, fill
from sgclaw.skills.search import SkillIndex

_PHRASE = "\ue002"
"""Stands for the trigger while the rest is read; no pattern reads across it."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The skills with this trigger, and the two parts of the text: `rest` around the trigger, `inner` in it."""

    names: tuple[str, ...]
    rest: Reading
    inner: Reading


def find_exact(index: SkillIndex, reading: Reading) -> Exact | None:
    """The longest trigger in the text, when the rest of the text says nothing that its skill does not explain.

    A trigger that holds no values is left to the ordinary reading unless it is the whole order.
    """
    phrase, owners = index.longest_phrase(reading.text)
    found = re.search(r"\s*".join(map(re.escape, phrase)), reading.text) if phrase else None
    if found is None:
        return None
    start, end = found.span()
    text = reading.text[:start] + _PHRASE.ljust(end - start) + reading.text[end:]
    frame = read_frame(reading.text[:start] + _PHRASE + reading.text[end:])
    held = [span for span in reading.spans if span.start < end and start < span.end]
    if frame.stop or frame.blanks or any(span.start < start or end < span.end for span in held):
        return None
    spans, later = (find_spans(text, reading.source, Base(reading.today, forward=forward)) for forward in (False, True))
    core = blank(text, [(span.start, span.end) for span in spans])
    names = tuple(name for name in owners if not index.unexplained(name, core))
    holds_values = bool(held) or reading.frame != frame
    if not names or not (holds_values or (not spans and not index.says_something(core))):
        return None
    rest = replace(reading, core=core, frame=frame, spans=spans, later=later)
    alone = blank(reading.text, [(0, start), (end, len(reading.text))])
    inside, inside_later = (
        tuple(span for span in some if start <= span.start and span.end <= end and span.kind != "number")
        for some in (reading.spans, reading.later)
    )
    inner = replace(reading, core=alone, frame=frame, spans=inside, later=inside_later)
    return Exact(names, rest, inner)


def fill_exact(fields: Sequence[Field], exact: Exact) -> Filling:
    """What the rest says, and beside it what the trigger itself settles (本月 in 本月报表)."""
    filling = fill(fields, exact.rest)
    inner = fill(fields, exact.inner)
    for name, value in inner.values.items():
        if name not in filling.values and name not in filling.doubts:
            filling.values[name] = value
    return filling
