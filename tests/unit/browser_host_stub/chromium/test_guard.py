"""Pages kept where the policy wants them: `here` is listed, `there` is not."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from sgclaw.errors import ActionCode, PolicyDeniedError
from tests.unit.browser_host_stub.chromium.conftest import Tab, options
from tests.unit.browser_host_stub.chromium.site import Site, answer, attachment, html

pytestmark = pytest.mark.asyncio(loop_scope="module")
RULE = "stopped.origin.unlisted"


@dataclass(frozen=True)
class Confined:
    """A tab of a browser that may only go `here`, and the other site."""

    tab: Tab
    there: Site

    @property
    def here(self) -> Site:
        return self.tab.site

    async def denied(self, action: str = "click", **params: object) -> str:
        """The rule under which the act is refused."""
        if action == "click" and not params:
            params = {"selector": "#b"}
        with pytest.raises(PolicyDeniedError) as caught:
            await self.tab.act(action, None, **params)  # type: ignore[arg-type]
        return str(caught.value.facts["rule"])

    async def stayed(self, path: str = "/page") -> bool:
        """Whether the page is where it was, answers, and nothing was asked of the other site."""
        await self.tab.act("query", fact="title")
        return (await self.tab.driver.page_info(None)).url == self.here.base + path and self.there.asked == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Confined]:
    here, there = Site(), Site()
    await here.start()
    await there.start()
    driver = await ChromiumDriver.start(options(tmp_path_factory.mktemp("downloads")))
    driver.confine(lambda url: None if url.startswith(here.base + "/") else "origin.unlisted")
    try:
        yield Confined(Tab(driver, here), there)
    finally:
        await driver.close()
        await here.close()
        await there.close()


@pytest_asyncio.fixture(loop_scope="module")
async def site(both: Confined) -> Confined:
    both.there.pages.clear()
    both.there.asked.clear()
    both.there.was_asked.clear()
    both.there.show("别处", "/x")
    both.there.pages["/f"] = attachment("别处.txt".encode("ascii", "ignore").decode(), b"there")
    return both


def _redirect(to: str, status: str = "302 Found") -> bytes:
    return html("").replace(b"200 OK", f"{status}\r\nLocation: {to}".encode())


@pytest.mark.requirement("CHR-60")
@pytest.mark.parametrize(
    "body",
    [
        "<a id=b href={there}/x>走</a>",
        "<a id=b download href={there}/f>走</a>",
        "<a id=b href=/away>走</a>",
        "<a id=b href=/hops>走</a>",
        "<button id=b onclick=\"location='{there}/x'\">走</button>",
        "<button id=b onclick=\"location.replace('{there}/x')\">走</button>",
        "<button id=b onclick=\"top.location.assign('{there}/x')\">走</button>",
        "<a id=b target=_blank href={there}/x>走</a>",
        '<a id=b target=_blank rel="noopener noreferrer" href={there}/x>走</a>',
        "<button id=b onclick=\"window.open('{there}/x')\">走</button>",
        "<button id=b onclick=\"window.open('{there}/x', 'w', 'width=200')\">走</button>",
        "<button id=b onclick=\"window.open('/away')\">走</button>",
    ],
)
async def test_a_click_that_leads_away_is_refused_and_the_page_stays(site: Confined, body: str) -> None:
    site.here.pages["/away"] = _redirect(f"{site.there.base}/x")
    site.here.pages["/hops"] = _redirect("/away")
    await site.tab.open(body.replace("{there}", site.there.base))
    async with asyncio.timeout(4):
        assert await site.denied() == RULE
    assert await site.stayed()


@pytest.mark.requirement("CHR-61")
@pytest.mark.parametrize(
    "body",
    [
        "<form method=post action={there}/x><input name=q value=1><button id=b>交</button></form>",
        "<form action={there}/x><input name=q value=1><button id=b>交</button></form>",
        "<form method=post action=/ok><button id=b formaction={there}/x>交</button></form>",
        "<form method=post action=/keep307><input name=q value=1><button id=b>交</button></form>",
        "<form id=f method=post action={there}/x></form><button id=b onclick='f.submit()'>交</button>",
        "<form id=f method=post action={there}/x></form><button id=b onclick='f.requestSubmit()'>交</button>",
        "<form method=post action={there}/x target=_blank><button id=b>交</button></form>",
        "<iframe name=i src=/ok></iframe><form method=post action={there}/x target=i><button id=b>交</button></form>",
        "<iframe name=i src=/ok></iframe><form action={there}/x target=i><input name=q><button id=b>交</button></form>",
        "<iframe name=i src=/ok></iframe><form action=/away target=i><input name=q><button id=b>交</button></form>",
        "<iframe name=i></iframe><form id=f action={there}/x target=i></form><a id=b onclick='f.submit()'>交</a>",
        "<form method=post enctype=multipart/form-data action={there}/x><input name=q><button id=b>交</button></form>",
    ],
)
async def test_a_form_never_reaches_another_site(site: Confined, body: str) -> None:
    site.here.show("好", "/ok")
    site.here.pages["/away"] = _redirect(f"{site.there.base}/x")
    site.here.pages["/keep307"] = _redirect(f"{site.there.base}/x", "307 Temporary Redirect")
    await site.tab.open(body.replace("{there}", site.there.base))
    async with asyncio.timeout(4):
        assert await site.denied() == RULE
    assert await site.stayed()


@pytest.mark.requirement("CHR-61")
async def test_enter_in_a_form_is_stopped_like_its_button(site: Confined) -> None:
    await site.tab.open(f"<form method=post action={site.there.base}/x><input id=i name=q></form>")
    assert await site.denied("press", key="Enter", selector="#i") == RULE
    assert await site.denied("type", selector="#i", text="x", submit=True) == RULE
    assert await site.stayed()


@pytest.mark.requirement("CHR-60")
@pytest.mark.parametrize("path", ["/away", "/hops"])
async def test_a_navigation_that_is_redirected_away_is_stopped_before_the_last_hop(site: Confined, path: str) -> None:
    site.here.pages["/away"] = _redirect(f"{site.there.base}/x")
    site.here.pages["/hops"] = _redirect("/away")
    await site.tab.open("起点")
    assert await site.denied("navigate", url=site.here.base + path) == RULE
    assert site.there.asked == []


@pytest.mark.requirement("CHR-60")
async def test_a_hop_through_another_site_is_stopped_although_the_chain_would_come_back(site: Confined) -> None:
    site.here.pages["/go"] = _redirect(f"{site.there.base}/back")
    site.there.pages["/back"] = _redirect(f"{site.here.base}/page")
    await site.tab.open("起点")
    assert await site.denied("navigate", url=f"{site.here.base}/go") == RULE
    assert site.there.asked == []


@pytest.mark.requirement("CHR-60")
async def test_a_service_worker_cannot_send_its_page_away(site: Confined) -> None:
    worker = (
        "self.addEventListener('activate', e => e.waitUntil(clients.claim()));"
        "self.addEventListener('fetch', e => { if (e.request.url.endsWith('/swap')) "
        f"e.respondWith(Response.redirect('{site.there.base}/x')); }});"
    )
    site.here.pages["/sw.js"] = answer(worker.encode(), "Content-Type: text/javascript")
    start = "<p id=o>等</p><script>navigator.serviceWorker.register('/sw.js');navigator.serviceWorker"
    await site.tab.open(f"{start}.oncontrollerchange = () => {{ o.textContent = '好' }}</script>", "/sw-page")
    await site.tab.act("waitForSelector", selector="#o", timeout_ms=5_000)
    for _ in range(200):
        if await site.tab.text("#o") == "好":
            break
        await asyncio.sleep(0.02)
    assert await site.denied("navigate", url=f"{site.here.base}/swap") == RULE
    assert site.there.asked == []


@pytest.mark.requirement("CHR-60")
@pytest.mark.parametrize(
    "body",
    [
        "<meta http-equiv=refresh content='0;url={there}/x'>",
        "<script>setTimeout(() => { location = '{there}/x' }, 30)</script>",
        "<script>setTimeout(() => { window.open('{there}/x') }, 30)</script>",
        "<script>history.pushState({}, '', '/page'); setTimeout(() => { location.href = '{there}/x' }, 30)</script>",
    ],
)
async def test_a_page_that_moves_by_itself_between_two_acts_goes_nowhere(site: Confined, body: str) -> None:
    site.here.pages["/page"] = html(body.replace("{there}", site.there.base) + "<p id=o>还在</p>")
    with contextlib.suppress(PolicyDeniedError):  # when it tries while the act still waits for it
        await site.tab.act("navigate", url=site.here.base + "/page")
    await asyncio.sleep(0.2)  # the time in which it would have gone
    assert await site.tab.text("#o") == "还在"
    assert await site.stayed()


@pytest.mark.requirement("CHR-60")
@pytest.mark.parametrize(
    "scheme", ["data:text/html,x", "view-source:{here}/x", "javascript:void(0)", "file:///etc/hosts"]
)
async def test_addresses_that_are_no_sites_lead_nowhere(site: Confined, scheme: str) -> None:
    await site.tab.open(f'<a id=b href="{scheme.replace("{here}", site.here.base)}">走</a>')
    await site.tab.act("click", selector="#b")
    assert await site.stayed()


@pytest.mark.requirement("CHR-60")
async def test_a_blob_page_has_no_listed_address(site: Confined) -> None:
    await site.tab.open(
        "<a id=b>走</a><script>b.href = URL.createObjectURL(new Blob(['x'], {type: 'text/html'}))</script>"
    )
    await site.tab.act("click", selector="#b")
    assert (await site.tab.driver.page_info(None)).url.startswith("blob:")
    assert (await site.tab.locate("getText", selector="body")).origin == site.here.base


@pytest.mark.requirement("CHR-62")
async def test_a_frame_of_another_site_shows_and_its_text_is_not_read(site: Confined) -> None:
    await site.tab.open(f"<iframe id=i src={site.there.base}/x></iframe><p id=o>本页</p>")
    assert "/x" in site.there.asked
    assert await site.denied("getText", selector="#i >>> body") == "origin.unlisted"
    assert (await site.tab.refused("click", selector="#i")).code == ActionCode.ACTION_FAILED
    texts = (await site.tab.text("body"), (await site.tab.act("getHtml", selector="body"))["html"])
    assert all("别处" not in str(text) for text in texts)
    assert "别处" not in str(await site.tab.act("getAomSnapshot"))


@pytest.mark.requirement("CHR-63")
@pytest.mark.parametrize(
    "body",
    [
        "<a id=b href={there}/f>下载</a>",
        "<a id=b href=/f-away>下载</a>",
        "<iframe id=i></iframe><button id=b onclick=\"i.src='{there}/f'\">下载</button>",
    ],
)
async def test_a_download_from_another_site_ends_promptly_and_keeps_no_file(site: Confined, body: str) -> None:
    site.here.pages["/f-away"] = _redirect(f"{site.there.base}/f")
    await site.tab.open(body.replace("{there}", site.there.base))
    kept = len(site.tab.driver.artifacts.all())
    async with asyncio.timeout(4):
        assert await site.denied("download", selector="#b") == RULE
    assert len(site.tab.driver.artifacts.all()) == kept


@pytest.mark.requirement("CHR-63")
@pytest.mark.parametrize(
    "body",
    [
        "<a id=b href=/f>下载</a>",
        "<a id=b download=a.txt>下载</a><script>b.href = URL.createObjectURL(new Blob(['x']))</script>",
        "<a id=b download=a.txt href='data:text/plain,abc'>下载</a>",
    ],
)
async def test_what_a_listed_page_makes_or_serves_is_downloaded(site: Confined, body: str) -> None:
    site.here.pages["/f"] = attachment("a.txt", b"here")
    await site.tab.open(body)
    assert "artifact" in await site.tab.act("download", selector="#b")


@pytest.mark.requirement("CHR-64")
async def test_a_window_for_a_refused_address_is_closed_and_costs_the_next_act_nothing(site: Confined) -> None:
    await site.tab.open(f"<a id=b target=_blank href={site.there.base}/x>走</a><button id=n>下一步</button>")
    assert await site.denied() == RULE
    async with asyncio.timeout(2):
        await site.tab.act("click", selector="#n")
    pages = (await site.tab.act("listPages"))["pages"]
    assert isinstance(pages, list)
    assert [page["url"] for page in pages] == [f"{site.here.base}/page"]


@pytest.mark.requirement("CHR-64")
async def test_what_another_page_tries_is_not_blamed_on_this_one(site: Confined) -> None:
    site.here.show(f"<script>setInterval(() => {{ location = '{site.there.base}/x' }}, 20)</script>", "/restless")
    await site.tab.open("<a id=b target=_blank href=/restless>开</a><button id=n>点</button>")
    await site.tab.act("click", selector="#b")
    for _ in range(5):
        assert await site.tab.act("click", selector="#n") == {"clicked": True}
    pages = (await site.tab.act("listPages"))["pages"]
    assert isinstance(pages, list)
    await site.tab.act("closePage", page=pages[-1]["id"])
    assert site.there.asked == []


@pytest.mark.requirement("CHR-64")
async def test_pages_and_popups_of_listed_sites_open_as_before(site: Confined) -> None:
    site.here.show("到了", "/to")
    site.here.pages["/r"] = _redirect("/to")
    await site.tab.open("<form method=post action=/r><button id=b>走</button></form>")
    await site.tab.act("click", selector="#b")
    assert await site.stayed("/to")


@pytest.mark.requirement("CHR-60")
async def test_going_back_does_not_reach_a_site_that_was_open_before(site: Confined) -> None:
    driver = site.tab.driver
    driver.confine(lambda _url: None)
    await site.tab.act("navigate", url=f"{site.there.base}/x")
    await site.tab.open("现在")
    driver.confine(lambda url: None if url.startswith(site.here.base + "/") else "origin.unlisted")
    assert await site.denied("goBack") == RULE
    assert (await driver.page_info(None)).url == f"{site.here.base}/page"


@pytest.mark.requirement("CHR-61")
async def test_a_form_into_a_frame_of_another_process_is_stopped_at_its_button(site: Confined) -> None:
    other = site.there.base.replace("127.0.0.1", "localhost")
    await site.tab.open(
        f"<iframe name=i src={other}/x></iframe><form action={other}/sent target=i>"
        "<input id=f><button id=b>交</button></form>"
    )
    assert await site.denied() == RULE
    assert await site.denied("press", selector="#f", key="Enter") == RULE
    assert "/sent" not in site.there.asked


@pytest.mark.requirement("CHR-61")
async def test_a_link_pings_nobody(site: Confined) -> None:
    await site.tab.open(f"<a id=b href=# ping={site.there.base}/ping>点</a>")
    await site.tab.act("click", selector="#b")
    await site.tab.act("query", fact="title")
    assert site.there.asked == []


@pytest.mark.requirement("CHR-71")
async def test_a_prefetched_page_of_another_site_is_left_at_once(site: Confined) -> None:
    other = f"{site.there.base}/x"
    rules = f'{{"prefetch": [{{"source": "list", "urls": ["{other}"], "eagerness": "immediate"}}]}}'
    await site.tab.open(f"<a id=b href={other}>走</a><script type=speculationrules>{rules}</script>")
    async with asyncio.timeout(4):
        await site.there.was_asked.wait()
    await asyncio.sleep(0.3)  # the time in which the prefetched answer becomes usable
    assert await site.denied() == RULE
    assert (await site.tab.driver.page_info(None)).url in ("about:blank", f"{site.here.base}/page")


@pytest.mark.requirement("CHR-71")
async def test_a_page_that_is_on_an_unlisted_site_all_the_same_is_left(site: Confined) -> None:
    await site.tab.open("起点")
    item = site.tab.driver._pages.get(None)
    site.tab.driver._committed(item, {"url": f"{site.there.base}/x", "loaderId": "L"})
    await item.retreated(4.0)
    assert (await site.tab.driver.page_info(None)).url == "about:blank"
