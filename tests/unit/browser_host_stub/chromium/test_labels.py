"""Every act that can set off a control is judged by that control's label, and what sets nothing off is not."""

import pytest

from browser_host_stub.chromium.targets import MAX_MESSAGE
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORM = "<form method=post action=/done><input id=f name=amt value=1>{}</form>"
SUBMIT = FORM.replace("{}", "<button id=b>提交</button>")
SEARCH = "<form action=/done><input id=f name=q><button id=b>查询</button></form>"
TICK = "<label><input type=checkbox id=c>同意并提交</label>"
SLOTTED = (
    "<my-b id=b>删除</my-b><script>customElements.define('my-b', class extends HTMLElement { constructor() { super();"
    " this.attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot></button>' } })</script>"
)

Case = tuple[str, str, dict[str, object]]
ENTERS: list[Case] = [
    ("press", SUBMIT, {"selector": at, "key": key})
    for at in ("#f", "#b")
    for key in ("Enter", "NumpadEnter", "Shift+Enter", "Control+Enter")
]
SETS_OFF: tuple[Case, ...] = (
    ("click", SUBMIT, {"selector": "#b"}),
    ("click", SUBMIT, {"selector": "#b", "count": 2}),
    ("download", SUBMIT, {"selector": "#b"}),
    *ENTERS,
    ("press", SUBMIT, {"selector": "#b", "key": "Space"}),
    ("press", SUBMIT, {"selector": "#b", "key": "Control+ "}),
    ("press", SUBMIT.replace("id=f", "id=f onclick=x()"), {"selector": "#f", "key": "Enter"}),
    ("press", SUBMIT.replace("id=f", "id=f type=checkbox"), {"selector": "#f", "key": "Enter"}),
    ("press", SUBMIT.replace("id=b", "id=b accesskey=s"), {"selector": "#f", "key": "Alt+s"}),
    ("press", SUBMIT.replace("id=b", "id=b accesskey=s"), {"key": "Shift+Alt+S"}),
    ("press", "<input id=f><button>发送</button>", {"selector": "#f", "key": "Enter"}),
    ("press", TICK, {"selector": "#c", "key": "Space"}),
    ("press", "<select id=s><option>批量操作<option>删除</select>", {"selector": "#s", "key": "ArrowDown"}),
    (
        "press",
        "<input type=radio name=r id=c checked><label><input type=radio name=r>批准</label>",
        {"selector": "#c", "key": "ArrowDown"},
    ),
    ("type", SUBMIT, {"selector": "#f", "text": "x", "submit": True}),
    ("type", "<textarea id=f></textarea><button>发送</button>", {"selector": "#f", "text": "x", "submit": True}),
    ("type", "<div id=b role=button contenteditable>提交</div>", {"selector": "#b", "text": "x"}),
    ("type", "<div role=button>提交<input id=f></div>", {"selector": "#f", "text": "x"}),
    ("clear", "<div id=b role=button contenteditable>提交</div>", {"selector": "#b"}),
    ("clear", "<div role=menuitem>删除<input id=f></div>", {"selector": "#f"}),
    ("check", TICK, {"selector": "#c"}),
    ("check", TICK.replace("<input", "<input checked"), {"selector": "#c", "checked": False}),
    ("check", SUBMIT.replace("id=b", "id=b role=switch aria-checked=false"), {"selector": "#b"}),
    ("check", "<div id=b role=menuitemcheckbox aria-checked=false>停用</div>", {"selector": "#b"}),
    (
        "check",
        "<div id=b role=switch aria-checked=false aria-label=停用账号 style='width:40px;height:20px'></div>",
        {"selector": "#b"},
    ),
    ("select", "<select id=s><option>批量操作<option>删除</select>", {"selector": "#s", "value": "删除"}),
    ("select", "<select id=s><option>-<option value=9>全部驳回</select>", {"selector": "#s", "value": "9"}),
    ("select", "<select id=s aria-label=提交给><option>-<option>张三</select>", {"selector": "#s", "value": "张三"}),
    (
        "click",
        FORM.replace("{}", "<button id=b>提交</button>") + "<label id=l for=b>下一步</label>",
        {"selector": "#l"},
    ),
    ("click", FORM.replace("{}", "<button id=b>" + "字" * 9000 + "提交</button>"), {"selector": "#b"}),
    ("click", "<button id=b aria-describedby=d>×</button><div id=d hidden>删除</div>", {"selector": "#b"}),
    ("click", "<style>#b::before { content: '提交' }</style><button id=b></button>", {"selector": "#b"}),
    ("click", SLOTTED, {"selector": "#b"}),
)

