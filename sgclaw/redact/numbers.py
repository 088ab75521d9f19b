"""Personal numbers and tokens: shapes that betray a secret without a name before it."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import Final

from sgclaw.redact.names import CARD, ID_NUMBER, KEY, PHONE, TOKEN

_REGIONS: Final = frozenset(
    {11, 12, 13, 14, 15, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 41, 42, 43, 44, 45, 46}
    | {50, 51, 52, 53, 54, 61, 62, 63, 64, 65, 71, 81, 82, 83}
)
"""Province codes of GB/T 2260; 91 and 92 open company codes (统一社会信用代码), which are public."""
_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK_DIGITS: Final = "10X98765432"

_ID_SHAPE: Final = re.compile(r"[1-8][0-9]{16}[0-9Xx]")
_PHONE_SHAPE: Final = re.compile(r"(?:(?:00)?86-?)?1[3-9][0-9](?:[0-9]{8}|-[0-9]{4}-[0-9]{4})")
_CARD_SHAPE: Final = re.compile(
    r"(?=4|5[0-6]|222[1-9]|22[3-9]|2[3-6]|27[01]|3[05]|6|9[05])[0-9]{16,19}|62[0-9]{2}(?:-[0-9]{4}){3}(?:-[0-9]{1,3})?"
)
"""First digits under which cards are issued: order numbers that start with a year or a timestamp are none. In groups of
four only the domestic prefix counts, for contract numbers look like that too."""

BUSINESS_WORD: Final = re.compile(
    r"(?:金额|合计|总计|小计|余额|总额|单号|编号|凭证|凭证号|订单|流水号|发票号|发票号码|合同号|票据号|数量|大小"
    r"|(?<![A-Za-z])(?:amount|total|balance|voucher|order|invoice|size|bytes|count))(?:_?(?:no|id|number))?\s{0,2}[:：=#]?\s{0,2}$",
    re.IGNORECASE,
)
"""What stands before a number that counts or names business things."""
_UNIT: Final = re.compile(r"[ \t]?(?:元|圆|万|亿|件|条|个|笔|吨|股|份|字节|毫秒|秒|行|bytes?\b|[KMG]?B\b|ms\b|%)")
SHORTEST_NUMBER: Final = 11
BEFORE: Final = 24  # characters looked at before a number


def is_id_number(digits: str) -> bool:
    """Whether 18 characters are a resident identity number (GB 11643): region, date of birth, check digit."""
    if not _ID_SHAPE.fullmatch(digits) or int(digits[:2]) not in _REGIONS:
        return False
    try:
        date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=False))
    return digits[6:8] in {"18", "19", "20"} and _CHECK_DIGITS[total % 11] == digits[17].upper()


def is_card(text: str) -> bool:
    """Whether 16–19 digits, plain or in groups of four, have an issuer's prefix and pass the Luhn check."""
    if not _CARD_SHAPE.fullmatch(text):
        return False
    return _passes_luhn(text.replace("-", ""))


