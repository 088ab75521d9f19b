"""The numbered picture: a screenshot with a mark on each element that can be operated where it is.

The marks are drawn over the finished picture and never into the page: a page that saw them could change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from time import monotonic
from typing import Final

from PIL import Image, ImageDraw, ImageFilter, ImageFont
from playwright.async_api import FloatRect

from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.chromium.snapshot import Node, every_node, look
from browser_host_stub.chromium.veiling import paint, veiled
from browser_host_stub.driver import JsonObject
from sgclaw.protocol import params as p

Box = tuple[int, int, int, int]
"""x, y, width, height in pixels of the picture."""

_DIGITS: Final = 15
"""Size of the numbers' font in pixels: its digits are 12 high, smaller ones are not read reliably."""
_PADDING: Final = (2, 2)
_EDGE: Final = 40
_NODES: Final = 2_000
_MAX_MARKS: Final = 400
_PLACING_S: Final = 2.0
"""For finding places for the numbers."""
_COLOURS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"), "#0b6e2e"),
    **dict.fromkeys(("checkbox", "radio", "switch"), "#8a3b00"),
    **dict.fromkeys(("link", "tab", "menuitem", "treeitem", "option"), "#5b1ea8"),
    "row": "#555555",
}
_OTHERS: Final = "#b3001b"


@dataclass(frozen=True, slots=True)
class Mark:
    """One number and the element it stands for."""

    id: int
    box: Box
    colour: str


def marks_for(labels: Sequence[JsonObject], roles: Sequence[str], offset: tuple[int, int]) -> list[Mark]:
    """Marks of labels on a picture whose upper left corner lies at `offset` of the page's viewport."""
    made: list[Mark] = []
    for label, role in zip(labels, roles, strict=True):
        x, y, width, height = (int(side) for side in _numbers(label["bounds"]))
        box = (x - offset[0], y - offset[1], width, height)
        made.append(Mark(int(str(label["id"])), box, _COLOURS.get(role, _OTHERS)))
    return made


def _numbers(value: object) -> list[int]:
    return [int(str(side)) for side in value] if isinstance(value, (list, tuple)) else [0, 0, 0, 0]


def draw(picture: bytes, marks: Sequence[Mark], within_s: float = _PLACING_S) -> bytes:
    """The picture (PNG) with the marks on it (PNG); those left when the time is over stand at the first corner."""
    with Image.open(BytesIO(picture)) as opened:
        image = opened.convert("RGB")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=_DIGITS)
    taken = _Taken(_ink_of(image), [mark.box for mark in marks], monotonic() + within_s)
    for mark in marks:
        x, y, width, height = mark.box
        pen.rectangle((x, y, x + max(width, 2) - 1, y + max(height, 2) - 1), outline=mark.colour, width=1)
    for mark in sorted(marks, key=lambda each: each.box[2] * each.box[3]):
        _draw_number(pen, font, mark, taken)
    kept = BytesIO()
    image.save(kept, "PNG")
    return kept.getvalue()


def _ink_of(image: Image.Image) -> Image.Image:
    """Where the picture shows something: 255 at edges, 0 on even ground."""
    return image.convert("L").filter(ImageFilter.FIND_EDGES).point(lambda value: 255 if value > _EDGE else 0)


def _draw_number(
    pen: ImageDraw.ImageDraw, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, mark: Mark, taken: _Taken
) -> None:
    text = str(mark.id)
    left, top, right, bottom = font.getbbox(text)
    width, height = round(right - left) + 2 * _PADDING[0], round(bottom - top) + 2 * _PADDING[1]
    x, y = taken.place(mark.box, width, height)
    if _away((x, y, width, height), mark.box):
        middle = x + width // 2, y + height // 2
        pen.line((*middle, *_nearest(mark.box, middle)), fill=mark.colour, width=1)
    pen.rectangle((x, y, x + width - 1, y + height - 1), fill=mark.colour, outline="white", width=1)
    pen.text((x + _PADDING[0] - left, y + _PADDING[1] - top), text, fill="white", font=font)


