"""Text of pages, memory and other models on its way into a prompt: escaped, redacted, labelled with where it is from.

Such text informs and never instructs. It can close no block and open none: its `<` becomes the full-width twin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from sgclaw.redact import redact_text
from sgclaw.redact.seen import CUT, visible

Kind = Literal["page", "memory", "note", "tool"]
"""Read off a page, recalled from memory, written by a model in an earlier task, or answered by a tool of others."""

_ORIGIN: Final = re.compile(r"[a-z0-9.:/\[\]_-]{1,255}", re.IGNORECASE)
_TWINS: Final = str.maketrans({"<": "＜"})


@dataclass(frozen=True, slots=True)
class Untrusted:
    """A text that may say anything, and its origin: a canonical origin, a task's id, `memory`, `mcp:` and a server."""

    kind: Kind
    origin: str
    text: str

    def block(self) -> str:
        """The text as one labelled block. An origin that is none cannot speak through its label: it is `?`."""
        origin = self.origin if _ORIGIN.fullmatch(self.origin) else "?"
        return f"<data kind={self.kind} origin={origin}>\n{escaped(self.text)}\n</data>"


def escaped(text: str) -> str:
    """The text as it may stand inside a block: line by line as a person sees it, and only then redacted: what cannot be
    seen could otherwise cut a secret into pieces that nobody recognises.
    """
    lines = (visible(line) for line in text.splitlines())
    return redact_text("\n".join(line for line in lines if line)).translate(_TWINS)


@lru_cache(maxsize=1_024)
def one_line(text: str, longest: int) -> str:
    """The text in one line of at most that many characters, unable to imitate a heading or a block of ours."""
    line = " ".join(escaped(text).split()).lstrip("#").lstrip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + CUT
