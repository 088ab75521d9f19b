"""Finds pieces of hostile input in what we emit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import sgclaw
from sgclaw.errors import SgClawError

WINDOW = 8


def words(error: SgClawError, *, facts: bool = True) -> list[str]:
    """Everything an error says, piece by piece."""
    return [error.code, error.cause, error.next_step, *map(str, error.facts.values() if facts else ())]


@lru_cache
def _own_words() -> bytes:
    """Our source text: what stands there is ours, even when the input holds it too."""
    files = sorted(Path(sgclaw.__file__).parent.rglob("*.py"))
    return b"\n".join(file.read_bytes() for file in files)


@lru_cache(maxsize=4096)
def _is_ours(piece: bytes) -> bool:
    return piece in _own_words()


def echoed(said: Iterable[str], data: bytes) -> bytes:
    """The first 8 bytes of `data` in a row that stand in one of the texts and not in our own source; empty if none."""
    for text in (piece.encode("utf-8", "surrogatepass") for piece in said):
        if _is_ours(text):
            continue
        for start in range(len(text) - WINDOW + 1):
            piece = text[start : start + WINDOW]
            if piece in data and not _is_ours(piece):
                return piece
    return b""
