import pytest

from tests.widgets.cells import Cell
from tests.widgets.cells_layui import LAYUI
from tests.widgets.lab import Lab

PAGE = "layui"
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("WID-01")
@pytest.mark.parametrize("cell", LAYUI, ids=lambda cell: cell.name)
async def test_an_intent_brings_the_component_of_the_site_into_the_wanted_state(gallery: Lab, cell: Cell) -> None:
    await gallery.carry_out(cell)
