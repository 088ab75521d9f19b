"""The sessions that are written down, by the name of their file."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.wire.stories import acts, faults, ordinary, people
from tests.wire.transcript import Transcript

STORIES: Final[Mapping[str, Callable[[], Transcript]]] = {
    **ordinary.STORIES,
    **acts.STORIES,
    **people.STORIES,
    **faults.STORIES,
}
