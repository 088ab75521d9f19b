"""Names that say a value is secret, and the hints that stand for what was taken out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final


def hint(name: str) -> str:
    """What stands in place of a removed value: `name` in single angle quotation marks, which no key or number holds."""
    return f"\u2039{name}\u203a"


PASSWORD, KEY, TOKEN, CODE = hint("密码"), hint("密钥"), hint("令牌"), hint("验证码")
AUTHORIZATION, COOKIE, CREDENTIAL = hint("授权信息"), hint("Cookie"), hint("凭据")
ID_NUMBER, CARD, PHONE, TOO_DEEP = hint("身份证号"), hint("银行卡号"), hint("手机号"), hint("层级过深")

_NAME_ENDINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("password", "passwords", "passwd", "pwd", "psw", "pswd", "passphrase", "passcode"), PASSWORD),
    **dict.fromkeys(("密码", "口令"), PASSWORD),
    **dict.fromkeys(("secret", "secrets", "apikey", "accesskey", "accesskeyid", "sessionkey", "privatekey"), KEY),
    **dict.fromkeys(("signingkey", "encryptionkey", "密钥", "私钥"), KEY),
    **dict.fromkeys(("token", "sessionid", "sessid", "令牌"), TOKEN),
    **dict.fromkeys(("authorization",), AUTHORIZATION),
    **dict.fromkeys(("cookie", "cookies"), COOKIE),
    **dict.fromkeys(("credential", "credentials", "凭据"), CREDENTIAL),
    **dict.fromkeys(("otp", "验证码", "动态码", "短信码"), CODE),
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
def hint_for_name(name: str) -> str | None:
    """The hint for a secret's name, None for any other name."""
    name = re.split("[（(]", name, maxsplit=1)[0][-_LONGEST_NAME:]
    pattern = _ASCII_WORD if name.isascii() else re.compile(_WORD)
    words = [word.lower() for word in pattern.findall(name)]
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words.pop()
    joined = "".join(words)
    return next((_NAME_ENDINGS[ending] for ending in _ENDINGS_BY_LENGTH if joined.endswith(ending)), None)


_SESSION_NAMES: Final = frozenset(
    {
        *("sid", "ssid", "sess", "session", "auth", "jwt", "bearer", "access", "refresh", "csrf", "xsrf", "tokens"),
        *("jsessionid", "phpsessid", "connectsid", "tgc", "tgt", "rememberme"),
    }
)
"""Whole names (letters only, lower case) under which a page's storage keeps what signs a person in.

Elsewhere most of these words are ordinary ones: an interval of `refresh`, rights of `access`."""
_SESSION_ENDINGS: Final = frozenset({"sid", "ssid", "sess", "jwt", "csrf", "xsrf"})
"""Last words that say so of any name: `user_sid`."""


def hint_for_stored(name: str) -> str | None:
    """The hint for a name in a page's storage that says its value is a secret, None for any other name."""
    words = [word.lower() for word in _ASCII_WORD.findall(name[-_LONGEST_NAME:])]
    if words and (words[-1] in _SESSION_ENDINGS or "".join(words) in _SESSION_NAMES):
        return TOKEN
    return hint_for_name(name)


_FIELD_NAMES: Final = ("selector", "name", "label", "placeholder", "field", "key")
_FIELD_WORD: Final = r"[A-Za-z_\-]+|[\u4e00-\u9fff]+"
_FIELD_ENDING: Final = r"(?:[_\-]?(?:input|field|textbox|box|edit|ctrl|control|el|id|txt)|(?:输入|填写)?[框栏项域])+$"
"""What follows the name of a secret in the name of its field: `passwordInput`, 密码输入框."""


def hint_for_field(value: Mapping[object, object]) -> str | None:
    """The hint when a mapping describes a form field, header or entry that holds a secret: `{selector: "#pwd", …}`."""
    for key in _FIELD_NAMES:
        name = value.get(key)
        if isinstance(name, str):
            for word in re.findall(_FIELD_WORD, name[:512]):
                bare = re.sub(_FIELD_ENDING, "", word[-_LONGEST_NAME:], flags=re.IGNORECASE)
                if mark := hint_for_name(word) or hint_for_name(bare):
                    return mark
    return None
