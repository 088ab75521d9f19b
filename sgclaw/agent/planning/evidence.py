"""What was observed while a card ran, and how much that proves. Facts come from the browser's trail, never a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, ConfigDict

from sgclaw.context.texts import Risk


class Rank(IntEnum):
    """How strong a fact is, weakest first."""

    TOAST = 1
    DOM = 2
    RESPONSE = 3
    FILE = 4
    REQUERY = 5


LEAST: Final[Mapping[Risk, Rank]] = MappingProxyType({"low": Rank.DOM, "standard": Rank.DOM, "high": Rank.RESPONSE})
"""The rank that the best fact of a card must have before anything may approve it."""


class Fact(BaseModel):
    """One observation: `text` is page content and untrusted, `changes` tells that the act changed something."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: Rank
    origin: str
    text: str
    changes: bool = False


def suffices(facts: Sequence[Fact], risk: Risk) -> bool:
    """Whether the best of the facts is strong enough for that risk."""
    return any(fact.rank >= LEAST[risk] for fact in facts)
