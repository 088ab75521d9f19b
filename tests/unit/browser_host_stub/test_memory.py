"""The in-memory browser keeps what every browser of the stub promises about where its pages may go."""

from pathlib import Path

import orjson
import pytest

from browser_host_stub.driver import Around, BrowserEvent
from browser_host_stub.memory.acting import PERFORM
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Dialog, Element, Page, Table
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.protocol.actions import ACTIONS, spec_of
from tests.support.wire import ERP, EVIL


def page() -> dict[str, Element]:
    return {"#x": Element(text="内容", tag="button")}


@pytest.fixture
def driver(tmp_path: Path) -> MemoryDriver:
    made = MemoryDriver(dict.fromkeys([f"{ERP}/", f"{ERP}/b", f"{EVIL}/"], page), tmp_path, start=f"{ERP}/")
    made.confine(lambda url: None if url.startswith(f"{ERP}/") else "origin.unlisted")
    return made


async def act(driver: MemoryDriver, action: str, **params: object) -> dict[str, object]:
    """The answer must be valid for the action's result model."""
    located = await driver.locate(action, spec_of(action).check(params), None)
    data = await driver.perform(located, 1)
    spec_of(action).result.model_validate_json(orjson.dumps(data), strict=True)
    return data


async def refused(driver: MemoryDriver, action: str, **params: object) -> ActionError:
    with pytest.raises(ActionError) as caught:
        await act(driver, action, **params)
    return caught.value


@pytest.mark.requirement("ATTACK-11")
async def test_a_redirect_through_a_refused_address_ends_where_the_page_was(driver: MemoryDriver) -> None:
    driver.redirects = {f"{ERP}/go": "http://erp.example.com/", "http://erp.example.com/": f"{ERP}/b"}
    with pytest.raises(PolicyDeniedError) as caught:
        await act(driver, "navigate", url=f"{ERP}/go")
    assert (caught.value.facts, driver.pages["p1"].url) == ({"rule": "stopped.origin.unlisted"}, f"{ERP}/")
    driver.redirects = {f"{ERP}/go": f"{ERP}/a", f"{ERP}/a": f"{ERP}/b"}
    assert (await act(driver, "navigate", url=f"{ERP}/go"))["url"] == f"{ERP}/b"


@pytest.mark.requirement("ATTACK-11")
@pytest.mark.parametrize("leads", ["href", "form_action"])
@pytest.mark.parametrize("opens_page", [False, True])
async def test_a_click_leads_where_it_may_and_nowhere_else(driver: MemoryDriver, leads: str, opens_page: bool) -> None:
    element = driver.pages["p1"].elements["#x"]
    element.opens_page = opens_page
    setattr(element, leads, f"{EVIL}/")
    with pytest.raises(PolicyDeniedError):
        await act(driver, "click", selector="#x")
    assert [page.url for page in driver.pages.values()] == [f"{ERP}/"]
    setattr(element, leads, f"{ERP}/b")
    await act(driver, "click", selector="#x")
    assert [page.url for page in driver.pages.values()] == ([f"{ERP}/", f"{ERP}/b"] if opens_page else [f"{ERP}/b"])


@pytest.mark.requirement("ATTACK-11")
async def test_an_element_in_a_frame_has_the_frames_origin(driver: MemoryDriver) -> None:
    params = spec_of("getText").check({"selector": "#x"})
    assert (await driver.locate("getText", params, None)).origin == ERP
    driver.pages["p1"].elements["#x"].frame = f"{EVIL}/ad"
    assert (await driver.locate("getText", params, None)).origin == EVIL
    driver.pages["p1"].elements["#x"].frame = "about:srcdoc"
    assert (await driver.locate("getText", params, None)).origin == "null"


@pytest.mark.requirement("POLICY-15")
async def test_a_value_that_changes_is_another_state_around_the_same_element(driver: MemoryDriver) -> None:
    driver.pages["p1"].elements["#f"] = Element(value="100")
    params = spec_of("click").check({"selector": "#x"})

    async def around() -> Around:
        located = await driver.locate("click", params, None)
        assert located.around is not None
        return await located.around()

    before = await around()
    assert (before, before.context) == (await around(), "#f：100")
    await act(driver, "type", selector="#f", text="900")
    after = await around()
    assert (after.element, after.state == before.state) == (before.element, False)


@pytest.mark.requirement("ACT-15")
def test_every_action_of_the_table_is_carried_out() -> None:
    assert set(PERFORM) | {"waitForSelector"} == set(ACTIONS)


