"""Framing: how bytes are cut into chunks changes nothing, and the cap holds."""

from __future__ import annotations

from random import Random

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.framing import LineFramer


def one_input(data: bytes) -> None:
    """First byte: the cap less one. Second: how the rest is cut into chunks."""
    cap, cuts, stream = 1 + (data[0] if data else 0), Random(data[1:2]), data[2:]
    framer, lines, refused = LineFramer(cap), list[bytes](), ""
    start = 0
    while start < len(stream) and not refused:
        end = start + cuts.choice((1, 2, 3, 7, 20, len(stream)))
        try:
            lines.extend(framer.feed(stream[start:end]))
        except WireError as error:
            refused = error.code
        start = end
    expected, fits = _reference(stream, cap)
    assert refused == ("" if fits else WireCode.LINE_TOO_LONG)
    # What was whole before the long line began may have been delivered or not: the session is over either way.
    assert lines == expected if fits else lines == expected[: len(lines)]
    assert not fits or framer.partial == (not stream.endswith(b"\n") and bool(stream))


def _reference(stream: bytes, cap: int) -> tuple[list[bytes], bool]:
    *whole, rest = stream.split(b"\n")
    for at, line in enumerate(whole):
        if len(line) + 1 > cap:
            return whole[:at], False
    return whole, len(rest) <= cap


def seeds() -> list[bytes]:
    """Lines around the cap."""
    return [b"\x03\x00abc\nab\n\n", b"\x02\x01ab\n", "\x10\x02行\u2028行\r\n\n".encode(), b"\xff\x03" + b"x" * 300]
