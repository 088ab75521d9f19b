"""From a Chinese text to words that can be compared: folding, cutting, synonyms. Pure; the dictionary loads on first
cut.

An index and the queries against it must be cut by the same cutter, so everything that compares words goes through here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from importlib import import_module
from itertools import groupby
from typing import Final

from sgclaw.skills.lexicon import FILLERS, SOFT_WORDS, SYNONYMS, VERB_GROUPS

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_MARKS = str.maketrans(
    "\u3000\u00a0﹐﹑﹔﹕﹖﹗﹒﹙﹚「」『』﹃﹄﹁﹂〈〉–—―～〜\u223c﹣−", "  ,、;:?!.()“”“”“”“”《》---~~~--"
)
_FOLD: Final = {**_WIDE, **_MARKS}
_INVISIBLE: Final = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
_REPORT_END: Final = re.compile(r"(?<=[月季年周]报)(?=导|发[我给到送]|下载|拉|传|给|打印)")
"""The dictionary reads 月报导出 as 月, 报导, 出."""
_PARTICLES: Final = frozenset("的了吗呢吧呀啊把给来")
_KNOWN_WORDS: Final = frozenset(VERB_GROUPS) | FILLERS | SOFT_WORDS | frozenset(SYNONYMS)


def clean(text: str) -> str:
    """Without invisible format and control characters, which would split a word nobody sees split."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    return "".join(char for char in spaced if unicodedata.category(char) not in _INVISIBLE)


def fold(text: str) -> str:
    """One form for full and half width, case and quotation marks; every character keeps its position."""
    return "".join(_fold_char(char) for char in text)


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    lowered = char.translate(_FOLD).lower()
    return lowered if len(lowered) == 1 else char


def cut(text: str, vocabulary: Collection[str] = ()) -> list[str]:
    """The words of a folded text, in order, without punctuation.

    The dictionary's words are joined or split again where that gives words of `vocabulary` or of the lexicon, so that
    「月报」 and 「订机票」 come out the same wherever they stand.
    """
    words: list[str] = []
    for is_word, run in groupby(text, key=_is_word_char):
        if is_word:
            for part in _REPORT_END.split("".join(run)):
                words.extend(_repair(_cutter()(part), vocabulary) if part else ())
    return words


def tokens(text: str) -> list[str]:
    """The dictionary's own cut of a run without punctuation, nothing joined or split: for names, which no list
    knows.
    """
    return _cutter()(text)


def expand(word: str) -> tuple[str, ...]:
    """The words this one is counted as: 月报 is 月度 and 报表."""
    return SYNONYMS.get(word, (word,))


def _is_word_char(char: str) -> bool:
    return char.isalnum() or char in "-_"


@lru_cache(maxsize=1)
def _cutter() -> Callable[[str], list[str]]:
    # The dictionary costs 0.3 s; the process must be ready before anyone needs it.
    return import_module("rjieba").cut  # type: ignore[no-any-return]


def _repair(words: list[str], vocabulary: Collection[str]) -> list[str]:
    def known(word: str) -> bool:
        return word in vocabulary or word in _KNOWN_WORDS

    joined: list[str] = []
    for word in words:
        last = joined[-1] if joined else ""
        mergeable = last and not (last in vocabulary and word in vocabulary)
        if mergeable and len(last + word) <= 6 and known(last + word):
            joined[-1] = last + word
        else:
            joined.append(word)
    return [piece for word in joined for piece in ([word] if known(word) else _split(word, known))]


def _split(word: str, known: Callable[[str], bool]) -> list[str]:
    """Greedy longest known pieces; what lies between them stays together. A word without one stays whole."""
    if len(word) < 3 or word.isascii():
        return [word]
    pieces: list[str] = []
    unknown = ""
    at = 0
    while at < len(word):
        size = next((n for n in range(min(6, len(word) - at), 0, -1) if _piece(word, at, n, known)), 0)
        if size:
            pieces.extend([unknown] if unknown else [])
            pieces.append(word[at : at + size])
            unknown = ""
        else:
            unknown += word[at]
        at += size or 1
    return [*pieces, unknown] if unknown else pieces


def _piece(word: str, at: int, size: int, known: Callable[[str], bool]) -> bool:
    # One character is part of the meaning of its word (行政, 不一致); only particles and verbs may come off at an edge.
    piece = word[at : at + size]
    if size > 1:
        return known(piece)
    return piece in _PARTICLES or (at == 0 and piece in VERB_GROUPS)
