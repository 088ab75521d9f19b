"""Text read off a picture, put into a view where the page itself says nothing.

Pure: who recognises is behind `Recogniser`, off unless configured. What it read is a guess, so it names only elements
that have no name, is marked as inferred, and never replaces what the page says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from sgclaw.perception.model import View, walk
from sgclaw.perception.roles import is_operable
from sgclaw.protocol.results import AomNode
from sgclaw.redact.seen import visible

Box = tuple[int, int, int, int]
"""x, y, width, height in CSS pixels of the viewport."""
LEAST_CONFIDENCE: Final = 0.6
_MOST_LINES: Final = 500


@dataclass(frozen=True, slots=True)
class OcrLine:
    """One line of text on a picture; `confidence` in 0..1."""

    text: str
    bounds: Box
    confidence: float


class Recogniser(Protocol):
    """Reads the text of a picture."""

    def __call__(self, picture: bytes) -> Sequence[OcrLine]:
        """Lines of a PNG, in pixels of the picture, in reading order."""
        ...


def merge(view: View, lines: Sequence[OcrLine], *, scale: float = 1.0) -> View:
    """The view with names for nameless elements and, at its end, the lines that no node says.

    `scale` is picture pixels for each CSS pixel. Doubtful lines are left out.
    """
    read = [
        OcrLine(visible(line.text), _scaled(line.bounds, scale), line.confidence)
        for line in lines[:_MOST_LINES]
        if line.confidence >= LEAST_CONFIDENCE and visible(line.text)
    ]
    used: set[int] = set()
    nodes = tuple(_named(node, read, used) for node in view.nodes)
    said = [(node.bounds, _plain(f"{node.name}{node.value or ''}")) for node, _ in walk(nodes)]
    rest = [line for place, line in enumerate(read) if place not in used and not _is_said(line, said)]
    texts = tuple(AomNode(role="text", name=line.text, bounds=line.bounds, inferred=("name",)) for line in rest)
    return replace(view, nodes=(*nodes, *texts))


def _named(node: AomNode, lines: Sequence[OcrLine], used: set[int]) -> AomNode:
    children = tuple(_named(child, lines, used) for child in node.children)
    name, inferred = node.name, node.inferred
    if is_operable(node) and not visible(node.name) and node.bounds is not None:
        inside = [place for place, line in enumerate(lines) if place not in used and _holds(node.bounds, line.bounds)]
        if inside:
            used.update(inside)
            name = " ".join(lines[place].text for place in inside)
            inferred = tuple(dict.fromkeys((*(inferred or ()), "name")))
    return node.model_copy(update={"name": name, "inferred": inferred, "children": children})


def _is_said(line: OcrLine, said: Sequence[tuple[Box | None, str]]) -> bool:
    text = _plain(line.text)
    return any(text in told and (bounds is None or _holds(bounds, line.bounds)) for bounds, told in said if told)


def _holds(outer: Box, inner: Box) -> bool:
    """Whether the middle of `inner` lies in `outer`."""
    x, y = inner[0] + inner[2] / 2, inner[1] + inner[3] / 2
    return outer[0] <= x <= outer[0] + outer[2] and outer[1] <= y <= outer[1] + outer[3]


def _plain(text: str) -> str:
    return "".join(visible(text).split()).lower()


def _scaled(bounds: Box, scale: float) -> Box:
    x, y, width, height = (round(length / scale) for length in bounds)
    return x, y, width, height
