"""A yes is for this element in this document in this state; what sends a form again asks again."""

import pytest

from browser_host_stub.driver import Around, Located
from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")
ROWS = (
    "<table><tr><th>申请人</th><th>金额</th><th></th></tr>"
    "<tr><td>张三</td><td>100</td><td><button>删除</button></td></tr>"
    "<tr><td>李四</td><td>9000</td><td><button>删除</button></td></tr></table>"
    "<button id=sort onclick=\"const b = document.querySelector('tbody'); b.insertBefore(b.rows[2], b.rows[1])\">"
    "排序</button>"
)
FORM = (
    "<form method=post action=/sent><label>金额 <input id=f name=amt value=100></label>"
    "<input type=password name=p value=geheim>"
    "<button id=b>提交</button></form><button id=n>另一个</button>"
)


async def _around(located: Located) -> Around:
    assert located.around is not None
    return await located.around()


@pytest.mark.requirement("CHR-68")
async def test_the_row_of_a_control_is_told_with_its_columns(tab: Tab) -> None:
    await tab.open(ROWS)
    around = await _around(await tab.locate("click", selector="tr:nth-child(3) button"))
    assert around.context == "申请人：李四 | 金额：9000 | 删除"


@pytest.mark.requirement("CHR-68")
async def test_the_fields_of_a_form_are_told_and_never_a_password(tab: Tab) -> None:
    await tab.open(FORM)
    around = await _around(await tab.locate("click", selector="#b"))
    assert around.context == "金额：100"
    assert "geheim" not in str(around)


@pytest.mark.requirement("CHR-69")
async def test_the_same_selector_on_another_row_is_another_element(tab: Tab) -> None:
    await tab.open(ROWS)
    before = await _around(await tab.locate("click", selector="tr:nth-child(2) button"))
    again = await _around(await tab.locate("click", selector="tr:nth-child(2) button"))
    await tab.act("click", selector="#sort")
    after = await _around(await tab.locate("click", selector="tr:nth-child(2) button"))
    assert before == again
    assert before.element != after.element
    assert before.state != after.state


@pytest.mark.requirement("CHR-69")
async def test_the_same_page_loaded_again_is_another_document(tab: Tab) -> None:
    await tab.open(FORM)
    before = await _around(await tab.locate("click", selector="#b"))
    await tab.open(FORM)
    after = await _around(await tab.locate("click", selector="#b"))
    assert before.element != after.element
    assert before.state == after.state


@pytest.mark.requirement("CHR-69")
@pytest.mark.parametrize("change", ["f.value='1000000'", "document.querySelector('[name=p]').value='x'"])
async def test_a_form_that_changed_is_another_state_and_the_act_is_not_done(tab: Tab, change: str) -> None:
    await tab.open(FORM.replace("id=n", f'id=n onclick="{change}"'))
    located = await tab.locate("click", selector="#b")
    before = await _around(located)
    await tab.act("click", selector="#n")
    with pytest.raises(ActionError) as refused:
        await tab.driver.perform(located, 5.0)
    assert refused.value.code == ActionCode.STALE_REF
    assert (await _around(await tab.locate("click", selector="#b"))).state != before.state


@pytest.mark.requirement("CHR-69")
async def test_an_act_that_was_looked_around_and_did_not_change_is_done(tab: Tab) -> None:
    tab.site.show("好", "/sent")
    await tab.open(FORM)
    typed = await tab.locate("type", selector="#f", text="200", submit=True)
    await _around(typed)
    assert (await tab.driver.perform(typed, 5.0))["value"] == "200"


@pytest.mark.requirement("CHR-70")
async def test_loading_an_answer_to_a_form_again_repeats_the_form(tab: Tab) -> None:
    tab.site.show("好", "/sent")
    await tab.open(FORM)
    assert not (await tab.locate("reload")).repeats
    await tab.act("click", selector="#b")
    assert (await tab.locate("reload")).repeats
    assert (await tab.locate("press", key="F5")).repeats
    assert (await tab.locate("press", key="Control+r")).repeats
    assert not (await tab.locate("press", key="r")).repeats
    assert not (await tab.locate("goBack")).repeats
    await tab.act("goBack")
    assert not (await tab.locate("reload")).repeats
    assert (await tab.locate("goForward")).repeats


@pytest.mark.requirement("CHR-70")
async def test_an_answer_that_leads_on_by_a_redirect_may_be_loaded_again(tab: Tab) -> None:
    tab.site.show("好", "/list")
    tab.site.pages["/sent"] = (
        b"HTTP/1.1 303 See Other\r\nLocation: /list\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    await tab.open(FORM)
    await tab.act("click", selector="#b")
    assert (await tab.driver.page_info(None)).url.endswith("/list")
    assert not (await tab.locate("reload")).repeats


RECORDS = (
    "<div class=c><i id=n>张三</i><button id=b>删除</button></div><div class=c><i>赵六</i><button>删除</button></div>",
    "<div class=card><span id=n>张三</span><button id=b>删除</button></div>",
    "<h2 id=n>张三</h2><button id=b>删除</button>",
    "<dl><dt id=n>张三<dd><button id=b>删除</button></dl>",
    "<dl><dt id=n>张三<dd>待审 <button id=b>删除</button><dt>赵六<dd>待审 <button>删除</button></dl>",
    "<article><b id=n>张三</b><button id=b>删除</button></article>",
    "<div class=field>姓名 <b id=n>张三</b></div><div class=field>操作：不可撤销 <button id=b>删除</button></div>",
    "<b id=n>张三</b><ul><li><button id=b>删除</button></li><li><button>返回</button></li></ul>",
)


@pytest.mark.requirement("CHR-105")
@pytest.mark.parametrize("body", RECORDS)
async def test_a_record_that_is_no_row_is_told_and_the_act_is_not_done_on_another(tab: Tab, body: str) -> None:
    await tab.open(
        body.replace("id=b", "id=b onclick=\"document.title='删了'\"")
        + "<p></p><a id=x onclick=\"n.textContent='李四'\">换</a>"
    )
    located = await tab.locate("click", selector="#b")
    before = await _around(located)
    assert await _around(await tab.locate("click", selector="#b")) == before
    assert "张三" in before.context or "操作" in before.context
    await tab.act("click", selector="#x")
    with pytest.raises(ActionError) as refused:
        await tab.driver.perform(located, 5.0)
    assert refused.value.code == ActionCode.STALE_REF
    assert await tab.act("query", fact="title") == {"value": "测试页"}
    assert (await _around(await tab.locate("click", selector="#b"))).state != before.state


@pytest.mark.requirement("CHR-105")
@pytest.mark.parametrize(
    "volatile",
    ["<i id=v role=timer>1</i>", "<time id=v>1</time>", "<div id=v aria-live=polite>1</div>", "<b id=v>08:00:01</b>"],
)
async def test_what_changes_by_itself_does_not_undo_a_yes(tab: Tab, volatile: str) -> None:
    await tab.open(
        f"<h2>合同A</h2>{volatile}<button id=b>删除</button><a id=x onclick=\"v.textContent='09:10:11'\">换</a>"
    )
    before = await _around(await tab.locate("click", selector="#b"))
    await tab.act("click", selector="#x")
    assert await _around(await tab.locate("click", selector="#b")) == before