@pytest.mark.requirement("ACT-15")
async def test_fields_boxes_and_lists_take_what_fits_them_and_say_what_they_stand_in(driver: MemoryDriver) -> None:
    within = ("input#i", "div.el-input")
    driver.pages["p1"].elements = {
        "#i": Element(tag="input", value="旧", within=within),
        "#p": Element(tag="input", attributes={"type": "password"}, value="x"),
        "#ro": Element(tag="input", readonly=True, within=within),
        "#c": Element(tag="input", checked=False),
        "#s": Element(tag="select", options=(("fin", "财务部"), ("hr", "人事部"))),
        "#d": Element(text="财务部", within=("div.el-select",)),
    }
    assert await act(driver, "type", selector="#i", text="新", clear=False) == {
        "typed": True,
        "value": "旧新",
        "within": list(within),
    }
    assert await act(driver, "type", selector="#p", text="密") == {"typed": True, "value": None}
    assert await act(driver, "getText", selector="#p") == {"text": ""}
    assert await act(driver, "clear", selector="#i") == {"cleared": True}
    assert await act(driver, "check", selector="#c") == {"checked": True}
    assert await act(driver, "select", selector="#s", value="人事部") == {"value": "hr", "label": "人事部"}
    errors = {
        "#ro": await refused(driver, "type", selector="#ro", text="x"),
        "#d": await refused(driver, "select", selector="#d", value="x"),
        "#i": await refused(driver, "check", selector="#i"),
        "#s": await refused(driver, "select", selector="#s", value="x"),
    }
    assert {name: (error.code, error.facts.get("within")) for name, error in errors.items()} == {
        "#ro": (ActionCode.DISABLED_TARGET, list(within)),
        "#d": (ActionCode.UNSUPPORTED_WIDGET, ["div.el-select"]),
        "#i": (ActionCode.UNSUPPORTED_WIDGET, list(within)),
        "#s": (ActionCode.NOT_FOUND, None),
    }


@pytest.mark.requirement("ACT-15")
async def test_files_storage_tables_and_pictures_work(driver: MemoryDriver, tmp_path: Path) -> None:
    path = tmp_path / "三月.csv"
    path.write_bytes(b"abc")
    file = (await driver.artifacts.register(path)).artifact.id
    elements = driver.pages["p1"].elements
    elements["#f"] = Element(tag="input", visible=False, files=[])
    elements["#t"] = Element(tag="table", table=Table(("科目",), (("现金",), ("存款",)), total=3))
    assert await act(driver, "upload", selector="#f", file=file) == {"uploaded": True, "name": "三月.csv", "size": 3}
    assert elements["#f"].files == [("三月.csv", 3)]
    assert (await refused(driver, "upload", selector="#x", file=file)).code == ActionCode.UNSUPPORTED_WIDGET
    assert (await refused(driver, "upload", selector="#f", file="none")).code == ActionCode.BAD_PARAMS
    table = await act(driver, "extractTable", selector="#t")
    assert (table["rows"], table["page_total"], table["complete"]) == ([["现金"], ["存款"]], 3, False)
    await act(driver, "storageSet", key="month", value="3")
    await act(driver, "storageSet", key="token", value="x")
    await act(driver, "navigate", url=f"{ERP}/b")
    assert await act(driver, "storageGet", key="month") == {"value": "3"}
    assert await act(driver, "storageGet", key="token") == {"value": None}
    await act(driver, "clearStorage")
    assert await act(driver, "storageGet", key="month") == {"value": None}
    labels = (await act(driver, "pageScreenshot", som_overlay=True))["som_labels"]
    assert labels == [{"id": 1, "selector": "#x", "ref": "1:1", "name": "内容", "bounds": [0, 0, 200, 24]}]


