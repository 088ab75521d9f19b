import pytest

from tests.widgets.cells import Cell
from tests.widgets.cells_vxe import VXE
from tests.widgets.lab import Lab

PAGE = "vxe"
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("WID-01")
@pytest.mark.parametrize("cell", VXE, ids=lambda cell: cell.name)
async def test_an_intent_brings_the_component_of_the_site_into_the_wanted_state(gallery: Lab, cell: Cell) -> None:
    await gallery.carry_out(cell)


_REFUSALS = [
    ("an option that is not there", "select", {"selector": "#search", "value": "研发部"}, "NOT_FOUND"),
    ("an option of two of the same name", "select", {"selector": "#twins", "value": "财务部"}, "AMBIGUOUS_TARGET"),
    ("an option that is switched off", "select", {"selector": "#dept", "value": "已停用部门"}, "DISABLED_TARGET"),
    ("a list that is switched off", "select", {"selector": "#off", "value": "财务部"}, "DISABLED_TARGET"),
    ("a switch that is switched off", "check", {"selector": "#switch-off"}, "DISABLED_TARGET"),
    ("a node that is not there", "select", {"selector": ".tree", "value": "集团总部/研发部"}, "NOT_FOUND"),
    ("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
    ("one date for a range", "type", {"selector": "#range", "text": "2026-03-01"}, "BAD_PARAMS"),
    ("what is no control", "select", {"selector": "h1", "value": "甲"}, "UNSUPPORTED_WIDGET"),
]


@pytest.mark.requirement("WID-02")
@pytest.mark.parametrize(
    ("action", "params", "code"), [row[1:] for row in _REFUSALS], ids=[row[0] for row in _REFUSALS]
)
async def test_what_cannot_be_is_a_typed_error_and_the_site_stays_as_it_was(
    gallery: Lab, action: str, params: dict[str, object], code: str
) -> None:
    before = dict(gallery.site.state)
    error = await gallery.refused(action, params)
    assert error.code == code
    assert gallery.site.state == before


@pytest.mark.requirement("WID-06")
async def test_a_file_given_to_a_button_that_makes_its_field_on_the_click_reaches_the_site(gallery: Lab) -> None:
    picture = await gallery.act("pageScreenshot")
    assert picture.artifact is not None
    await gallery.act("upload", selector=".upload button", file=picture.artifact.id)
    await gallery.holds("upload", picture.artifact.name)
