"""Addresses: what is accepted has one reading, and it is the one a browser's own URL parser has."""

from __future__ import annotations

from urllib.parse import urlsplit

import ada_url

from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.origins import is_canonical_host, origin_of


def one_input(data: bytes) -> None:
    """The address; also taken for a bare host."""
    text = data.decode("utf-8", "surrogateescape")
    if is_canonical_host(text):
        assert str(origin_of(f"https://{text}/")) == f"https://{text}"
        assert ada_url.URL(f"https://{text}:8443/").origin == f"https://{text}:8443"
    try:
        origin = origin_of(text)
    except PolicyDeniedError as error:
        assert error.facts["rule"]
        return
    assert is_canonical_host(origin.host)
    assert origin_of(str(origin)) == origin
    split = urlsplit(text)
    assert (split.scheme, split.hostname) == (origin.scheme, origin.host)
    assert split.port in (None, origin.port)
    assert (split.username, split.password) == (None, None)
    assert ada_url.URL(text).origin == str(origin)


def seeds() -> list[bytes]:
    """Plain addresses and those on which parsers differ."""
    found = [
        "https://erp.example.com/a?b#c",
        "http://10.1.2.3:8080",
        "HTTPS://ERP.Example.com:443/",
        "https://evil.com\\@erp.example.com/",
        "https://user:pw@erp.example.com/",
        "https://erp.example.com:80:90/",
        "https://[::1]:80/",
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://1.2.3/",
        "https://xn--fiqs8s/",
        "https://xn--a/",
        "https://ab--c.com/",
        "https://erp.example.com./",
        "https://中国/",
        "https://erp.example.com:99999/",
        "https://erp.example.com?x=1",
        "https://a.0x",
        "https://a.b.1e3",
        "erp.example.com",
    ]
    return [text.encode() for text in found]
