"""Redaction of credentials and personal numbers, used at every exit: ledger, logs, prompts, reports.

Pure. It knows two things: names that say a value is secret (`password`, 口令, `api_key`; one table for mapping keys,
for `name=value` inside texts and for form fields) and shapes that betray one (PEM, bearer tokens, JWT, vendor keys,
identity numbers 身份证号, bank cards 银行卡号, mobile numbers 手机号). A replacement keeps a hint of what stood there:
its Chinese name in single angle quotation marks. Vault references stay: they are no secrets.

Dangers this file is built around: hostile text of any length (each pattern either starts where no other match of it
can start inside, or has bounded repeats; long repeats are possessive: work grows with the length only) and business
numbers that look personal (checksums, issuer prefixes, and the words and units around a number decide).
It is a net, not a boundary: secrets in pictures, in other languages or cut into pieces pass it.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Final

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAX_DEPTH: Final = 64
"""Containers nested deeper than this are replaced by a hint: the wire's own limit for nesting."""


def inert(text: str) -> str:
    """The text with everything unprintable but line ends shown as a space: it cannot steer a terminal."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


def hint(name: str) -> str:
    """What stands in place of a removed value: `name` in single angle quotation marks, which no key or number holds."""
    return f"\u2039{name}\u203a"


_PASSWORD, _KEY, _TOKEN, _CODE = hint("密码"), hint("密钥"), hint("令牌"), hint("验证码")
_AUTHORIZATION, _COOKIE, _CREDENTIAL = hint("授权信息"), hint("Cookie"), hint("凭据")
_ID_NUMBER, _CARD, _PHONE, _TOO_DEEP = hint("身份证号"), hint("银行卡号"), hint("手机号"), hint("层级过深")

# --- names ----------------------------------------------------------------------------------------------------------

_NAME_ENDINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("password", "passwords", "passwd", "pwd", "passphrase", "passcode"), _PASSWORD),
    **dict.fromkeys(("密码", "口令"), _PASSWORD),
    **dict.fromkeys(("secret", "secrets", "apikey", "accesskey", "accesskeyid", "sessionkey", "privatekey"), _KEY),
    **dict.fromkeys(("signingkey", "encryptionkey", "密钥", "私钥"), _KEY),
    **dict.fromkeys(("token", "sessionid", "sessid", "令牌"), _TOKEN),
    **dict.fromkeys(("authorization",), _AUTHORIZATION),
    **dict.fromkeys(("cookie", "cookies"), _COOKIE),
    **dict.fromkeys(("credential", "credentials", "凭据"), _CREDENTIAL),
    **dict.fromkeys(("otp", "验证码", "动态码"), _CODE),
}
"""Endings of a name (letters only, lower case) that make its value secret, with the hint that replaces it.

`tokens` is missing on purpose: it counts what a model used."""

_QUALIFIERS: Final = frozenset(
    {"confirm", "confirmation", "again", "repeat", "value", "text", "plain", "md5", "hash", "encrypted", "base64"}
)
"""Last words that leave a name as secret as it was: `password_confirm`."""

_ASCII_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WORD: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u4e00-\u9fff]+"
"""A source, like the others with this range: to compile one takes over a millisecond of every start, and most runs need
none. `re.compile` keeps it from its first use on."""
_ENDINGS_BY_LENGTH: Final = sorted(_NAME_ENDINGS, key=len, reverse=True)
_LONGEST_NAME: Final = 64


@lru_cache(maxsize=4096)
def _hint_for_name(name: str) -> str | None:
    """The hint for a secret's name, None for any other name."""
    name = re.split("[（(]", name, maxsplit=1)[0][-_LONGEST_NAME:]
    pattern = _ASCII_WORD if name.isascii() else re.compile(_WORD)
    words = [word.lower() for word in pattern.findall(name)]
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words.pop()
    joined = "".join(words)
    return next((_NAME_ENDINGS[ending] for ending in _ENDINGS_BY_LENGTH if joined.endswith(ending)), None)


# --- numbers --------------------------------------------------------------------------------------------------------

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

_BUSINESS_WORD: Final = re.compile(
    r"(?:金额|合计|总计|小计|余额|总额|单号|编号|凭证|凭证号|订单|流水号|发票号|发票号码|合同号|票据号|数量|大小"
    r"|(?<![A-Za-z])(?:amount|total|balance|voucher|order|invoice|size|bytes|count))(?:_?(?:no|id|number))?\s{0,2}[:：=#]?\s{0,2}$",
    re.IGNORECASE,
)
"""What stands before a number that counts or names business things."""
_UNIT: Final = re.compile(r"[ \t]?(?:元|圆|万|亿|件|条|个|笔|吨|股|份|字节|毫秒|秒|行|bytes?\b|[KMG]?B\b|ms\b|%)")
_SHORTEST_NUMBER: Final = 11
_BEFORE: Final = 24  # characters looked at before a number


