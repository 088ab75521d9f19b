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
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sgclaw.redact.named import redact_named
from sgclaw.redact.names import (
    AUTHORIZATION,
    CARD,
    ID_NUMBER,
    KEY,
    PASSWORD,
    TOKEN,
    TOO_DEEP,
    hint,
    hint_for_field,
    hint_for_name,
    hint_for_stored,
)
from sgclaw.redact.numbers import (
    BEFORE,
    BUSINESS_WORD,
    SHORTEST_NUMBER,
    SUSPECT_RUN,
    is_card,
    is_id_number,
    redact_runs,
)

__all__ = ["MAX_DEPTH", "Json", "hide_typed", "hint", "hint_for_stored", "inert", "redact", "redact_text"]

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAX_DEPTH: Final = 64
"""Containers nested deeper than this are replaced by a hint: the wire's own limit for nesting."""


def inert(text: str) -> str:
    """The text with everything unprintable but line ends shown as a space: it cannot steer a terminal."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


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
        pieces += [text[place : begin.start()], KEY]
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
    return match[1] + AUTHORIZATION if b":" in decoded else match.group()


def _redact_schemes(text: str) -> str:
    redacted = _BEARER.sub(rf"\1{TOKEN}", text)
    return _BASIC.sub(_redact_basic, redacted)


# --- entry points ---------------------------------------------------------------------------------------------------


_OFTEN: Final = 240
"""Characters of a text that may be a name, and so is worth remembering."""


def redact_text(text: str) -> str:
    """The text with credentials and personal numbers replaced by hints; work grows linearly with its length."""
    return _redacted(text) if len(text) <= _OFTEN else _redacted.__wrapped__(text)


@lru_cache(maxsize=8_192)
def _redacted(text: str) -> str:
    """Cached: the names on a page are redacted at every look, and the rows of a history in each request."""
    if len(text) < SHORTEST_NUMBER and text.isascii() and text.isalnum():
        return text
    if "-----BEGIN " in text:
        text = _redact_pem(text)
    if "@" in text and "://" in text:
        text = _USER_INFO.sub(rf"\1{PASSWORD}", text)
    text = redact_named(text)
    if " " in text or "\t" in text:
        text = _redact_schemes(text)
    return redact_runs(text) if len(text) >= SHORTEST_NUMBER and SUSPECT_RUN.search(text) else text


_NUMBER_ONLY: Final = re.compile(r"[0-9]{1,17}|[0-9]{19}")  # 18 digits may be an identity number


@lru_cache(maxsize=4096)
def _about_key(key: str) -> tuple[str, str | None, bool]:
    """A key as it may be shown, the hint when its value is secret, and whether its value counts or names business."""
    return redact_text(key), hint_for_name(key), BUSINESS_WORD.search(key[-BEFORE:]) is not None


def _typed(value: Mapping[object, object]) -> tuple[str | None, str | None]:
    """Which entry holds what stands in a form field, and the hint when that is a secret."""
    payload = "value" if "value" in value else "text" if "text" in value and "selector" in value else None
    return payload, hint_for_field(value) if payload else None


def hide_typed(params: Mapping[str, object]) -> dict[str, object]:
    """The parameters of an act for the person who decides on it: what goes into a secret field is its hint.

    Everything else stays, personal numbers too: whoever agrees has to see them.
    """
    payload, mark = _typed(dict(params.items()))
    return {name: _hidden(item, mark) if mark and name == payload else item for name, item in params.items()}


def _redact_mapping(value: Mapping[object, object], depth: int) -> dict[str, Json]:
    payload, field_hint = _typed(value)
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
    return ID_NUMBER if is_id_number(digits) else CARD if is_card(digits) else value


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
        return TOO_DEEP
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
