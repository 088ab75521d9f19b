import asyncio

import pytest

from browser_host_stub.driver import TargetFacts
from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("CHR-01")
async def test_a_click_is_a_real_event_on_the_element(tab: Tab) -> None:
    await tab.open(
        "<button id=b>查询</button><p id=o></p>"
        "<script>b.onclick=e=>{o.textContent=`${e.isTrusted} ${e.detail}`}</script>"
    )
    assert await tab.act("click", selector="#b") == {"clicked": True}
    assert await tab.text("#o") == "true 1"


@pytest.mark.requirement("CHR-02")
async def test_facts_name_the_button_that_is_really_hit(tab: Tab) -> None:
    await tab.open(
        "<form action='/save'><div id=card style='width:200px;height:60px'>"
        "<button title='永久' style='width:200px;height:60px'><b id=inner>删除</b>单据</button></div></form>"
    )
    facts = TargetFacts(
        tag="div", label="删除单据 · 永久", name="删除单据", type="submit", form_action=f"{tab.site.base}/save"
    )
    located = await tab.locate("click", selector="#card")
    assert located.target == facts
    assert located.origin == tab.site.base
    inner = await tab.locate("click", selector="#inner")
    assert inner.target is not None
    assert inner.target.label == "删除单据 · 永久"


@pytest.mark.requirement("CHR-02")
async def test_typing_and_hovering_set_nothing_off_but_enter_sets_off_the_forms_button(tab: Tab) -> None:
    await tab.open("<form><input id=i aria-label='审批意见'><button id=b>提交</button></form>")
    labels = {}
    for act, params in {
        "type": {"text": "a"},
        "hover": {},
        "type+": {"text": "a", "submit": True},
        "press": {"key": "Enter"},
        "press+": {"key": "a"},
    }.items():
        located = await tab.locate(act.rstrip("+"), selector="#i", **params)  # type: ignore[arg-type]
        assert located.target is not None
        labels[act] = (located.target.name, located.target.label)
    assert labels == {
        "type": ("审批意见", ""),
        "hover": ("审批意见", ""),
        "type+": ("审批意见", "提交"),
        "press": ("审批意见", "提交"),
        "press+": ("审批意见", ""),
    }


@pytest.mark.requirement("CHR-03")
async def test_an_element_changed_between_check_and_act_is_not_touched(tab: Tab) -> None:
    await tab.open(
        "<button id=b onclick=\"o.textContent='clicked'\">查询</button><button id=x>改</button><p id=o></p>"
        "<script>x.onclick=()=>{b.textContent='删除'}</script>"
    )
    located = await tab.locate("click", selector="#b")
    await tab.act("click", selector="#x")
    with pytest.raises(ActionError) as caught:
        await tab.driver.perform(located, 5.0)
    assert (caught.value.code, caught.value.facts["field"]) == (ActionCode.STALE_REF, "label")
    assert await tab.text("#o") == ""


@pytest.mark.requirement("CHR-03")
@pytest.mark.parametrize(
    ("change", "refused"),
    [("b.replaceWith(b.cloneNode(true))", ActionCode.DETACHED_TARGET), ("location.reload()", ActionCode.STALE_REF)],
)
async def test_an_element_replaced_or_left_between_check_and_act_is_not_touched(
    tab: Tab, change: str, refused: ActionCode
) -> None:
    await tab.open(f"<button id=b>查询</button><button id=x onclick='{change}'>改</button>")
    located = await tab.locate("click", selector="#b")
    await tab.act("click", selector="#x")
    with pytest.raises(ActionError) as caught:
        await tab.driver.perform(located, 5.0)
    assert caught.value.code == refused


@pytest.mark.requirement("CHR-03")
async def test_an_overlay_that_appears_under_the_falling_mouse_gets_no_click(tab: Tab) -> None:
    await tab.open(
        "<style>#over{position:fixed;inset:0;display:none}</style><button id=b>查询</button>"
        "<div id=over onclick=\"o.textContent='stolen'\"></div><p id=o></p>"
        "<script>document.addEventListener('mousemove',()=>{over.style.display='block'})</script>"
    )
    error = await tab.refused("click", selector="#b")
    assert error.code == ActionCode.COVERED_TARGET
    assert await tab.act("query", selector="#o", fact="visible") == {"value": False}


