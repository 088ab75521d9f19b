"""Text of a page on its way into a prompt: flattened, without what cannot be seen, redacted, unable to imitate us.

Inside a view only we write `[12]` (a ref), `{…}` (states), ` | ` (columns), and `#` or `~` at the start of a text
(structure, an inferred name). A page's own such characters become their full-width twins; and as its `<` does too,
it can close no block. What a page says therefore stays content, however it is phrased.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from sgclaw.redact import redact_text

MAX_NAME: Final = 80
"""Characters of a name or cell that are shown."""
MAX_TEXT: Final = 240
"""Characters of running text that are shown."""
CUT: Final = "…"

_TWINS: Final = str.maketrans("[]{}<|", "［］｛｝＜｜")
_MARKS: Final = {"#": "＃", "~": "～", "+": "＋", "-": "－", "=": "＝"}
"""What opens a line or an entry of ours."""
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
_UNSEEN_MARKS: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Invisible, though Unicode calls them letters, marks or symbols; some carry whole hidden sentences."""
_SPACES: Final = re.compile(r"\s+")
_PLAIN: Final = re.compile(r"[\u4e00-\u9fff -~，。、：；！？（）【】《》“”￥％·—…]*")
_STACKED: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{2})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
_LONGEST_READ: Final = 4_000
_OFTEN: Final = 240
"""Characters of a text that may be a name, and so is worth remembering."""


def visible(text: str) -> str:
    """The text in one line as a person sees it: no control, format, direction, tag or filler characters."""
    return _visible(text) if len(text) <= _OFTEN else _visible.__wrapped__(text)


@lru_cache(maxsize=4_096)
def _visible(text: str) -> str:
    """Cached: the name of one element is asked for many times while a view is made."""
    if not _PLAIN.fullmatch(text):
        spaced = _SPACES.sub(" ", text)
        seen = "".join(c for c in spaced if unicodedata.category(c) not in _UNSEEN_CATEGORIES)
        text = _STACKED.sub(r"\1", _UNSEEN_MARKS.sub("", seen))
    return " ".join(text.split())


def shown(text: str, longest: int = MAX_NAME) -> str:
    """A text of a page as it may stand in a view: visible, redacted, cut with a mark, unable to imitate our marks."""
    seen = redact_text(visible(text[:_LONGEST_READ]))
    if len(seen) > longest:
        seen = seen[: longest - 1].rstrip() + CUT
    seen = seen.translate(_TWINS)
    return _MARKS.get(seen[0], seen[0]) + seen[1:] if seen else ""


def block(origin: str, lines: str) -> str:
    """The lines of a view as one labelled block. `origin` is canonical or empty: it never comes from page text."""
    return f"<page origin={origin or '?'}>\n{lines}\n</page>"