def _is_id_number(digits: str) -> bool:
    """Whether 18 characters are a resident identity number (GB 11643): region, date of birth, check digit."""
    if not _ID_SHAPE.fullmatch(digits) or int(digits[:2]) not in _REGIONS:
        return False
    try:
        date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=False))
    return digits[6:8] in {"18", "19", "20"} and _CHECK_DIGITS[total % 11] == digits[17].upper()


def _is_card(text: str) -> bool:
    """Whether 16–19 digits, plain or in groups of four, have an issuer's prefix and pass the Luhn check."""
    if not _CARD_SHAPE.fullmatch(text):
        return False
    digits = [int(digit) for digit in reversed(text.replace("-", ""))]
    return (sum(digits[0::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def _number_hint(part: str, before: str, after: str) -> str | None:
    """The hint for a number that stands alone; `before` and `after` are its surroundings."""
    if not part.isascii():
        part = unicodedata.normalize("NFKC", part)
    if _is_id_number(part):
        return _ID_NUMBER
    card = _is_card(part)
    if not card and not _PHONE_SHAPE.fullmatch(part):
        return None
    if part.startswith("86") and not before.endswith("+"):
        return None
    if before.endswith(("¥", "￥", "$", "€")) or _BUSINESS_WORD.search(before) or _UNIT.match(after):
        return None
    return _CARD if card else _PHONE


# --- tokens ---------------------------------------------------------------------------------------------------------

_RUN: Final = re.compile(r"[0-9A-Za-z_.\-\uff10-\uff19\uff38]{11,}")
"""A word that could hold a number or a token. Runs never overlap, so each character is read once."""
_SUSPECT_RUN: Final = re.compile(
    r"[0-9\uff10-\uff19](?:-?[0-9\uff10-\uff19]){9}|62[0-9]{2} [0-9]{4}"
    r"|eyJ|sk-|AKI[AD]|ASIA|LTAI|AIza|gh[pousr]_|_pat_|glpat-|xox"
)
_DECIMAL: Final = re.compile(r"[0-9]+\.[0-9]+")
_VENDOR_KEY: Final = re.compile(
    r"sk-[0-9A-Za-z_\-]{16,}|A(?:KIA|SIA)[0-9A-Z]{16}|AKID[0-9A-Za-z]{32}|LTAI[0-9A-Za-z]{12,20}|AIza[0-9A-Za-z_\-]{35}"
    r"|gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|glpat-[0-9A-Za-z_\-]{16,}|xox[a-z]-[0-9A-Za-z\-]{10,}"
)
_JWT_PART: Final = re.compile(r"eyJ[0-9A-Za-z_\-]{4,}")
_SPACED_CARD: Final = re.compile(r"(?<![\w.\-])62[0-9]{2}(?: [0-9]{4}){3}(?: [0-9]{1,3}(?![0-9]))?(?![\w])")


def _redact_run(text: str, match: re.Match[str]) -> str:
    run = match.group()
    if not _SUSPECT_RUN.search(run) or _DECIMAL.fullmatch(run):
        return run
    parts = run.split(".")
    place = match.start()
    for index, part in enumerate(parts):
        if len(parts) > index + 2 and _JWT_PART.fullmatch(part):
            return ".".join([*parts[:index], _TOKEN])
        core = part.strip("-_")
        at = place + part.find(core)
        if _VENDOR_KEY.fullmatch(core):
            parts[index] = part.replace(core, _KEY)
        elif _SHORTEST_NUMBER <= len(core) <= 24:
            end = at + len(core)
            mark = _number_hint(core, text[max(0, at - _BEFORE) : at], text[end : end + 8])
            parts[index] = part.replace(core, mark) if mark else part
        place += len(part) + 1
    return ".".join(parts)


def _redact_spaced_card(match: re.Match[str]) -> str:
    return _CARD if _is_card(match.group().replace(" ", "-")) else match.group()


def _redact_runs(text: str) -> str:
    redacted = _RUN.sub(lambda match: _redact_run(text, match), text)
    return _SPACED_CARD.sub(_redact_spaced_card, redacted)


# --- blocks, addresses, headers -------------------------------------------------------------------------------------

_PEM: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{1,40}-----")
_PEM_END: Final = "-----END "
_PEM_LAST: Final = re.compile(r"[A-Z0-9 ]{0,40}(?:-----)?")
_USER_INFO: Final = re.compile(r"(://[^\s/?#@:]{0,128}+:)([^\s/?#@]{1,256}+)(?=@)")
_BEARER: Final = re.compile(r"(?<![A-Za-z])(bearer[ \t]{1,3})([0-9A-Za-z._~+/\-]{8,}+=*+)", re.IGNORECASE)
_BASIC: Final = re.compile(r"(?<![A-Za-z])(basic[ \t]{1,3})([0-9A-Za-z+/]{8,}+={0,2}+)", re.IGNORECASE)
_VAULT: Final = re.compile(r"%vault:[^%\s]{1,200}%")


def _redact_pem(text: str) -> str:
    """Replace PEM blocks; one without an end takes the rest of the text along, for it may be a key cut short."""
    pieces, place = [], 0
    while (begin := _PEM.search(text, place)) is not None:
        pieces += [text[place : begin.start()], _KEY]
        end = text.find(_PEM_END, begin.end())
        if end < 0:
            return "".join(pieces)
        last = _PEM_LAST.match(text, end + len(_PEM_END))
        place = last.end() if last else end
    return "".join([*pieces, text[place:]])


def _redact_basic(match: re.Match[str]) -> str:
    """`Basic` opens many sentences: only a value that decodes to `user:password` is a credential."""
    try:
        decoded = base64.b64decode(match[2], validate=True)
    except (binascii.Error, ValueError):
        return match.group()
    return match[1] + _AUTHORIZATION if b":" in decoded else match.group()


def _redact_schemes(text: str) -> str:
    redacted = _BEARER.sub(rf"\1{_TOKEN}", text)
    return _BASIC.sub(_redact_basic, redacted)


# --- name = value inside a text -------------------------------------------------------------------------------------

_NAMED: Final = re.compile(
    r"(?:(?<![0-9A-Za-z_.\-])([A-Za-z][0-9A-Za-z_.\-]{1,63}+)(?=\\?[\"'”’]?[ \t\u3000]{0,3}(?:[:=：＝]|\bis\b))"
    r"|(密码|口令|密钥|私钥|令牌|验证码|动态码|凭据))"
    r"(\\?[\"'”’])?[ \t\u3000]{0,3}(?:([:=：＝]|是|为|\bis\b)[ \t\u3000]{0,3})?"
)
"""A name, the quote that closes it, what joins it to a value: the joint may be missing after a Chinese name only."""
_LINE_HINTS: Final = frozenset({_AUTHORIZATION, _COOKIE})  # header values run to the end of their line
_ESCAPED: Final = re.compile(r'\\"(?:[^"\\]|\\(?!")|\\\\)*+')
_DOUBLE: Final = re.compile(r'"(?:[^"\\]|\\.)*+', re.DOTALL)
_SINGLE: Final = re.compile(r"'[^'\r\n]*+")
_LINE: Final = r"[^\r\n\"'\u4e00-\u9fff]++"
_IN_JSON: Final = r"[^\s\"',}\]\u4e00-\u9fff]++"
_BARE: Final = r"[^\s\"'&;，。；、）\u4e00-\u9fff]++"
_LOOSE: Final = re.compile(r"[!-~]{6,}+")
_TELLING: Final = re.compile(r"[0-9!@#$%^&*+=~]")
_NOT_SECRET: Final = re.compile(
    r"\u2039[^\u203a\s]{1,12}\u203a|[*●•·xX]{3,}+(?!\S)|%vault:[^%\s]{1,200}%|(?:null|none|true|false|undefined)(?![0-9A-Za-z_.\-])",
    re.IGNORECASE,
)
_SHORTEST: Final[Mapping[str, int]] = {_TOKEN: 6, _KEY: 6}
"""Characters below which what follows such a name counts or describes: `max_token=4096`."""


def _value_after(text: str, named: re.Match[str], mark: str) -> tuple[int, int] | None:
    """Where the value of a secret name starts and ends in `text`; None when no value follows."""
    start, joined = named.end(), named[4]
    if joined is None or joined == "is":
        # 「密码 Abc@123」: with nothing but a gap, a value has to look like one. English words need the joint.
        loose = _LOOSE.match(text, start)
        return loose.span() if loose and _TELLING.search(loose.group()) else None
    for opening, pattern in (('\\"', _ESCAPED), ('"', _DOUBLE), ("'", _SINGLE)):
        if text.startswith(opening, start):
            quoted = pattern.match(text, start)
            return (start + len(opening), quoted.end()) if quoted else None
    bare = _LINE if mark in _LINE_HINTS else _IN_JSON if named[3] else _BARE
    value = re.compile(bare).match(text, start)
    return value.span() if value else None


def _redact_named(text: str) -> str:
    pieces, place, search = [], 0, 0
    while (named := _NAMED.search(text, search)) is not None:
        search = max(named.end(), search + 1)
        mark = _hint_for_name(named[1] or named[2])
        span = _value_after(text, named, mark) if mark else None
        if mark is None or span is None or span[1] - span[0] < _SHORTEST.get(mark, 1):
            continue
        start, end = span
        search = end
        if not _NOT_SECRET.match(text, start):
            pieces += [text[place:start], mark]
            place = end
    return "".join([*pieces, text[place:]]) if pieces else text


# --- entry points ---------------------------------------------------------------------------------------------------

_JOINT: Final = re.compile("[:=：＝密令钥码据]| is ")
_NAME_PIECE: Final = re.compile("pass|pwd|secret|token|key|sess|auth|cookie|credential|otp|[密令钥码据]", re.IGNORECASE)


def redact_text(text: str) -> str:
    """The text with credentials and personal numbers replaced by hints; work grows linearly with its length."""
    if len(text) < _SHORTEST_NUMBER and text.isascii() and text.isalnum():
        return text
    if "-----BEGIN " in text:
        text = _redact_pem(text)
    if "@" in text and "://" in text:
        text = _USER_INFO.sub(rf"\1{_PASSWORD}", text)
    if _JOINT.search(text) and _NAME_PIECE.search(text):
        text = _redact_named(text)
    if " " in text or "\t" in text:
        text = _redact_schemes(text)
    return _redact_runs(text) if len(text) >= _SHORTEST_NUMBER and _SUSPECT_RUN.search(text) else text


_FIELD_NAMES: Final = ("selector", "name", "label", "placeholder", "field")
_FIELD_WORD: Final = r"[A-Za-z_\-]+|[\u4e00-\u9fff]+"


def _hint_for_field(value: Mapping[object, object]) -> str | None:
    """The hint when a mapping describes a form field or header that holds a secret: `{selector: "#pwd", text: …}`."""
    for key in _FIELD_NAMES:
        name = value.get(key)
        if isinstance(name, str):
            for word in re.findall(_FIELD_WORD, name[:512]):
                if mark := _hint_for_name(word):
                    return mark
    return None


_NUMBER_ONLY: Final = re.compile(r"[0-9]{1,17}|[0-9]{19}")  # 18 digits may be an identity number


@lru_cache(maxsize=4096)
def _about_key(key: str) -> tuple[str, str | None, bool]:
    """A key as it may be shown, the hint when its value is secret, and whether its value counts or names business."""
    return redact_text(key), _hint_for_name(key), _BUSINESS_WORD.search(key[-_BEFORE:]) is not None


def _redact_mapping(value: Mapping[object, object], depth: int) -> dict[str, Json]:
    payload = "value" if "value" in value else "text" if "text" in value and "selector" in value else None
    field_hint = _hint_for_field(value) if payload else None
    result: dict[str, Json] = {}
    for raw_key, item in value.items():
        key, mark, counts = _about_key(str(raw_key))
        mark = field_hint if field_hint and raw_key == payload else mark
        if key in result:
            key = f"{key}#{len(result)}"
        if mark:
            result[key] = _hidden(item, mark)
        elif counts and isinstance(item, str) and _NUMBER_ONLY.fullmatch(item):
            result[key] = item
        else:
            result[key] = _redact_value(item, depth + 1)
    return result


def _hidden(value: object, mark: str) -> Json:
    """What stands for a secret's value: its hint, unless there is nothing to hide."""
    if value is None or isinstance(value, bool):
        return value
    nothing_to_hide = isinstance(value, str) and (value == "" or _VAULT.fullmatch(value))
    return str(value) if nothing_to_hide else mark


def _redact_integer(value: int) -> Json:
    """Integers of 11 digits stay: they are sizes and amounts far more often than telephone numbers."""
    digits = str(value) if 10**15 <= value < 10**19 else ""
    return _ID_NUMBER if _is_id_number(digits) else _CARD if _is_card(digits) else value


def _redact_value(value: object, depth: int) -> Json:
    if isinstance(value, str):
        return redact_text(str(value))
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return _redact_integer(value)
    return _redact_container(value, depth)


def _redact_container(value: object, depth: int) -> Json:
    if depth >= MAX_DEPTH:
        return _TOO_DEEP
    if isinstance(value, Mapping):
        return _redact_mapping(value, depth)
    if isinstance(value, list | tuple):
        return [_redact_value(item, depth + 1) for item in value]
    return hint(type(value).__name__)


def redact(value: object) -> Json:
    """A copy of a JSON value without credentials and personal numbers.

    Values under secret names are replaced whole; texts go through `redact_text`; anything that is not JSON becomes the
    name of its type, never its text. Mapping keys become strings and are redacted too. Total: it raises nothing.
    """
    return _redact_value(value, 0)
