"""Background pages: their own ids, never the default page, held to the policy, gone when they are killed."""

from __future__ import annotations

import asyncio

import pytest

from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _pages(tab: Tab) -> list[str]:
    pages = (await tab.act("listPages"))["pages"]
    assert isinstance(pages, list)
    return [page["id"] for page in pages]


@pytest.mark.requirement("ACT-05")
async def test_a_background_page_is_acted_on_by_its_id_while_the_default_page_stays(tab: Tab) -> None:
    await tab.open("<p id=o>前台</p>")
    inside = tab.site.show('<button id=b onclick="o.textContent=document.hasFocus()">查</button><p id=o>后台</p>', "/z")
    spawned = await tab.act("zombieSpawn", url=inside)
    zombie = str(spawned["page"])
    assert spawned["url"] == inside
    assert await tab.text("#o") == "前台"
    assert (await tab.act("getText", on=zombie, selector="#o"))["text"] == "后台"
    await tab.act("click", on=zombie, selector="#b")
    assert (await tab.act("getText", on=zombie, selector="#o"))["text"] == "true"
    assert await tab.act("zombieKill", page=zombie) == {"closed": True}
    gone = await tab.refused("click", on=zombie, selector="#b")
    assert (gone.code, gone.facts) == (ActionCode.PAGE_GONE, {"page": zombie})
    assert await tab.text("#o") == "前台"


@pytest.mark.requirement("ACT-05")
async def test_a_background_page_never_becomes_the_default_page_and_takes_its_windows_along(tab: Tab) -> None:
    opens = tab.site.show("<button id=b onclick=\"window.open('/in')\">开</button>", "/opens")
    tab.site.show("窗口", "/in")
    zombie = str((await tab.act("zombieSpawn", url=opens))["page"])
    await tab.act("click", on=zombie, selector="#b")
    assert len(await _pages(tab)) == 3
    refused = await tab.refused("zombieKill", page=(await tab.driver.default_page()).id)
    assert refused.code == ActionCode.BAD_PARAMS
    await tab.act("closePage", page=(await tab.driver.default_page()).id)
    default = await tab.driver.default_page()
    assert (default.url, default.id == zombie) == ("about:blank", False)
    await tab.act("zombieKill", page=zombie)
    assert await _pages(tab) == [default.id]


@pytest.mark.requirement("ACT-05")
async def test_a_background_page_that_leads_where_it_may_not_is_refused_and_leaves_no_page(tab: Tab) -> None:
    before = await _pages(tab)
    elsewhere = tab.site.base.replace("127.0.0.1", "localhost")

    async def redirect(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: {elsewhere}/x\r\nContent-Length: 0\r\n\r\n".encode())

    tab.site.special["/away"] = redirect
    tab.driver.confine(lambda url: None if url.startswith(tab.site.base) else "origin.unlisted")
    try:
        with pytest.raises(PolicyDeniedError) as refused:
            await tab.act("zombieSpawn", url=f"{tab.site.base}/away")
    finally:
        tab.driver.confine(lambda _url: None)
    assert refused.value.facts == {"rule": "stopped.origin.unlisted"}
    assert "/x" not in tab.site.asked
    assert await _pages(tab) == before
    with pytest.raises(ActionError) as failed:
        await tab.act("zombieSpawn", url="http://127.0.0.1:9/")
    assert failed.value.code == ActionCode.NAVIGATION_FAILED
    assert await _pages(tab) == before
