"""The kit that drives any host through the protocol."""

from typing import Final

from tests.promises import Requirement

CONFORMANCE: Final[tuple[Requirement, ...]] = ()
