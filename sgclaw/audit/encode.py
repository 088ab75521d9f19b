"""From what a caller says to the bytes that are kept: small, redacted, canonical."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final

import orjson

from sgclaw.redact import MAX_DEPTH, redact

MAX_TEXT: Final = 2 * 1024
"""Bytes of UTF-8 above which a text enters as its digest."""
MAX_DATA: Final = 64 * 1024
"""Bytes of encoded data above which the whole of it enters as its digest."""

_SHORT: Final = MAX_TEXT // 4  # characters that are never more than MAX_TEXT bytes
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAX_INT: Final = 2**63 - 1


def _digest(content: bytes) -> dict[str, object]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _shorten(value: object, depth: int) -> object:
    if isinstance(value, str):
        if len(value) <= _SHORT or len(content := value.encode("utf-8", "surrogatepass")) <= MAX_TEXT:
            return value
        return _digest(content)
    if depth < MAX_DEPTH:  # what is deeper is cut off by redaction
        if isinstance(value, Mapping):
            return {key: _shorten(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [_shorten(item, depth + 1) for item in value]
    return value


def _all_short(data: Mapping[str, object]) -> bool:
    """Whether no text can be too long, for the whole is not: the common case, told at once."""
    try:
        return len(orjson.dumps(data)) <= MAX_TEXT
    except orjson.JSONEncodeError:
        return False


def _mend(value: object) -> object:
    """Replace what JSON in UTF-8 cannot say: lone surrogates and integers of more than 64 bits."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _mend(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mend(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > _MAX_INT else value


def encode(value: Mapping[str, object] | str, option: int = orjson.OPT_SORT_KEYS) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8. Total for what `tidy` returns."""
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return orjson.dumps(_mend(value), option=option)


def encode_ordered(value: Mapping[str, object]) -> bytes:
    """The same with keys in the order given: lines that people read."""
    return encode(value, 0)


def tidy(data: Mapping[str, object]) -> dict[str, object]:
    """The data as it is kept: redacted, texts over 2 KiB as `{sha256, bytes}`, and as a whole when over 64 KiB."""
    clean = redact(data if _all_short(data) else _shorten(data, 0))
    kept: dict[str, object] = dict(clean) if isinstance(clean, dict) else {}
    content = encode(kept)
    return kept if len(content) <= MAX_DATA else _digest(content)
