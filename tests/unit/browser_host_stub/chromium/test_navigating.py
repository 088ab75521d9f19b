import asyncio

import pytest

from sgclaw.errors import ActionCode, PolicyDeniedError
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.site import Writer, html

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _never(writer: Writer) -> None:
    await writer.wait_closed()


@pytest.mark.requirement("CHR-30")
async def test_navigation_answers_where_it_landed_with_its_status(tab: Tab) -> None:
    tab.site.pages["/from"] = html("").replace(b"200 OK", b"302 Found\r\nLocation: /to")
    tab.site.show("到了", "/to")
    before = (await tab.driver.default_page()).version
    landed = await tab.act("navigate", url=f"{tab.site.base}/from")
    assert landed == {"url": f"{tab.site.base}/to", "title": "测试页", "status": 200}
    info = await tab.driver.page_info(None)
    assert (info.id, info.url, info.version) == ("p1", f"{tab.site.base}/to", before + 1)
    assert (await tab.act("navigate", url=f"{tab.site.base}/missing"))["status"] == 404


@pytest.mark.requirement("CHR-30")
async def test_a_redirect_by_script_is_followed_to_where_it_lands(tab: Tab) -> None:
    tab.site.show("到了", "/to")
    landed = await tab.open("<script>location.replace('/to')</script>", "/script")
    assert landed["url"] == f"{tab.site.base}/to"


@pytest.mark.requirement("CHR-31")
async def test_the_navigation_after_a_failed_one_succeeds(tab: Tab) -> None:
    for _ in range(5):
        await tab.refused("navigate", url="http://127.0.0.1:65533/")
        assert (await tab.open("好"))["status"] == 200


@pytest.mark.requirement("CHR-31")
@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("https://erp.example.invalid/", "ERR_NAME_NOT_RESOLVED"),
        ("http://127.0.0.1:9/", "ERR_UNSAFE_PORT"),
        ("http://127.0.0.1:65533/", "ERR_CONNECTION_REFUSED"),
    ],
)
async def test_a_network_error_is_named(tab: Tab, url: str, cause: str) -> None:
    error = await tab.refused("navigate", url=url)
    assert (error.code, error.facts["cause"]) == (ActionCode.NAVIGATION_FAILED, cause)


@pytest.mark.requirement("CHR-31")
async def test_a_page_that_never_loads_times_out_and_does_not_land_later(tab: Tab) -> None:
    tab.site.special["/never"] = _never
    await tab.open("<p id=o>还在</p>")
    located = await tab.locate("navigate", url=f"{tab.site.base}/never")
    async with asyncio.timeout(4):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the code is asserted
            await tab.driver.perform(located, 0.6)
    assert getattr(caught.value, "code", None) == ActionCode.TIMEOUT
    assert await tab.text("#o") == "还在"


@pytest.mark.requirement("CHR-31")
async def test_a_picture_that_never_comes_does_not_fail_the_page(tab: Tab) -> None:
    tab.site.special["/never"] = _never
    async with asyncio.timeout(8):
        await tab.open("<img src=/never><p id=o>正文</p>")
        assert await tab.text("#o") == "正文"


@pytest.mark.requirement("CHR-30")
async def test_an_address_with_two_readings_is_refused_before_the_browser_sees_it(tab: Tab) -> None:
    with pytest.raises(PolicyDeniedError):
        await tab.locate("navigate", url="https://evil.com\\@erp.example.com/")


@pytest.mark.requirement("CHR-32")
async def test_after_a_click_that_leaves_the_next_act_meets_the_new_page(tab: Tab) -> None:
    async def slow(writer: Writer) -> None:
        await asyncio.sleep(0.4)
        writer.write(html("<p id=o>新页</p>"))

    tab.site.special["/slow"] = slow
    for leave in ("<a id=b href=/slow>走</a>", "<form action=/slow><button id=b>走</button></form>"):
        await tab.open(leave + "<p id=o>旧页</p>")
        await tab.act("click", selector="#b")
        assert await tab.text("#o") == "新页"


@pytest.mark.requirement("CHR-33")
async def test_history_and_reload(tab: Tab) -> None:
    await tab.open("一", "/one")
    await tab.open("二", "/two")
    assert (await tab.act("goBack"))["url"] == f"{tab.site.base}/one"
    assert (await tab.act("goForward"))["url"] == f"{tab.site.base}/two"
    assert (await tab.act("reload"))["status"] == 200
    assert tab.site.asked[-1] in ("/two", "/favicon.ico")
    assert (await tab.refused("goForward")).facts["cause"] == "NO_HISTORY"


@pytest.mark.requirement("CHR-34")
async def test_popups_become_pages_with_ids_of_their_own(tab: Tab) -> None:
    tab.site.show("<p id=o>弹出</p>", "/pop")
    await tab.open("<a id=a target=_blank href=/pop>开</a><p id=o>主页</p>")
    await tab.act("click", selector="#a")
    pages = (await tab.act("listPages"))["pages"]
    assert isinstance(pages, list)
    popup = pages[-1]["id"]
    assert [(page["id"], page["url"]) for page in pages] == [
        ("p1", f"{tab.site.base}/page"),
        (popup, f"{tab.site.base}/pop"),
    ]
    assert await tab.text("#o") == "主页"
    assert await tab.act("getText", popup, selector="#o") == {"text": "弹出"}
    await tab.act("switchPage", page=popup)
    assert await tab.text("#o") == "弹出"
    located = await tab.locate("closePage", page=popup)
    assert located.origin is None
    assert await tab.driver.perform(located, 5.0) == {"closed": True}
    assert (await tab.driver.default_page()).id == "p1"
    assert (await tab.refused("getText", popup, selector="#o")).code == ActionCode.PAGE_GONE


@pytest.mark.requirement("CHR-35")
async def test_origins_are_those_the_browser_committed(tab: Tab) -> None:
    await tab.open("<p id=o>x</p>")
    origins = {
        "getText": (await tab.locate("getText", selector="#o")).origin,
        "pageScreenshot": (await tab.locate("pageScreenshot")).origin,
        "waitForSelector": (await tab.locate("waitForSelector", selector="#o")).origin,
        "navigate": (await tab.locate("navigate", url="https://ERP.example.com:443/x")).origin,
        "listPages": (await tab.locate("listPages")).origin,
    }
    assert origins == {
        "getText": tab.site.base,
        "pageScreenshot": tab.site.base,
        "waitForSelector": tab.site.base,
        "navigate": "https://erp.example.com",
        "listPages": None,
    }
    await tab.refused("navigate", url="http://127.0.0.1:65533/")
    assert (await tab.locate("pageScreenshot")).origin == "null"


@pytest.mark.requirement("CHR-36")
@pytest.mark.parametrize(
    "params", [{"site": "a.example.com", "credential": "%vault:a.login%"}, {"site": "a.example.com"}]
)
async def test_what_is_not_built_says_so(tab: Tab, params: dict[str, object]) -> None:
    action = "login" if "credential" in params else "logout"
    assert (await tab.refused(action, None, 0.4, **params)).code == ActionCode.NOT_IMPLEMENTED