@pytest.mark.requirement("ACT-15")
async def test_pages_come_go_and_tell_it(driver: MemoryDriver) -> None:
    heard: list[BrowserEvent] = []
    driver.on_event(heard.append)

    def ask(page: Page) -> None:
        page.dialog = Dialog("好吗", on_answer=lambda accepted, _text: setattr(page, "title", str(accepted)))

    driver.pages["p1"].elements["#ask"] = Element(tag="button", on_click=ask)
    driver.pages["p1"].elements["#open"] = Element(tag="a", href=f"{ERP}/b", opens_page=True)
    await act(driver, "click", selector="#ask")
    assert await act(driver, "handleDialog", accept=True) == {"handled": True, "message": "好吗"}
    await act(driver, "click", selector="#ask")
    assert await act(driver, "query", fact="title") == {"value": "False"}
    await act(driver, "click", selector="#open")
    zombie = await act(driver, "zombieSpawn", url=f"{ERP}/b")
    await act(driver, "switchPage", page="p2")
    assert (await refused(driver, "zombieKill", page="p2")).code == ActionCode.BAD_PARAMS
    await act(driver, "closePage", page="p2")
    await act(driver, "closePage", page="p1")
    assert (await refused(driver, "goBack")).code == ActionCode.PAGE_GONE
    assert (await driver.default_page()).id == "p4"
    await act(driver, "zombieKill", page=zombie["page"])
    assert [(event.kind, event.page.id) for event in heard] == [
        *[("dialog", "p1"), ("dialog", "p1"), ("opened", "p2"), ("navigated", "p2"), ("opened", "p3")],
        *[("navigated", "p3"), ("closed", "p2"), ("closed", "p1"), ("opened", "p4"), ("closed", "p3")],
    ]


@pytest.mark.requirement("ACT-15")
async def test_history_goes_back_and_forward_and_ends(driver: MemoryDriver) -> None:
    await act(driver, "navigate", url=f"{ERP}/b")
    assert (await act(driver, "goBack"))["url"] == f"{ERP}/"
    assert (await refused(driver, "goBack")).code == ActionCode.NAVIGATION_FAILED
    assert (await act(driver, "goForward"))["url"] == f"{ERP}/b"
    assert (await refused(driver, "goForward")).code == ActionCode.NAVIGATION_FAILED
    assert (await act(driver, "goBack"))["url"] == f"{ERP}/"


@pytest.mark.requirement("ACT-16")
async def test_a_ref_names_its_element_until_the_page_or_the_element_changes(driver: MemoryDriver) -> None:
    elements = driver.pages["p1"].elements
    elements["#in"] = Element(text="框内", tag="button", frame=f"{ERP}/b")
    elements["#ad"] = Element(text="广告", tag="button", frame=f"{EVIL}/ad")
    nodes = (await act(driver, "getAomSnapshot"))["nodes"]
    assert isinstance(nodes, list)
    frames = [node for node in nodes if node["role"] == "iframe"]
    assert [(one["origin"], [child["name"] for child in one["children"]]) for one in frames] == [
        (ERP, ["框内"]),
        (EVIL, []),
    ]
    assert (nodes[0]["ref"], frames[0]["children"][0]["ref"]) == ("0:1", "0:1.2")
    assert await act(driver, "getText", ref="0:1") == {"text": "内容"}
    elements["#x"] = Element(text="内容", tag="button")
    assert await act(driver, "getText", ref="0:1") == {"text": "内容"}  # the same one, drawn again
    elements["#x2"] = Element(text="内容", tag="button")
    assert (await refused(driver, "getText", ref="0:1")).code == ActionCode.DETACHED_TARGET
    await act(driver, "navigate", url=f"{ERP}/b")
    stale = await refused(driver, "getText", ref="0:1")
    assert (stale.code, stale.facts["version"], stale.facts["now"]) == (ActionCode.STALE_REF, "0", 1)


@pytest.mark.requirement("ACT-16")
async def test_an_element_replaced_between_check_and_act_is_not_touched(driver: MemoryDriver) -> None:
    located = await driver.locate("click", spec_of("click").check({"selector": "#x"}), None)
    driver.pages["p1"].elements["#x"] = Element(text="内容", tag="button")
    with pytest.raises(ActionError) as detached:
        await driver.perform(located, 1)
    assert detached.value.code == ActionCode.DETACHED_TARGET


@pytest.mark.requirement("ACT-15")
async def test_what_stands_in_the_way_is_named_with_the_nearest_alternatives(driver: MemoryDriver) -> None:
    elements = driver.pages["p1"].elements
    elements["#y"] = Element(text="查询", tag="button", covered_by="div.mask")
    covered = await refused(driver, "click", selector="#y")
    assert (covered.code, covered.facts) == (
        ActionCode.COVERED_TARGET,
        {"covered_by": {"element": "div.mask", "text": ""}},
    )
    missing = await refused(driver, "click", selector="#yy")
    assert missing.facts["alternatives"] == [
        {"selector": "#y", "role": "button", "name": "查询"},
        {"selector": "#x", "role": "button", "name": "内容"},
    ]