@pytest.mark.requirement("CHR-04")
async def test_refusals_name_the_cause(tab: Tab) -> None:
    await tab.open(
        "<button class=two>甲</button><button class=two>乙</button><button id=hid style='display:none'>丙</button>"
        "<button id=dis disabled>丁</button><fieldset disabled><button id=dis2>戊</button></fieldset>"
        "<button id=cov style='position:absolute;top:200px;left:0;width:80px;height:30px'>己</button>"
        "<div class='el-mask' id=mask style='position:absolute;top:190px;left:0;width:200px;height:60px'>加载中</div>"
        "<input id=ro readonly value=1>"
    )
    seen = {s: await tab.refused("click", selector=s) for s in ("#none", ".two", "#hid", "#dis", "#dis2", "#cov", "[[")}
    assert {selector: error.code for selector, error in seen.items()} == {
        "#none": ActionCode.NOT_FOUND,
        ".two": ActionCode.AMBIGUOUS_TARGET,
        "#hid": ActionCode.HIDDEN_TARGET,
        "#dis": ActionCode.DISABLED_TARGET,
        "#dis2": ActionCode.DISABLED_TARGET,
        "#cov": ActionCode.COVERED_TARGET,
        "[[": ActionCode.BAD_PARAMS,
    }
    assert (seen[".two"].facts["count"], seen[".two"].facts["labels"]) == (2, ["甲", "乙"])
    assert seen["#cov"].facts["covered_by"] == {"element": "div#mask.el-mask", "text": "加载中"}
    assert (await tab.refused("type", selector="#ro", text="2")).code == ActionCode.DISABLED_TARGET


@pytest.mark.requirement("CHR-05")
async def test_an_act_waits_for_its_element_to_appear_and_become_free(tab: Tab) -> None:
    await tab.open(
        "<div id=mask style='position:fixed;inset:0'></div><p id=o></p><script>"
        "setTimeout(()=>{mask.insertAdjacentHTML("
        "'beforebegin','<button id=b disabled onclick=\"o.textContent=1\">好</button>')},200);"
        "setTimeout(()=>{mask.remove()},400);setTimeout(()=>{b.disabled=false},600)</script>"
    )
    await tab.act("click", selector="#b")
    assert await tab.text("#o") == "1"


@pytest.mark.requirement("CHR-05")
async def test_a_click_waits_until_the_element_stands_still(tab: Tab) -> None:
    await tab.open(
        "<style>@keyframes m{from{margin-left:0}to{margin-left:700px}}"
        "#b{animation:m .5s linear both;display:block}</style>"
        "<button id=b onclick=\"o.textContent='ok'\">移动</button><p id=o></p>"
    )
    await tab.act("click", selector="#b")
    assert await tab.text("#o") == "ok"


@pytest.mark.requirement("CHR-06")
async def test_typing_replaces_extends_and_reads_back(tab: Tab) -> None:
    await tab.open(
        "<input id=i value=旧><textarea id=t></textarea><input id=p type=password><input id=d type=date>"
        "<div id=c contenteditable>原</div><p id=o></p><script>i.onkeydown=e=>{o.textContent+=e.key}</script>"
    )
    typed = await tab.act("type", selector="#i", text="ab新")
    assert typed == {"typed": True, "value": "ab新", "within": ["input#i", "body", "html"]}
    assert (await tab.act("type", selector="#i", text="c", clear=False))["value"] == "ab新c"
    assert "ab" in str(await tab.text("#o"))
    assert (await tab.act("type", selector="#t", text="一\n二\t三"))["value"] == "一\n二\t三"
    assert (await tab.act("type", selector="#p", text="secret"))["value"] is None
    assert (await tab.act("type", selector="#d", text="2026-03-01"))["value"] == "2026-03-01"
    assert (await tab.act("type", selector="#c", text="新"))["value"] == "新"
    long = "长" * 5_000
    assert (await tab.act("type", selector="#t", text=long))["value"] == long
    assert await tab.act("clear", selector="#t") == {"cleared": True, "within": ["textarea#t", "body", "html"]}
    assert await tab.act("query", selector="#t", fact="value") == {"value": ""}


