"""What counts as operable, what it is taken for, and what it is called, on pages like those of real back offices."""

import pytest

from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.seeing import operable

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _told(tab: Tab, body: str) -> list[tuple[str, str]]:
    await tab.open(body)
    return [(node["role"], node["name"]) for node in await operable(tab)]


@pytest.mark.requirement("SNAP-10")
async def test_boxes_with_the_hand_or_a_listener_of_their_own_are_operable(tab: Tab) -> None:
    body = (
        "<style>.p{cursor:pointer}</style><div class=p>手</div><span id=a>听</span><ul><li onclick=1>项</li></ul>"
        "<p tabindex=0>焦</p><div contenteditable>写</div><div id=b>压</div><em ondblclick=1>双</em>"
        "<script>a.addEventListener('click', () => 0); b.addEventListener('pointerdown', () => 0);"
        "document.body.addEventListener('click', () => 0)</script>"
    )
    assert [name for _, name in await _told(tab, body)] == ["手", "听", "项", "焦", "写", "压", "双"]


@pytest.mark.requirement("SNAP-10")
async def test_a_container_that_listens_for_its_parts_is_not_one_of_them(tab: Tab) -> None:
    body = (
        "<div id=box><button>甲</button><button>乙</button></div>"
        "<ul id=u style='cursor:pointer'><li>丙</li><li>丁</li></ul>"
        "<script>box.addEventListener('click', () => 0); u.addEventListener('click', () => 0)</script>"
    )
    assert [name for _, name in await _told(tab, body)] == ["甲", "乙", "丙", "丁"]


@pytest.mark.requirement("SNAP-10")
async def test_handles_masks_and_boxes_nobody_can_reach_are_left_out(tab: Tab) -> None:
    body = (
        "<div style='width:0;height:0;overflow:hidden'><button>零</button></div>"
        "<div style='position:absolute;left:-999px'><button>左</button></div>"
        "<i class=resizer style='cursor:col-resize;width:5px;height:20px;display:block' onmousedown=1></i>"
        "<div style='position:fixed;inset:0;z-index:-1' onclick=1></div><button>真</button>"
        "<div style='height:40px;overflow:auto'><p style='height:200px'></p><button>滚</button></div>"
    )
    assert [name for _, name in await _told(tab, body)] == ["真", "滚"]


LAYUI = """<style>.e{display:none}.c{cursor:pointer;display:inline-block;width:60px;height:20px}</style>
<div class=layui-form-item><label class=layui-form-label>城市</label><div class=layui-input-block>
<select class=e name=city><option>北京<option selected>上海</select>
<div class=layui-form-select><div class=layui-select-title onclick=1><input class=layui-input readonly value=上海
 style=cursor:pointer><i class=layui-edge style=cursor:pointer onclick=1>&nbsp;</i></div>
<dl class=e><dd>北京</dl></div></div></div>
<div class=layui-form-item><label class=layui-form-label>爱好</label><div>
<input type=checkbox class=e checked title=读书>
<div class="layui-form-checkbox layui-form-checked c" onclick=1><span>读书</span></div>
<input type=checkbox class=e lay-skin=switch><div class="layui-form-switch c" onclick=1><em>关</em></div>
<input type=radio class=e name=g><div class="layui-form-radio c" onclick=1><div>男</div></div></div></div>"""


@pytest.mark.requirement("SNAP-11")
async def test_what_stands_for_a_hidden_native_control_carries_its_role_state_and_label(tab: Tab) -> None:
    await tab.open(LAYUI)
    nodes = await operable(tab)
    assert [(n["role"], n["name"], n.get("value"), n.get("checked")) for n in nodes] == [
        ("combobox", "城市", "上海", None),
        ("checkbox", "读书", None, True),
        ("switch", "关", None, False),
        ("radio", "男", None, False),
    ]


@pytest.mark.requirement("SNAP-11")
async def test_a_faint_native_box_in_a_label_is_one_with_the_label(tab: Tab) -> None:
    body = (
        "<label class=ant-checkbox-wrapper><span><input type=checkbox checked style='opacity:0'><i></i></span>"
        "<span>同意</span></label><label>名 <input></label><label for=x>外</label><input id=x type=radio>"
    )
    await tab.open(body)
    nodes = await operable(tab)
    assert [(n["role"], n["name"], n.get("checked")) for n in nodes] == [
        ("checkbox", "同意", True),
        ("textbox", "名", None),
        ("radio", "外", False),
    ]


