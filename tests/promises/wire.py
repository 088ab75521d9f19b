"""The wire: transcripts, schemas, the page for browser engineers."""

from typing import Final

from tests.promises import Requirement

WIRE: Final[tuple[Requirement, ...]] = ()
