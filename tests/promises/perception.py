"""How sgclaw reads a snapshot: completeness, text, differences."""

from typing import Final

from tests.promises import R, Requirement

PERCEPTION: Final[tuple[Requirement, ...]] = (
    R(
        "SEE-01",
        "design 9: only what changed",
        "two snapshots are compared by ref; moves in the viewport are no change; applied, no element differs",
    ),
    R("SEE-02", "design 4: observe", "what a response saw reaches the caller of the act together with its facts"),
    R(
        "SEE-03",
        "spec/000 4.3",
        "a snapshot is complete above 80 % of the counted elements; cut or empty it is not; a blank page is",
    ),
    R("SEE-04", "spec/000 4.2, design 9", "the next look (text, picture, both, person) follows from one table"),
    R("SEE-10", "design 9: Chinese text view", "a page reads in Chinese, one line a node or run, with refs and states"),
    R(
        "SEE-11",
        "users-want 6: snapshots that age unseen",
        "every view says which version of the page it shows, how old it is and how complete",
    ),
    R(
        "SEE-12",
        "users-want 1, design 9: cap and paging",
        "no page of a view exceeds its cap by a real tokenizer, and each operable element is on exactly one page",
    ),
    R(
        "SEE-13",
        "design 9: scoping",
        "a view can be narrowed to a subtree, and words find elements by name, value, row and surroundings",
    ),
    R(
        "SEE-14",
        "users-want 2, design 9: after an act only what changed",
        "a difference is told within 300 tokens, messages first, masses as counts",
    ),
    R(
        "SEE-15",
        "spec/000 4.2: marks as targets",
        "a number means the element it was shown for; unknown, stale and ambiguous ones are refused by code",
    ),
    R("SEE-16", "design 9: observe candidates", "candidates hold placeholders for values and never a value"),
    R("SEE-17", "users-want 13, design 9: tables with counts", "rows shown are reconciled with the page's own total"),
    R(
        "SEE-18",
        "design 9: optional OCR",
        "text off a picture names nameless elements and adds what no node says, marked as inferred",
    ),
    R(
        "SEE-20",
        "design 9 and 14: page text is data",
        "page text is one line, visible, redacted, cut, and can neither close its block nor imitate a ref",
    ),
    R(
        "SEE-21",
        "users-want 13, design 9: what a model can read",
        "a row told as one text stands in cells with its controls in place; a table in parts is one; both are found",
    ),
)
