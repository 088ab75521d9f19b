"""`name = value` inside a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sgclaw.redact.names import AUTHORIZATION, COOKIE, KEY, TOKEN, hint_for_name

_JOINT: Final = re.compile("[:=：＝→密令钥码据]|->| is ")
_NAME_PIECE: Final = re.compile("pass|pwd|secret|token|key|sess|auth|cookie|credential|otp|[密令钥码据]", re.IGNORECASE)

_NAMED: Final = re.compile(
    r"(?:(?<![0-9A-Za-z_.\-])([A-Za-z][0-9A-Za-z_.\-]{1,63}+)"
    r"(?=\\?[\"'”’]?[ \t\u3000]{0,3}(?:[:=：＝→]|[\-=]>|\bis\b))"
    r"|(密[ \u3000]{0,3}码|口[ \u3000]{0,3}令|密钥|私钥|令牌|验证码|动态码|短信码|凭据))"
    r"(\\?[\"'”’])?[ \t\u3000]{0,3}"
    r"(?:([\-=]>|[:=：＝→]|(?:已经?|被|请|应该?|统一|默认)?"
    r"(?:就?是|为|(?:修改|更改|变更|更新|重置|设置|重设|改|变|设|换)[成为到]了?)[:：]?|\bis\b)[ \t\u3000]{0,3})?"
    r"(\r?\n[ \t\u3000]{0,3})?"
)
"""A name, the quote that closes it, what joins it to a value, the end of a line.

The joint may be missing after a Chinese name only.
"""
_LINE_HINTS: Final = frozenset({AUTHORIZATION, COOKIE})  # header values run to the end of their line
_ESCAPED: Final = re.compile(r'\\"(?:[^"\\]|\\(?!")|\\\\)*+')
_DOUBLE: Final = re.compile(r'"(?:[^"\\]|\\.)*+', re.DOTALL)
_SINGLE: Final = re.compile(r"'[^'\r\n]*+")
_LINE: Final = r"[^\r\n\"'\u4e00-\u9fff]++"
_IN_JSON: Final = r"[^\s\"',}\]\u4e00-\u9fff]++"
_BARE: Final = r"[^\s\"'&;，。；、）\u4e00-\u9fff]++"
_LOOSE: Final = re.compile(r"[!-~]{6,}+")
_TELLING: Final = re.compile(r"[0-9!@#$%^&*+=~]")
_LETTER: Final = re.compile("[A-Za-z]")
_PAIRS: Final[Mapping[str, str]] = dict(zip("“‘「『【（([《", "”’」』】）)]》", strict=True))
_SPOKEN: Final = "“‘「『"
"""Marks that quote a value; what the others hold may be a remark: 密码（必填）."""
_LONGEST_ENCLOSED: Final = 128
_CHINESE: Final = r"[\u4e00-\u9fff]"
_FULL_WIDTH_LETTER: Final = re.compile("[\uff21-\uff5a]")
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF21, 0xFF5B)}
_NOT_SECRET: Final = re.compile(
    r"\u2039[^\u203a\s]{1,12}\u203a|[*●•·xX]{3,}+(?!\S)|%vault:[^%\s]{1,200}%|(?:null|none|true|false|undefined)(?![0-9A-Za-z_.\-])"
    r"|[0-9]{1,3}(?: ?[\-~～至到] ?[0-9]{1,3})? ?[位个天次分小年月日种类字]",
    re.IGNORECASE,
)
_SHORTEST: Final[Mapping[str, int]] = {TOKEN: 6, KEY: 6}
"""Characters below which what follows such a name counts or describes: `max_token=4096`."""


def _value_after(text: str, named: re.Match[str], mark: str) -> tuple[int, int] | None:
    """Where the value of a secret name starts and ends in `text`; None when no value follows."""
    start, joined = named.end(), named[4] not in (None, "is") and not named[5]
    closer = None if mark in _LINE_HINTS else _PAIRS.get(text[start : start + 1])
    end = text.find(closer, start + 1, start + _LONGEST_ENCLOSED) if closer else -1
    if end >= 0:
        is_value = _is_enclosed_value(text[start + 1 : end], quoted=joined and text[start] in _SPOKEN, joined=joined)
        return (start + 1, end) if is_value else None
    if not joined:
        # 「密码 Abc@123」: with nothing but a gap, a value has to look like one. English words need the joint.
        loose = _LOOSE.match(text, start)
        return loose.span() if loose and _looks_secret(loose.group(), mixed=bool(named[5])) else None
    for opening, pattern in (('\\"', _ESCAPED), ('"', _DOUBLE), ("'", _SINGLE)):
        if text.startswith(opening, start):
            quoted = pattern.match(text, start)
            return (start + len(opening), quoted.end()) if quoted else None
    bare = _LINE if mark in _LINE_HINTS else _IN_JSON if named[3] else _BARE
    value = re.compile(bare).match(text, start)
    return value.span() if value else None


def _looks_secret(value: str, *, mixed: bool = False) -> bool:
    """Whether a value without a joint looks like one; on a line of its own it needs letters: dates have none."""
    return _TELLING.search(value) is not None and (not mixed or _LETTER.search(value) is not None)


def _is_enclosed_value(inner: str, *, quoted: bool, joined: bool) -> bool:
    if not inner.strip() or "\n" in inner:
        return False
    if quoted:
        return True
    if re.search(_CHINESE, inner):
        return False
    return joined or (_LOOSE.fullmatch(inner) is not None and _looks_secret(inner))


def redact_named(original: str) -> str:
    """The text with the values of secret names replaced; names in full-width letters count too."""
    is_wide = not original.isascii() and _FULL_WIDTH_LETTER.search(original)
    text = original.translate(_FULL_WIDTH) if is_wide else original  # as long as before: places stay the same
    if not (_JOINT.search(text) and _NAME_PIECE.search(text)):
        return original
    pieces, place, search = [], 0, 0
    while (named := _NAMED.search(text, search)) is not None:
        search = max(named.end(), search + 1)
        mark = hint_for_name(named[1] or re.sub(r"\s", "", named[2]))
        span = _value_after(text, named, mark) if mark else None
        if mark is None or span is None or span[1] - span[0] < _SHORTEST.get(mark, 1):
            continue
        start, end = span
        search = end
        if not _NOT_SECRET.match(text, start):
            pieces += [original[place:start], mark]
            place = end
    return "".join([*pieces, original[place:]]) if pieces else original