def _touches(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def _nearest(box: Box, point: tuple[int, int]) -> tuple[int, int]:
    """The point of a box closest to another one."""
    return min(max(point[0], box[0]), box[0] + box[2]), min(max(point[1], box[1]), box[1] + box[3])


def _away(label: Box, box: Box) -> int:
    """Cost of a number that does not touch its box: a line has to lead to it."""
    return 0 if _touches((label[0] - 2, label[1] - 2, label[2] + 4, label[3] + 4), box) else 20


def _overlap(one: Box, other: Box) -> int:
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(0, wide) * max(0, high)


class _Taken:
    """Where numbers stand already, and what they must not hide."""

    _CELL: Final = 64

    def __init__(self, ink: Image.Image, boxes: Sequence[Box], until: float) -> None:
        self._ink, self._until = ink, until
        self._size = ink.size
        self._numbers: dict[tuple[int, int], list[Box]] = {}
        self._boxes: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            for cell in self._cells(box):
                self._boxes.setdefault(cell, []).append(box)

    def _cells(self, box: Box) -> Iterator[tuple[int, int]]:
        for across in range(box[0] // self._CELL, (box[0] + box[2]) // self._CELL + 1):
            for down in range(box[1] // self._CELL, (box[1] + box[3]) // self._CELL + 1):
                yield across, down

    def place(self, box: Box, width: int, height: int) -> tuple[int, int]:
        """The cheapest corner for a number of this size near its box; it is taken from then on."""
        best, cost = (box[0], box[1]), float("inf")
        for rank, (across, down) in enumerate(_corners(box, width, height)):
            x = min(max(across, 0), self._size[0] - width)
            y = min(max(down, 0), self._size[1] - height)
            paid = self._cost((x, y, width, height), box) + rank + _away((x, y, width, height), box)
            if paid < cost:
                best, cost = (x, y), paid
            if monotonic() > self._until:
                break
        for cell in self._cells((*best, width, height)):
            self._numbers.setdefault(cell, []).append((*best, width, height))
        return best

    def _cost(self, label: Box, own: Box) -> float:
        cells = list(self._cells(label))
        numbers = sum(
            _overlap(label, other) for other in {each for cell in cells for each in self._numbers.get(cell, ())}
        )
        small = {box for cell in cells for box in self._boxes.get(cell, ()) if box != own}
        hidden = sum(_overlap(label, box) / max(1, min(box[2] * box[3], 20_000)) for box in small)
        itself = _overlap(label, own) / max(1, own[2] * own[3])
        x, y, width, height = label
        ink = self._ink.crop((x, y, x + width, y + height)).histogram()[255] / (width * height)
        return ink * 45 + numbers * 20 + hidden * 300 + (itself * 200 if itself > 0.25 else itself * 20)


def _corners(box: Box, width: int, height: int) -> Iterator[tuple[int, int]]:
    """Places for a number, best first: on the border, beside, then further away."""
    x, y, wide, high = box
    yield x - width + 2, y + (high - height) // 2
    yield x, y - height + 1
    yield x + wide - width, y - height + 1
    yield x + wide - 2, y + (high - height) // 2
    yield x, y + high - 1
    yield x + wide - width, y + high - 1
    if wide > 3 * width:
        for down in (1, (high - height) // 2, high - height - 1):
            yield x + wide - width - 1, y + down
            yield x + 1, y + down
    for step in (1, 2, 3):
        yield x, y - height * (step + 1)
        yield x, y + high + height * step
        yield x - width * (step + 1), y
        yield x + wide + width * step, y


async def screenshot(run: Run) -> JsonObject:
    """A PNG of the viewport, the whole page or one element, kept as an artifact; with numbered marks when asked for."""
    params = run.located.params
    if not isinstance(params, p.Screenshot):
        raise TypeError(params)
    clip = await _clip(run) if run.handle.element is not None else None
    whole = params.full_page and clip is None
    nodes = await _to_mark(run, clip) if params.som_overlay else []
    areas, corner = await veiled(run.page), await _corner(run, clip, whole=whole)
    taken = await run.page.page.screenshot(full_page=whole, clip=clip, type="png", timeout=max(1.0, run.left_s * 1000))
    await run.still_there()  # the picture must not show a document that was never checked
    areas += await veiled(run.page)  # nor a frame that moved or loaded meanwhile
    if areas:
        scale = float(str((await (await run.page.documents.main()).ask("viewport"))["scale"]))
        taken = await asyncio.to_thread(paint, taken, areas, corner, scale)
    labels: list[JsonObject] = [
        {"id": number, **{name: node[name] for name in ("selector", "ref", "name", "bounds")}}
        for number, node in enumerate(nodes, 1)
    ]
    if labels:
        marks = marks_for(labels, [node["role"] for node in nodes], corner)
        taken = await asyncio.to_thread(draw, taken, marks, min(run.left_s / 2, _PLACING_S))
    stored = await run.artifacts.keep_bytes(taken, "screenshot.png")
    return {"artifact": stored.artifact.model_dump(mode="json"), "som_labels": labels}


async def _to_mark(run: Run, clip: FloatRect | None) -> list[Node]:
    """What gets a number: operable where it is, and in the picture."""
    main = await run.page.documents.main()
    seen = await look(run.page, main, None, full=False, max_nodes=_NODES, within_s=run.left_s / 2)
    found = [
        node
        for node in every_node(seen.nodes)
        if node.get("operable") and not (node.get("away") or node.get("covered"))
    ]
    if clip is not None:
        area = (round(clip["x"]), round(clip["y"]), round(clip["width"]), round(clip["height"]))
        found = [node for node in found if _touches(tuple(node["bounds"]), area)]
    return found[:_MAX_MARKS]


async def _corner(run: Run, clip: FloatRect | None, *, whole: bool) -> tuple[int, int]:
    """Where the picture's upper left corner lies in the page's viewport."""
    if clip is not None:
        return round(clip["x"]), round(clip["y"])
    if not whole:
        return 0, 0
    scrolled = await (await run.page.documents.main()).ask("scrolledTo")
    return -int(str(scrolled["x"])), -int(str(scrolled["y"]))


async def _clip(run: Run) -> FloatRect:
    box = await run.on_element("boxOfKept")
    x, y, width, height = (float(str(box[side])) for side in ("x", "y", "width", "height"))
    place = run.handle.place
    if place is None or place.owner is None:
        return {"x": x, "y": y, "width": width, "height": height}
    await run.on_element("scrollFar")
    box = await run.on_element("boxOfKept")
    x, y = float(str(box["x"])), float(str(box["y"]))
    plane = await run.page.documents.plane(place)
    corners = [plane.of(x + across, y + down) for across in (0.0, width) for down in (0.0, height)]
    left, top = (min(side) for side in zip(*corners, strict=True))
    right, bottom = (max(side) for side in zip(*corners, strict=True))
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


HANDLERS: Handlers = {"pageScreenshot": screenshot}
