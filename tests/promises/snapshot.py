"""What a host tells of a page: the snapshot and the numbered picture."""

from typing import Final

from tests.promises import Requirement

SNAPSHOT: Final[tuple[Requirement, ...]] = ()
