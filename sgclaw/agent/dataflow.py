"""Where values come from and where they go: what was read on one origin reaches another after a person saw it.

A value is known by its normalised text: four characters of it in a row are enough. What the person said is nobody
else's, and what the destination shows already is no news to it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import unquote, urlsplit

from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.redact import redact_text

SHORTEST: Final = 4
"""Characters in a row that make a value known again."""
_WIDE: Final = 6
"""Characters in a row that must be known where a longer value goes: of four digits a page can show every one."""
_MOST_GRAMS: Final = 400_000
"""Per origin; beyond it every text counts as read there, for forgetting would let values through."""
_REMEMBERED: Final = 200
"""Characters typed last on an origin: a value given in small pieces is put together again."""
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_NEITHER: Final = re.compile(r"[\W_]+")
"""What is neither letter nor digit."""
_SHOWN: Final = 500
MOST_SHOWN: Final = 4_000
"""Characters of a text that a person is asked about whole: what they cannot read to its end they cannot let go."""
_TEXTS: Final = frozenset({"text", "value", "key", "file"})
"""Parameters that carry a text to where an act goes; the key of a storage item is one too."""


def normal(text: str) -> str:
    """The text as values are compared: one width and case, letters and digits only."""
    return _NEITHER.sub("", unicodedata.normalize("NFKC", text).casefold())


def _grams(text: str, size: int = SHORTEST) -> set[str]:
    return {text[place : place + size] for place in range(len(text) - size + 1)}


def _both(text: str) -> set[str]:
    return _grams(text) | _grams(text, _WIDE)


def _runs(text: str, grams: Container[str]) -> Iterator[str]:
    """The longest parts of a text that are made of these."""
    began = None
    for place in range(len(text) - SHORTEST + 2):
        inside = text[place : place + SHORTEST] in grams and place <= len(text) - SHORTEST
        if inside and began is None:
            began = place
        elif not inside and began is not None:
            yield text[began : place + SHORTEST - 1]
            began = None


@dataclass(frozen=True, slots=True)
class Flow:
    """A text on its way: read on `sources`, going to `destination`. `text` is exactly what would be sent."""

    sources: tuple[str, ...]
    destination: str
    text: str


class Tracker:
    """Remembers what was read on which origin, and what the person said."""

    def __init__(self, said: str = "") -> None:
        self._read: dict[str, set[str]] = defaultdict(set)
        self._known: dict[str, set[str]] = defaultdict(set)
        self._said: set[str] = _both(normal(said))
        self._typed: dict[str, deque[str]] = {}
        self._allowed: set[tuple[str, str]] = set()
        self._full: set[str] = set()
        self._fresh: dict[str, set[str]] = {}

    def said(self, text: str) -> None:
        """A person wrote this: it may go anywhere."""
        self._said |= _both(normal(text))

    def read(self, origin: str, texts: Iterable[str]) -> None:
        """These texts stand on that origin."""
        grams, fresh, known = self._read[origin], self._fresh.setdefault(origin, set()), self._known[origin]
        for text in texts:
            if text in known:
                continue
            known.add(text)
            fresh.add(text)
            if origin not in self._full:
                grams |= _both(normal(text))
        if len(grams) > _MOST_GRAMS:
            self._full.add(origin)

    def allow(self, flow: Flow) -> None:
        """A person has seen this text and let it go there: once more needs no second word."""
        self._allowed.add((flow.destination, flow.text))

    def flow(self, destination: str, text: str) -> Flow | None:
        """Whether the text, given to `destination`, carries what was read elsewhere."""
        if (destination, text) in self._allowed:
            return None
        pieces = [normal(each) for each in _readings(text)]
        typed = "".join(self._typed.get(destination, ()))
        pieces.append(typed[-SHORTEST + 1 :] + pieces[0])
        sources = tuple(
            origin
            for origin, grams in self._read.items()
            if origin != destination and any(self._carries(piece, origin, grams, destination) for piece in pieces)
        )
        return Flow(sources, destination, text) if sources else None

    def _carries(self, piece: str, origin: str, grams: set[str], destination: str) -> bool:
        """Whether a part of the piece was read there and is news to who gets it."""
        runs = [piece] if origin in self._full else _runs(piece, grams)
        there = self._read.get(destination, set())
        return any(gram not in self._said and gram not in there for run in runs for gram in _both(run))

    def typed(self, destination: str, text: str) -> None:
        """The text was given to that origin; the next ones are looked at together with its end."""
        self._typed.setdefault(destination, deque(maxlen=_REMEMBERED)).extend(normal(text))

    def fresh(self) -> dict[str, list[str]]:
        """What was read for the first time since this was asked last, by origin and redacted, to be kept in a trace."""
        found = {origin: sorted(redact_text(each) for each in texts if each) for origin, texts in self._fresh.items()}
        self._fresh.clear()
        return {origin: texts for origin, texts in found.items() if texts}


def _readings(text: str) -> Iterator[str]:
    """The text, and what it says when it is decoded as addresses, markup, escapes or base64 are, or read backwards."""
    yield text
    plain = unquote(text)
    for each in dict.fromkeys((plain, unquote(plain), unquote(text, "gb18030"), unescape(plain), _unescaped(plain))):
        yield each
        yield each[::-1]
        for word in _ENCODED.findall(each):
            yield from _decoded(word)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text)


def _decoded(word: str) -> Iterator[str]:
    """What the word may be the code of. Letters put before it move the groups of four: each beginning is tried."""
    body = word.rstrip("=").replace("-", "+").replace("_", "/")
    for start in range(4):
        code = body[start : len(body) - ((len(body) - start) % 4 == 1)]
        with contextlib.suppress(binascii.Error):
            padded = code + "=" * (-len(code) % 4)
            yield base64.b64decode(padded, validate=True).decode("utf-8", "replace")
    for start in range(2):
        with contextlib.suppress(ValueError):
            yield bytes.fromhex(word[start : len(word) - (len(word) - start) % 2]).decode("utf-8", "replace")


def outgoing(action: str, params: Mapping[str, object]) -> Iterator[str]:
    """The texts an act would give away: what is typed, chosen, stored; of an address everything behind its host."""
    if spec_of(action).compares is Compare.TARGET_URL:
        parts = urlsplit(str(params.get("url", "")))
        yield f"{parts.path}?{parts.query}#{parts.fragment}" if parts.query or parts.fragment else parts.path
        return
    for name, value in params.items():
        if name in _TEXTS and isinstance(value, str) and not _is_named_key(action, value):
            yield value


def _is_named_key(action: str, value: str) -> bool:
    return action == "press" and len(value.rpartition("+")[2]) > 1


def foreign_address(url: str) -> str | None:
    """Another site's address inside this one's query, path or fragment, for which this one may be a mere relay."""
    parts = urlsplit(url)
    inside = unquote(unquote(f"{parts.path}?{parts.query}#{parts.fragment}")).lower()
    found = re.search(r"(?:https?:)?[/\\]{2}([^/\\?#\s&]+)", inside)
    return found[1] if found and found[1] != parts.netloc.lower() else None


def laid_bare(text: str) -> str:
    """The whole text with what cannot be seen in it named."""
    return "".join(c if c.isprintable() or c == "\n" else f"⟨U+{ord(c):04X}⟩" for c in text)


def shown(text: str, most: int = _SHOWN) -> str:
    """A text as a person reads it, cut visibly when it is long; its rest is counted."""
    seen = laid_bare(text)
    return seen if len(seen) <= most else f"{seen[:most]}…（共 {len(seen)} 字）"


def whole(text: str) -> str | None:
    """The exact text as a person is asked about it, all of it; None when it is too long to be read."""
    seen = laid_bare(text)
    return seen if len(seen) <= MOST_SHOWN else None


def strings(value: object, depth: int = 0, *, names: bool = False) -> Iterator[str]:
    """Every text inside a result; with `names` also those its values stand under."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None or depth > 64:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if names:
                yield str(name)
            yield from strings(each, depth + 1, names=names)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each, depth + 1, names=names)
