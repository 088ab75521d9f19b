r"""Exact origins and canonical hosts. Anything ambiguous is refused, never repaired.

Parsers differ on `https://evil.com\@erp.example.com/`, on tabs inside hosts, on `0177.0.0.1`; a policy that repairs
such a text decides about another address than the browser opens. So the accepted grammar is small and has one reading:
`http(s)://` + ASCII host + optional port + optional rest without controls, spaces or backslashes. Hosts are names or
four plain decimal octets; IPv6 addresses have many spellings and are refused (list the host by a name).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import idna

from sgclaw.errors import PolicyDeniedError

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]+)(?P<rest>[/?#].*)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
_AUTHORITY = re.compile(r"(?P<host>[A-Za-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_OCTET = re.compile(r"0|[1-9][0-9]{0,2}")
_DEFAULT_PORTS = MappingProxyType({"http": 80, "https": 443})
_MAX_URL = 8_000
_MAX_HOST = 253


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Scheme, canonical host and port: what a browser commits for a page."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        default = _DEFAULT_PORTS[self.scheme] == self.port
        return f"{self.scheme}://{self.host}" + ("" if default else f":{self.port}")


def _refuse(rule: str, cause: str) -> PolicyDeniedError:
    return PolicyDeniedError(cause, facts={"rule": rule})


def is_canonical_host(host: object) -> bool:
    """Whether this is a host in the one form accepted: ASCII lower case, no trailing dot, no port, no wildcard.

    A host whose last label is a number must be four plain decimal octets; punycode labels must decode to themselves.
    """
    if not isinstance(host, str) or not host.isascii() or len(host) > _MAX_HOST:
        return False
    labels = host.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        return False
    if labels[-1].isdigit() or labels[-1].startswith("0x"):
        return len(labels) == 4 and all(_OCTET.fullmatch(label) and int(label) <= 255 for label in labels)
    return all(_is_true_punycode(label) for label in labels if label.startswith("xn--") or label[2:4] == "--")


def _is_true_punycode(label: str) -> bool:
    try:
        return idna.encode(idna.decode(label)).decode("ascii") == label
    except idna.IDNAError:
        return False


def origin_of(url: object) -> Origin:
    """The origin of an absolute http(s) URL; raises `POLICY_DENIED` when it has no single reading."""
    if not isinstance(url, str) or len(url) > _MAX_URL:
        raise _refuse("url.form", "网址不是文字或过长")
    return _origin_of(url)


def _bad_authority(text: str) -> PolicyDeniedError:
    if "@" in text:
        return _refuse("url.userinfo", "网址里不能带用户名或密码（@）")
    if text.startswith("["):
        return _refuse("url.ipv6", "不接受 IPv6 地址")
    return _refuse("url.authority", "网址的主机或端口写法不被接受")


@lru_cache(maxsize=4096)
def _origin_of(url: str) -> Origin:
    """Cached: every command asks about the same few addresses on both sides."""
    if "\\" in url or any(unicodedata.category(char)[0] in "CZ" for char in url):
        raise _refuse("url.characters", "网址中有空白、控制字符或反斜杠")
    match = _URL.fullmatch(url)
    if match is None:
        raise _refuse("url.scheme", "只允许 http 和 https 的完整网址")
    authority = _AUTHORITY.fullmatch(match["authority"])
    if authority is None:
        raise _bad_authority(match["authority"])
    scheme, host = match["scheme"].lower(), authority["host"].lower()
    port = int(authority["port"] or _DEFAULT_PORTS[scheme])
    if not is_canonical_host(host) or port > 65_535:
        raise _refuse("url.host", "网址的主机名不规范")
    return Origin(scheme, host, port)
