"""What intents promise on every gallery page beyond the matrix: refusals that change nothing, refs, files, repeats."""

import pytest

from tests.widgets.lab import Lab
from tests.widgets.refusals import PAGES, REFUSALS, Refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")

_EACH = [
    pytest.param(page, page, refusal, id=f"{page}: {refusal.name}")
    for page in PAGES
    for refusal in REFUSALS
    if page in refusal.on
]


def on(*pages: str) -> pytest.MarkDecorator:
    """The gallery pages a test runs on."""
    return pytest.mark.parametrize("gallery", pages, indirect=True)


@pytest.mark.requirement("WID-02")
@pytest.mark.parametrize(("gallery", "page", "refusal"), _EACH, indirect=["gallery"])
async def test_what_cannot_be_is_a_typed_error_and_the_site_stays_as_it_was(
    gallery: Lab, page: str, refusal: Refusal
) -> None:
    before = dict(gallery.site.state)
    error = await gallery.refused(refusal.action, refusal.params(page))
    assert error.code == refusal.code
    assert gallery.site.state == before


@pytest.mark.requirement("WID-03")
@pytest.mark.parametrize(
    ("gallery", "widget", "popup"),
    [
        ("element-plus", "Element Plus 下拉框", ".el-select__popper[aria-hidden='false']"),
        ("ant-design", "Ant Design Vue 下拉框", ".ant-select-open"),
    ],
    indirect=["gallery"],
)
async def test_a_missing_option_names_those_that_are_there_and_closes_the_list(
    gallery: Lab, widget: str, popup: str
) -> None:
    error = await gallery.refused("select", {"selector": "#multi", "value": "研发部"})
    assert error.facts["options"] == ["财务部", "人力资源部", "法务部", "采购部", "信息技术部", "已停用部门"]
    assert error.facts["widget"] == widget
    await gallery.act("waitForSelector", selector=popup, state="hidden", timeout_ms=2000)


@pytest.mark.requirement("WID-03")
@on("element-plus")
async def test_of_many_options_twenty_are_named(gallery: Lab) -> None:
    error = await gallery.refused("select", {"selector": "#search", "value": "项目"})
    assert len(error.facts["options"]) == 20  # type: ignore[arg-type]


@pytest.mark.requirement("WID-04")
@on("element-plus", "ant-design", "layui")
async def test_a_number_that_the_component_changes_is_an_error_that_says_to_what(gallery: Lab) -> None:
    error = await gallery.refused("type", {"selector": "#number", "text": "200"})
    assert (error.code, error.facts["shown"]) == ("ACTION_FAILED", "100")


@pytest.mark.requirement("WID-04")
@on("ant-design")
async def test_a_list_that_takes_fewer_than_were_asked_is_an_error(gallery: Lab) -> None:
    error = await gallery.refused("select", {"selector": "#at-most-one", "value": "财务部、法务部"})
    assert error.code == "ACTION_FAILED"
    await gallery.holds("at-most-one", ["财务部"])


@pytest.mark.requirement("WID-05")
@pytest.mark.parametrize(
    ("gallery", "root"),
    [("element-plus", ".el-select:has(#groups)"), ("ant-design", ".ant-select:has(#groups)")],
    indirect=["gallery"],
)
async def test_a_ref_of_a_snapshot_names_a_component_as_well(gallery: Lab, root: str) -> None:
    seen = await gallery.act("getAomSnapshot", selector=root)
    refs = [node["ref"] for node in _flat(seen.data["nodes"]) if node["role"] == "combobox"]
    await gallery.act("select", ref=refs[0], value="采购")
    await gallery.holds("groups", "p")


def _flat(nodes: object) -> list[dict[str, object]]:
    assert isinstance(nodes, list)
    return [each for node in nodes for each in (node, *_flat(node.get("children") or []))]


@pytest.mark.requirement("WID-06")
@pytest.mark.parametrize(
    ("gallery", "button"),
    [
        ("element-plus", "#upload-button"),
        ("ant-design", "#upload-button"),
        ("layui", "#upload-button"),
        ("vxe", ".upload button"),
    ],
    indirect=["gallery"],
)
async def test_a_file_given_to_the_button_of_an_upload_reaches_the_site(gallery: Lab, button: str) -> None:
    picture = await gallery.act("pageScreenshot")
    assert picture.artifact is not None
    await gallery.act("upload", selector=button, file=picture.artifact.id)
    await gallery.holds("upload", picture.artifact.name)


@pytest.mark.requirement("WID-07")
@on("element-plus", "ant-design")
async def test_choosing_what_is_chosen_already_changes_nothing(gallery: Lab) -> None:
    await gallery.act("select", selector="#multi", value="财务部、法务部")
    await gallery.holds("multi", ["财务部", "法务部"])
    writes = len(gallery.site.writes)
    await gallery.act("select", selector="#multi", value="财务部、法务部")
    assert len(gallery.site.writes) == writes


@pytest.mark.requirement("WID-02")
@on("element-plus")
async def test_a_round_button_is_never_unticked(gallery: Lab) -> None:
    await gallery.act("check", selector="#radios .el-radio:nth-child(1)")
    error = await gallery.refused("check", {"selector": "#radios .el-radio:nth-child(1)", "checked": False})
    assert error.code == "BAD_PARAMS"
    await gallery.holds("radios", "张敏")