BARE = (
    "<div role=dialog aria-label=提交审批>是否继续？<button id=b>{yes}</button></div>",
    "<dialog open><p>删除后不可恢复</p><footer><button>取消</button><button id=b>{yes}</button></footer></dialog>",
    "<div class=el-popconfirm style='position:absolute'>要删除这条记录吗？<button id=b>{yes}</button></div>",
    "<div>确定要删除这条记录吗？<button>取消</button><button id=b>{yes}</button></div>",
)

SETS_NOTHING_OFF: tuple[Case, ...] = (
    ("click", SUBMIT, {"selector": "#f"}),
    ("click", "<a id=b href=/list>审批列表</a>", {"selector": "#b"}),
    ("click", "<div id=b role=tab>待审批</div><div>提交</div>", {"selector": "#b"}),
    ("click", "<div>共 3 条，已提交<button id=b>确定</button></div>", {"selector": "#b"}),
    ("click", "<div role=dialog>选择月份<button>1月</button><button id=b>确定</button></div>", {"selector": "#b"}),
    ("press", SEARCH, {"selector": "#f", "key": "Enter"}),
    ("press", SUBMIT, {"selector": "#f", "key": "Tab"}),
    ("press", SUBMIT, {"selector": "#f", "key": "a"}),
    ("press", SUBMIT, {"selector": "#b", "key": "Escape"}),
    ("press", "<input id=f><button>查询</button><button>删除</button>", {"selector": "#f", "key": "Enter"}),
    ("type", SUBMIT, {"selector": "#f", "text": "提交"}),
    ("type", SEARCH, {"selector": "#f", "text": "提交", "submit": True}),
    ("type", "<div id=e contenteditable>请提交</div>", {"selector": "#e", "text": "x"}),
    ("clear", "<input id=f value=删除>", {"selector": "#f"}),
    ("check", "<input type=checkbox id=c><button>删除</button>", {"selector": "#c"}),
    ("select", "<select id=s aria-label=月份><option>1月<option>2月</select>", {"selector": "#s", "value": "2月"}),
)


async def _word(tab: Tab, action: str, body: str, params: dict[str, object]) -> str | None:
    await tab.open(body)
    target = (await tab.locate(action, **params)).target  # type: ignore[arg-type]
    assert target is not None
    return irreversible_word(target.label, IRREVERSIBLE_LABELS)


@pytest.mark.requirement("CHR-65")
@pytest.mark.parametrize(("action", "body", "params"), SETS_OFF)
async def test_an_act_is_judged_by_the_control_it_sets_off(
    tab: Tab, action: str, body: str, params: dict[str, object]
) -> None:
    assert await _word(tab, action, body, params) is not None


@pytest.mark.requirement("CHR-66")
@pytest.mark.parametrize("body", BARE)
@pytest.mark.parametrize("yes", ["确定", "确 定", "是", "好的", "OK", "Yes", "继续"])
async def test_a_bare_yes_is_judged_with_the_question_around_it(tab: Tab, body: str, yes: str) -> None:
    assert await _word(tab, "click", body.replace("{yes}", yes), {"selector": "#b"}) is not None
    assert await _word(tab, "press", body.replace("{yes}", yes), {"selector": "#b", "key": "Enter"}) is not None


