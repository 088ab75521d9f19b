"""Text of a page on its way into a prompt: flattened, without what cannot be seen, redacted, unable to imitate us.

Inside a view only we write `[12]` (a ref), `{…}` (states), ` | ` (columns), and `#` or `~` at the start of a text
(structure, an inferred name). A page's own such characters become their full-width twins; and as its `<` does too,
it can close no block. What a page says therefore stays content, however it is phrased.
"""

from __future__ import annotations

from typing import Final

from sgclaw.redact import redact_text
from sgclaw.redact.seen import CUT, visible

MAX_NAME: Final = 80
"""Characters of a name or cell that are shown."""
MAX_TEXT: Final = 240
"""Characters of running text that are shown."""

_TWINS: Final = str.maketrans("[]{}<|", "［］｛｝＜｜")
_MARKS: Final = {"#": "＃", "~": "～", "+": "＋", "-": "－", "=": "＝"}
"""What opens a line or an entry of ours."""
_LONGEST_READ: Final = 4_000


def shown(text: str, longest: int = MAX_NAME) -> str:
    """A text of a page as it may stand in a view: visible, redacted, cut with a mark, unable to imitate our marks."""
    seen = redact_text(visible(text[:_LONGEST_READ]))
    if len(seen) > longest:
        seen = seen[: longest - 1].rstrip() + CUT
    seen = seen.translate(_TWINS)
    return _MARKS.get(seen[0], seen[0]) + seen[1:] if seen else ""


def block(origin: str, lines: str) -> str:
    """The lines of a view as one labelled block. `origin` is canonical or empty: it never comes from page text."""
    return f"<page origin={origin or '?'}>\n{lines}\n</page>"
