"""What is in closed shadow roots, where scripts of a page cannot look."""

from collections.abc import Iterator
from typing import Any

import pytest

from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")

_PARTS = """<p id=said></p><x-box id=box></x-box><script>
const root = box.attachShadow({mode:'closed'});
root.innerHTML = `<label>数量 <input id=n></label><label><input type=checkbox id=t>加急</label>
<button id=b>保存</button><button id=d>删除</button>`;
const by = (id) => root.getElementById(id);
by('b').onclick = () => { said.textContent = `${by('n').value}/${by('t').checked}`; };
</script>"""


def flat(nodes: Any) -> Iterator[JsonObject]:
    for node in nodes:
        yield node
        yield from flat(node.get("children", ()))


async def _listed(tab: Tab, role: str) -> dict[str, JsonObject]:
    seen = await tab.act("getAomSnapshot")
    return {str(node["name"]): node for node in flat(seen["nodes"]) if node["role"] == role}


@pytest.mark.requirement("SNAP-44")
async def test_controls_in_a_closed_root_are_listed_and_counted_with_role_name_and_place(tab: Tab) -> None:
    await tab.open(_PARTS)
    seen = await tab.act("getAomSnapshot")
    found = [(node["role"], node["name"]) for node in flat(seen["nodes"]) if "ref" in node and node["role"] != "form"]
    assert found == [("textbox", "数量"), ("checkbox", "加急"), ("button", "保存"), ("button", "删除")]
    assert seen["interactive_total"] == 4
    save = (await _listed(tab, "button"))["保存"]
    assert save["selector"] == "#box >>> #b"
    assert "inferred" not in save
    assert "covered" not in save
    assert min(save["bounds"][2:]) > 10  # type: ignore[index]


@pytest.mark.requirement("SNAP-45")
async def test_controls_in_a_closed_root_are_typed_in_ticked_and_clicked_by_their_refs(tab: Tab) -> None:
    await tab.open(_PARTS)
    await tab.act("type", ref=(await _listed(tab, "textbox"))["数量"]["ref"], text="12")
    await tab.act("check", ref=(await _listed(tab, "checkbox"))["加急"]["ref"])
    await tab.act("click", ref=(await _listed(tab, "button"))["保存"]["ref"])
    assert await tab.text("#said") == "12/true"


@pytest.mark.requirement("SNAP-45")
async def test_a_selector_into_a_closed_root_holds_without_a_snapshot_and_after_a_reload(tab: Tab) -> None:
    await tab.open(_PARTS)
    await tab.act("click", selector="#box >>> #b")
    assert await tab.text("#said") == "/false"
    await tab.act("reload")
    await tab.act("click", selector="#box >>> #b")
    assert await tab.text("#said") == "/false"


@pytest.mark.requirement("SNAP-45")
async def test_the_words_of_a_button_in_a_closed_root_are_what_is_judged(tab: Tab) -> None:
    await tab.open(_PARTS)
    delete = (await _listed(tab, "button"))["删除"]
    located = await tab.locate("click", ref=delete["ref"])
    assert located.target is not None
    assert located.target.label == "删除"
    script = "h.attachShadow({mode:'closed'}).innerHTML='<button><slot></slot></button>'"
    await tab.open(f"<x-b id=h>提交</x-b><script>{script}</script>")
    send = (await _listed(tab, "button"))["提交"]
    located = await tab.locate("click", ref=send["ref"])
    assert located.target is not None
    assert "提交" in located.target.label


@pytest.mark.requirement("SNAP-45")
@pytest.mark.parametrize(
    ("light", "dark"),
    [
        ("", "<button>删除合同</button>"),
        ("<span>…</span>", "<button>删除合同 <slot></slot></button>"),
        ("", "<div id=in></div>"),
    ],
)
async def test_a_click_on_what_has_a_closed_root_is_judged_by_what_is_in_it_without_a_snapshot(
    tab: Tab, light: str, dark: str
) -> None:
    nested = "const inner = root.getElementById('in'); if (inner) inner.attachShadow({mode:'closed'}).innerHTML ="
    await tab.open(
        f"<div id=h style='display:inline-block'>{light}</div><script>const root = h.attachShadow({{mode:'closed'}});"
        f"root.innerHTML='{dark}'; {nested} '<button>删除合同</button>'</script>"
    )
    located = await tab.locate("click", selector="#h")
    assert located.target is not None
    assert "删除合同" in located.target.label


@pytest.mark.requirement("SNAP-45")
async def test_what_covers_a_control_in_its_own_closed_root_keeps_the_click_away(tab: Tab) -> None:
    await tab.open(
        "<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML = '<button>保存</button>"
        '<div id=over style="position:fixed;inset:0;background:#eee"></div>\'</script>'
    )
    save = (await _listed(tab, "button"))["保存"]
    assert save["covered"] is True
    refused = await tab.refused("click", ref=save["ref"])
    assert refused.code == ActionCode.COVERED_TARGET
    assert refused.facts["covered_by"] == {"element": "div#over", "text": ""}


@pytest.mark.requirement("SNAP-44")
async def test_closed_roots_in_roots_and_in_frames_of_the_same_origin_are_looked_into(tab: Tab) -> None:
    tab.site.show(_PARTS, "/inner")
    await tab.open(
        "<iframe src=/inner width=600 height=200></iframe><div id=a></div><p id=told></p><script>"
        "const one = a.attachShadow({mode:'closed'}); one.innerHTML='<div id=b></div>';"
        "const two = one.firstChild.attachShadow({mode:'closed'}); two.innerHTML='<button>里面</button>';"
        "two.firstChild.onclick = () => { told.textContent = '按了'; }</script>"
    )
    buttons = await _listed(tab, "button")
    assert list(buttons) == ["保存", "删除", "里面"]
    await tab.act("click", ref=buttons["里面"]["ref"])
    assert await tab.text("#told") == "按了"
    await tab.act("click", ref=buttons["保存"]["ref"])
    assert await tab.text("iframe >>> #said") == "/false"


@pytest.mark.requirement("SNAP-44")
async def test_of_very_many_closed_roots_as_many_as_are_asked_for_are_listed_and_the_rest_is_told(tab: Tab) -> None:
    await tab.open(
        "<script>for (let i = 0; i < 210; i += 1) {"
        "const host = document.body.appendChild(document.createElement('span'));"
        "host.attachShadow({mode:'closed'}).innerHTML = `<button>第${i}</button>`; }</script>"
    )
    seen = await tab.act("getAomSnapshot")
    assert len([node for node in flat(seen["nodes"]) if node["role"] == "button"]) == 200
    assert (seen["interactive_total"], seen["cut"]) == (200, True)
    assert seen["nodes"][-1]["name"].startswith("快照不完整：封闭的影子根或自定义元素太多")  # type: ignore[index]
