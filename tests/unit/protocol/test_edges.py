"""The caps of strict decoding and framing, met exactly: at the cap a line passes, one beyond it does not."""

from __future__ import annotations

import pytest

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_DEPTH, MAX_VALUES
from sgclaw.protocol.strict import decode

ASIDE = b'"' + b"," * (MAX_VALUES + 1) + b'"'
"""A text whose commas look like values: the counting must be done with care, not only by looking for commas."""


def _code(line: bytes) -> str:
    with pytest.raises(WireError) as caught:
        decode(line)
    return caught.value.code


def _listed(items: list[bytes]) -> bytes:
    return b'{"a":[' + b",".join(items) + b"]}"


@pytest.mark.requirement("PROTO-02")
@pytest.mark.parametrize(
    ("item", "values"),
    [(b"1", 1), (b"[]", 2), (b"{}", 2), (b"[[]]", 3), (b'{"a":1,"b":2}', 3)],
    ids=["number", "list", "object", "nested", "members"],
)
def test_every_value_counts_once(item: bytes, values: int) -> None:
    """An item costs its brackets and commas and the comma before it; the outer brackets cost two."""
    count, rest = divmod(MAX_VALUES - 2, values)
    items = [ASIDE] + [item] * (count - 1) + [b"1"] * (rest + values)
    assert decode(_listed(items))
    assert _code(_listed([*items, b"1"])) == WireCode.TOO_LARGE


def _branch(depth: int, opening: bytes, closing: bytes) -> bytes:
    return opening * depth + b"1" + closing * depth


@pytest.mark.requirement("PROTO-02")
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_depth_is_that_of_the_deepest_branch(opening: bytes, closing: bytes) -> None:
    deepest = MAX_DEPTH - 2
    fits, deeper = _branch(deepest, opening, closing), _branch(deepest + 1, opening, closing)
    flat = [_branch(1, opening, closing)] * (MAX_DEPTH + 1)
    assert decode(_listed([fits, *flat, fits, fits]))
    assert _code(_listed([fits, *flat, deeper])) == WireCode.TOO_DEEP
    assert _code(_listed([*flat, fits, fits, deeper])) == WireCode.TOO_DEEP


@pytest.mark.requirement("PROTO-02")
def test_a_decimal_may_have_so_many_digits_and_no_more() -> None:
    longest = b"1." + b"0" * 32
    assert decode(b'{"n":' + longest + b"}") == {"n": 1.0}
    assert _code(b'{"n":' + longest + b"0}") == WireCode.BAD_NUMBER


@pytest.mark.requirement("PROTO-06")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_chunks_add_up_to_the_cap(size: int) -> None:
    framer = LineFramer(12)
    for _ in range(12 // size):
        assert list(framer.feed(b"x" * size)) == []
    with pytest.raises(WireError) as caught:
        list(framer.feed(b"\n"))
    assert caught.value.code == WireCode.LINE_TOO_LONG
