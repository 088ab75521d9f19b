"""The targets by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final


@dataclass(frozen=True, slots=True)
class Target:
    """One family of promises."""

    one_input: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


TARGETS: Final[Mapping[str, int]] = {
    "framing": 2_000,
    "decoding": 2_000,
    "channel": 4_000,
    "opening": 4_000,
    "policy": 4_000,
    "origins": 300,
    "header": 4_000,
    "schema": 2_000,
    "registry": 6_000,
    "bridge": 2_000,
    "redaction": 1_000,
}
"""Module of this package → longest input tried, in bytes. Caps of size have tests of their own."""


def load(name: str) -> Target:
    """The target of this name; imported late, so that a fuzzer can watch the code it imports."""
    module = import_module(f"tests.fuzz.{name}")
    return Target(module.one_input, module.seeds)
