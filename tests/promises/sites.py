"""The demo sites, their state, faults and drift."""

from typing import Final

from tests.promises import Requirement

SITES: Final[tuple[Requirement, ...]] = ()