@pytest.mark.requirement("CHR-06")
async def test_a_line_break_never_submits_a_one_line_field(tab: Tab) -> None:
    await tab.open("<form action=/sent><input id=i name=q></form>")
    assert (await tab.refused("type", selector="#i", text="a\nb")).code == ActionCode.BAD_PARAMS
    assert "/sent" not in tab.site.asked
    await tab.act("type", selector="#i", text="a", submit=True)
    assert tab.site.asked[-1] == "/sent"


@pytest.mark.requirement("CHR-07")
async def test_select_takes_value_or_label_and_names_the_options_when_absent(tab: Tab) -> None:
    await tab.open(
        "<select id=s><option value=''>请选择<option value=fin>财务部<option value=hr>人事部"
        "<option value=x disabled>停用</select><p id=o></p><script>s.onchange=()=>{o.textContent+=s.value}</script>"
    )
    assert await tab.act("select", selector="#s", value="fin") == {
        "value": "fin",
        "label": "财务部",
        "within": ["select#s", "body", "html"],
    }
    assert (await tab.act("select", selector="#s", value="人事部"))["value"] == "hr"
    assert await tab.text("#o") == "finhr"
    error = await tab.refused("select", selector="#s", value="法务部")
    assert (error.code, error.facts["options"]) == (ActionCode.NOT_FOUND, ["请选择", "财务部", "人事部", "停用"])
    assert (await tab.refused("select", selector="#s", value="停用")).code == ActionCode.DISABLED_TARGET


@pytest.mark.requirement("CHR-08")
async def test_check_ends_in_the_wanted_state_also_through_a_label(tab: Tab) -> None:
    await tab.open(
        "<input type=checkbox id=a><label><input type=checkbox id=h style='display:none'>同意</label>"
        "<input type=checkbox id=stuck onclick='event.preventDefault()'>"
    )
    assert (await tab.act("check", selector="#a"))["checked"] is True
    assert (await tab.act("check", selector="#a"))["checked"] is True
    assert (await tab.act("check", selector="#a", checked=False))["checked"] is False
    assert (await tab.act("check", selector="#h"))["checked"] is True
    assert (await tab.refused("check", selector="#stuck")).code == ActionCode.ACTION_FAILED


@pytest.mark.requirement("ACT-07")
@pytest.mark.parametrize("role", ["checkbox", "switch", "menuitemcheckbox"])
async def test_a_box_drawn_by_a_component_is_ticked_by_its_stated_role(role: str, tab: Tab) -> None:
    await tab.open(
        f"<div class=el-form><span id=s role={role} aria-checked=false tabindex=0 "
        "onclick=\"setTimeout(()=>s.ariaChecked=s.ariaChecked!=='true',100)\">启用</span></div>"
    )
    within = ["span#s", "div.el-form", "body", "html"]
    assert await tab.act("check", selector="#s") == {"checked": True, "within": within}
    assert (await tab.act("check", selector="#s"))["checked"] is True
    assert (await tab.act("check", selector="#s", checked=False))["checked"] is False


@pytest.mark.requirement("ACT-07")
async def test_the_label_of_a_box_ticks_it_and_reports_the_boxs_state(tab: Tab) -> None:
    await tab.open("<label id=l><input type=checkbox id=c style='opacity:0;position:absolute'>同意</label>")
    assert (await tab.act("check", selector="#l"))["checked"] is True
    assert (await tab.act("check", selector="#l"))["checked"] is True
    assert (await tab.act("check", selector="#c", checked=False))["checked"] is False


