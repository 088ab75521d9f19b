"""Rows of the requirements table, a file for each part of the system; `tests/requirements.py` puts them together."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise. `behaviour` is a sentence about what can be observed from outside."""

    id: str
    source: str
    behaviour: str
    deferred: str = ""
    diverges: str = ""


R = Requirement
