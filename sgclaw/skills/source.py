"""From bytes to program text. What a reviewer sees, what is hashed and what the engine runs must be one program."""

from __future__ import annotations

import re

from sgclaw.skills.reasons import Reason, refused_skill

_BOM = b"\xef\xbb\xbf"

# Control characters except tab and line ends (a lone carriage return ends a `//` comment for the engine only), line
# separators only JavaScript honours, and every default-ignorable code point of Unicode: direction overrides, zero-width
# and tag characters, fillers that are valid in identifiers.
_HIDDEN = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def find_hidden(text: str) -> re.Match[str] | None:
    """The first character that a reviewer cannot see, or that ends a line for some readers only."""
    return _HIDDEN.search(text)


def decode_source(raw: bytes) -> str:
    """The text of a skill file; raises `BAD_ENCODING` or `HIDDEN_CHARACTERS` (with the line). Nothing is stripped."""
    if raw.startswith(_BOM) or b"\x00" in raw:
        raise refused_skill(Reason.BAD_ENCODING)
    try:
        text = raw.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise refused_skill(Reason.BAD_ENCODING, line=raw.count(b"\n", 0, error.start) + 1) from None
    hidden = find_hidden(text)
    if hidden is not None:
        line = text.count("\n", 0, hidden.start()) + 1
        raise refused_skill(Reason.HIDDEN_CHARACTERS, line=line, character=f"U+{ord(hidden.group()):04X}")
    return text
