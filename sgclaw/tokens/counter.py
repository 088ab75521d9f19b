"""Counts tokens of prompts with a real tokenizer (docs/adr/0007), loaded when something is counted first: 0.2 s, 40 MB.

Where the package is not installed, or has no such encoding, every count is the bound of `bound.py`: it says more than
a real tokenizer would, so what fits by it fits. A count plans a request; what a provider reports afterwards is billed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from sgclaw.tokens.bound import SLACK, estimate

Count = Callable[[str], int]
"""What tells the tokens of a text."""

ENCODING: Final = "cl100k_base"
"""Counts more than o200k and Qwen's own on Chinese text: the safe side for a model whose encoding is not known."""
_REMEMBERED: Final = 1_024


def counter(encoding: str = ENCODING) -> Count:
    """The count of this encoding; nothing is loaded before it is first called."""

    def count(text: str) -> int:
        return _loaded(encoding)(text)

    return count


def bounded(text: str) -> int:
    """Tokens at the most, without a tokenizer; 0 for no text."""
    return estimate(text) + SLACK if text else 0


@lru_cache(maxsize=4)
def _loaded(encoding: str) -> Count:
    """Texts are remembered: a request repeats nearly all of the one before, and is fitted by counting it anew."""
    try:
        encode = importlib.import_module("quicktok").get_encoding(encoding).encode_ordinary
    except (ImportError, RuntimeError):  # not installed; an encoding that it does not bring
        return lru_cache(maxsize=_REMEMBERED)(bounded)
    return lru_cache(maxsize=_REMEMBERED)(lambda text: len(encode(_encodable(text))))


def _encodable(text: str) -> str:
    """Half a character (a lone surrogate) counts as the mark it would be sent as."""
    return text.encode("utf-8", "replace").decode("utf-8")
