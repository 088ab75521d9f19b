"""What a call costs: counts of the provider times prices of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sgclaw.llm.settings import Price
from sgclaw.ports import ModelUsage

_MILLION: Final = 1_000_000
_MOST: Final = 1_000_000_000
"""Tokens of one call. Nobody has used that many: such a number would only make the sums of a task useless."""


@dataclass(slots=True)
class Spent:
    """Tokens of one try as its provider counts them, filled in while the answer comes.

    `input` is the whole prompt; `cached` and `written` are the parts of it read from and put into a cache.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0

    def add(self, other: Spent) -> None:
        self.input += other.input
        self.output += other.output
        self.cached += other.cached
        self.written += other.written


def counted(value: object) -> int:
    """A count as a provider tells it; what is no count is none told."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else 0


def usage_of(spent: Spent, price: Price | None) -> ModelUsage:
    """The usage as others see it; its cost is None when there is no price."""
    if price is None:
        return ModelUsage(spent.input, spent.output, spent.cached)
    cost = (
        (spent.input - spent.cached - spent.written) * price.input
        + spent.cached * price.cached_input
        + spent.written * price.cache_write
        + spent.output * price.output
    ) / _MILLION
    return ModelUsage(spent.input, spent.output, spent.cached, cost, price.currency)
