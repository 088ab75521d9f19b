"""How many sessions a case takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sgclaw.protocol.limits import MAX_BAD_HMACS
from tests.attacks.corpus import Case


def sessions_of(case: Case) -> list[list[Mapping[str, Any]]]:
    """The lines of each session.

    Some bad codes end a session: a case with that many bad lines, each of which must leave the session alive, has a
    session for each of them.
    """
    lines, must = case.data["lines"], case.data["must"]
    each_alone = must["verdict"] in ("reject", "deny") and len(lines) >= MAX_BAD_HMACS
    return [[line] for line in lines] if each_alone else [lines]
