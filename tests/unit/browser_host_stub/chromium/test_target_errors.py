"""Why a target cannot be acted on, and what else may have been meant."""

import asyncio

import pytest

from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _selectors(error: ActionError) -> list[str]:
    items = error.facts.get("alternatives", [])
    assert isinstance(items, list)
    assert all(set(item) == {"selector", "role", "name"} for item in items)
    return [item["selector"] for item in items]


@pytest.mark.requirement("CHR-89")
@pytest.mark.parametrize(
    ("body", "why", "hidden_by"),
    [
        ("<button id=b style='display:none'>好</button>", "没有显示在页面上（display: none）", None),
        ("<div id=d class=x hidden><button id=b>好</button></div>", "没有显示在页面上（display: none）", "div#d.x"),
        ("<button id=b style='visibility:hidden'>好</button>", "没有显示在页面上（visibility: hidden）", None),
        ("<details id=d><summary>更多</summary><button id=b>好</button></details>", "在收起的区域里", "details#d"),
        ("<button id=b style='all:unset;display:block;width:0;height:0;overflow:hidden'></button>", "没有大小", None),
        ("<button id=b style='position:fixed;left:-900px'>好</button>", "滚动后仍在可视区域之外", None),
    ],
)
async def test_a_hidden_target_says_why(tab: Tab, body: str, why: str, hidden_by: str | None) -> None:
    await tab.open(body)
    error = await tab.refused("click", selector="#b")
    assert (error.code, error.facts["why"], error.facts.get("hidden_by")) == (ActionCode.HIDDEN_TARGET, why, hidden_by)


@pytest.mark.requirement("CHR-89")
async def test_steps_that_lead_nowhere_say_which_and_why(tab: Tab) -> None:
    await tab.open(
        "<p id=p></p><div id=shut></div><div id=ajar></div><input id=i><script>shut.attachShadow({mode:'closed'})"
        ".innerHTML='<b>x</b>';ajar.attachShadow({mode:'open'}).innerHTML='<button>甲</button><button>乙</button>'</script>"
    )
    plain = await tab.refused("click", selector="#p >>> b")
    assert (plain.code, plain.facts["why"]) == (ActionCode.NOT_FOUND, "路径中的元素没有影子根，也不是框架")
    assert plain.facts["step"] == "p#p"
    closed = await tab.refused("click", selector="#shut >>> i")
    assert (closed.code, closed.facts["selector"]) == (ActionCode.NOT_FOUND, "#shut >>> i")
    own = await tab.refused("click", selector="#i >>> b")
    assert own.facts["why"] == "路径中的元素没有影子根，也不是框架"
    many = await tab.refused("click", selector="#ajar >>> button")
    assert (many.code, many.facts["labels"]) == (ActionCode.AMBIGUOUS_TARGET, ["甲", "乙"])
    assert _selectors(many) == ["#ajar >>> button:nth-of-type(1)", "#ajar >>> button:nth-of-type(2)"]


@pytest.mark.requirement("CHR-90")
async def test_a_missing_target_names_what_is_called_nearly_so(tab: Tab) -> None:
    await tab.open(
        "<button id=submit-form-2>提交申请</button><button id=cancel>取消</button><a href=#x class=submit-link>提交</a>"
        "<button id=submit-hidden style='display:none'>提交</button><div id=menu style='cursor:pointer'>采购管理</div>"
    )
    assert _selectors(await tab.refused("click", selector="#submit-form"))[0] == "#submit-form-2"
    assert _selectors(await tab.refused("click", selector="[aria-label='采购']")) == ["#menu"]
    assert _selectors(await tab.refused("click", selector="#zzz")) == []
    for selector in _selectors(await tab.refused("click", selector="button.submit")):
        assert await tab.act("query", selector=selector, fact="count") == {"value": 1}
        assert "hidden" not in selector


