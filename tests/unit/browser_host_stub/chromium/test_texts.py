"""What a person reads on a page is in the snapshot: texts, rows, items of lists, messages."""

import pytest

from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.seeing import Node, nodes_of, see

pytestmark = pytest.mark.asyncio(loop_scope="module")


def told(nodes: list[Node]) -> list[tuple[str, str]]:
    return [(node["role"], node["name"]) for node in nodes]


async def read(tab: Tab, html: str, **params: object) -> list[tuple[str, str]]:
    await tab.open(html)
    return told(nodes_of(await see(tab, **params)))


@pytest.mark.requirement("SNAP-16")
async def test_texts_stand_in_reading_order_one_for_each_block_and_without_what_only_parts(tab: Tab) -> None:
    html = (
        "<p>本月合计 <b>1,200</b>.50<i> 元</i></p><button>导出</button> 于昨日 <a href=#>更新</a> / <span>完</span>"
        "<div>甲<div>乙</div>丙</div><p style='display:none'>藏</p><p style='visibility:hidden'>藏</p>"
    )
    assert await read(tab, html) == [
        ("text", "本月合计 1,200.50 元"),
        *(("button", "导出"), ("text", "于昨日"), ("link", "更新"), ("text", "/ 完")),
        *(("text", "甲"), ("text", "乙"), ("text", "丙")),
    ]


@pytest.mark.requirement("SNAP-16")
async def test_a_text_has_neither_a_number_nor_a_selector_and_a_long_one_is_cut(tab: Tab) -> None:
    await tab.open(f"<p>{'长' * 300}</p>")
    (text,) = nodes_of(await see(tab))
    assert text == {"role": "text", "name": "长" * 199 + "…"}


@pytest.mark.requirement("SNAP-16")
async def test_what_a_listed_node_is_called_or_holds_is_not_told_again(tab: Tab) -> None:
    html = (
        "<h1>报表</h1><label for=m>月份：</label><input id=m><label><input type=checkbox>含税</label>"
        "<button><b>导</b><i>出</i></button><textarea aria-label=备注>写了</textarea><div role=status>已存</div>"
    )
    assert await read(tab, html) == [
        *(("heading", "报表"), ("textbox", "月份："), ("checkbox", "含税"), ("button", "导出")),
        *(("textbox", "备注"), ("status", "已存")),
    ]


@pytest.mark.requirement("SNAP-16")
async def test_a_label_and_its_value_are_one_text(tab: Tab) -> None:
    html = (
        "<dl><dt>客户<dd>甲公司<dt>金额<dd>300 元</dl><div style='display:flex'><div>经办：</div><div>张三</div></div>"
        "<div class=el-d__label>部门</div><div>财务部</div>"
    )
    texts = [("text", f"{label}: {value}") for label, value in (("客户", "甲公司"), ("金额", "300 元"))]
    assert await read(tab, html) == [*texts, ("text", "经办: 张三"), ("text", "部门: 财务部")]


@pytest.mark.requirement("SNAP-17")
async def test_rows_hold_their_cells_in_one_name_and_what_can_be_operated_as_children(tab: Tab) -> None:
    await tab.open(
        "<table id=t><tr><th><th>编号<th>金额<th>操作<tr><td><input type=checkbox><td><a href=#>HT-1</a><td>10"
        "<td><button>编辑</button><button>删除</button><tr><td><td>a|b<td><td></table>"
    )
    nodes = nodes_of(await see(tab))
    rows = [node for node in nodes if node["role"] == "row"]
    assert [row["name"] for row in rows] == [" | HT-1 | 10 | 编辑 删除", " | a｜b"]
    assert [child["role"] for child in rows[0]["children"]] == ["checkbox", "link", "button", "button"]
    assert "ref" not in rows[0]


@pytest.mark.requirement("SNAP-17")
async def test_twenty_rows_of_a_table_are_shown_and_everything_operable_of_all(tab: Tab) -> None:
    body = "".join(f"<tr><td>A-{n}<td>{n}<td><button>改</button>" for n in range(1, 31))
    await tab.open(f"<table id=t><tr><th>编号<th>数<th>操作{body}</table>")
    data = await see(tab)
    nodes = nodes_of(data)
    assert len([node for node in nodes if node["role"] == "row"]) == 20
    assert len([node for node in nodes if node["role"] == "button"]) == 30 == data["interactive_total"]
    assert next(node for node in nodes if node["role"] == "table")["row_count"] == 30
    assert not any("A-21" in node["name"] for node in nodes if node["role"] != "button")


