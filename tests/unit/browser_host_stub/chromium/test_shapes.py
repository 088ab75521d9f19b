"""Places and clicks on pages that are zoomed, turned, scrolled or written from right to left, and what a container
listens for in place of its parts."""

import pytest

from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.seeing import nodes_of, operable, see

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEARD = "<p id=o></p><script>addEventListener('click', (e) => { o.textContent += e.target.dataset.n || '?' })</script>"
SHAPES = {
    "zoom": "<div style='zoom:1.5'><button data-n=甲>甲</button><br><button data-n=乙>乙</button></div>",
    "scale": "<div style='transform:scale(.6) translate(40px,30px);transform-origin:0 0;width:300px'>"
    "<button data-n=甲>甲</button><a href=# data-n=乙>乙</a></div>",
    "turned": "<div style='transform:rotate(90deg);width:200px;margin:80px'><button data-n=甲>甲</button>"
    "<button data-n=乙>乙</button></div>",
    "scrolled": "<div style='height:60px;width:120px;overflow:auto'><div style='height:900px;width:700px'>"
    "<button data-n=甲>甲</button><button data-n=乙 style='margin:500px 0 0 400px'>乙</button></div></div>",
    "right to left": "<div dir=rtl style='width:90%'><button data-n=甲>مرحبا</button>"
    "<a href=# data-n=乙>שלום</a></div>",
    "emoji": "<button data-n=甲>👩‍👩‍👧 家庭 🇨🇳</button><div style='cursor:pointer;width:40px' data-n=乙>👍🏽</div>",
}


@pytest.mark.requirement("SNAP-40")
@pytest.mark.parametrize("shape", SHAPES)
async def test_clicks_reach_what_is_listed_however_the_page_is_drawn(tab: Tab, shape: str) -> None:
    await tab.open(SHAPES[shape] + HEARD)
    nodes = await operable(tab)
    assert len(nodes) == 2
    for node in nodes:
        assert node["name"]
        assert "covered" not in node
        await tab.act("click", selector=str(node["selector"]))
    assert await tab.text("#o") == "甲乙"


@pytest.mark.requirement("SNAP-40")
async def test_bounds_are_those_on_the_screen(tab: Tab) -> None:
    await tab.open(
        "<style>body{margin:0}button{position:absolute;box-sizing:border-box;width:100px;height:20px;left:10px;top:10px}"
        "</style><div style='zoom:2'><button>大</button></div><div style='transform:scale(.5);transform-origin:0 0;"
        "position:absolute;top:100px;left:0'><button>小</button></div>"
    )
    assert {node["name"]: node["bounds"] for node in await operable(tab)} == {
        "大": [20, 20, 200, 40],
        "小": [5, 105, 50, 10],
    }


@pytest.mark.requirement("SNAP-41")
async def test_rows_and_cells_that_jquery_listens_for_from_outside_are_listed(tab: Tab) -> None:
    # What jQuery 3 leaves on an element it delegates from, without the library itself.
    keep = (
        "const kept = (el, selector) => { el['jQuery36012345'] = { events: { click: [{ selector }] } };"
        "el.addEventListener('click', (e) => { if (e.target.closest(selector)) o.textContent += selector }) };"
        "kept(t, 'tr.r'); kept(g, '.slot')"
    )
    await tab.open(
        "<table id=t><tr><th>编号<th>名<tr class=r><td>A-1<td>甲 <button onclick='event.stopPropagation()'>改</button>"
        "<tr class=r><td>A-2<td>乙</table><div id=g><span class=slot>空</span><span>字</span></div>"
        f"<p id=o></p><script>{keep}</script>"
    )
    nodes = await operable(tab)
    rows = [node for node in nodes_of(await see(tab)) if node["role"] == "row" and "ref" in node]
    assert len(rows) == 2
    assert [node["name"] for node in nodes if node["role"] != "row"] == ["改", "空"]
    await tab.act("click", selector=str(rows[0]["selector"]))
    await tab.act("click", selector=".slot")
    assert await tab.text("#o") == "tr.r.slot"


@pytest.mark.requirement("SNAP-41")
async def test_reading_what_jquery_keeps_runs_nothing_of_the_page(tab: Tab) -> None:
    await tab.open(
        "<div id=t><b class=x>甲</b></div><p id=o></p><script>Object.defineProperty(t, 'jQuery1', { enumerable: true,"
        "get() { o.textContent = '读'; return { events: { click: [{ selector: '.x' }] } } } })</script>"
    )
    await operable(tab)
    assert await tab.text("#o") == ""


@pytest.mark.requirement("SNAP-43")
async def test_a_row_is_pressed_beside_the_control_in_its_middle(tab: Tab) -> None:
    await tab.open(
        "<table style='width:300px'><tr onclick='o.textContent+=\"行\"'><td style='text-align:center'>"
        "<button style='width:100px' onclick='event.stopPropagation();o.textContent+=\"钮\"'>钮</button> 甲"
        "</table><p id=o></p>"
    )
    await tab.act("click", selector="tr")
    assert await tab.text("#o") == "行"
