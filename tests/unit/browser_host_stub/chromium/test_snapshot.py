"""What a snapshot lists, by which selector and number, and how it says that it is not all."""

import asyncio
import re

import pytest

from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.origins import origin_of
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.seeing import named, nodes_of, operable, see

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("CHR-27")
async def test_a_snapshot_lists_landmarks_tables_and_everything_operable(tab: Tab) -> None:
    await tab.open(
        "<style>body{margin:0}*{box-sizing:border-box}</style>"
        "<nav aria-label=主导航><a href=# id=home>首页</a></nav><main><h1>报表</h1>"
        "<label for=m>月份</label><input id=m value='2026-03'><input type=password aria-label=口令 value=secret>"
        "<label><input type=checkbox checked> 含税</label><button disabled>导出</button>"
        "<div style='cursor:pointer;width:50px' id=menu>菜单</div>"
        "<table id=t><tr><th>编号</th></tr><tr><td>1</td></tr></table>"
        "<p style='display:none'><button>藏</button></p></main>"
    )
    data = await tab.act("getAomSnapshot")
    nodes = nodes_of(data)
    assert [(n["role"], n["name"]) for n in nodes] == [
        ("navigation", "主导航"),
        ("link", "首页"),
        ("main", "报表"),
        ("heading", "报表"),
        ("textbox", "月份"),
        ("textbox", "口令"),
        ("checkbox", "含税"),
        ("button", "导出"),
        ("button", "菜单"),
        ("table", ""),
        ("columnheader", "编号"),
        ("row", "1"),
    ]
    by_name = {n["name"]: n for n in nodes}
    assert (by_name["月份"]["value"], by_name["月份"]["selector"]) == ("2026-03", "#m")
    assert "value" not in by_name["口令"]
    assert by_name["含税"]["checked"] is True
    assert by_name["导出"]["disabled"] is True
    assert by_name[""]["row_count"] == 1
    assert (data["interactive_total"], data["blank"]) == (6, False)
    for node in nodes[:-1]:
        assert await tab.act("query", selector=node["selector"], fact="count") == {"value": 1}


@pytest.mark.requirement("CHR-27")
async def test_an_empty_page_is_blank_and_a_snapshot_reaches_frames_and_shadow_roots(tab: Tab) -> None:
    await tab.open("<div></div>")
    assert await tab.act("getAomSnapshot") == {"nodes": [], "interactive_total": 0, "blank": True}
    tab.site.show("<button>框内</button>", "/inner")
    await tab.open(
        "<p style='height:50px'></p><iframe src=/inner></iframe><my-el></my-el>"
        "<script>document.querySelector('my-el').attachShadow({mode:'open'}).innerHTML='<button>影</button>'</script>"
    )
    data = await tab.act("getAomSnapshot")
    assert (data["interactive_total"], data["blank"]) == (2, False)
    nodes = data["nodes"]
    assert isinstance(nodes, list)
    assert nodes[0]["children"][0]["selector"] == "iframe >>> button"
    assert nodes[1]["selector"] == "my-el >>> button"
    await tab.act("click", selector=nodes[1]["selector"])


def _many(count: int) -> str:
    return (
        "<p id=r></p><script>const all = document.createDocumentFragment();"
        f"for (let i = 0; i < {count}; i++) {{ const b = document.createElement('button'); b.textContent = '行' + i; "
        "all.append(b) } r.append(all)</script>"
    )


@pytest.mark.requirement("CHR-73")
@pytest.mark.parametrize("count", [3000, 20000])
async def test_a_snapshot_of_a_huge_page_is_cut_and_says_so(tab: Tab, count: int) -> None:
    await tab.open(_many(count))
    async with asyncio.timeout(8):
        shot = await tab.act("getAomSnapshot")
        assert await tab.act("query", fact="exists", selector="#r") == {"value": True}
    nodes = shot["nodes"]
    assert isinstance(nodes, list)
    assert nodes[-1]["role"] == "note"
    assert nodes[-1]["name"].startswith("快照不完整：只")
    assert str(shot["interactive_total"]) in nodes[-1]["name"]
    for node in (nodes[0], nodes[-2]):
        assert await tab.act("query", fact="count", selector=node["selector"]) == {"value": 1}
        assert await tab.text(node["selector"]) == node["name"]


@pytest.mark.requirement("CHR-73")
async def test_a_snapshot_of_an_ordinary_page_is_whole_and_says_nothing(tab: Tab) -> None:
    await tab.open(_many(50))
    shot = await tab.act("getAomSnapshot")
    assert isinstance(shot["nodes"], list)
    assert [node["role"] for node in shot["nodes"]] == ["button"] * 50
    assert shot["interactive_total"] == 50


