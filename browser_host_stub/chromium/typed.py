"""Whether a field shows what was typed into it, also when the page writes it in its own way."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_GROUPED = re.compile(r"(?<=\d)[,，\s](?=\d{3})")


def shows(value: object, text: str) -> bool:
    """Whether `value` holds `text`: as it is, but for case, spaces and signs between, or as the same numbers.

    A value that is not told (None, of passwords) is not judged.
    """
    if not isinstance(value, str) or not text:
        return True
    if text in value:
        return True
    typed = _letters(text)
    if not typed:
        return _dense(text) in _dense(value)
    return typed in _letters(value) or (typed.isdecimal() and _numbers(text) == _numbers(value))


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _dense(text: str) -> str:
    return "".join(text.split())


def _numbers(text: str) -> list[Decimal]:
    """Numbers by value: `1,234.50` is 1234.5, and `05` is 5."""
    return [Decimal(found) for found in _NUMBER.findall(_GROUPED.sub("", text))]
