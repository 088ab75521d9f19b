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


_REFUSALS = [
    ("an option that is not there", "select", {"selector": "#search", "value": "研发部"}, "NOT_FOUND"),
    ("an option of two of the same name", "select", {"selector": "#twins", "value": "财务部"}, "AMBIGUOUS_TARGET"),
    ("an option that is switched off", "select", {"selector": "#dept", "value": "已停用部门"}, "DISABLED_TARGET"),
    ("a list that is switched off", "select", {"selector": "#off", "value": "甲"}, "DISABLED_TARGET"),
    ("a box that is switched off", "check", {"selector": "#agree-off"}, "DISABLED_TARGET"),
    ("a round button that is switched off", "select", {"selector": "#kinds", "value": "已离职"}, "DISABLED_TARGET"),
    ("a switch that does not move", "check", {"selector": "#switch-never"}, "ACTION_FAILED"),
    (
        "a node that is not there",
        "select",
        {"selector": "#tree > .layui-tree", "value": "集团总部/研发部"},
        "NOT_FOUND",
    ),
    (
        "an item that is switched off",
        "select",
        {"selector": "#transfer > .layui-transfer", "value": "陈静"},
        "DISABLED_TARGET",
    ),
    ("a day that is switched off", "type", {"selector": "#date-limited", "text": "2026-03-25"}, "DISABLED_TARGET"),
    ("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
    ("one date for a range", "type", {"selector": "#range", "text": "2026-03-01"}, "BAD_PARAMS"),
    ("a range for one date", "type", {"selector": "#date-cn", "text": "2026-03-01 ~ 2026-03-02"}, "BAD_PARAMS"),
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


@pytest.mark.requirement("WID-04")
async def test_a_number_that_the_component_changes_is_an_error_that_says_to_what(gallery: Lab) -> None:
    error = await gallery.refused("type", {"selector": "#number", "text": "200"})
    assert (error.code, error.facts["shown"]) == ("ACTION_FAILED", "100")


@pytest.mark.requirement("WID-06")
async def test_a_file_given_to_the_button_of_an_upload_reaches_the_site(gallery: Lab) -> None:
    picture = await gallery.act("pageScreenshot")
    assert picture.artifact is not None
    await gallery.act("upload", selector="#upload-button", file=picture.artifact.id)
    await gallery.holds("upload", picture.artifact.name)
