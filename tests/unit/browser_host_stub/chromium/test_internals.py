"""Custom elements whose role, name and state only the browser knows."""

import pytest

from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.test_closed_roots import flat

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _custom(facts: str, body: str = "<x-it id=it></x-it>") -> str:
    style = "<style>x-it{display:inline-block;width:60px;height:24px;background:#ccc}</style>"
    script = "customElements.define('x-it', class extends HTMLElement { constructor() { super(); const own ="
    return f"{style}{body}<script>{script} this.attachInternals(); Object.assign(own, {facts}); }} }});</script>"


@pytest.mark.requirement("SNAP-46")
async def test_role_name_and_state_of_a_custom_element_are_listed_counted_and_no_guess(tab: Tab) -> None:
    await tab.open(_custom("{role:'switch', ariaLabel:'推送', ariaChecked:'true'}"))
    seen = await tab.act("getAomSnapshot")
    (node,) = [node for node in flat(seen["nodes"]) if "ref" in node]
    told = {name: node.get(name) for name in ("role", "name", "checked", "inferred", "selector")}
    assert told == {"role": "switch", "name": "推送", "checked": True, "inferred": None, "selector": "#it"}
    assert seen["interactive_total"] == 1


@pytest.mark.requirement("SNAP-46")
async def test_own_attributes_come_before_what_is_told_and_an_empty_name_is_none(tab: Tab) -> None:
    body = "<x-it id=it role=checkbox aria-label=甲 aria-checked=false></x-it>"
    await tab.open(_custom("{role:'switch', ariaLabel:'', ariaChecked:'true'}", body))
    (node,) = [node for node in flat((await tab.act("getAomSnapshot"))["nodes"]) if "ref" in node]
    assert (node["role"], node["name"], node["checked"]) == ("checkbox", "甲", False)


@pytest.mark.requirement("SNAP-46")
async def test_a_dangerous_name_told_to_the_browser_alone_is_judged_without_a_snapshot_and_as_it_is_now(
    tab: Tab,
) -> None:
    script = "<script>customElements.define('x-it', class extends HTMLElement { constructor() { super();"
    style = "<style>x-it{display:inline-block;width:60px;height:24px}</style>"
    rest = " this.own = this.attachInternals(); this.own.role='button'; this.own.ariaLabel='取消'; } });</script>"
    await tab.open(
        f"{style}<x-it id=it>好</x-it><button id=b onclick=\"it.own.ariaLabel='提交'\">换</button>{script}{rest}"
    )
    first = await tab.locate("click", selector="#it")
    await tab.act("click", selector="#b")
    then = await tab.locate("click", selector="#it")
    labels = [located.target.label for located in (first, then) if located.target is not None]
    assert ["提交" in label for label in labels] == [False, True]
    assert "取消" in labels[0]
