"""What became of the lines of a case, and whether that is what it must be. Words and codes of the cases are data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.errors import FATAL_WIRE_CODES, ActionCode, WireCode

Data = Mapping[str, Any]

REFUSING: Final = frozenset(
    {
        *(code.value for code in WireCode),
        ActionCode.UNKNOWN_ACTION.value,
        ActionCode.BAD_PARAMS.value,
        "POLICY_DENIED",
        "NEEDS_APPROVAL",
        "NO_VAULT",
        "TOO_MANY_OUTSTANDING",
        "BUSY",
    }
)
"""Codes of a refusal. Others, such as `NOT_FOUND`, mean that something was tried."""

DECODING: Final = frozenset({"BAD_ENCODING", "BAD_JSON", "DUPLICATE_KEY", "BAD_NUMBER", "TOO_DEEP", "TOO_LARGE"})
"""Codes of a line that says nothing: it uses no number up, whatever its message code."""

CODES: Final[Mapping[str, frozenset[str]]] = {
    word: frozenset(codes.split())
    for word, codes in {
        "E_ENCODING": "BAD_ENCODING BAD_JSON",
        "E_PARSE": "BAD_JSON BAD_NUMBER BAD_ENCODING",
        "E_NUMBER": "BAD_NUMBER BAD_JSON BAD_SCHEMA BAD_PARAMS BAD_HMAC",  # plain decimals are numbers (ADR 0009)
        "E_DUP_KEY": "DUPLICATE_KEY",
        "E_DEPTH": "TOO_DEEP BAD_JSON",
        "E_TOO_LARGE": "TOO_LARGE LINE_TOO_LONG",
        "E_TOO_LONG": "LINE_TOO_LONG TOO_LARGE",
        "E_TYPE": "UNKNOWN_TYPE BAD_SCHEMA BAD_HMAC",  # unsigned: the code is judged before the type
        "E_SCHEMA": "BAD_SCHEMA BAD_PARAMS UNKNOWN_TYPE UNKNOWN_ACTION BAD_HMAC BAD_JSON BAD_NUMBER DUPLICATE_KEY",
        "E_REPLAY": "REPLAYED UNKNOWN_SEQ",
        "E_UNKNOWN_SEQ": "UNKNOWN_SEQ REPLAYED BAD_HMAC BAD_SCHEMA BAD_NUMBER",
        "E_SEQ": "SEQUENCE_GAP REPLAYED UNKNOWN_SEQ BAD_SCHEMA BAD_NUMBER",
        "E_GAP": "SEQUENCE_GAP",
        "E_LATE": "LATE_RESPONSE",
        "E_MAC": "BAD_HMAC TOO_MANY_BAD_HMAC BAD_SCHEMA",
        "E_STATE": "BAD_STATE SECOND_INIT HANDSHAKE_FAILED BAD_HMAC UNKNOWN_TYPE",
        "E_INIT": "HANDSHAKE_FAILED SECOND_INIT BAD_POLICY",
        "E_KEY": "HANDSHAKE_FAILED",
        "E_HANDSHAKE": "HANDSHAKE_FAILED BAD_STATE SECOND_INIT",
        "E_BUSY": "BUSY BAD_STATE",
        "E_DOMAIN": "POLICY_DENIED BAD_SCHEMA NO_VAULT",
        "E_POLICY": "POLICY_DENIED BAD_POLICY HANDSHAKE_FAILED NO_VAULT",
        "E_ACTION": "POLICY_DENIED UNKNOWN_ACTION BAD_PARAMS BAD_SCHEMA",
        "E_VAULT": "NO_VAULT POLICY_DENIED BAD_PARAMS NEEDS_APPROVAL",
        "E_PARAMS": "BAD_PARAMS BAD_SCHEMA",
        "E_CONFIRM": "NEEDS_APPROVAL POLICY_DENIED UNKNOWN_SEQ BAD_SCHEMA REPLAYED",
    }.items()
}
"""Suggested code → ours that say the same. A suggestion that is not here takes any typed refusal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one line: the codes it was refused with, none when it was accepted."""

    codes: tuple[str, ...] = ()
    closed: bool = False
    """Whether the session ended with it."""

    @property
    def refused(self) -> bool:
        return bool(self.codes) or self.closed

    @property
    def fatal(self) -> bool:
        return self.closed


Judge = Callable[[Outcome], bool]
_JUDGES: Final[Mapping[str, Judge]] = {
    "accept": lambda it: not it.refused,
    "reject": lambda it: it.refused and not it.fatal,
    "deny": lambda it: it.refused and not it.fatal,
    "fatal": lambda it: it.fatal,
}
_OPPOSITE: Final[Mapping[str, str]] = {"accept": "reject", "reject": "accept", "deny": "accept", "fatal": "accept"}
_PLACES: Final[Mapping[str, int]] = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_PLACED = re.compile(rf"({'|'.join(_JUDGES)})_({'|'.join(_PLACES)})")
_EVERY = re.compile(rf"({'|'.join(_JUDGES)})_(?:all|both|each|every|any)")
_ONCE = re.compile(rf"({'|'.join(_JUDGES)})_(?:once|one)")


def _holds_one(verdict: str, outcomes: Sequence[Outcome]) -> bool:
    if verdict == "fatal":  # what came before it may have been refused
        return bool(outcomes) and outcomes[-1].fatal
    if verdict in _JUDGES:
        return bool(outcomes) and all(map(_JUDGES[verdict], outcomes))
    if every := _EVERY.fullmatch(verdict):
        return _holds_one(every[1], outcomes)
    if once := _ONCE.fullmatch(verdict):
        others = _JUDGES[_OPPOSITE[once[1]]]
        held = [_JUDGES[once[1]](outcome) for outcome in outcomes]
        return held.count(True) == 1 and all(ok or others(outcome) for ok, outcome in zip(held, outcomes, strict=True))
    placed = _PLACED.fullmatch(verdict)
    if placed is None:
        raise AssertionError(f"the adapter does not know the verdict {verdict!r}")
    place = _PLACES[placed[2]] % max(1, len(outcomes))
    others = _JUDGES[_OPPOSITE[placed[1]]]
    return all(_JUDGES[placed[1]](outcome) if at == place else others(outcome) for at, outcome in enumerate(outcomes))


def check(must: Data, outcomes: Sequence[Outcome]) -> None:
    """Compare verdict, codes and the life of the session with what the case demands."""
    verdict = str(must["verdict"])
    assert any(_holds_one(each, outcomes) for each in verdict.split("_or_")), (verdict, outcomes)
    codes = {code for outcome in outcomes for code in outcome.codes}
    fatal = frozenset(code.value for code in FATAL_WIRE_CODES)
    wanted = CODES.get(str(must.get("error")), REFUSING)
    assert codes <= wanted | (fatal if "fatal" in verdict else frozenset()), (must.get("error"), outcomes)
    closed = any(outcome.closed for outcome in outcomes)
    session = must.get("session", "either")
    may_close = session != "continues" or "_or_fatal" in verdict or verdict.startswith("fatal_or")
    assert not closed or may_close, outcomes
    assert closed or session != "closes", outcomes