@pytest.mark.requirement("SNAP-01")
async def test_selectors_start_from_what_the_page_owns_and_never_from_what_a_library_counts_up(tab: Tab) -> None:
    await tab.open(
        "<input id=name aria-label=甲><input id=el-id-7411-23 aria-label=乙>"
        "<input id=rc_select_0 name=city aria-label=丙>"
        "<div id=grid-20250311><button class='btn save is-active'>丁</button></div><button class='btn'>戊</button>"
    )
    selectors = {node["name"]: str(node["selector"]) for node in await operable(tab)}
    assert selectors["甲"] == "#name"
    assert selectors["丙"] == 'input[name="city"]'
    assert selectors["丁"] == "button.save"
    assert not re.search(r"el-id|rc_select|grid-2025|is-active", " ".join(selectors.values()))
    for selector in selectors.values():
        assert await tab.act("query", selector=selector, fact="count") == {"value": 1}


@pytest.mark.requirement("SNAP-01")
async def test_a_class_that_another_element_has_among_many_is_no_selector(tab: Tab) -> None:
    await tab.open("<button class='a save'>甲</button><button class='b c d e save'>乙</button>")
    for node in await operable(tab):
        assert await tab.text(str(node["selector"])) == node["name"]


@pytest.mark.requirement("SNAP-02")
async def test_the_number_of_an_element_stays_its_own_from_snapshot_to_snapshot(tab: Tab) -> None:
    await tab.open("<button>一</button><button>二</button>")
    before = {node["name"]: node["ref"] for node in await operable(tab)}
    first = await tab.driver.page_info(None)
    assert all(str(ref).startswith(f"{first.version}:") for ref in before.values())
    await tab.act("hover", selector="button:nth-of-type(1)")
    assert {node["name"]: node["ref"] for node in await operable(tab)} == before
    assert len(set(before.values())) == 2


@pytest.mark.requirement("SNAP-03")
async def test_full_detail_adds_the_facts_by_which_an_element_is_found_again(tab: Tab) -> None:
    await tab.open(
        "<form id=f class=box><table><tr><th>编号<th>操作<tr><td>A-1002<td><a id=go href='/x?id=1' data-id=7"
        " class='lnk is-active layui-this' onclick='return false'>通过</a></table></form>"
    )
    assert all("identity" not in node for node in nodes_of(await see(tab)))
    node = named(await see(tab, detail="full"), "通过")
    assert node["identity"] == {
        "tag": "a",
        "id": "go",
        "classes": ["lnk"],
        "text": "通过",
        "near": "A-1002 | 通过",
        "xpath": "/html/body/form/table/tbody/tr[2]/td[2]/a",
        "attributes": {"href": "/x?id=1", "data-id": "7"},
        "within": [
            "a#go.lnk.is-active.layui-this",
            *("td", "tr", "tbody", "table", "form#f.box", "body", "html"),
        ],
    }


@pytest.mark.requirement("SNAP-04")
async def test_what_something_covers_is_marked_and_what_is_out_of_view_is_not(tab: Tab) -> None:
    await tab.open(
        "<button style='position:absolute;top:0;left:0'>下</button><div style='position:fixed;top:0;left:0;width:200px;"
        "height:60px;background:red'>盖</div><button style='margin-top:3000px'>远</button>"
        "<button style='position:absolute;left:-9999px'>够不着</button>"
    )
    assert [(node["name"], node.get("covered")) for node in await operable(tab)] == [("下", True), ("远", None)]


@pytest.mark.requirement("SNAP-05")
async def test_states_are_those_of_the_control_and_no_password_is_told(tab: Tab) -> None:
    await tab.open(
        "<input aria-label=口令 type=password value=secret><input aria-label=只读 readonly value=甲>"
        "<button disabled>停</button><div role=tab aria-selected=true>页</div><button aria-expanded=false>开</button>"
        "<textarea aria-label=写 autofocus>字</textarea><input type=range aria-label=量 value=30>"
    )
    await tab.act("press", selector="textarea", key="End")
    told = {node["name"]: node for node in await operable(tab)}
    assert "value" not in told["口令"]
    assert (told["只读"]["readonly"], told["只读"]["value"]) == (True, "甲")
    assert told["停"]["disabled"] is True
    assert told["页"]["selected"] is True
    assert told["开"]["expanded"] is False
    assert told["写"]["focused"] is True
    assert told["量"]["value"] == "30"


