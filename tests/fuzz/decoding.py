"""Strict decoding: one object or a typed refusal; never laxer than the standard library's reading."""

from __future__ import annotations

import json

from sgclaw.errors import WireError
from sgclaw.protocol.strict import decode, encode
from tests.fuzz.echo import echoed, words
from tests.unit.protocol.samples import BODIES


def one_input(data: bytes) -> None:
    """The line itself."""
    try:
        value = decode(data)
    except WireError as error:
        assert not echoed(words(error), data)
        return
    assert json.loads(data.decode("utf-8")) == value
    line = encode(value)
    assert b"\n" not in line
    again = decode(line)
    assert again == value
    assert json.dumps(again) == json.dumps(value)  # also the order of keys, and 1 is not 1.0


def seeds() -> list[bytes]:
    """Every message, and lines that are nearly one."""
    bodies = [encode(body) for table in BODIES.values() for body in table.values()]
    return [*bodies, b'{"a":[[[1.5,-0.25,1e5]]],"\\u0061":null}', b'{"t":"\\ud83d\\ude00\\ud800"}', b'{"n":NaN}']
