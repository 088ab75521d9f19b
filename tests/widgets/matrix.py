"""All cells of the matrix by library; a further library is one line here, one file of cells and one test module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.widgets.cells import Cell
from tests.widgets.cells_element_plus import ELEMENT_PLUS
from tests.widgets.cells_native import NATIVE

MATRIX: Final[Mapping[str, tuple[Cell, ...]]] = {"native": NATIVE, "Element Plus": ELEMENT_PLUS}
