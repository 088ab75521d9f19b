"""Actions of the host beyond the first ones: pages, files, storage, events; refs and frames."""

from typing import Final

from tests.promises import Requirement

ACTS: Final[tuple[Requirement, ...]] = ()
