"""Custom elements whose role, name and state only the browser knows."""

import asyncio

import pytest

from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.test_closed_roots import flat

pytestmark = pytest.mark.asyncio(loop_scope="module")


def custom(facts: str, body: str = "<x-it id=it></x-it>", form: str = "false") -> str:
    """A page on which each `x-it` tells these facts, and keeps its internals as `own`."""
    style = "<style>x-it{display:inline-block;width:60px;height:24px;background:#ccc}</style>"
    script = (
        f"customElements.define('x-it', class extends HTMLElement {{ static formAssociated = {form};"
        f"constructor() {{ super(); this.own = this.attachInternals(); Object.assign(this.own, {facts}); }} }});"
    )
    return f"{style}{body}<script>{script}</script>"


async def _only(tab: Tab) -> JsonObject:
    seen = await tab.act("getAomSnapshot")
    (node,) = [node for node in flat(seen["nodes"]) if node.get("selector") == "#it"]
    return node


async def label_of(tab: Tab, action: str, **params: object) -> str:
    located = await tab.locate(action, **params)  # type: ignore[arg-type]
    assert located.target is not None
    return located.target.label


@pytest.mark.requirement("SNAP-46")
async def test_role_name_and_state_of_a_custom_element_are_listed_counted_and_no_guess(tab: Tab) -> None:
    await tab.open(custom("{role:'switch', ariaLabel:'推送', ariaChecked:'true'}"))
    node = await _only(tab)
    told = {name: node.get(name) for name in ("role", "name", "checked", "inferred", "selector")}
    assert told == {"role": "switch", "name": "推送", "checked": True, "inferred": None, "selector": "#it"}
    assert (await tab.act("getAomSnapshot"))["interactive_total"] == 1


@pytest.mark.requirement("SNAP-46")
@pytest.mark.parametrize(
    ("facts", "states"),
    [
        ("{role:'button', ariaLabel:'甲', ariaExpanded:'true'}", {"expanded": True}),
        ("{role:'button', ariaLabel:'甲', ariaExpanded:'false'}", {"expanded": False}),
        ("{role:'option', ariaLabel:'甲', ariaSelected:'true'}", {"selected": True}),
        ("{role:'option', ariaLabel:'甲', ariaSelected:'false'}", {}),
        ("{role:'checkbox', ariaLabel:'甲', ariaChecked:'true'}", {"checked": True}),
        ("{role:'checkbox', ariaLabel:'甲', ariaChecked:'false'}", {"checked": False}),
        ("{role:'button', ariaLabel:'甲', ariaDisabled:'true'}", {"disabled": True}),
        ("{role:'slider', ariaLabel:'甲', ariaValueNow:'30'}", {"value": "30"}),
        ("{role:'slider', ariaLabel:'密码', ariaValueNow:'4711'}", {}),
    ],
)
async def test_states_that_a_custom_element_tells_are_listed(tab: Tab, facts: str, states: JsonObject) -> None:
    await tab.open(custom(facts, "<div role=listbox><x-it id=it></x-it></div>"))
    node = await _only(tab)
    assert {name: node[name] for name in ("expanded", "selected", "checked", "disabled") if name in node} == {
        name: value for name, value in states.items() if name != "value"
    }
    assert "4711" not in str(node)
    assert node.get("value", "") == states.get("value", "")


@pytest.mark.requirement("SNAP-46")
@pytest.mark.parametrize("mode", ["light", "open", "closed"])
async def test_a_name_made_from_content_holds_no_secret_that_is_filled_in_there(tab: Tab, mode: str) -> None:
    editor = "" if mode == "light" else "<span contenteditable aria-label=password>0815</span>"
    fill = f"<b>第一行</b><input autocomplete=one-time-code value=4711>{editor}"
    where = "it" if mode == "light" else f"it.attachShadow({{mode:'{mode}'}})"
    script = f"<script>{where}.innerHTML = '{fill}'</script>"
    await tab.open(custom("{role:'button'}") + script)
    told = await tab.locate("hover", selector="#it")
    shown = f"{(await tab.act('getAomSnapshot'))['nodes']} {told.target}"
    assert "第一行" in shown
    assert "4711" not in shown
    assert "0815" not in shown


@pytest.mark.requirement("SNAP-48")
async def test_a_page_that_names_elements_like_parts_of_the_document_is_looked_at_all_the_same(tab: Tab) -> None:
    await tab.open("<img name=host><form name=getRootNode><input name=getRootNode></form><input id=f>")
    assert await label_of(tab, "press", selector="#f", key="Enter") == ""