@pytest.mark.requirement("SNAP-06")
async def test_the_total_is_counted_apart_and_agrees_on_ordinary_pages(tab: Tab) -> None:
    await tab.open(
        "<a href=#>一</a><button>二</button><label><input type=checkbox>三</label><div style='cursor:pointer'>四</div>"
        "<select><option>五</select><p id=p>六</p><script>p.addEventListener('click', () => 0)</script>"
        "<div style='display:none'><button>藏</button></div>"
    )
    data = await see(tab)
    assert data["interactive_total"] == 6
    assert len([node for node in nodes_of(data) if "ref" in node]) == 6


@pytest.mark.requirement("SNAP-07")
async def test_a_frame_of_another_origin_is_read_with_selectors_and_numbers_that_work(tab: Tab) -> None:
    foreign = tab.site.show("<button>框内</button>", "/inner").replace("127.0.0.1", "localhost")
    await tab.open(f"<iframe id=f src='{foreign}' width=300 height=100></iframe>")
    await tab.act("waitForSelector", selector="#f >>> button")
    frame = nodes_of(await see(tab))[0]
    assert (frame["role"], frame["origin"]) == ("iframe", str(origin_of(foreign)))
    button = frame["children"][0]
    assert (button["name"], button["selector"]) == ("框内", "#f >>> button")
    assert re.fullmatch(r"\d+:\d+\.\d+", button["ref"])
    assert button["bounds"][0] >= frame["bounds"][0]
    await tab.act("click", ref=button["ref"])


@pytest.mark.requirement("SNAP-07")
async def test_of_a_frame_whose_origin_is_not_listed_only_the_origin_is_told(tab: Tab) -> None:
    foreign = tab.site.show("<button>框内</button>", "/inner").replace("127.0.0.1", "localhost")
    await tab.open(f"<iframe id=f src='{foreign}' width=300 height=100></iframe>")
    await tab.act("waitForSelector", selector="#f")

    def only_here(url: str) -> None:
        if "localhost" in url:
            raise PolicyDeniedError("不在名单内", facts={"rule": "test", "origin": str(origin_of(url))})

    tab.driver.confine(only_here)
    try:
        data = await see(tab)
    finally:
        tab.driver.confine(lambda url: None)
    assert [(node["role"], node.get("origin")) for node in nodes_of(data)] == [("iframe", str(origin_of(foreign)))]
    assert data["interactive_total"] == 0


@pytest.mark.requirement("SNAP-08")
async def test_max_nodes_and_depth_are_caps_with_a_note(tab: Tab) -> None:
    await tab.open("<button>甲</button>" * 30)
    data = await see(tab, max_nodes=10)
    nodes = nodes_of(data)
    assert (data["cut"], len(nodes), nodes[-1]["role"]) == (True, 11, "note")
    assert "30 个" in nodes[-1]["name"]
    await tab.open(
        "<div id=top></div><script>let d = top.document.querySelector('#top'); for (let i = 0; i < 900; i++)"
        " { const n = document.createElement('div'); d.append(n); d = n } d.innerHTML = '<button>底</button>'</script>"
    )
    async with asyncio.timeout(20):
        data = await see(tab)
    assert data["cut"] is True


@pytest.mark.requirement("SNAP-08")
async def test_many_nested_frames_and_endless_change_take_bounded_time(tab: Tab) -> None:
    tab.site.show("<iframe src=/b2></iframe>" * 6, "/b1")
    tab.site.show("<button>叶</button>", "/b2")
    await tab.open("<iframe src=/b1 height=900></iframe>" * 30)
    located = await tab.locate("getAomSnapshot")
    async with asyncio.timeout(60):
        data = await tab.driver.perform(located, 60.0)
    assert isinstance(data["interactive_total"], int)
    await tab.open(
        "<p id=p></p><button>稳</button>"
        "<script>setInterval(() => { p.innerHTML = '<i>x</i>'.repeat(Math.random() * 50) },"
        " 1)</script>"
    )
    async with asyncio.timeout(20):
        assert [node["name"] for node in await operable(tab)] == ["稳"]


@pytest.mark.requirement("SNAP-09")
async def test_a_snapshot_of_a_part_holds_that_part_only(tab: Tab) -> None:
    parts = "<form id=a><button>一</button></form>", "<form id=b><button>二</button><a href=#>三</a></form>"
    await tab.open("".join(parts))
    data = await see(tab, selector="#b")
    assert [node["name"] for node in nodes_of(data) if node["role"] != "form"] == ["二", "三"]
    assert data["interactive_total"] == 2
