"""One intent on the controls of any component library."""

from typing import Final

from tests.promises import Requirement

WIDGETS: Final[tuple[Requirement, ...]] = ()