@pytest.mark.requirement("SNAP-46")
async def test_own_attributes_come_before_what_is_told_and_an_empty_name_is_none(tab: Tab) -> None:
    body = "<x-it id=it role=checkbox aria-label=甲 aria-checked=false></x-it>"
    await tab.open(custom("{role:'switch', ariaLabel:'', ariaChecked:'true'}", body))
    node = await _only(tab)
    assert (node["role"], node["name"], node["checked"]) == ("checkbox", "甲", False)


@pytest.mark.requirement("SNAP-46")
async def test_elements_whose_class_has_not_run_are_listed_as_any_others(tab: Tab) -> None:
    await tab.open("<x-other id=it role=button>甲</x-other>")
    node = await _only(tab)
    assert (node["role"], node["name"]) == ("button", "甲")


@pytest.mark.requirement("SNAP-46")
@pytest.mark.parametrize("where", ["<x-it id=it disabled></x-it>", "<fieldset disabled><x-it id=it></x-it></fieldset>"])
async def test_a_form_associated_element_is_disabled_as_a_native_one_is(tab: Tab, where: str) -> None:
    await tab.open(custom("{role:'button', ariaLabel:'甲'}", f"<form>{where}</form>", "true"))
    assert (await _only(tab))["disabled"] is True
    assert (await tab.refused("click", selector="#it")).code == ActionCode.DISABLED_TARGET


@pytest.mark.requirement("SNAP-46")
async def test_a_custom_switch_is_ticked_and_its_state_read_back_from_the_browser(tab: Tab) -> None:
    await tab.open(
        custom("{role:'switch', ariaLabel:'推送', ariaChecked:'false'}")
        + "<p id=n>0</p><script>it.onclick = () => { n.textContent = Number(n.textContent) + 1;"
        "it.own.ariaChecked = String(it.own.ariaChecked !== 'true'); }</script>"
    )
    for wanted in (True, True, False):
        assert (await tab.act("check", selector="#it", checked=wanted))["checked"] is wanted
    assert await tab.text("#n") == "2"


@pytest.mark.requirement("SNAP-46")
async def test_what_a_form_associated_element_tells_is_part_of_what_a_yes_is_bound_to(tab: Tab) -> None:
    body = "<form><x-it id=it name=amount></x-it><button id=b type=button>提交</button></form>"
    await tab.open(
        custom("{role:'slider', ariaLabel:'金额', ariaValueNow:'70'}", body, "true")
        + '<button id=more onclick="it.own.ariaValueNow = String(Number(it.own.ariaValueNow) + 10)">改</button>'
    )
    located = [await tab.locate("click", selector="#b")]
    states = []
    for _ in range(2):
        assert located[-1].around is not None
        states.append(await located[-1].around())
        await tab.act("click", selector="#more")
        located.append(await tab.locate("click", selector="#b"))
    assert states[0].state != states[1].state
    assert [around.context for around in states] == ["金额：70", "金额：80"]
    with pytest.raises(ActionError) as refused:
        await tab.driver.perform(located[1], 5.0)
    assert refused.value.code == ActionCode.STALE_REF


@pytest.mark.requirement("SNAP-47")
async def test_a_dangerous_name_told_to_the_browser_alone_is_judged_without_a_snapshot_and_as_it_is_now(
    tab: Tab,
) -> None:
    await tab.open(
        custom("{role:'button', ariaLabel:'取消'}", "<x-it id=it>好</x-it>")
        + "<button id=b onclick=\"it.own.ariaLabel='提交'\">换</button>"
    )
    first = await label_of(tab, "click", selector="#it")
    await tab.act("click", selector="#b")
    then = await label_of(tab, "click", selector="#it")
    assert ["提交" in label for label in (first, then)] == [False, True]
    assert "取消" in first


@pytest.mark.requirement("SNAP-47")
@pytest.mark.parametrize("action", ["click", "press", "check"])
@pytest.mark.parametrize(
    ("change", "code"),
    [("ariaLabel = '删除'", ActionCode.STALE_REF), ("ariaDisabled = 'true'", ActionCode.DISABLED_TARGET)],
)
async def test_what_a_custom_element_tells_after_the_check_stops_the_act(
    tab: Tab, action: str, change: str, code: ActionCode
) -> None:
    body = "<p id=n>0</p><x-it id=it tabindex=0 onclick='n.textContent = 1' onkeydown='n.textContent = 1'></x-it>"
    await tab.open(custom("{role:'switch', ariaLabel:'推送', ariaChecked:'false'}", body))
    params: JsonObject = {"selector": "#it", **({"key": "Enter"} if action == "press" else {})}
    located = await tab.locate(action, **params)  # type: ignore[arg-type]
    page = tab.driver._pages.get(None).page
    await page.evaluate(f"it.own.{change}")
    with pytest.raises(ActionError) as refused:
        await tab.driver.perform(located, 5.0)
    assert refused.value.code == code
    assert await page.evaluate("n.textContent") == "0"
    await page.evaluate("it.own.ariaDisabled = 'false'")
    assert await page.evaluate("it.click(), n.textContent") == "1"  # nothing of the refused act's guards is left
    if code == ActionCode.STALE_REF:
        assert (refused.value.facts["field"], "删除" in str(refused.value.facts["now"])) == ("label", True)


