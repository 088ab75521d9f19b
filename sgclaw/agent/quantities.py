"""The numbers a text states, however they are written, and whether others bear them out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Final

from sgclaw.skills.numbers import han_value

_SCALES: Final = {
    "百": Decimal(100),
    "千": Decimal(1_000),
    "万": Decimal(10_000),
    "百万": Decimal(1_000_000),
    "千万": Decimal(10_000_000),
    "亿": Decimal(100_000_000),
    "%": Decimal("0.01"),
    "‰": Decimal("0.001"),
}
_HAN: Final = "零〇一二三四五六七八九十百千万亿两"
_UNITS: Final = (
    "条行项个份张笔页元圆块角分人名位次单家件天月号年季度套批种台倍岁户辆吨斤克米秒周例封本册箱包股票间篇款成"
)
_NUMBER: Final = re.compile(
    rf"(?P<arabic>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(?P<scale>百万|千万|[百千万亿%‰])?"
    rf"|(?P<percent>百分之)(?P<part>[{_HAN}]+(?:点[零〇一二三四五六七八九]+)?|\d+(?:\.\d+)?)"
    rf"|(?P<han>[{_HAN}]+(?:点[零〇一二三四五六七八九]+)?)(?P<unit>\s*[{_UNITS}])?"
)
_FORMAL: Final = str.maketrans(
    {
        **dict(zip("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億兩", "一二二三三四五六六七八九十百千万亿两", strict=True)),
        "廿": "二十",
        "卅": "三十",
    }
)
"""The numerals of cheques and vouchers, and older forms."""
_LISTED: Final = re.compile(r"(?m)^[^\S\n]*(?:\d{1,2}[.、)](?!\d)|[（(]\d{1,2}[)）]|[①-⑳])[^\S\n]*")
_HEADED: Final = re.compile(r"(?:[（(]\s*(?:单位\s*[:：]\s*)?|单位\s*[:：]\s*)(百万|千万|[百千万亿%‰])元?")
"""What a table says of all its numbers: 金额（万元）, 单位：亿元, 比例（%）."""
_LONGEST: Final = 40
"""Digits of a number that are read; longer ones are told apart by their beginning."""
_MOST_NUMBERS: Final = 20_000
"""Of one text: what a page writes to keep us busy is not read to its end."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text; `step` is the size of its last digit, 万 and % multiplied in."""

    written: str
    value: Decimal
    step: Decimal


def quantities(text: str) -> Iterator[Quantity]:
    """Every number the text states. Bullets of a list state nothing; neither do 一次, 统一, 万一."""
    plain = _LISTED.sub("", unicodedata.normalize("NFKC", _LISTED.sub("", text))).translate(_FORMAL)
    for match in _NUMBER.finditer(plain):
        if (found := _quantity(match)) is not None:
            yield found


def _quantity(match: re.Match[str]) -> Quantity | None:
    written = match[0].strip()
    if match["arabic"]:
        digits, scale = match["arabic"].replace(",", "")[:_LONGEST], _SCALES.get(match["scale"] or "", Decimal(1))
        return Quantity(written, Decimal(digits) * scale, _last(digits) * scale)
    text = (match["part"] or match["han"])[:_LONGEST]
    digits = text if text[0].isdigit() and text.isascii() else _from_han(text)
    if digits is None or (match["han"] and _says_nothing(text, match["unit"])):
        return None
    scale = Decimal("0.01") if match["percent"] else Decimal(1)
    return Quantity(written, Decimal(digits) * scale, _last(digits) * scale)


def _from_han(text: str) -> str | None:
    whole, _, fraction = text.partition("点")
    value = han_value(whole)
    parts = [han_value(char) for char in fraction]
    if value is None or None in parts:
        return None
    return f"{value}.{''.join(map(str, parts))}" if parts else str(value)


def _says_nothing(han: str, unit: str | None) -> bool:
    if han[0] in "百千万亿" or (han == "一" and unit):
        return True
    return not unit and (len(han) < 2 or not set(han) & set("十百千万亿点"))


def _last(digits: str) -> Decimal:
    return _power(len(digits.partition(".")[2]))


@lru_cache(maxsize=_LONGEST)
def _power(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def values_of(text: str) -> set[Decimal]:
    """The values of all numbers in a text of a page, also in the unit a heading of the text gives them."""
    found = {abs(each.value) for each in islice(quantities(text), _MOST_NUMBERS)}
    scales = {_SCALES[scale] for scale in _HEADED.findall(text)}
    return found | {value * scale for value in found for scale in scales}


def borne_out(stated: Quantity, known: Collection[Decimal], *, rounded: bool = False) -> bool:
    """Whether a stated number is among the known values, or (`rounded`) what one of them is when cut to its digits.

    Numbers given in 万 or 亿 are always rounded ones; 12% is borne out by a 12 too, for cells leave the sign out.
    """
    value = abs(stated.value)
    if value in known or (stated.written[-1] == "%" and value * 100 in known):
        return True
    if not rounded and stated.step <= 1:
        return False
    half = stated.step / 2
    return any(abs(each - value) <= half for each in known if each)
