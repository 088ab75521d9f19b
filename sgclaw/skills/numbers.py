"""Numbers as people write them: 12,000 · 1.5万 · 三百五十 · 第十."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "\u3007": 0,
    "○": 0,
    "两": 2,
    "俩": 2,
    "元": 1,
    "正": 1,
}
_SMALL: Final = {"十": 10, "百": 100, "千": 1000}
_LARGE: Final = {"万": 10_000, "亿": 100_000_000}
_HAN: Final = "零〇一二三四五六七八九十百千万亿两"
_UNITS: Final = "元|块钱|块|人民币|条|份|个|张|页|天|小时|分钟|人|名|位|行|笔|单|次|项|家|%|倍"
_ARTICLES: Final = frozenset("条份个张单次项家名位行")
_NUMBER: Final = re.compile(
    rf"(?P<arabic>\d[\d,]*(?:\.\d+)?)(?P<scale>[千万亿]?)|(?P<han>[{_HAN}]+)(?:(?<=[{_HAN}])点(?P<frac>[零一二三四五六七八九]+))?"
)
_AFTER: Final = re.compile(rf"\s*(?P<unit>{_UNITS})")
_ORDINAL: Final = re.compile(rf"第?\s*(?P<n>\d{{1,2}}|[{_HAN}]{{1,3}})\s*(?:个|项|条|种)?")
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text; `unit` is the measure word after it, if there is one. 万元 is already multiplied in."""

    start: int
    end: int
    value: int | float
    unit: str


def han_value(text: str) -> int | None:
    """三百五十 → 350, 二〇二六 → 2026; None when the characters are no number."""
    if not text or any(c not in _HAN and c not in DIGITS for c in text):
        return None
    if not any(c in _SMALL or c in _LARGE for c in text):
        return int("".join(str(DIGITS[c]) for c in text))
    return _han_units(text)


def _han_units(text: str) -> int:
    total = section = digit = 0
    for char in text:
        if char in DIGITS:
            digit = DIGITS[char]
        elif char in _SMALL:
            section += (digit or 1) * _SMALL[char]
            digit = 0
        else:
            total = (total + section + digit) * _LARGE[char]
            section = digit = 0
    return total + section + digit


def small(text: str) -> int | None:
    """A short whole number in either script (days, months, ordinals)."""
    return int(text) if text.isascii() and text.isdigit() else han_value(text)


def find_numbers(text: str) -> Iterator[Number]:
    """Every number of a folded text that stands for a quantity: digits, or Chinese digits with a measure word."""
    for match in _NUMBER.finditer(text):
        if match.end() - match.start() > _LONGEST:
            continue
        value = _value(match)
        after = _AFTER.match(text, match.end())
        # 「5万」 alone is money: other counts that large are said with their measure word.
        unit = after["unit"] if after else "元" if match["scale"] and match["scale"] in "万亿" else ""
        if value is None or (match["han"] and _says_nothing(match[0], unit)):
            continue
        whole = value == value.to_integral_value()
        yield Number(match.start(), after.end() if after else match.end(), int(value) if whole else float(value), unit)


def _says_nothing(han: str, unit: str) -> bool:
    """一份, 千万 (别), 万一, 十 (分): Chinese digits that are no quantity."""
    if han[0] in "百千万亿" or (han == "一" and unit in _ARTICLES):
        return True
    return not unit and (len(han) < 2 or not any(c in DIGITS for c in han))


def _value(match: re.Match[str]) -> Decimal | None:
    if match["arabic"]:
        scale = _SMALL.get(match["scale"]) or _LARGE.get(match["scale"]) or 1
        return Decimal(match["arabic"].replace(",", "")) * scale
    whole = han_value(match["han"])
    if whole is None:
        return None
    fraction = "".join(str(DIGITS[c]) for c in match["frac"] or "")
    return Decimal(f"{whole}.{fraction or 0}")


def ordinal(text: str) -> int | None:
    """「第2个」, 「二」, 「2」 → 2; None when the text is anything else."""
    match = _ORDINAL.fullmatch(text.strip())
    return small(match["n"]) if match else None