@pytest.mark.requirement("SNAP-12")
async def test_tree_nodes_of_sprites_and_spans_are_named_and_open(tab: Tab) -> None:
    body = (
        "<style>.b{cursor:pointer;display:inline-block;width:16px;height:16px}a{cursor:pointer}</style>"
        "<ul class=ztree><li id=t_1><span id=t_1_switch class='b button switch root_open'></span>"
        "<span id=t_1_check class='b button chk checkbox_true_full'></span><a onclick=1 title=总部>"
        "<span class='button ico'></span><span class=node_name>总部</span></a><ul><li id=t_2>"
        "<span class='b button switch center_close'></span>"
        "<a onclick=1><span>财务部</span></a></li></ul></li></ul>"
    )
    await tab.open(body)
    nodes = await operable(tab)
    assert [(n["role"], n["name"], n.get("checked"), n.get("expanded")) for n in nodes] == [
        ("button", "展开或收起 · 总部", None, True),
        ("checkbox", "总部", True, None),
        ("link", "总部", None, None),
        ("button", "展开或收起 · 财务部", None, False),
        ("link", "财务部", None, None),
    ]


@pytest.mark.requirement("SNAP-13")
async def test_icons_are_named_by_tooltip_then_by_what_they_show_and_marked_as_guessed(tab: Tab) -> None:
    body = (
        "<style>i{display:inline-block;width:14px;height:14px}</style>"
        "<button title=导出明细><i class='fa fa-file'></i></button><button><i class=el-icon-delete></i></button>"
        "<button><i class='fa fa-trash'></i></button><a href=#><i class='layui-icon layui-icon-edit'></i></a>"
        "<button><span role=img aria-label=search class='anticon anticon-search'></span></button>"
        "<button><svg><use href='#icon-download'></use></svg></button><button>×</button>"
        "<button>&#xe615;<i class=icon-print></i></button>"
        "<button class='btn btn-sync-orders'></button><button><img alt=帮助 src=q.png></button>"
    )
    await tab.open(body)
    nodes = await operable(tab)
    assert [node["name"] for node in nodes] == [
        *("导出明细", "删除", "删除", "编辑", "搜索", "下载", "关闭", "打印", "刷新", "帮助"),
    ]
    assert [node["name"] for node in nodes if "name" in node.get("inferred", ())] == [
        *("删除", "删除", "编辑", "搜索", "下载", "关闭", "打印", "刷新"),
    ]


@pytest.mark.requirement("SNAP-13")
async def test_fields_are_named_by_label_neighbour_or_placeholder_and_cells_by_column_and_row(tab: Tab) -> None:
    body = (
        "<div><span>开户行：</span><input></div><table><tr><td>账号<td><input placeholder=请输入></table>"
        "<input placeholder=备注><table><thead><tr><th>编号<th>数量<th>操作<tbody>"
        "<tr><td>HT-01<td><input value=3><td><a href=#>删除</a>"
        "<tr><td>HT-02<td><input value=4><td><a href=#>删除</a></table>"
    )
    assert await _told(tab, body) == [
        ("textbox", "开户行"),
        ("textbox", "账号"),
        ("textbox", "备注"),
        ("textbox", "数量 · HT-01"),
        ("link", "删除 · HT-01"),
        ("textbox", "数量 · HT-02"),
        ("link", "删除 · HT-02"),
    ]


@pytest.mark.requirement("SNAP-14")
async def test_of_a_locked_column_and_its_copy_the_one_on_top_is_listed(tab: Tab) -> None:
    row = "<tr><td style='width:40px;height:24px'><button style='width:40px;height:20px'>选</button><td>甲</tr>"
    body = (
        f"<style>table{{border-collapse:collapse}}</style><div style='position:relative'><table>{row}</table>"
        f"<div class=layui-table-fixed style='position:absolute;left:0;top:0;background:#fff'>"
        f"<table class=copy>{row}</table></div></div>"
    )
    await tab.open(body)
    nodes = await operable(tab)
    assert [node["name"] for node in nodes] == ["选"]
    assert ".copy" in str(nodes[0]["selector"])
    await tab.act("click", selector=nodes[0]["selector"])


@pytest.mark.requirement("SNAP-15")
async def test_a_scrolled_list_tells_how_many_rows_it_has(tab: Tab) -> None:
    rows = "".join(f"<li style='height:20px;cursor:pointer'>第{i}项</li>" for i in range(40))
    await tab.open(f"<ul style='height:100px;overflow:auto'>{rows}</ul>")
    data = await tab.act("getAomSnapshot")
    nodes = data["nodes"]
    assert isinstance(nodes, list)
    assert (nodes[0]["role"], nodes[0]["row_count"], len(nodes[0]["children"])) == ("list", 40, 40)
