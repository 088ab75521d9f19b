import pytest

from tests.widgets.lab import Lab

PAGE = "ant-design"
pytestmark = pytest.mark.asyncio(loop_scope="module")

_REFUSALS = [
    ("an option that is not there", "select", {"selector": "#dept", "value": "研发部"}, "NOT_FOUND"),
    ("an option of two of the same name", "select", {"selector": "#twins", "value": "财务部"}, "AMBIGUOUS_TARGET"),
    ("an option that is switched off", "select", {"selector": "#dept", "value": "已停用部门"}, "DISABLED_TARGET"),
    ("a list that is switched off", "select", {"selector": "#off", "value": "甲"}, "DISABLED_TARGET"),
    ("a list that takes nothing", "select", {"selector": "#never", "value": "甲"}, "ACTION_FAILED"),
    ("a path that ends elsewhere", "select", {"selector": ".region", "value": "浙江/温州"}, "NOT_FOUND"),
    ("a path that ends too early", "select", {"selector": ".region", "value": "浙江/杭州"}, "ACTION_FAILED"),
    ("a node that is not there", "select", {"selector": ".tree", "value": "集团总部/研发部"}, "NOT_FOUND"),
    ("an item that is not there", "select", {"selector": ".transfer", "value": "张敏、无名"}, "NOT_FOUND"),
    ("an item that is switched off", "select", {"selector": ".transfer", "value": "陈静"}, "DISABLED_TARGET"),
    ("a day that is switched off", "type", {"selector": "#date-limited", "text": "2026-03-25"}, "DISABLED_TARGET"),
    ("a date field that is switched off", "type", {"selector": "#date-off", "text": "2026-03-25"}, "DISABLED_TARGET"),
    ("words for a date", "type", {"selector": "#date-cn", "text": "明天"}, "BAD_PARAMS"),
    ("one date for a range", "type", {"selector": ".range", "text": "2026-03-01"}, "BAD_PARAMS"),
    ("a range for one date", "type", {"selector": "#date-cn", "text": "2026-03-01 ~ 2026-03-02"}, "BAD_PARAMS"),
    ("a range that ends early", "type", {"selector": ".range", "text": "2026-03-31 ~ 2026-03-01"}, "DISABLED_TARGET"),
    ("a switch that does not move", "check", {"selector": "#switch-never"}, "ACTION_FAILED"),
    ("a row that cannot be ticked", "check", {"selector": "#table .row-5"}, "DISABLED_TARGET"),
    ("an option that a person must agree to", "select", {"selector": "#danger", "value": "删除全部"}, "NEEDS_APPROVAL"),
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


@pytest.mark.requirement("WID-03")
async def test_a_missing_option_names_those_that_are_there_and_closes_the_list(gallery: Lab) -> None:
    error = await gallery.refused("select", {"selector": "#multi", "value": "研发部"})
    assert error.facts["options"] == ["财务部", "人力资源部", "法务部", "采购部", "信息技术部", "已停用部门"]
    assert error.facts["widget"] == "Ant Design Vue 下拉框"
    await gallery.act("waitForSelector", selector=".ant-select-open", state="detached", timeout_ms=2000)


@pytest.mark.requirement("WID-04")
async def test_a_number_that_the_component_changes_is_an_error_that_says_to_what(gallery: Lab) -> None:
    error = await gallery.refused("type", {"selector": "#number", "text": "200"})
    assert (error.code, error.facts["shown"]) == ("ACTION_FAILED", "100")


@pytest.mark.requirement("WID-04")
async def test_a_list_that_takes_fewer_than_were_asked_is_an_error(gallery: Lab) -> None:
    error = await gallery.refused("select", {"selector": "#at-most-one", "value": "财务部、法务部"})
    assert error.code == "ACTION_FAILED"
    await gallery.holds("at-most-one", ["财务部"])


@pytest.mark.requirement("WID-05")
async def test_a_ref_of_a_snapshot_names_a_component_as_well(gallery: Lab) -> None:
    seen = await gallery.act("getAomSnapshot", selector=".ant-select:has(#groups)")
    refs = [node["ref"] for node in _flat(seen.data["nodes"]) if node["role"] == "combobox"]
    await gallery.act("select", ref=refs[0], value="采购")
    await gallery.holds("groups", "p")


def _flat(nodes: object) -> list[dict[str, object]]:
    assert isinstance(nodes, list)
    return [each for node in nodes for each in (node, *_flat(node.get("children") or []))]


@pytest.mark.requirement("WID-06")
async def test_a_file_given_to_the_button_of_an_upload_reaches_the_site(gallery: Lab) -> None:
    picture = await gallery.act("pageScreenshot")
    assert picture.artifact is not None
    await gallery.act("upload", selector="#upload-button", file=picture.artifact.id)
    await gallery.holds("upload", picture.artifact.name)


@pytest.mark.requirement("WID-07")
async def test_choosing_what_is_chosen_already_changes_nothing(gallery: Lab) -> None:
    await gallery.act("select", selector="#multi", value="财务部、法务部")
    await gallery.holds("multi", ["财务部", "法务部"])
    writes = len(gallery.site.writes)
    await gallery.act("select", selector="#multi", value="财务部、法务部")
    assert len(gallery.site.writes) == writes
