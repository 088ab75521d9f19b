"""Repeated measurements of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles


class Series:
    """Values of one thing in one unit; at least two before `spread` is asked."""

    def __init__(self) -> None:
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """One more measurement."""
        self._values.append(value)

    def extend(self, values: Sequence[float]) -> None:
        """Several more measurements."""
        self._values.extend(values)

    @property
    def median(self) -> float:
        return median(self._values)

    @property
    def best(self) -> float:
        """The smallest: other work on the machine only ever adds."""
        return min(self._values)

    @property
    def spread(self) -> str:
        """Lower and upper quartile."""
        low, _, high = quantiles(self._values, n=4)
        return f"{low:.3g}–{high:.3g}"


def against(measured: Series, baseline: Series) -> str:
    """The note of a ratio: how far both scatter, and what the quietest moments say."""
    return (
        f"quartiles {measured.spread} against {baseline.spread}; "
        f"of the best {measured.best:.3g} / {baseline.best:.3g} = {measured.best / baseline.best:.2f}"
    )
