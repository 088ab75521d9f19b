"""Lines under another key, and lines side by side."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

SUFFIX_BYTES: Final = len(b',"hmac":""}}') + 64
_SHOWN: Final = 2_000


def signed_again(line: bytes, key: bytes, change: Callable[[bytes], bytes] = lambda part: part) -> bytes:
    """A signed line with `change` applied to what is signed, and a MAC by `key`."""
    part = change(line[:-SUFFIX_BYTES])
    return part + b',"hmac":"' + hmac.new(key, part, hashlib.sha256).hexdigest().encode() + b'"}}'


def must_be(made: bytes, golden: bytes) -> None:
    """Raise `AssertionError` with both lines when they differ."""
    if made != golden:
        shown = [line[:_SHOWN].decode("utf-8", "backslashreplace") for line in (made, golden)]
        raise AssertionError("made:   {}\ngolden: {}".format(*shown))