@pytest.mark.requirement("CHR-90")
async def test_an_unusable_target_names_another_one_that_says_the_same(tab: Tab) -> None:
    await tab.open(
        "<button id=a style='display:none'>导出</button><button id=b>导出</button><button id=c disabled>查询</button>"
        "<span role=button id=d>查询</span>"
    )
    hidden = await tab.refused("click", selector="#a")
    assert hidden.facts["alternatives"] == [{"selector": "#b", "role": "button", "name": "导出"}]
    assert _selectors(await tab.refused("click", selector="#c"))[0] == "#d"
    assert (await tab.refused("click", selector="[[")).facts == {"why": "选择器写法不对"}


@pytest.mark.requirement("CHR-90")
async def test_alternatives_are_five_at_most_and_cost_a_moment_on_a_large_page(tab: Tab) -> None:
    await tab.open("<div class=row><i></i><button class=act>审批通过</button></div>" * 6_000)
    error = await tab.refused("click", selector=".action-button")
    assert len(_selectors(error)) <= 5
    many = await tab.refused("click", selector=".act")
    assert many.facts["count"] == 6_000
    assert len(_selectors(many)) <= 5
    await tab.open("<div class=row><i></i><button class=act>审批通过</button></div>" * 60)
    assert len(_selectors(await tab.refused("click", selector=".act"))) == 5


@pytest.mark.requirement("CHR-90")
async def test_alternatives_in_a_frame_are_named_from_the_page(tab: Tab) -> None:
    far = tab.site.show("<button id=save>保存单据</button>", "/in").replace("127.0.0.1", "localhost")
    await tab.open(f"<div><iframe id=f src={far}></iframe></div>")
    await tab.act("waitForSelector", selector="#f >>> #save")
    error = await tab.refused("click", selector="iframe >>> #saved")
    assert _selectors(error) == ["#f >>> #save"]
    assert await tab.act("click", selector="#f >>> #save") == {"clicked": True}


@pytest.mark.requirement("CHR-91")
async def test_what_a_control_stands_in_goes_with_its_refusals(tab: Tab) -> None:
    await tab.open(
        "<div class='el-select x' id=w><div class=el-input><input id=ro readonly></div></div>"
        "<div class=layui-form><select id=s hidden><option>甲</select><div class=layui-form-select>甲</div></div>"
        "<div class=layui-form><input type=checkbox id=c hidden><div class='layui-unselect box'>甲</div></div>"
    )
    for error in (await tab.refused("type", selector="#ro", text="x"), await tab.refused("clear", selector="#ro")):
        assert error.code == ActionCode.DISABLED_TARGET
        assert error.facts["within"] == ["input#ro", "div.el-input", "div#w.el-select.x", "body", "html"]
    for selector in ("#ro", "#w"):
        error = await tab.refused("select", selector=selector, value="甲")
        assert error.code == ActionCode.UNSUPPORTED_WIDGET
        assert "div#w.el-select.x" in str(error.facts["within"])
    hidden = await tab.refused("select", selector="#s", wait=0.7, value="甲")
    assert (hidden.code, hidden.facts["next"]) == (ActionCode.HIDDEN_TARGET, "div.layui-form-select")
    assert hidden.facts["within"] == ["select#s", "div.layui-form", "body", "html"]
    ticked = await tab.refused("check", selector="#c")
    assert (ticked.code, ticked.facts["next"]) == (ActionCode.HIDDEN_TARGET, "div.layui-unselect.box")
    assert "within" not in (await tab.refused("click", selector="#s")).facts


@pytest.mark.requirement("CHR-91")
async def test_a_hidden_control_with_a_visible_stand_in_is_told_without_the_whole_wait(tab: Tab) -> None:
    await tab.open("<select id=s style='display:none'><option>甲</select><div class=stand>甲</div>")
    async with asyncio.timeout(3):
        assert (await tab.refused("select", selector="#s", wait=5.0, value="甲")).code == ActionCode.HIDDEN_TARGET
