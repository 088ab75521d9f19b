"""What happens on pages is told as it happens, and pages that misbehave cost a bounded time and a typed error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from browser_host_stub.chromium.pages import MAX_PAGES
from browser_host_stub.driver import BrowserEvent, JsonObject
from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.site import attachment

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Heard:
    """Events in order, and a way to wait for one."""

    events: list[BrowserEvent] = field(default_factory=list)
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, event: BrowserEvent) -> None:
        self.events.append(event)
        self._more.set()

    async def until(self, kind: str) -> BrowserEvent:
        async with asyncio.timeout(5):
            while True:
                self._more.clear()
                found = [event for event in self.events if event.kind == kind]
                if found:
                    return found[-1]
                await self._more.wait()


@pytest_asyncio.fixture(loop_scope="module")
async def heard(tab: Tab) -> AsyncIterator[Heard]:
    await tab.open("<p>前</p>", "/before")
    made = Heard()
    tab.driver.on_event(made.hear)
    yield made
    tab.driver.on_event(lambda _event: None)


@pytest.mark.requirement("ACT-10")
async def test_navigations_and_windows_are_told_with_address_title_and_opener(tab: Tab, heard: Heard) -> None:
    tab.site.show("新窗口", "/new")
    await tab.open("<a id=a href=/new target=_blank>开</a>", "/opener")
    told = await heard.until("navigated")
    now = await tab.driver.page_info(None)
    assert (told.page.id, told.page.url, told.page.version) == (now.id, now.url, now.version)
    assert told.page.title in ("", now.title)  # the browser may not know it yet
    await tab.act("click", selector="#a")
    opened = await heard.until("opened")
    assert opened.facts == {"opener": now.id}
    await tab.act("getText", on=opened.page.id, selector="body")
    await tab.act("closePage", page=opened.page.id)
    closed = await heard.until("closed")
    assert (closed.page.id, closed.page.url) == (opened.page.id, f"{tab.site.base}/new")


@pytest.mark.requirement("ACT-10")
async def test_dialogs_and_downloads_are_told(tab: Tab, heard: Heard) -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(attachment("", b"abc"))

    tab.site.special["/nameless"] = serve
    await tab.open("<button id=b onclick=\"confirm('好吗')\">问</button><a id=d href=/nameless>下</a>")
    await tab.act("click", selector="#b")
    dialog = await heard.until("dialog")
    assert dialog.facts == {"kind": "confirm", "message": "好吗"}
    data = (await tab.act("download", selector="#d"))["artifact"]
    assert isinstance(data, dict)
    told = (await heard.until("download")).facts
    assert told == {"name": data["name"], "size": 3, "sha256": data["sha256"], "artifact": data["id"]}
    assert data["name"]


@pytest.mark.requirement("ACT-10")
async def test_a_download_that_breaks_is_told_with_its_reason(tab: Tab, heard: Heard) -> None:
    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(attachment("a.csv", b"abc").replace(b"Content-Length: 3", b"Content-Length: 300"))

    tab.site.special["/cut"] = serve
    await tab.open("<a id=d href=/cut>下</a>")
    refused = await tab.refused("download", wait=5.0, selector="#d")
    told = (await heard.until("download")).facts
    assert (refused.code, told["name"], "failed" in told) == (ActionCode.DOWNLOAD_FAILED, "a.csv", True)


@pytest.mark.requirement("ACT-11")
async def test_a_page_that_asks_again_and_again_is_read_all_the_same(tab: Tab) -> None:
    await tab.open("<button id=b onclick='setInterval(()=>alert(1),0)'>风暴</button><p id=o>还在</p>", "/storm")
    await tab.act("click", selector="#b")
    assert await tab.text("#o") == "还在"
    assert await tab.act("closePage", page=(await tab.driver.default_page()).id) == {"closed": True}
    await tab.driver.default_page()


@pytest.mark.requirement("ACT-11")
async def test_a_storm_of_dialogs_costs_deadlines_of_its_own_page_only(tab: Tab) -> None:
    calm = str((await tab.act("zombieSpawn", url=tab.site.show("安静", "/calm")))["page"])
    await tab.open("<button id=b onclick='for(;;)alert(1)'>风暴</button><p id=o>还在</p>", "/storm")
    await tab.act("click", selector="#b")
    stormy = (await tab.driver.default_page()).id
    async with asyncio.timeout(15):
        assert (await tab.refused("getText", on=stormy, wait=1.0, selector="#o")).code == ActionCode.TIMEOUT
        assert (await tab.act("getText", on=calm, selector="body"))["text"] == "安静"
        assert await tab.act("closePage", page=stormy) == {"closed": True}
    await tab.driver.default_page()
    await tab.act("zombieKill", page=calm)


@pytest.mark.requirement("ACT-11")
async def test_a_page_that_will_not_be_left_is_left(tab: Tab) -> None:
    await tab.open(
        "<button id=b>动</button><script>onbeforeunload=e=>{e.preventDefault();return '留下'}</script>", "/trap"
    )
    await tab.act("click", selector="#b")
    calm = tab.site.show("安静", "/calm")
    assert (await tab.act("navigate", url=calm))["url"] == calm
    await tab.act("goBack")
    await tab.act("click", selector="#b")
    page = (await tab.driver.default_page()).id
    assert await tab.act("closePage", page=page) == {"closed": True}
    await tab.driver.default_page()


@pytest.mark.requirement("ACT-11")
async def test_a_window_whose_button_closes_it_was_clicked(tab: Tab, heard: Heard) -> None:
    tab.site.show("<button id=ok onclick='opener.o.textContent=1;window.close()'>确定</button>", "/popup")
    await tab.open("<a id=a href=/popup target=_blank rel=opener>选</a><p id=o></p>")
    await tab.act("click", selector="#a")
    popup = (await heard.until("opened")).page.id
    assert await tab.act("click", on=popup, selector="#ok") == {"clicked": True}
    await heard.until("closed")
    assert await tab.text("#o") == "1"
    assert (await tab.refused("click", on=popup, selector="#ok")).code == ActionCode.PAGE_GONE


@pytest.mark.requirement("ACT-11")
async def test_a_flood_of_windows_is_cut_at_the_cap_and_acts_go_on(tab: Tab) -> None:
    await tab.open("<button id=b onclick='for(let i=0;i<30;i++)window.open(`about:blank`)'>开</button><p id=o>还在</p>")
    located = await tab.locate("click", selector="#b")
    await tab.driver.perform(located, 60.0)
    assert await tab.text("#o") == "还在"
    pages = _listed(await tab.act("listPages"))
    assert len(pages) <= MAX_PAGES
    default = (await tab.driver.default_page()).id
    for page in pages:
        if page["id"] != default:
            await tab.act("closePage", page=page["id"])


@pytest.mark.requirement("ACT-12")
async def test_a_page_behind_another_one_is_acted_on_all_the_same(tab: Tab) -> None:
    tab.site.show("前面", "/front")
    await tab.open(
        "<a id=a href=/front target=_blank>开</a><input id=i><button id=b>查</button><p id=o></p>"
        "<script>b.onclick=e=>requestAnimationFrame(()=>{o.textContent=e.isTrusted})</script>"
    )
    behind = (await tab.driver.default_page()).id
    await tab.act("click", selector="#a")
    (front,) = [page for page in _listed(await tab.act("listPages")) if page["id"] != behind]
    await tab.act("waitForSelector", on=front["id"], selector="body:not(:empty)")
    await tab.act("switchPage", page=front["id"])
    assert (await tab.act("type", on=behind, selector="#i", text="后台"))["value"] == "后台"
    await tab.act("click", on=behind, selector="#b")
    await tab.act("waitForSelector", on=behind, selector="#o:not(:empty)")
    assert await tab.text("body") == "前面"
    await tab.act("closePage", page=front["id"])
    await tab.act("switchPage", page=behind)


def _listed(data: JsonObject) -> list[dict[str, str]]:
    pages = data["pages"]
    assert isinstance(pages, list)
    return pages
