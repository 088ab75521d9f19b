"""A page that lends input to a frame it shows: the frame gets nothing, and no act that missed is told as done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.typed import shows
from browser_host_stub.driver import BrowserEvent
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from tests.unit.browser_host_stub.chromium.conftest import Tab, options
from tests.unit.browser_host_stub.chromium.site import Site, attachment

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Sly:
    """A browser whose default site is listed, `listed` too, and `there` not; with what it told."""

    tab: Tab
    listed: Site
    there: Site
    events: list[BrowserEvent] = field(default_factory=list)

    def rule_against(self, url: str) -> str | None:
        ours = tuple(f"{site.base}/" for site in (self.tab.site, self.listed))
        return None if url.startswith(ours) else "origin.unlisted"

    def at(self, kind: str) -> str:
        """The unlisted site, in the process of the page or in another one."""
        return self.there.base if kind == "near" else self.there.base.replace("127.0.0.1", "localhost")

    async def shown(self, body: str, frame: str) -> None:
        """Show a page whose frame `f` has loaded; what the frame tells the page is written into `o`."""
        heard = "<p id=o></p><script>onmessage=e=>o.textContent+=e.data+';'</script>"
        await self.tab.open(
            f"{body}{heard}<iframe id=f src={frame}></iframe><i id=r></i><script>f.onload=()=>r.id='ready'</script>"
        )
        await self.tab.act("waitForSelector", selector="#ready", state="attached")

    def told(self, kind: str) -> list[dict[str, object]]:
        return [dict(event.facts) for event in self.events if event.kind == kind]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sly(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sly]:
    here, listed, there = Site(), Site(), Site()
    for site in (here, listed, there):
        await site.start()
    driver = await ChromiumDriver.start(options(tmp_path_factory.mktemp("downloads")))
    made = Sly(Tab(driver, here), listed, there)
    driver.confine(made.rule_against)
    driver.on_event(made.events.append)
    there.show(
        "<style>body{margin:0}</style><button style='width:300px;height:200px'>付款</button><script>"
        "for(const t of ['mousedown','mouseup','click'])addEventListener(t,()=>parent.postMessage(t,'*'))</script>",
        "/pay",
    )
    there.show(
        "<button id=d autofocus>付款</button><script>onmessage=()=>d.focus();"
        "onkeydown=e=>parent.postMessage('key '+e.key,'*')</script>",
        "/keys",
    )
    for site in (listed, there):
        site.show("<script>onmessage=()=>parent.postMessage('答'+prompt('机密'),'*')</script>", "/ask")
    try:
        yield made
    finally:
        await driver.close()
        for site in (here, listed, there):
            await site.close()


BOTH = pytest.mark.parametrize("kind", ["near", "far"])
SLIDES = (
    "<style>#f{position:fixed;left:-2000px;top:0;width:300px;height:300px;border:0;z-index:9}"
    "#b{width:200px;height:100px}#o{margin-top:320px}</style>"
    "<script>addEventListener('%s',()=>{f.style.left='0px';f.getBoundingClientRect()},true)</script>"
)


@pytest.mark.requirement("CHR-92")
@BOTH
@pytest.mark.parametrize(
    ("action", "target", "params"),
    [
        ("click", "<button id=b>查看</button>", {}),
        ("check", "<input type=checkbox id=b>", {"checked": True}),
        ("type", "<input id=b>", {"text": "字"}),
        ("download", "<button id=b>导出</button>", {"timeout_ms": 1500}),
    ],
)
async def test_a_frame_that_comes_under_the_mouse_as_it_arrives_is_not_pressed(
    sly: Sly, kind: str, action: str, target: str, params: dict[str, object]
) -> None:
    await sly.shown(SLIDES % "mousemove" + target, f"{sly.at(kind)}/pay")
    error = await sly.tab.refused(action, None, 1.0, selector="#b", **params)
    assert (error.code, error.facts["covered_by"]) == (
        ActionCode.COVERED_TARGET,
        {"element": "iframe#f", "text": ""},
    )
    assert await sly.tab.text("#o") == ""


@pytest.mark.requirement("CHR-92")
@BOTH
async def test_the_second_press_of_a_double_click_does_not_go_to_a_frame_that_came_with_the_first(
    sly: Sly, kind: str
) -> None:
    await sly.shown(SLIDES % "mouseup" + "<button id=b>查看</button>", f"{sly.at(kind)}/pay")
    error = await sly.tab.refused("click", wait=1.0, selector="#b", count=2)
    assert (error.code, error.facts["clicks"]) == (ActionCode.ACTION_FAILED, 1)
    assert await sly.tab.text("#o") == ""


@pytest.mark.requirement("CHR-92")
async def test_a_double_click_on_a_row_that_is_drawn_anew_by_the_first_press_arrives(sly: Sly) -> None:
    await sly.tab.open(
        "<p id=o></p><div id=list></div><script>const draw=()=>{list.innerHTML='<button id=b>合同甲</button>'};draw();"
        "list.addEventListener('click',draw,{once:true});list.ondblclick=()=>o.textContent='开'</script>"
    )
    assert await sly.tab.act("click", selector="#b", count=2) == {"clicked": True}
    assert await sly.tab.text("#o") == "开"


@pytest.mark.requirement("CHR-93")
async def test_a_key_that_went_to_a_frame_that_took_the_focus_is_not_told_as_pressed(sly: Sly) -> None:
    taking = "<input id=i><script>i.onfocus=()=>setTimeout(()=>{f.focus();f.contentWindow.postMessage(1,'*')})</script>"
    await sly.shown(taking, f"{sly.at('near')}/keys")
    code = ""
    try:
        await sly.tab.act("press", None, 1.0, selector="#i", key="Enter")
    except ActionError as error:  # the key may also have come before the page moved the focus
        code = error.code
    assert code in ("", ActionCode.ACTION_FAILED, ActionCode.UNKNOWN_OUTCOME)
    assert code or await sly.tab.text("#o") == ""


@pytest.mark.requirement("CHR-93")
@BOTH
@pytest.mark.parametrize("text", ["甲乙 丙", "一段比八个字更长的文字"])
async def test_the_rest_of_a_text_does_not_go_to_a_frame_that_takes_the_focus_at_the_first_key(
    sly: Sly, kind: str, text: str
) -> None:
    taking = "<input id=i><script>i.onkeydown=i.oninput=()=>{f.focus();f.contentWindow.postMessage(1,'*')}</script>"
    await sly.shown(taking, f"{sly.at(kind)}/keys")
    error = await sly.tab.refused("type", wait=1.0, selector="#i", text=text, submit=True)
    assert (error.code, text in str(error.facts)) == (ActionCode.ACTION_FAILED, False)
    assert "Enter" not in str(await sly.tab.text("#o"))


@pytest.mark.requirement("CHR-93")
async def test_a_key_that_opens_a_frame_with_the_focus_was_pressed(sly: Sly) -> None:
    await sly.shown("<input id=i><script>i.onkeydown=()=>f.focus()</script>", f"{sly.at('near')}/keys")
    assert await sly.tab.act("press", selector="#i", key="Enter") == {"pressed": True}


@pytest.mark.requirement("CHR-94", "CHR-12")
@BOTH
async def test_a_dialog_of_an_unlisted_frame_is_dismissed_and_told_to_nobody(sly: Sly, kind: str) -> None:
    asks = "<button id=b onclick='f.contentWindow.postMessage(1,\"*\")'>问</button>"
    await sly.shown(asks, f"{sly.at(kind)}/ask")
    before = len(sly.told("dialog"))
    await sly.tab.act("click", selector="#b")
    await sly.tab.act("waitForSelector", selector="#o:not(:empty)")
    assert await sly.tab.text("#o") == "答null;"
    assert (await sly.tab.refused("handleDialog", accept=True, text="口令")).code == ActionCode.NOT_FOUND
    assert len(sly.told("dialog")) == before


@pytest.mark.requirement("CHR-94", "CHR-12")
async def test_a_dialog_of_a_listed_frame_has_the_origin_of_its_frame(sly: Sly) -> None:
    asks = "<button id=b onclick='f.contentWindow.postMessage(1,\"*\")'>问</button>"
    await sly.shown(asks, f"{sly.listed.base}/ask")
    await sly.tab.act("click", selector="#b")
    located = await sly.tab.locate("handleDialog", accept=True, text="甲")
    assert located.origin == sly.listed.base
    assert sly.told("dialog")[-1] == {"kind": "prompt", "message": "机密"}
    await sly.tab.driver.perform(located, 5.0)
    assert await sly.tab.text("#o") == "答甲;"


@pytest.mark.requirement("CHR-94")
@BOTH
async def test_a_document_without_an_address_asks_in_the_name_of_the_one_around_it(sly: Sly, kind: str) -> None:
    sly.there.show(
        "<iframe srcdoc='<script>alert(`机密`);parent.parent.postMessage(1,`*`)</script>'></iframe>", "/deep"
    )
    before = len(sly.told("dialog"))
    await sly.shown("", f"{sly.at(kind)}/deep")
    await sly.tab.act("waitForSelector", selector="#o:not(:empty)")
    assert len(sly.told("dialog")) == before
    await sly.tab.open(
        "<button id=b onclick='f.contentWindow.postMessage(1)'>问</button>"
        "<iframe id=f srcdoc='<script>onmessage=()=>alert(`自己的`)</script>'></iframe>"
    )
    await sly.tab.act("click", selector="#b")
    located = await sly.tab.locate("handleDialog", accept=True)
    assert located.origin == sly.tab.site.base
    await sly.tab.driver.perform(located, 5.0)


@pytest.mark.requirement("CHR-94")
async def test_the_name_of_a_refused_download_is_not_told(sly: Sly) -> None:
    sly.there.pages["/file"] = attachment("secret-name.txt", b"abc")
    sly.there.show("<script>onmessage=()=>{location.href='/file'}</script>", "/loads")
    await sly.shown(
        "<button id=b onclick='f.contentWindow.postMessage(1,\"*\")'>导</button>", f"{sly.at('near')}/loads"
    )
    with pytest.raises(PolicyDeniedError):
        await sly.tab.act("download", selector="#b", timeout_ms=1500)
    assert sly.told("download") == [{"failed": "policy"}]


@pytest.mark.requirement("CHR-95")
@pytest.mark.parametrize(
    ("script", "value"),
    [("i.oninput=()=>{i.value=''}", ""), ("i.oninput=()=>{i.value='100'}", "100"), ("i.maxLength=2", "15")],
)
async def test_a_text_that_the_field_does_not_keep_is_not_told_as_typed(sly: Sly, script: str, value: str) -> None:
    await sly.tab.open(f"<input id=i><script>{script}</script>")
    error = await sly.tab.refused("type", wait=1.0, selector="#i", text="1500")
    assert (error.code, error.facts["value"]) == (ActionCode.ACTION_FAILED, value)


@pytest.mark.requirement("CHR-95")
@pytest.mark.parametrize(
    ("value", "text", "same"),
    [
        ("abc", "abc", True),
        ("前 abc", "abc", True),
        ("ABC", "abc", True),
        ("138 0013 8000", "13800138000", True),
        ("1,234.00", "1234", True),
        ("￥1,234.50", "1234.5", True),
        ("2026-01-05", "2026-1-5", True),
        ("0.5", ".5", True),
        ("100", "150", False),
        ("", "甲", False),
        ("", "！", False),
        ("12", "12a", False),
        (None, "甲", True),
        ("有", "", True),
    ],
)
async def test_what_a_field_shows_is_compared_as_a_person_would(value: object, text: str, same: bool) -> None:
    assert shows(value, text) is same
