"""All cells of the matrix by library; a further library is one line here, one file of cells and one test module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.widgets.cells import Cell
from tests.widgets.cells_ant_design import ANT_DESIGN
from tests.widgets.cells_element_plus import ELEMENT_PLUS
from tests.widgets.cells_layui import LAYUI
from tests.widgets.cells_native import NATIVE
from tests.widgets.cells_vxe import VXE

MATRIX: Final[Mapping[str, tuple[Cell, ...]]] = {
    "native": NATIVE,
    "Element Plus": ELEMENT_PLUS,
    "Ant Design Vue": ANT_DESIGN,
    "layui": LAYUI,
    "vxe-table": VXE,
}
