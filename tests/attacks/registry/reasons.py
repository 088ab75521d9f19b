"""The error codes of the corpus in terms of our reasons. One code may stand for several of ours. The codes are
suggestions, so one that is not here takes any reason: that the refusal is typed and complete is checked all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sgclaw.skills.catalogue import Refusal
from sgclaw.skills.reasons import Reason

REASONS: Final[Mapping[str, frozenset[Reason]]] = {
    "E_ROLLBACK": frozenset({Reason.ROLLBACK}),
    "E_VERSION_REUSED": frozenset({Reason.VERSION_REUSED}),
    "E_EXPIRED": frozenset({Reason.EXPIRED}),
    "E_CLOCK": frozenset({Reason.EXPIRED}),
    "E_REGISTRY_SIG": frozenset({Reason.BAD_SIGNATURE, Reason.UNKNOWN_KEY, Reason.NOT_CANONICAL}),
    "E_SIGNATURE": frozenset({Reason.BAD_SIGNATURE, Reason.UNKNOWN_KEY, Reason.KEY_RETIRED, Reason.UNSIGNED}),
    "E_KEY_RETIRED": frozenset({Reason.KEY_RETIRED}),
    "E_HASH": frozenset({Reason.HASH_MISMATCH}),
    "E_HASH_ALG": frozenset({Reason.BAD_HASH}),
    "E_KEY": frozenset(
        {Reason.WEAK_KEY, Reason.BAD_KEY, Reason.UNKNOWN_KEY, Reason.KEY_RETIRED, Reason.DEV_KEY_IN_PRODUCTION}
    ),
    "E_ROTATION": frozenset({Reason.UNKNOWN_KEY, Reason.KEY_RETIRED}),
    "E_KEY_ROTATION": frozenset({Reason.UNKNOWN_KEY, Reason.KEY_RETIRED}),
    "E_REVOKED": frozenset({Reason.KEY_REVOKED}),
    "E_KEY_REVOKED": frozenset({Reason.KEY_REVOKED}),
    "E_PATH": frozenset({Reason.BAD_PATH}),
    "E_SYMLINK": frozenset({Reason.BAD_PATH}),
    "E_FILE_TYPE": frozenset({Reason.BAD_PATH}),
    "E_NOT_REGULAR": frozenset({Reason.BAD_PATH}),
    "E_NAME": frozenset({Reason.BAD_NAME}),
    "E_DUPLICATE": frozenset({Reason.DUPLICATE}),
    "E_DUP": frozenset({Reason.DUPLICATE}),
    "E_DUP_NAME": frozenset({Reason.DUPLICATE}),
    "E_DUP_KEY": frozenset({Reason.BAD_JSON}),
    "E_JSON": frozenset({Reason.BAD_JSON}),
    "E_PARSE": frozenset({Reason.BAD_JSON, Reason.BAD_REGISTRY}),
    "E_SCHEMA": frozenset(
        {
            *(Reason.BAD_ENTRY, Reason.BAD_REGISTRY, Reason.BAD_NAME, Reason.BAD_PATH, Reason.BAD_HASH),
            *(Reason.BAD_SIGNATURE, Reason.BAD_JSON),  # a number no parser agrees on is refused before any field
        }
    ),
    "E_VERSION": frozenset({Reason.BAD_ENTRY, Reason.BAD_REGISTRY}),
    "E_DOMAIN": frozenset({Reason.BAD_ENTRY, Reason.HEADER_MISMATCH}),
    "E_DOMAINS": frozenset({Reason.BAD_ENTRY, Reason.HEADER_MISMATCH}),
    "E_CAPABILITY": frozenset({Reason.BAD_ENTRY, Reason.HEADER_MISMATCH}),
    "E_DISABLED": frozenset({Reason.DISABLED, Reason.SWITCHED_OFF}),
    "E_SIZE": frozenset({Reason.TOO_LARGE}),
    "E_TOO_LARGE": frozenset({Reason.TOO_LARGE}),
    "E_TOO_BIG": frozenset({Reason.TOO_LARGE}),
    "E_NO_FILE": frozenset({Reason.NO_FILE}),
    "E_MISSING": frozenset({Reason.NO_FILE}),
    "E_NOT_FOUND": frozenset({Reason.NO_FILE}),
    "E_NO_REGISTRY": frozenset({Reason.NO_REGISTRY}),
    "E_META": frozenset({Reason.BAD_MANIFEST}),
    "E_META_MISMATCH": frozenset({Reason.HEADER_MISMATCH}),
    "E_ENCODING": frozenset({Reason.BAD_ENCODING, Reason.BAD_JSON}),
    "E_SOURCE_CHARS": frozenset({Reason.HIDDEN_CHARACTERS}),
    **dict.fromkeys(["E_UNSIGNED", "E_UNLISTED", "E_NOT_LISTED"], frozenset({Reason.UNSIGNED, Reason.BAD_SIGNATURE})),
    "E_NUMBER": frozenset({Reason.BAD_JSON, Reason.BAD_REGISTRY}),
    "E_THRESHOLD": frozenset({Reason.BAD_REGISTRY, Reason.BAD_SIGNATURE, Reason.UNKNOWN_KEY}),
}


def allowed(error: str | None) -> frozenset[Reason]:
    """What a case may be refused for; empty when it must not be refused. `E_A_or_E_B` allows either."""
    codes = [] if error is None else [code if code.startswith("E_") else f"E_{code}" for code in _codes(error)]
    return frozenset().union(*(REASONS.get(code, frozenset(Reason)) for code in codes))


def fits(refusal: Refusal, error: str | None) -> bool:
    """Whether this refusal is one that the case asks for."""
    if error == "E_DUP_KEY":
        return (refusal.reason, refusal.facts.get("problem")) == (Reason.BAD_JSON, "DUPLICATE_KEY")
    return refusal.reason in allowed(error)


def _codes(error: str) -> list[str]:
    return [code for code in re.split(r"\s*\|\s*|_or_(?=E?_?[A-Z])|\s+or\s+|\s*/\s*", error) if code]
