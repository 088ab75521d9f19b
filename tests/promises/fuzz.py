"""Random input and mutants."""

from typing import Final

from tests.promises import Requirement

FUZZ: Final[tuple[Requirement, ...]] = ()
