"""What a person sees of a text: the one line of it that reaches a prompt, whoever wrote it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

CUT: Final = "…"
"""Where a text was longer than there is room for."""
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