@pytest.mark.requirement("ACT-07")
@pytest.mark.requirement("ACT-08")
async def test_a_widget_that_is_not_native_is_named_with_what_it_stands_in(tab: Tab) -> None:
    await tab.open("<section id=q class='card  wide'><div class='el-select is-open' id=w>财务部</div></section>")
    within = ["div#w.el-select.is-open", "section#q.card.wide", "body", "html"]
    for action, params in (("select", {"value": "x"}), ("check", {}), ("type", {"text": "x"})):
        error = await tab.refused(action, selector="#w", **params)  # type: ignore[arg-type]
        assert (error.code, error.facts["within"]) == (ActionCode.UNSUPPORTED_WIDGET, within)


@pytest.mark.requirement("ACT-09")
@pytest.mark.parametrize("field", ["<input id=i>", "<textarea id=i></textarea>", "<div id=i contenteditable></div>"])
@pytest.mark.parametrize(
    "text", ["مرحبا بالعالم 2026", "שלום (עולם)", "👩‍👩‍👧‍👦🇨🇳e\u0301", "合规报表：３月", "a\u200bb"]
)
async def test_texts_of_any_script_are_read_back_as_they_were_typed(field: str, text: str, tab: Tab) -> None:
    await tab.open(field)
    assert (await tab.act("type", selector="#i", text=text))["value"] == text
    await tab.act("clear", selector="#i")
    assert (await tab.act("type", selector="#i", text="后", clear=False))["value"] == "后"


@pytest.mark.requirement("ACT-09")
async def test_a_number_field_takes_numbers_and_refuses_what_is_none(tab: Tab) -> None:
    await tab.open("<input id=i type=number value=7><input id=d type=datetime-local>")
    assert (await tab.act("type", selector="#i", text="12.50"))["value"] == "12.50"
    assert (await tab.refused("type", selector="#i", text="1e")).code == ActionCode.BAD_PARAMS
    assert (await tab.act("type", selector="#d", text="2026-03-01T08:30"))["value"] == "2026-03-01T08:30"
    assert (await tab.refused("type", selector="#d", text="三月")).code == ActionCode.BAD_PARAMS


@pytest.mark.requirement("ACT-09")
async def test_one_of_three_thousand_options_is_chosen_fast(tab: Tab) -> None:
    await tab.open("<select id=s></select><script>for(let i=0;i<3000;i++)s.add(new Option('部门'+i,'d'+i))</script>")
    async with asyncio.timeout(3):
        assert (await tab.act("select", selector="#s", value="部门2999"))["value"] == "d2999"
        error = await tab.refused("select", selector="#s", value="无此部门")
    options = error.facts["options"]
    assert isinstance(options, list)
    assert (error.code, len(options)) == (ActionCode.NOT_FOUND, 50)


@pytest.mark.requirement("CHR-09")
async def test_press_and_hover_use_real_input(tab: Tab) -> None:
    await tab.open(
        "<input id=i><p id=o></p><div id=h>悬停</div><script>"
        "i.onkeydown=e=>{o.textContent=e.key+e.ctrlKey};h.onmouseenter=()=>{o.textContent='in'}</script>"
    )
    assert await tab.act("press", selector="#i", key="Control+B") == {"pressed": True}
    assert await tab.text("#o") == "Btrue"
    assert await tab.act("press", key="Escape") == {"pressed": True}
    assert await tab.text("#o") == "Escapefalse"
    assert await tab.act("hover", selector="#h") == {"hovered": True}
    assert await tab.text("#o") == "in"
    for key in (
        "NoSuchKey",
        "\n",
        "\r",
        "Enter+a",
        "Enter++",
        "Space+a",
        "Enter\n",
        "Control+",
        "Shift+Control",
        "KeyA",
        "é",
    ):
        assert (await tab.refused("press", key=key)).code == ActionCode.BAD_PARAMS
    for key in ("Control++", "+", " ", "Shift+Tab", "Control+Shift+ArrowLeft", "F12", "Meta+a"):
        assert await tab.act("press", key=key) == {"pressed": True}


@pytest.mark.requirement("CHR-10")
async def test_shadow_roots_and_frames_are_reached_by_steps(tab: Tab) -> None:
    tab.site.show("<button id=b onclick=\"this.textContent='框内'\">内</button>", "/inner")
    await tab.open(
        "<p style='height:1500px'></p><my-el id=host></my-el><iframe id=f src=/inner style='border:5px solid'></iframe>"
        "<script>host.attachShadow({mode:'open'}).innerHTML='<button>影</button>'</script>"
    )
    assert await tab.text("#host >>> button") == "影"
    await tab.act("click", selector="#f >>> #b")
    assert await tab.text("#f >>> #b") == "框内"


