"""The values of the corpus that stand for something that only the installation knows, or that is too long to write."""

from __future__ import annotations

import hashlib
import re
from typing import Any

_PLACEHOLDER = re.compile(r"<([^<>]*)>")


def filled(value: Any, source: bytes = b"") -> Any:
    """The value with `<depth N>`, `<N bytes>`, `<right md5>` and their like replaced; `source` is the file meant."""
    if not isinstance(value, str):
        return value
    return _PLACEHOLDER.sub(lambda match: _filling(match[1], source, match[0]), value)


def _filling(words: str, source: bytes, whole: str) -> str:
    number = re.search(r"\d[\d_,]*", words)
    many = int(re.sub(r"[_,]", "", number[0])) if number else 0
    if "depth" in words or "nest" in words:
        return '{"a":' * many + "1" + "}" * many
    if many and re.search(r"bytes|chars|characters|long|size|times", words):
        return "a" * many
    if words.startswith("right"):
        algorithm = re.search(r"md5|sha1|sha224|sha384|sha512", words)
        digest = hashlib.new(algorithm[0] if algorithm else "sha256", source).hexdigest()
        return digest.upper() if "upper" in words else digest
    return whole


def set_path(document: dict[str, Any], path: str, value: Any) -> None:
    """Set what a dotted path names, making what lies on the way."""
    *way, last = path.split(".")
    for part in way:
        document = document.setdefault(part, {})
    document[last] = value