@pytest.mark.requirement("CHR-65")
@pytest.mark.parametrize(("action", "body", "params"), SETS_NOTHING_OFF)
async def test_what_sets_nothing_off_asks_nobody(tab: Tab, action: str, body: str, params: dict[str, object]) -> None:
    assert await _word(tab, action, body, params) is None


@pytest.mark.requirement("CHR-65")
async def test_an_option_that_changes_after_the_check_is_not_chosen(tab: Tab) -> None:
    await tab.open(
        "<select id=s><option>-<option id=o value=1>查看</select><button id=b onclick='o.label=\"删除\"'>换</button>"
    )
    located = await tab.locate("select", selector="#s", value="1")
    await tab.act("click", selector="#b")
    with pytest.raises(Exception, match="目标已不是检查时的元素"):
        await tab.driver.perform(located, 5.0)


@pytest.mark.requirement("CHR-67")
async def test_the_whole_message_of_a_dialog_is_judged(tab: Tab) -> None:
    lines = "".join(f"BX2026{number:05d}\\n" for number in range(40))
    await tab.open(f"<button id=b onclick=\"confirm('您选择了这些记录：\\n{lines}确定要删除吗？')\">处理</button>")
    await tab.act("click", selector="#b")
    target = (await tab.locate("handleDialog", accept=True)).target
    assert target is not None
    assert irreversible_word(target.label, IRREVERSIBLE_LABELS) == "删除"
    await tab.act("handleDialog", accept=False)


@pytest.mark.requirement("CHR-67")
async def test_a_message_beyond_all_bounds_is_judged_by_both_ends(tab: Tab) -> None:
    await tab.open("<button id=b onclick=\"confirm('甲' + '字'.repeat(50000) + '删除')\">处理</button>")
    await tab.act("click", selector="#b")
    target = (await tab.locate("handleDialog", accept=True)).target
    assert target is not None
    assert len(target.label) <= MAX_MESSAGE + 1
    assert target.label[0] == "甲"
    await tab.act("handleDialog", accept=False)


MENU = "<div role=menuitem>查看</div><div id=q role=menuitem>删除合同</div>"
POPUPS = (
    f"<div id=s role=menu tabindex=0 aria-activedescendant=q>{MENU}</div>",
    f"<div id=s role=menu tabindex=0>{MENU}</div>",
    "<ul id=s role=listbox tabindex=0 aria-activedescendant=q><li role=option>查看<li id=q role=option>删除</ul>",
    "<div id=s role=grid tabindex=0 aria-activedescendant=q><div role=row><button id=q>提交</button></div></div>",
    "<div id=s role=tree tabindex=0><div role=treeitem>删除</div></div>",
    "<div id=s role=combobox tabindex=0>动作<ul role=listbox><li role=option>删除</ul></div>",
    "<div id=s role=combobox tabindex=0 aria-controls=l>动作</div><ul id=l role=listbox><li role=option>删除</ul>",
    "<input id=s role=combobox aria-controls=l aria-activedescendant=q><ul id=l><li id=q role=option>删除</ul>",
)


@pytest.mark.requirement("CHR-107")
@pytest.mark.parametrize("body", POPUPS)
@pytest.mark.parametrize("key", ["Enter", "NumpadEnter", "Space"])
async def test_a_key_on_a_widget_is_judged_by_the_item_it_chooses(tab: Tab, body: str, key: str) -> None:
    assert await _word(tab, "press", body, {"selector": "#s", "key": key}) is not None


@pytest.mark.requirement("CHR-107")
async def test_only_the_active_item_of_a_widget_is_judged(tab: Tab) -> None:
    body = f"<div id=s role=menu tabindex=0 aria-activedescendant=p>{MENU}</div>".replace("<div role", "<div id=p role")
    assert await _word(tab, "press", body, {"selector": "#s", "key": "Enter"}) is None
    closed = "<div id=s role=combobox tabindex=0>月份<ul hidden role=listbox><li role=option>删除</ul></div>"
    assert await _word(tab, "press", closed, {"selector": "#s", "key": "Enter"}) is None
