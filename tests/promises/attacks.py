"""The attack suites."""

from typing import Final

from tests.promises import Requirement

ATTACKS: Final[tuple[Requirement, ...]] = ()