@pytest.mark.requirement("SNAP-17")
async def test_a_row_drawn_a_second_time_for_its_locked_column_is_told_once(tab: Tab) -> None:
    table = (
        "<table style='position:absolute;top:0;left:{}px'><tr style='height:30px'>{}<tr style='height:30px'>{}</table>"
    )
    cells = [f"<td>A-{n}<td>{n}00" for n in (1, 2)]
    html = table.format(0, *cells) + table.format(300, *cells)
    assert [name for role, name in await read(tab, html) if role == "row"] == ["A-1 | 100", "A-2 | 200"]


@pytest.mark.requirement("SNAP-17")
async def test_an_item_of_a_list_holds_its_text_and_its_controls(tab: Tab) -> None:
    html = "<ul><li>合同审批 <span>张三</span> <a href=#>查看</a><li><a href=#>首页</a></ul>"
    assert await read(tab, html) == [("listitem", "合同审批 张三"), ("link", "查看"), ("link", "首页")]


@pytest.mark.requirement("SNAP-18")
async def test_messages_beside_fields_and_those_that_pass_are_alerts_and_statuses(tab: Tab) -> None:
    html = (
        "<input aria-label=金额><div class=el-form-item__error>请输入金额</div>"
        "<div class=layui-layer-msg>保存成功</div><div role=alert>网络异常</div>"
    )
    assert await read(tab, html) == [
        *(("textbox", "金额"), ("alert", "请输入金额"), ("status", "保存成功"), ("alert", "网络异常")),
    ]


@pytest.mark.requirement("SNAP-19")
async def test_texts_count_and_leave_room_for_what_can_be_operated(tab: Tab) -> None:
    await tab.open("<p>字</p>" * 30 + "<button>甲</button>" * 8)
    data = await see(tab, max_nodes=20)
    roles = [node["role"] for node in nodes_of(data)]
    assert (roles.count("button"), roles.count("text"), "cut" in data) == (8, 8, False)
    assert nodes_of(data)[-1] == {"role": "note", "name": "页面文字太多，只列出了一部分"}


@pytest.mark.requirement("SNAP-04")
async def test_what_a_style_sheet_draws_over_an_element_covers_it(tab: Tab) -> None:
    await tab.open(
        "<style>body{margin:0}.busy{position:relative}.busy::after{content:'';position:absolute;inset:0}</style>"
        "<div class=busy><button>忙</button></div><button>闲</button>"
    )
    assert [(node["name"], node.get("covered")) for node in nodes_of(await see(tab))] == [("忙", True), ("闲", None)]


@pytest.mark.requirement("SNAP-87")
@pytest.mark.parametrize(
    "style",
    [
        "font-size:1px",
        "color:transparent",
        "color:rgba(0,0,0,0)",
        "color:#fff",
        "background:#123456;color:rgb(18,52,86)",
        "text-indent:-9999px;overflow:hidden",
        "position:absolute;clip:rect(0,0,0,0)",
        "clip-path:inset(100%)",
        "clip-path:circle(0)",
    ],
)
async def test_a_text_that_no_eye_can_read_is_left_out(tab: Tab, style: str) -> None:
    html = f"<p>本月</p><p style='{style}'>藏着的话</p><div style='{style}'><span>也藏着</span></div>"
    assert await read(tab, html) == [("text", "本月")]


@pytest.mark.requirement("SNAP-87")
async def test_what_is_folded_away_is_left_out_until_it_is_opened(tab: Tab) -> None:
    folded = "<details{}><summary>更多</summary><p>藏着的话</p></details>"
    assert ("text", "藏着的话") not in await read(tab, folded.format(""))
    assert ("text", "藏着的话") in await read(tab, folded.format(" open"))


@pytest.mark.requirement("SNAP-87")
@pytest.mark.parametrize(
    "html",
    [
        "<div style='background:#124'><p style='color:#fff'>看得见</p></div>",
        "<div style='background:linear-gradient(#124,#235)'><p style='color:#fff'>看得见</p></div>",
        "<div style='background:#124;height:40px'></div><p style='position:relative;top:-40px;color:#fff'>看得见</p>",
        "<p style='position:absolute;top:0;color:#fff'>看得见</p>",
        "<p style='color:#fff;text-shadow:0 0 2px #000'>看得见</p>",
        "<p style='color:transparent;background:linear-gradient(red,blue);background-clip:text'>看得见</p>",
        "<p style='text-indent:2em;font-size:9px;opacity:.6'>看得见</p>",
        "<p style='clip-path:inset(10%)'>看得见</p>",
        "<div style='clip:rect(0,0,0,0)'>看得见</div>",
        "<body style='background:#000;color:#fff'><p>看得见</p></body>",
    ],
)
async def test_a_text_that_an_eye_can_read_is_told_however_it_is_drawn(tab: Tab, html: str) -> None:
    assert await read(tab, html) == [("text", "看得见")]
