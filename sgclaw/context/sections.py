"""Pieces of a layer, and how they are cut when together they are over its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sgclaw.tokens.counter import Count


class Cut(Enum):
    """Which entry of a section goes first. `NEVER` is for our own texts: tests hold them to the budget."""

    NEVER = "never"
    OLDEST = "oldest"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Section:
    """A headed list of entries. `rank`: sections of a lower rank are cut empty before one of a higher is touched.

    `data`: the entries are untrusted, and stand outside the system prompt.
    """

    mark: str
    title: str
    entries: tuple[str, ...]
    cut: Cut = Cut.NEVER
    rank: int = 0
    data: bool = False
    dropped: int = 0

    def text(self) -> str:
        """As a model reads it; what was cut is counted, where it would have stood."""
        head = f"## {self.mark} {self.title}".replace("  ", " ")
        note = (f"（另有 {self.dropped} 条未列出）",) if self.dropped else ()
        body = (*note, *self.entries) if self.cut is Cut.OLDEST else (*self.entries, *note)
        return "\n".join((head, *body))

    def without(self, number: int) -> Section:
        """The section with so many entries fewer."""
        kept = self.entries[number:] if self.cut is Cut.OLDEST else self.entries[: len(self.entries) - number]
        return replace(self, entries=kept, dropped=self.dropped + number)


def joined(sections: Sequence[Section]) -> str:
    """The sections below each other."""
    return "\n\n".join(section.text() for section in sections)


def fitted(sections: Sequence[Section], budget: int, count: Count) -> tuple[Section, ...]:
    """The sections in their order, with the fewest entries cut that bring them to the budget: lowest rank first."""
    kept = list(sections)
    for index in sorted(range(len(kept)), key=lambda each: kept[each].rank):
        if count(joined(kept)) <= budget:
            break
        if kept[index].cut is not Cut.NEVER:
            kept[index] = _shortest_cut(kept, index, budget, count)
    return tuple(kept)


def _shortest_cut(sections: list[Section], index: int, budget: int, count: Count) -> Section:
    """Found by halving: a section may have thousands of entries."""
    whole = sections[index]
    low, high = 1, len(whole.entries)
    while low < high:
        middle = (low + high) // 2
        tried = [*sections[:index], whole.without(middle), *sections[index + 1 :]]
        low, high = (low, middle) if count(joined(tried)) <= budget else (middle + 1, high)
    return whole.without(high)
