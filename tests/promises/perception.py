"""How sgclaw reads a snapshot: completeness, text, differences."""

from typing import Final

from tests.promises import Requirement

PERCEPTION: Final[tuple[Requirement, ...]] = ()