@pytest.mark.requirement("CHR-11")
async def test_a_page_that_breaks_builtins_is_observed_all_the_same(tab: Tab) -> None:
    await tab.open(
        "<form id=f action=/real><input name=action><input name=id><input name=children><input name=getAttribute>"
        "<button id=b>提交</button></form><script>Array.prototype.toJSON=()=>'x';Element.prototype.closest=()=>null;"
        "document.elementFromPoint=()=>null;Object.defineProperty(Element.prototype,'innerText',{get:()=>'查询'})</script>"
    )
    located = await tab.locate("click", selector="#b")
    assert located.target is not None
    assert (located.target.label, located.target.form_action) == ("提交", f"{tab.site.base}/real")


@pytest.mark.requirement("CHR-12")
async def test_dialogs_never_block_and_can_be_answered(tab: Tab) -> None:
    await tab.open(
        "<button id=b onclick=\"o.textContent=confirm('确定删除吗')\">删</button><p id=o></p>"
        "<button id=t onclick=\"setTimeout(()=>{o.textContent=prompt('金额')},0)\">问</button>"
    )
    assert await tab.act("click", selector="#b") == {"clicked": True}
    located = await tab.locate("handleDialog", accept=True)
    assert located.target == TargetFacts(tag="dialog", role="alertdialog", label="确定删除吗", type="confirm")
    assert await tab.driver.perform(located, 5.0) == {"handled": True, "message": "确定删除吗"}
    assert await tab.text("#o") == "true"
    await tab.act("click", selector="#b")
    assert await tab.text("#o") == "false"  # the next act dismissed it
    await tab.act("click", selector="#t")
    assert await tab.act("handleDialog", accept=True, text="12") == {"handled": True, "message": "金额"}
    assert await tab.text("#o") == "12"
    assert (await tab.refused("handleDialog", accept=True)).code == ActionCode.NOT_FOUND


@pytest.mark.requirement("CHR-13")
async def test_a_script_that_never_ends_costs_one_deadline(tab: Tab) -> None:
    await tab.act("navigate", url=tab.site.show("<button id=b onclick='for(;;);'>忙</button>", "/busy"))
    located = await tab.locate("click", selector="#b")
    async with asyncio.timeout(5):
        with pytest.raises(ActionError) as caught:
            await tab.driver.perform(located, 0.5)
        assert caught.value.code == ActionCode.TIMEOUT
        assert await tab.act("closePage", page="p1") == {"closed": True}
        assert (await tab.driver.default_page()).url == "about:blank"


@pytest.mark.requirement("CHR-14")
@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("click", {"selector": "#far"}),
        ("click", {"selector": "#around"}),
        ("hover", {"selector": "#far"}),
        ("press", {"selector": "#far", "key": "Enter"}),
        ("press", {"key": "Enter"}),
        ("type", {"selector": "#far", "text": "x"}),
    ],
)
async def test_input_never_goes_into_a_frame_that_was_not_checked(
    action: str, params: dict[str, object], tab: Tab
) -> None:
    pay = tab.site.show(
        "<button style='width:290px;height:120px' onclick=\"parent.postMessage('paid','*')\">支付</button>"
        "<script>addEventListener('focus',()=>document.querySelector('button').focus())</script>",
        "/pay",
    )
    elsewhere = pay.replace("127.0.0.1", "localhost")
    await tab.open(
        f"<p id=o>unpaid</p><div id=around style='width:320px'><iframe id=far src='{elsewhere}'></iframe></div>"
        "<script>addEventListener('message',e=>{o.textContent=e.data});far.onload=()=>far.focus()</script>"
    )
    refused = await tab.refused(action, **params)  # type: ignore[arg-type]
    assert refused.code == ActionCode.ACTION_FAILED
    assert await tab.text("#o") == "unpaid"
