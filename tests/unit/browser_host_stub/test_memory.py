"""The in-memory browser keeps what every browser of the stub promises about where its pages may go."""

from pathlib import Path

import pytest

from browser_host_stub.driver import Around
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from sgclaw.errors import PolicyDeniedError
from sgclaw.protocol.actions import spec_of
from tests.support.wire import ERP, EVIL


def page() -> dict[str, Element]:
    return {"#x": Element(text="内容", tag="button")}


@pytest.fixture
def driver(tmp_path: Path) -> MemoryDriver:
    made = MemoryDriver(dict.fromkeys([f"{ERP}/", f"{ERP}/b", f"{EVIL}/"], page), tmp_path, start=f"{ERP}/")
    made.confine(lambda url: None if url.startswith(f"{ERP}/") else "origin.unlisted")
    return made


async def act(driver: MemoryDriver, action: str, **params: object) -> dict[str, object]:
    located = await driver.locate(action, spec_of(action).check(params), None)
    return await driver.perform(located, 1)


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