@pytest.mark.requirement("SNAP-47")
async def test_a_name_that_changes_at_every_look_ends_the_search_in_bounded_time(tab: Tab) -> None:
    turn = "it.own.ariaLabel = String(performance.now()); requestAnimationFrame(turn);"
    script = f"<script>(function turn() {{ {turn} }})()</script>"
    await tab.open(custom("{role:'button', ariaLabel:'0'}") + script)
    async with asyncio.timeout(15):
        error = await tab.refused("click", None, 5.0, selector="#it")
    assert error.code == ActionCode.STALE_REF


@pytest.mark.requirement("SNAP-47")
async def test_a_state_that_changes_at_every_look_does_not_matter_while_the_name_stays(tab: Tab) -> None:
    turn = "it.own.ariaValueNow = String(performance.now() % 100); requestAnimationFrame(turn);"
    script = f"<p id=n></p><script>(function turn() {{ {turn} }})(); it.onclick = () => n.append('按了')</script>"
    await tab.open(custom("{role:'slider', ariaLabel:'音量'}") + script)
    await tab.act("click", selector="#it")
    assert await tab.text("#n") == "按了"


_SUBMIT = "<form action=/done><input id=f name=q>%s</form>"


@pytest.mark.requirement("SNAP-48")
@pytest.mark.parametrize(
    ("facts", "body", "judged"),
    [
        ("{role:'button', ariaLabel:'删除合同'}", "<x-it></x-it>", True),
        ("{}", "<x-it type=submit>删除合同</x-it>", True),
        ("{role:'button', ariaLabel:'删除合同'}", "<x-it></x-it><button>查询</button>", True),
        ("{role:'button', ariaLabel:'删除合同'}", "<button>查询</button><x-it></x-it>", False),
        ("{role:'button', ariaLabel:'删除合同'}", "<x-it type=reset></x-it><button>查询</button>", False),
        ("{role:'switch', ariaLabel:'删除合同'}", "<x-it></x-it><button>查询</button>", False),
    ],
)
@pytest.mark.parametrize("action", ["press", "type"])
async def test_enter_in_a_field_is_judged_by_the_custom_button_of_its_form(
    tab: Tab, action: str, facts: str, body: str, judged: bool
) -> None:
    await tab.open(custom(facts, _SUBMIT % body, "true"))
    more: JsonObject = {"key": "Enter"} if action == "press" else {"text": "x", "submit": True}
    assert ("删除合同" in await label_of(tab, action, selector="#f", **more)) is judged


@pytest.mark.requirement("SNAP-48")
@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_enter_is_judged_by_the_button_in_the_shadow_tree_of_a_custom_one(tab: Tab, mode: str) -> None:
    script = f"<script>const r = it.attachShadow({{mode:'{mode}'}}); r.innerHTML = '<button>删除合同</button>'</script>"
    await tab.open(custom("{}", _SUBMIT % "<x-it id=it></x-it>", "true") + script)
    assert "删除合同" in await label_of(tab, "press", selector="#f", key="Enter")


@pytest.mark.requirement("SNAP-48")
async def test_enter_in_a_part_of_a_custom_field_is_judged_by_the_form_around_it(tab: Tab) -> None:
    script = "<script>it.attachShadow({mode:'open'}).innerHTML = '<input>'</script>"
    await tab.open(custom("{}", _SUBMIT % "<x-it id=it></x-it><button>删除合同</button>", "true") + script)
    assert "删除合同" in await label_of(tab, "press", selector="#it >>> input", key="Enter")


@pytest.mark.requirement("SNAP-48")
async def test_without_a_form_enter_is_judged_by_the_custom_button_behind_the_field(tab: Tab) -> None:
    await tab.open(custom("{role:'button', ariaLabel:'删除合同'}", "<input id=f><x-it></x-it>"))
    assert "删除合同" in await label_of(tab, "press", selector="#f", key="Enter")


@pytest.mark.requirement("SNAP-48")
@pytest.mark.parametrize("key", ["Enter", "Space"])
async def test_a_key_on_a_custom_button_is_judged_by_its_name(tab: Tab, key: str) -> None:
    await tab.open(custom("{role:'button', ariaLabel:'删除合同'}", "<x-it id=it tabindex=0></x-it>"))
    assert "删除合同" in await label_of(tab, "press", selector="#it", key=key)