def _passes_luhn(text: str) -> bool:
    digits = [int(digit) for digit in reversed(text)]
    return (sum(digits[0::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def _counts(before: str, after: str) -> bool:
    """Whether the surroundings of a number say that it counts or names business things."""
    is_amount = before.endswith(("¥", "￥", "$", "€")) or _UNIT.match(after) is not None
    return is_amount or BUSINESS_WORD.search(before) is not None


def _number_hint(part: str, before: str, after: str) -> str | None:
    """The hint for a number that stands alone; `before` and `after` are its surroundings."""
    if not part.isascii():
        part = unicodedata.normalize("NFKC", part)
    if is_id_number(part):
        return ID_NUMBER
    card = is_card(part)
    if not card and not _PHONE_SHAPE.fullmatch(part):
        return None
    if part.startswith("86") and not before.endswith("+"):
        return None
    if _counts(before, after):
        return None
    return CARD if card else PHONE


# --- tokens ---------------------------------------------------------------------------------------------------------

_RUN: Final = re.compile(r"[0-9A-Za-z_.\-\uff10-\uff19\uff38]{11,}")
"""A word that could hold a number or a token. Runs never overlap, so each character is read once."""
SUSPECT_RUN: Final = re.compile(
    r"[0-9\uff10-\uff19](?:-?[0-9\uff10-\uff19]){9}|[0-9]{3}[ \xa0\u3000][0-9]{4}"
    r"|eyJ|sk-|AKI[AD]|ASIA|LTAI|AIza|gh[pousr]_|_pat_|glpat-|xox"
)
_DECIMAL: Final = re.compile(r"[0-9]+\.[0-9]+")
_VENDOR_KEY: Final = re.compile(
    r"sk-[0-9A-Za-z_\-]{16,}|A(?:KIA|SIA)[0-9A-Z]{16}|AKID[0-9A-Za-z]{32}|LTAI[0-9A-Za-z]{12,20}|AIza[0-9A-Za-z_\-]{35}"
    r"|gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|glpat-[0-9A-Za-z_\-]{16,}|xox[a-z]-[0-9A-Za-z\-]{10,}"
)
_JWT_PART: Final = re.compile(r"eyJ[0-9A-Za-z_\-]{4,}")
_SPACED: Final = (
    r"(?<![0-9A-Za-z_.\-])(?<![0-9][ \xa0\u3000])(?:"
    r"(?P<identity>[1-8][0-9]{5}~(?:18|19|20)[0-9]{2}~?[0-9]{4}~?[0-9]{3}[0-9Xx])"
    r"|(?P<card>(?:4[0-9]{3}|5[1-5][0-9]{2}|6[0-9]{3})(?:~[0-9]{4}){3}(?:~[0-9]{1,3})?|3[47][0-9]{2}~[0-9]{6}~[0-9]{5})"
    r"|(?P<phone>(?:(?:\+|00)86~?)?1[3-9][0-9]~[0-9]{4}~[0-9]{4})"
    r")(?!~?[0-9])(?![0-9A-Za-z_])"
).replace("~", r"[ \xa0\u3000]")
"""Numbers in the groups people write them in, set apart from other numbers: a row of a table is none."""


def _redact_run(text: str, match: re.Match[str]) -> str:
    run = match.group()
    if not SUSPECT_RUN.search(run) or _DECIMAL.fullmatch(run):
        return run
    parts = run.split(".")
    place = match.start()
    for index, part in enumerate(parts):
        if len(parts) > index + 2 and _JWT_PART.fullmatch(part):
            return ".".join([*parts[:index], TOKEN])
        core = part.strip("-_")
        at = place + part.find(core)
        if _VENDOR_KEY.fullmatch(core):
            parts[index] = part.replace(core, KEY)
        elif SHORTEST_NUMBER <= len(core) <= 24:
            end = at + len(core)
            mark = _number_hint(core, text[max(0, at - BEFORE) : at], text[end : end + 8])
            parts[index] = part.replace(core, mark) if mark else part
        place += len(part) + 1
    return ".".join(parts)


def _redact_spaced(text: str, match: re.Match[str]) -> str:
    digits = re.sub(r"\s", "", match.group())
    if match["identity"]:
        return ID_NUMBER if is_id_number(digits) else match.group()
    before, after = text[max(0, match.start() - BEFORE) : match.start()], text[match.end() : match.end() + 8]
    if _counts(before, after) or (match["card"] and not _passes_luhn(digits)):
        return match.group()
    return CARD if match["card"] else PHONE


def redact_runs(text: str) -> str:
    """The text with personal numbers and tokens replaced by hints."""
    redacted = _RUN.sub(lambda match: _redact_run(text, match), text)
    return re.compile(_SPACED).sub(lambda match: _redact_spaced(redacted, match), redacted)
