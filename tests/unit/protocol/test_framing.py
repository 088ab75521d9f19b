from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.framing import LineFramer


def _lines(framer: LineFramer, chunks: Sequence[bytes]) -> list[bytes]:
    return [line for chunk in chunks for line in framer.feed(chunk)]


def _too_long(framer: LineFramer, chunk: bytes) -> WireError:
    with pytest.raises(WireError) as caught:
        list(framer.feed(chunk))
    return caught.value


@pytest.mark.requirement("PROTO-05")
def test_lines_that_arrive_byte_by_byte_are_joined() -> None:
    stream = '{"a":"导出"}\n{"b":2}\n'.encode()
    framer = LineFramer(100)
    assert _lines(framer, [stream[at : at + 1] for at in range(len(stream))]) == ['{"a":"导出"}'.encode(), b'{"b":2}']
    assert not framer.partial


@pytest.mark.requirement("PROTO-05")
def test_many_lines_in_one_chunk_come_out_one_by_one() -> None:
    framer = LineFramer(100)
    assert list(framer.feed(b"a\n\nbc\nde")) == [b"a", b"", b"bc"]
    assert framer.partial
    assert list(framer.feed(b"f\n")) == [b"def"]


@pytest.mark.requirement("PROTO-05")
def test_only_a_line_feed_ends_a_line() -> None:
    content = "a\r\x0b\x0c\x85\u0085\u2028\u2029b".encode() + b"\x85"
    assert _lines(LineFramer(100), [content, b"\n"]) == [content]


@pytest.mark.requirement("PROTO-05")
def test_a_rest_without_a_line_feed_is_never_a_line() -> None:
    framer = LineFramer(100)
    assert _lines(framer, [b'{"seq":7}', b""]) == []
    assert framer.partial


def test_an_empty_chunk_changes_nothing() -> None:
    framer = LineFramer(100)
    assert _lines(framer, [b"", b"a", b"", b"\n"]) == [b"a"]
    assert not framer.partial


@pytest.mark.requirement("PROTO-06")
def test_a_line_of_exactly_the_cap_passes_and_one_byte_more_ends_the_session() -> None:
    assert _lines(LineFramer(8), [b"1234567\n", b"1234567", b"\n"]) == [b"1234567"] * 2
    error = _too_long(LineFramer(8), b"12345678\n")
    assert (error.code, error.fatal) == (WireCode.LINE_TOO_LONG, True)
    assert error.facts == {}


@pytest.mark.requirement("PROTO-06")
def test_an_endless_line_is_refused_as_soon_as_the_cap_is_passed() -> None:
    framer = LineFramer(8)
    assert list(framer.feed(b"12345678")) == []
    assert _too_long(framer, b"9").code == WireCode.LINE_TOO_LONG


@pytest.mark.requirement("PROTO-06")
def test_whole_lines_before_an_oversize_one_are_still_given_out() -> None:
    lines = LineFramer(4).feed(b"abc\nabcdef\n")
    assert next(lines) == b"abc"
    with pytest.raises(WireError):
        next(lines)


@pytest.mark.requirement("PROTO-05")
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=120), st.lists(st.integers(0, 120), max_size=10))
def test_any_chunking_yields_the_same_lines(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(edges)]
    framer = LineFramer(1_000)
    whole, _, rest = stream.rpartition(b"\n")
    assert _lines(framer, chunks) == (whole.split(b"\n") if b"\n" in stream else [])
    assert framer.partial == bool(rest)
