"""Pictures without what may not be read: the boxes of frames whose document is of an unlisted origin are painted over.

Which frames these are is decided as everywhere: by the committed origin, and one that cannot be told is not listed.
What is hidden, or scrolled out of the box around it, shows nothing and is left out; what lies over such a frame goes
with it.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from math import ceil
from typing import Any, Final, cast

from PIL import Image, ImageDraw

from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.pages import OpenPage
from browser_host_stub.chromium.world import StaleWorldError
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError

Area = tuple[float, float, float, float]
"""Left, top, right, bottom in the viewport of the page's main document."""

_GROUND: Final = (128, 128, 128)
_GONE: Final = (ActionCode.NOT_FOUND, ActionCode.STALE_REF, ActionCode.DETACHED_TARGET, ActionCode.HIDDEN_TARGET)
_WORDS: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAH4AAAAQAQAAAAD4pvYPAAAA7ElEQVR42gXBIU/DQBiA4bd3X8KJipMkELiEJkMgJicr+AEIQiZR"
    "aASioglHqABXjwCBmJzgB1wyhZscSQnIiQnERCHXludBg4Dz5DY4xigYMEDMCTsR0NjTlNv4Gp3P6KMqW8sf51mSNiVktaoMdMxJ"
    "6kfzEQUFh0DZMIFRBgqOwItc1IozDq5VjN9oYFZ3/nf1JMpUnj4v22RW5MNxhsAWvLbPN5v15C12SsIVxkG/IYCplHU/pEuZTy2f"
    "d43JZXcZw8n66+EdhkH2XlTdGMbbrIUCmK64l0sJskiT1ptRXKRo8n3QJIbCofkHRy9P6xIR7IAAAAAASUVORK5CYII="
)
"""未列入策略的框架, drawn: Pillow's own font has no Chinese."""


async def veiled(page: OpenPage) -> list[Area]:
    """Where the page shows frames that are not listed."""
    areas: list[Area] = []
    origins: Counter[str] = Counter()
    reached: set[str] = set()
    await _look(page, await page.documents.main(), areas, origins, reached)
    outside = Counter({url: frames for url, frames in page.documents.unlisted().items() if frames > origins[url]})
    if outside:  # in shadow trees that scripts cannot enter: the browser itself knows where they are
        areas += await page.documents.boxes_of(outside)
    return areas + await page.documents.sandboxed(reached)


async def _look(page: OpenPage, place: Place, areas: list[Area], origins: Counter[str], reached: set[str]) -> None:
    try:
        inside = cast("Sequence[dict[str, Any]]", (await place.ask("foreignFrames"))["frames"])
    except ActionError as error:
        if place.owner is None or error.code not in _GONE:
            raise
        return
    for frame in inside:
        try:
            reached.add(await page.documents.frame_id(place, frame["frame"]))
            await _look(page, await page.documents.enter(place, frame["frame"]), areas, origins, reached)
        except PolicyDeniedError as denied:
            origins[str(denied.facts.get("origin"))] += 1
            if frame["area"] is not None:
                areas.append(await _on_page(page, place, frame["area"]))
        except StaleWorldError:
            continue  # no document: nothing is shown
        except ActionError as error:
            if error.code not in _GONE:
                raise


async def _on_page(page: OpenPage, place: Place, area: Sequence[float]) -> Area:
    plane = await page.documents.plane(place)
    corners = [plane.of(x, y) for x in (area[0], area[2]) for y in (area[1], area[3])]
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


def paint(picture: bytes, areas: Sequence[Area], corner: tuple[float, float], scale: float) -> bytes:
    """The picture (PNG) with the areas grey and named; `corner` is where its upper left lies in the viewport."""
    if not areas:
        return picture
    with Image.open(BytesIO(picture)) as opened:
        image = opened.convert("RGB")
    with Image.open(BytesIO(_WORDS)) as opened:
        words = opened.convert("1")
    pen = ImageDraw.Draw(image)
    for left, top, right, bottom in areas:
        x, y = (left - corner[0]) * scale, (top - corner[1]) * scale
        to_x, to_y = (right - corner[0]) * scale, (bottom - corner[1]) * scale
        pen.rectangle((int(x), int(y), max(int(x), ceil(to_x) - 1), max(int(y), ceil(to_y) - 1)), fill=_GROUND)
        if to_x - x > words.width and to_y - y > words.height:
            pen.bitmap((int(x + to_x - words.width) // 2, int(y + to_y - words.height) // 2), words, fill="white")
    kept = BytesIO()
    image.save(kept, "PNG")
    return kept.getvalue()
