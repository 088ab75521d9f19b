"""How an end is named, and how what leaves the process is made to fit: texts and data are cut, never refused.

A task that ended has to be reported whatever a skill, a page or a host put into it; so every text is redacted and cut
here, data over its limit is replaced by its size, and nothing in this file raises for what it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sgclaw.errors import SgClawError, WireError
from sgclaw.protocol.parts import MAX_TEXT, Outcome, Problem, State
from sgclaw.protocol.strict import encode
from sgclaw.redact import inert, redact, redact_text

MAX_DATA_BYTES: Final = 512 * 1024
"""Half a line: the rest of the result always fits beside it."""
MAX_INPUTS_BYTES: Final = 64 * 1024
MAX_FACTS_BYTES: Final = 32 * 1024

ENDS: Mapping[Outcome, State] = MappingProxyType(
    {
        "completed": State.COMPLETED,
        "failed": State.FAILED,
        "aborted": State.ABORTED,
        "unverified": State.UNVERIFIED,
    }
)


def plain(text: str) -> str:
    """A text as it leaves: redacted, without characters that steer a terminal or a reader, cut to a message's limit."""
    shown = inert(redact_text(text))
    return shown if len(shown) <= MAX_TEXT else f"{shown[: MAX_TEXT - 1]}…"


_STOPS: Final = "。！？；：，、…,.!?;:"


def followed_by(text: str, rest: str) -> str:
    """Two parts of one message with a stop between them: the one `text` brings itself, else a full one."""
    text = text.rstrip()
    return f"{text}{rest}" if not text or not rest or text[-1] in _STOPS else f"{text}。{rest}"


def fitted(value: object, limit: int) -> object:
    """`value` redacted, or `{"omitted": why, …}` when it is over `limit` bytes or cannot be written as JSON."""
    shown = redact(value)
    try:
        size = len(encode(shown))
    except WireError as error:
        return {"omitted": error.code}
    return shown if size <= limit else {"omitted": "TOO_LARGE", "bytes": size}


def fitted_map(value: Mapping[str, object], limit: int) -> dict[str, object]:
    """`fitted` for an object."""
    shown = fitted(dict(value), limit)
    return shown if isinstance(shown, dict) else {"omitted": "TOO_LARGE"}


def is_omitted(value: object) -> bool:
    """Whether `fitted` left the value out."""
    return isinstance(value, dict) and "omitted" in value and value.keys() <= {"omitted", "bytes"}


def problem_of(error: SgClawError) -> Problem:
    """An error as the person reads it."""
    return Problem(
        code=error.code,
        message=plain(error.cause),
        next_step=plain(error.next_step),
        facts=fitted_map(error.facts, MAX_FACTS_BYTES),
    )
