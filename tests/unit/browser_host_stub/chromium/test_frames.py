"""Frames of other origins, in the same process and in another one: found, acted in, and refused when not listed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.planes import IDENTITY, Plane
from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from tests.unit.browser_host_stub.chromium.conftest import Tab, options
from tests.unit.browser_host_stub.chromium.seeing import nodes_of
from tests.unit.browser_host_stub.chromium.site import Site, Writer, html

pytestmark = pytest.mark.asyncio(loop_scope="module")
FORM = (
    "<p id=o>未</p><button id=b onclick=\"o.textContent='点了 '+event.isTrusted\">查询</button><input id=i>"
    "<select id=s><option value=1>甲<option value=2>乙</select><input type=checkbox id=c>"
    "<script>i.onkeydown=e=>{if(e.key=='Enter')o.textContent='回车'}</script>"
)


@dataclass(frozen=True)
class Frames:
    """A browser that may show `here`, `near` (same process) and `far` (another one), and read nothing of `there`."""

    tab: Tab
    near: Site
    there: Site

    def rule_against(self, url: str) -> str | None:
        listed = tuple(f"{base}/" for base in (self.tab.site.base, self.near.base, self.far))
        return None if url.startswith(listed) else "origin.unlisted"

    @property
    def far(self) -> str:
        """The near site under a name that is another site to the browser."""
        return self.near.base.replace("127.0.0.1", "localhost")

    def at(self, kind: str) -> str:
        return self.near.base if kind == "near" else self.far

    async def denied(self, action: str, **params: object) -> PolicyDeniedError:
        with pytest.raises(PolicyDeniedError) as caught:
            await self.tab.act(action, None, 1.0, **params)
        return caught.value

    async def outcome(self, action: str, **params: object) -> str:
        """Code of the error, empty when the act was done."""
        try:
            await self.tab.act(action, None, 1.0, **params)
        except ActionError as error:
            return error.code
        return ""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def frames(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Frames]:
    here, near, there = Site(), Site(), Site()
    for site in (here, near, there):
        await site.start()
    driver = await ChromiumDriver.start(options(tmp_path_factory.mktemp("downloads")))
    found = Frames(Tab(driver, here), near, there)
    driver.confine(found.rule_against)
    near.show(FORM, "/form")
    there.show("<b id=b>机密</b>", "/x")
    try:
        yield found
    finally:
        await driver.close()
        for site in (here, near, there):
            await site.close()


BOTH = pytest.mark.parametrize("kind", ["near", "far"])


@pytest.mark.requirement("CHR-80")
@BOTH
async def test_every_act_works_in_a_frame_of_another_origin(frames: Frames, kind: str) -> None:
    tab, at = frames.tab, frames.at(kind)
    frame = f"<iframe id=f src={at}/form style='border:7px solid;padding:9px'></iframe>"
    await tab.open("<p style='height:1500px'></p>" + frame)
    located = await tab.locate("click", selector="#f >>> #b")
    assert located.origin == at
    assert located.target is not None
    assert located.target.label == "查询"
    assert await tab.driver.perform(located, 5.0) == {"clicked": True}
    assert await tab.text("#f >>> #o") == "点了 true"
    typed = await tab.act("type", selector="#f >>> #i", text="中文abc", submit=True)
    assert (typed["typed"], typed["value"]) == (True, "中文abc")
    assert await tab.text("#f >>> #o") == "回车"
    assert (await tab.act("select", selector="#f >>> #s", value="乙"))["value"] == "2"
    assert (await tab.act("check", selector="#f >>> #c"))["checked"] is True
    assert await tab.act("press", selector="#f >>> #i", key="Enter") == {"pressed": True}
    assert await tab.act("hover", selector="#f >>> #b") == {"hovered": True}
    assert await tab.act("query", selector="#f >>> option", fact="count") == {"value": 2}
    assert await tab.act("query", selector="#f >>> .none", fact="exists") == {"value": False}
    assert await tab.act("query", selector="#f >>> #i", fact="value") == {"value": "中文abc"}
    assert await tab.act("waitForSelector", selector="#f >>> #b") == {"found": True}
    assert "查询" in str((await tab.act("getHtml", selector="#f >>> #b"))["html"])
    assert "artifact" in await tab.act("pageScreenshot", selector="#f >>> #b")


@pytest.mark.requirement("CHR-80")
@BOTH
@pytest.mark.parametrize(
    "style",
    [
        "transform:scale(.6)",
        "transform:rotate(20deg) translate(60px,40px)",
        "zoom:1.5",
        "position:absolute;left:90px;top:2000px;transform:skewX(15deg)",
    ],
)
async def test_the_mouse_meets_a_button_in_a_frame_that_is_moved_scaled_or_turned(
    frames: Frames, kind: str, style: str
) -> None:
    await frames.tab.open(f"<iframe id=f src={frames.at(kind)}/form style='{style}'></iframe>")
    assert await frames.tab.act("click", selector="#f >>> #b") == {"clicked": True}
    assert await frames.tab.text("#f >>> #o") == "点了 true"


@pytest.mark.requirement("CHR-80")
async def test_frames_in_frames_are_reached_across_processes(frames: Frames) -> None:
    tab, near = frames.tab, frames.near
    near.show(f"<iframe id=g src={near.base}/form></iframe>", "/outer")
    tab.site.show(f"<div style='height:900px'></div><iframe id=h src={frames.far}/outer></iframe>", "/middle")
    await tab.open("<iframe id=f src=/middle style='height:300px'></iframe>")
    steps = "#f >>> #h >>> #g >>> "
    assert await tab.act("click", selector=steps + "#b") == {"clicked": True}
    assert await tab.text(steps + "#o") == "点了 true"
    assert (await tab.locate("getText", selector=steps + "#o")).origin == near.base


@pytest.mark.requirement("CHR-80")
async def test_a_frame_inside_a_shadow_root_is_entered(frames: Frames) -> None:
    await frames.tab.open(
        "<my-el id=host></my-el><script>host.attachShadow({mode:'open'}).innerHTML="
        f"'<iframe src={frames.far}/form></iframe>'</script>"
    )
    assert await frames.tab.act("click", selector="#host >>> iframe >>> #b") == {"clicked": True}
    assert await frames.tab.text("#host >>> iframe >>> #o") == "点了 true"


@pytest.mark.requirement("CHR-81")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_nothing_of_an_unlisted_frame_is_read_or_pressed(frames: Frames, host: str) -> None:
    there = frames.there.base.replace("127.0.0.1", host)
    await frames.tab.open(f"<iframe id=i src={there}/x></iframe>")
    acts: list[tuple[str, dict[str, object]]] = [
        ("click", {}),
        ("getText", {}),
        ("getHtml", {}),
        ("type", {"text": "x"}),
        ("query", {"fact": "exists"}),
        ("query", {"fact": "visible"}),
        ("waitForSelector", {"timeout_ms": 500}),
    ]
    for action, params in acts:
        error = await frames.denied(action, selector="#i >>> #b", **params)
        assert error.facts == {"rule": "origin.unlisted", "origin": there}
        assert "机密" not in str(error)


@pytest.mark.requirement("CHR-81")
@pytest.mark.parametrize("frame", ["src='data:text/html,<b id=b>x</b>'", "sandbox srcdoc='<b id=b>x</b>'"])
async def test_a_frame_without_an_origin_is_on_no_list(frames: Frames, frame: str) -> None:
    await frames.tab.open(f"<iframe id=i {frame}></iframe>")
    assert (await frames.denied("getText", selector="#i >>> b")).facts["rule"] == "origin.opaque"


@pytest.mark.requirement("CHR-81")
async def test_a_frame_that_goes_to_an_unlisted_site_is_not_read_there(frames: Frames) -> None:
    await frames.tab.open(f"<iframe id=i src={frames.far}/form></iframe><button id=n>走</button>")
    located = await frames.tab.locate("click", selector="#i >>> #b")
    await frames.tab.act("getText", selector="#i >>> #b")
    frames.near.show(f"<script>location='{frames.there.base}/x'</script>", "/away")
    await frames.tab.open(f"<iframe id=i src={frames.far}/away></iframe>")
    with pytest.raises(ActionError) as caught:
        await frames.tab.driver.perform(located, 5.0)
    assert caught.value.code == ActionCode.STALE_REF
    async with asyncio.timeout(5):
        while "/x" not in frames.there.asked:
            await frames.there.was_asked.wait()
    assert (await frames.denied("getText", selector="#i >>> #b")).facts["rule"] == "origin.unlisted"


@pytest.mark.requirement("CHR-81")
@BOTH
async def test_a_frame_that_was_entered_is_judged_again_when_the_list_has_changed(frames: Frames, kind: str) -> None:
    tab, at = frames.tab, frames.at(kind)
    await tab.open(f"<iframe id=f src={at}/form></iframe>")
    data = await tab.act("getAomSnapshot")
    ref = next(node["ref"] for node in nodes_of(data) if node["name"] == "查询")
    listed = (f"{tab.site.base}/",)
    tab.driver.confine(lambda url: None if url.startswith(listed) else "origin.unlisted")
    try:
        assert (await frames.denied("getText", selector="#f >>> #b")).facts["origin"] == at
        assert (await frames.denied("click", ref=ref)).facts["origin"] == at
    finally:
        tab.driver.confine(frames.rule_against)
    assert await tab.text("#f >>> #b") == "查询"


@pytest.mark.requirement("ACT-03")
@BOTH
async def test_a_file_reaches_an_input_in_a_frame_of_another_origin(frames: Frames, kind: str, tmp_path: Path) -> None:
    tab, at = frames.tab, frames.at(kind)
    frames.near.show("<p id=o></p><input type=file id=u onchange='o.textContent=this.files[0].name'>", "/up")
    await tab.open(f"<iframe id=f src={at}/up></iframe>")
    path = tmp_path / "表.csv"
    path.write_bytes(b"abc")
    file = (await tab.driver.artifacts.register(path)).artifact.id
    assert (await tab.act("upload", selector="#f >>> #u", file=file))["name"] == "表.csv"
    assert await tab.text("#f >>> #o") == "表.csv"


@pytest.mark.requirement("ACT-03")
@BOTH
async def test_a_chooser_opened_in_a_frame_of_another_origin_gets_the_file(
    frames: Frames, kind: str, tmp_path: Path
) -> None:
    tab, at = frames.tab, frames.at(kind)
    script = (
        "b.onclick=()=>{const i=document.createElement('input');i.type='file';"
        "i.onchange=()=>o.textContent=i.files[0].name;i.click()}"
    )
    frames.near.show(f"<p id=o></p><section><button id=b>导入</button></section><script>{script}</script>", "/pick")
    await tab.open(f"<iframe id=f src={at}/pick></iframe>")
    path = tmp_path / "表.csv"
    path.write_bytes(b"abc")
    file = (await tab.driver.artifacts.register(path)).artifact.id
    assert (await tab.act("upload", selector="#f >>> #b", file=file))["uploaded"] is True
    assert await tab.text("#f >>> #o") == "表.csv"


@pytest.mark.requirement("CHR-82")
@BOTH
async def test_a_frame_that_loads_slowly_is_waited_for_and_not_taken_for_empty(frames: Frames, kind: str) -> None:
    ready = asyncio.Event()

    async def slow(writer: Writer) -> None:
        await ready.wait()
        writer.write(html(FORM))

    frames.near.special["/slow"] = slow
    await frames.tab.open(f"<iframe id=f loading=eager></iframe><script>f.src='{frames.at(kind)}/slow'</script>")
    error = await frames.tab.refused("click", selector="#f >>> #b")
    assert (error.code, error.facts["why"]) == (ActionCode.NOT_FOUND, "框架还没有加载出文档")
    waiting = asyncio.ensure_future(frames.tab.act("click", selector="#f >>> #b"))
    never = await frames.tab.refused("waitForSelector", selector="#f >>> #b", state="detached", timeout_ms=50)
    assert never.code == ActionCode.TIMEOUT
    ready.set()
    assert await waiting == {"clicked": True}
    assert await frames.tab.text("#f >>> #o") == "点了 true"


@pytest.mark.requirement("CHR-83")
@BOTH
async def test_a_cover_over_a_frame_is_named(frames: Frames, kind: str) -> None:
    await frames.tab.open(
        f"<iframe id=f src={frames.at(kind)}/form></iframe><div id=mask style='position:fixed;inset:0'>加载中</div>"
    )
    error = await frames.tab.refused("click", wait=0.6, selector="#f >>> #b")
    assert (error.code, error.facts["covered_by"]) == (
        ActionCode.COVERED_TARGET,
        {"element": "div#mask", "text": "加载中"},
    )


@pytest.mark.requirement("CHR-83")
@BOTH
async def test_an_overlay_of_the_page_that_appears_under_the_falling_mouse_gets_no_click(
    frames: Frames, kind: str
) -> None:
    await frames.tab.open(
        "<style>#over{position:fixed;inset:0;display:none}</style>"
        f"<iframe id=f src={frames.at(kind)}/form></iframe><p id=p></p>"
        "<div id=over onclick=\"p.textContent='stolen'\" onmousedown=\"p.textContent='stolen'\"></div>"
        "<script>f.onmouseenter=()=>{over.style.display='block'}</script>"
    )
    await frames.tab.act("waitForSelector", selector="#f >>> #b")
    # A frame of another process may get the press before the overlay is drawn.
    arrived = {"": "点了 true", "COVERED_TARGET": "未"}[await frames.outcome("click", selector="#f >>> #b")]
    assert arrived in str((await frames.tab.act("getHtml", selector="#f >>> #o"))["html"])
    assert (await frames.tab.act("getHtml", selector="#p"))["html"] == '<p id="p"></p>'


@pytest.mark.requirement("CHR-83")
async def test_an_overlay_inside_the_frame_gets_no_click_either(frames: Frames) -> None:
    frames.near.show(
        FORM + "<style>#over{position:fixed;inset:0;display:none}</style>"
        "<div id=over onclick=\"o.textContent='x'\"></div>"
        "<script>document.addEventListener('mousemove',()=>{over.style.display='block'})</script>",
        "/trap",
    )
    await frames.tab.open(f"<iframe id=f src={frames.far}/trap></iframe>")
    assert (await frames.tab.refused("click", wait=1.0, selector="#f >>> #b")).code == ActionCode.COVERED_TARGET
    assert "未" in str((await frames.tab.act("getHtml", selector="#f >>> #o"))["html"])


@pytest.mark.requirement("CHR-84")
@BOTH
@pytest.mark.parametrize("change", ["f.remove()", "f.src=f.src+'?2'", "f.outerHTML=f.outerHTML"])
async def test_a_frame_that_goes_or_loads_again_between_check_and_act_is_not_acted_in(
    frames: Frames, kind: str, change: str
) -> None:
    await frames.tab.open(
        f'<iframe id=f src={frames.at(kind)}/form></iframe><button id=x onclick="{change}">改</button>'
    )
    located = await frames.tab.locate("click", selector="#f >>> #b")
    asked = len(frames.near.asked)
    await frames.tab.act("click", selector="#x")
    if change != "f.remove()":
        async with asyncio.timeout(5):
            while len(frames.near.asked) == asked:
                frames.near.was_asked.clear()
                await frames.near.was_asked.wait()
        await frames.tab.act("waitForSelector", selector="#f >>> #b")
    with pytest.raises(ActionError) as caught:
        await frames.tab.driver.perform(located, 5.0)
    assert caught.value.code in (ActionCode.STALE_REF, ActionCode.DETACHED_TARGET)


@pytest.mark.requirement("CHR-84")
@BOTH
async def test_keys_never_go_to_another_document_that_has_taken_the_focus(frames: Frames, kind: str) -> None:
    frames.near.show("<input id=i onfocus=\"parent.postMessage('','*')\">", "/field")
    await frames.tab.open(
        f"<iframe id=f src={frames.at(kind)}/field></iframe><input id=m>"
        "<script>let n = 0; addEventListener('message', () => { if (n++ < 40) m.focus() })</script>"
    )
    await frames.tab.act("waitForSelector", selector="#f >>> #i")
    error = await frames.tab.refused("type", wait=1.0, selector="#f >>> #i", text="只给框架里的")
    assert error.code == ActionCode.ACTION_FAILED
    assert await frames.tab.act("query", selector="#m", fact="value") == {"value": ""}
    await frames.tab.act("type", selector="#m", text="现在给外面")


@pytest.mark.requirement("CHR-84")
async def test_a_frame_that_is_removed_under_the_mouse_is_a_typed_answer(frames: Frames) -> None:
    await frames.tab.open(
        f"<iframe id=f src={frames.far}/form></iframe><script>f.onmouseenter=()=>f.remove()</script><p id=p>好</p>"
    )
    async with asyncio.timeout(8):
        ended = await frames.outcome("click", selector="#f >>> #b")
        assert ended in ("", "COVERED_TARGET", "STALE_REF", "DETACHED_TARGET", "NOT_FOUND")
        assert await frames.tab.text("#p") == "好"


@pytest.mark.requirement("CHR-84")
async def test_two_hundred_frames_in_each_other_cost_a_bounded_time(frames: Frames) -> None:
    tab, near = frames.tab, frames.near
    depth = 200
    near.show(
        "<b id=b>到底</b><script>const n=+location.search.slice(1);if(n){const f=document.createElement('iframe');"
        f"f.id='f';f.src=(n%2?'{near.base}':'{tab.site.base}')+'/deep?'+(n-1);document.body.append(f)}}</script>",
        "/deep",
    )
    tab.site.pages["/deep"] = near.pages["/deep"]
    await tab.open(f"<iframe id=f src='/deep?{depth}'></iframe>")
    async with asyncio.timeout(8):
        error = await tab.refused("click", wait=5.0, selector="#f >>> " * depth + "#none")
    assert error.code in (ActionCode.NOT_FOUND, ActionCode.TIMEOUT)
    assert await tab.text("#f >>> " * 20 + "#b") == "到底"
    await tab.open("<p id=p>好</p>")
    assert await tab.text("#p") == "好"


@pytest.mark.requirement("CHR-85")
@BOTH
async def test_a_page_that_breaks_builtins_and_names_its_elements_like_them_is_found_in(
    frames: Frames, kind: str
) -> None:
    frames.near.show(
        "<form name=defaultView></form><form name=elementFromPoint></form><form name=URL></form>"
        "<img name=querySelectorAll><form name=hasFocus></form><div id=sgclawLibrary></div>" + FORM + "<script>"
        "Array.prototype.map=()=>[];Map.prototype.get=()=>1;WeakRef=null;Element.prototype.getBoundingClientRect=null;"
        "Object.defineProperty(window,'origin',{get:()=>'https://erp.example.com'});JSON.stringify=()=>'{}'</script>",
        "/broken",
    )
    await frames.tab.open(f"<iframe id=f src={frames.at(kind)}/broken></iframe>")
    assert (await frames.tab.locate("click", selector="#f >>> #b")).origin == frames.at(kind)
    assert await frames.tab.act("click", selector="#f >>> #b") == {"clicked": True}
    assert await frames.tab.text("#f >>> #o") == "点了 true"


@pytest.mark.requirement("CHR-80")
async def test_a_plane_maps_there_and_back() -> None:
    turned = Plane.spanned([10, 20, 110, 70, 60, 170, -40, 120], 200, 100)
    moved = Plane(x0=5, y0=7)
    x, y = turned.then(moved).of(30, 40)
    assert turned.of(0, 0) == (10, 20)
    assert turned.back().of(*moved.back().of(x, y)) == pytest.approx((30, 40))
    assert Plane(xx=0, yy=0).back() == IDENTITY
