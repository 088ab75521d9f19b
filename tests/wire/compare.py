"""Lines side by side."""

from typing import Final

_SHOWN: Final = 2_000


def must_be(made: bytes, golden: bytes) -> None:
    """Raise `AssertionError` with both lines when they differ."""
    if made != golden:
        shown = [line[:_SHOWN].decode("utf-8", "backslashreplace") for line in (made, golden)]
        raise AssertionError("made:   {}\ngolden: {}".format(*shown))
