"""The texts of the golden files: `python -m tests.docs` writes them and says which are stale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tests.wire.stories import STORIES
from tests.wire.transcript import SUFFIX


def _text(name: str) -> str:
    return STORIES[name]().dump()


FILES: Final[Mapping[str, Callable[[], str]]] = {f"tests/wire/{name}{SUFFIX}": partial(_text, name) for name in STORIES}
"""Path in the repository → what must be in it."""
