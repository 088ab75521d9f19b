import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.driver import BrowserEvent
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.actions import spec_of
from tests.unit.browser_host_stub.chromium.conftest import Tab, options
from tests.unit.browser_host_stub.chromium.site import Site

HOST = """
import asyncio, sys
from pathlib import Path
from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions

async def main() -> None:
    await ChromiumDriver.start(ChromiumOptions(downloads_dir=Path(sys.argv[1])))
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def _browsers(parent: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in parent.children(recursive=True):
        try:
            if "chromium" in child.name():
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[Tab]:
    """A browser of its own, because the test kills it."""
    site = Site()
    await site.start()
    driver = await ChromiumDriver.start(options(tmp_path))
    try:
        yield Tab(driver, site)
    finally:
        await driver.close()
        await site.close()


@pytest.mark.requirement("CHR-50")
async def test_killing_chromium_ends_every_pending_call_as_page_gone(own: Tab) -> None:
    await own.open("<button id=n>无</button>")
    waiting = await own.locate("waitForSelector", selector="#never", timeout_ms=60_000)
    loading = await own.locate("download", selector="#n")
    calls: list[asyncio.Future[object]] = [
        asyncio.ensure_future(own.driver.perform(waiting, 60.0)),
        asyncio.ensure_future(own.driver.perform(loading, 60.0)),
        asyncio.ensure_future(_find(own)),
    ]
    await own.act("query", fact="title")
    own_browsers = _browsers(psutil.Process())
    own_browsers[0].kill()
    async with asyncio.timeout(3):
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        await own.driver.on_gone.wait()
    assert [getattr(outcome, "code", outcome) for outcome in outcomes] == [ActionCode.PAGE_GONE] * 3
    with pytest.raises(ActionError) as caught:
        await own.driver.page_info(None)
    assert caught.value.code == ActionCode.PAGE_GONE
    assert psutil.wait_procs(own_browsers, timeout=5)[1] == []


async def _find(tab: Tab) -> object:
    return await tab.driver.locate("click", spec_of("click").check({"selector": "#never"}), None, deadline_s=60.0)


@pytest.mark.requirement("CHR-50")
async def test_a_page_that_crashes_is_gone_and_the_browser_goes_on(own: Tab) -> None:
    await own.open("<a id=a target=_blank href=/pop>开</a>")
    waiting = await own.locate("waitForSelector", selector="#never", timeout_ms=60_000)
    pending = asyncio.ensure_future(own.driver.perform(waiting, 60.0))
    await own.act("query", fact="title")
    page = own.driver._pages.get(None).page
    page.set_default_timeout(1)
    crash = asyncio.ensure_future(page.goto("chrome://crash"))
    async with asyncio.timeout(5):
        outcome, _ = await asyncio.gather(pending, crash, return_exceptions=True)
    assert getattr(outcome, "code", outcome) == ActionCode.PAGE_GONE


@pytest.mark.requirement("CHR-72")
async def test_after_a_crash_the_loss_is_told_and_the_browser_goes_on(own: Tab) -> None:
    await own.open("<p>在</p>")
    item = own.driver._pages.get(None)
    crash = asyncio.ensure_future(item.session.send("Page.crash"))
    async with asyncio.timeout(5):
        await item.gone.wait()
    assert (await own.refused("getText", selector="body")).code == ActionCode.PAGE_GONE
    assert (await own.refused("closePage", page="p1")).code == ActionCode.PAGE_GONE
    assert (await own.act("listPages"))["pages"] == [{"id": "p2", "url": "about:blank", "title": "", "version": 0}]
    await own.open("<p>又在</p>")
    assert await own.text("p") == "又在"
    assert (await own.driver.default_page()).id == "p2"
    await asyncio.gather(crash, return_exceptions=True)


@pytest.mark.requirement("ACT-10")
async def test_a_crash_is_told_as_an_event_of_its_page(own: Tab) -> None:
    url = own.site.show("<p>在</p>")
    await own.act("navigate", url=url)
    told: list[BrowserEvent] = []
    own.driver.on_event(told.append)
    item = own.driver._pages.get(None)
    crash = asyncio.ensure_future(item.session.send("Page.crash"))
    async with asyncio.timeout(5):
        await item.gone.wait()
    assert [(event.kind, event.page.id, event.page.url) for event in told] == [("crashed", item.id, url)]
    await asyncio.gather(crash, return_exceptions=True)


@pytest.mark.requirement("CHR-72")
async def test_a_page_is_opened_when_the_lost_one_is_asked_for(own: Tab) -> None:
    item = own.driver._pages.get(None)
    await own.act("closePage", page=item.id)
    assert (await own.refused("getText", selector="body")).code == ActionCode.PAGE_GONE
    assert (await own.driver.default_page()).url == "about:blank"
    await own.open("<p>新</p>")
    assert await own.text("p") == "新"


@pytest.mark.requirement("CHR-51")
async def test_closing_leaves_no_process_and_may_be_repeated(tmp_path: Path) -> None:
    driver = await ChromiumDriver.start(options(tmp_path))
    browsers = _browsers(psutil.Process())
    assert browsers
    await driver.close()
    await driver.close()
    assert driver.on_gone.is_set()
    assert psutil.wait_procs(browsers, timeout=5)[1] == []


@pytest.mark.requirement("CHR-51")
async def test_killing_the_host_leaves_no_browser(tmp_path: Path) -> None:
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, str(tmp_path), stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[4]
    )
    assert host.stdout is not None
    async with asyncio.timeout(20):
        assert await host.stdout.readline() == b"ready\n"
    family = psutil.Process(host.pid).children(recursive=True)
    assert _browsers(psutil.Process(host.pid))
    host.send_signal(signal.SIGKILL)
    async with asyncio.timeout(5):
        await host.wait()
    assert psutil.wait_procs(family, timeout=8)[1] == []


@pytest.mark.requirement("CHR-52")
async def test_a_browser_that_does_not_start_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(ActionError) as caught:
        await ChromiumDriver.start(ChromiumOptions(downloads_dir=tmp_path, executable=Path("/nonexistent/chromium")))
    assert (caught.value.code, caught.value.facts["executable"]) == (ActionCode.ACTION_FAILED, "/nonexistent/chromium")


@pytest.mark.requirement("CHR-52")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a screen")
async def test_a_window_without_a_screen_is_called_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ActionError) as caught:
        await ChromiumDriver.start(ChromiumOptions(downloads_dir=tmp_path, headless=False))
    assert caught.value.cause == "没有可用的显示器，Chromium 的窗口打不开"
    assert "--headed" in caught.value.next_step


@pytest.mark.requirement("CHR-53")
def test_the_catch_all_rule_comes_last_and_pins_are_listed() -> None:
    chromium = ChromiumOptions(
        downloads_dir=Path("d"), resolver_rules=("MAP *.example.com 127.0.0.1:8443",), spki_pins=("a=", "b=")
    )
    assert chromium.arguments()[-2:] == [
        "--ignore-certificate-errors-spki-list=a=,b=",
        "--host-resolver-rules=MAP *.example.com 127.0.0.1:8443,MAP * ~NOTFOUND,EXCLUDE localhost,EXCLUDE 127.0.0.1",
    ]
