"""A person's yes and what only the browser knows: closed shadow roots and words of custom elements."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from browser_host_stub.approvals import NobodyThere
from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.driver import JsonObject
from browser_host_stub.faults import Act
from browser_host_stub.people import People
from browser_host_stub.performing import Performer
from sgclaw.errors import ActionCode, ActionError, NeedsApprovalError, PolicyDeniedError
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.protocol.messages import Command
from tests.unit.browser_host_stub.chromium.conftest import Tab, options
from tests.unit.browser_host_stub.chromium.site import Site
from tests.unit.browser_host_stub.chromium.test_closed_roots import flat
from tests.unit.browser_host_stub.chromium.test_internals import custom

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Desk:
    """Commands as a session carries them out on a real browser, with a person who is asked by the test."""

    def __init__(self, tab: Tab, far: Site) -> None:
        self.tab, self.far = tab, far
        policy = parse_policy(policy_document([tab.site.base, far.base]))
        self.domain = "127.0.0.1"
        self.performer = Performer(tab.driver, policy, People(NobodyThere()), asyncio.Event())

    async def do(self, action: str, approval: str | None = None, **params: object) -> JsonObject:
        command = Command(seq=1, action=action, params=params, task_id="t1", deadline_ms=10_000, approval_id=approval)
        return await self.performer.carry_out(Act(command, self.domain, ""))

    async def approved(self, action: str, **params: object) -> tuple[str, JsonObject]:
        """The id of a yes to this act, and what the person saw."""
        with pytest.raises(NeedsApprovalError) as asked:
            await self.do(action, **params)  # type: ignore[arg-type]
        number = str(asked.value.facts["approval_id"])
        self.performer.held.decide(number, True)
        return number, dict(asked.value.facts)

    async def runs(self, script: str) -> object:
        """The page's own script: the truth, and what changes while a person thinks."""
        return await self.tab.driver._pages.get(None).page.evaluate(script)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    here, far = Site(), Site()
    await here.start()
    await far.start()
    driver = await ChromiumDriver.start(options(tmp_path_factory.mktemp("downloads")))
    try:
        yield Desk(Tab(driver, here), far)
    finally:
        await driver.close()
        await here.close()
        await far.close()


_CLOSED = """<p id=said>未</p><x-box id=box></x-box><script>
const root = box.attachShadow({mode:'closed'});
root.innerHTML = `<button id=d>删除</button>`;
root.getElementById('d').onclick = () => { said.textContent = '删了' };
</script>"""


@pytest.mark.requirement("SNAP-45")
@pytest.mark.parametrize("by", ["ref", "step", "host"])
async def test_a_delete_button_in_a_closed_root_asks_and_a_yes_lets_it_be_pressed_once(desk: Desk, by: str) -> None:
    await desk.tab.open(_CLOSED)
    target: JsonObject = {"selector": "#box >>> #d" if by == "step" else "#box"}
    if by == "ref":
        (node,) = [item for item in flat((await desk.do("getAomSnapshot"))["nodes"]) if item["role"] == "button"]
        target = {"ref": node["ref"]}
    number, facts = await desk.approved("click", **target)
    assert (facts["label"], await desk.runs("said.textContent")) == ("删除", "未")
    assert (await desk.do("click", number, **target))["clicked"] is True
    assert await desk.runs("said.textContent") == "删了"
    with pytest.raises(PolicyDeniedError) as again:
        await desk.do("click", number, **target)
    assert again.value.facts["rule"] == "approval.unknown"


@pytest.mark.requirement("SNAP-45")
async def test_a_yes_for_one_word_in_a_closed_root_is_none_for_another(desk: Desk) -> None:
    await desk.tab.open(_CLOSED)
    number, _ = await desk.approved("click", selector="#box >>> #d")
    await desk.runs("root.getElementById('d').textContent = '删除全部'")
    with pytest.raises(PolicyDeniedError) as refused:
        await desk.do("click", number, selector="#box >>> #d")
    assert refused.value.facts["rule"] == "approval.other_act"
    assert await desk.runs("said.textContent") == "未"


_TOLD = custom("{role:'button', ariaLabel:'删除'}", "<p id=n>0</p><x-it id=it tabindex=0></x-it>") + (
    "<script>it.onclick = it.onkeydown = () => { n.textContent = Number(n.textContent) + 1; }</script>"
)


@pytest.mark.requirement("SNAP-47")
@pytest.mark.parametrize(("action", "more"), [("click", {}), ("press", {"key": "Enter"})])
async def test_a_name_that_only_the_browser_is_told_asks_and_a_yes_lets_it_be_pressed(
    desk: Desk, action: str, more: JsonObject
) -> None:
    await desk.tab.open(_TOLD)
    number, facts = await desk.approved(action, selector="#it", **more)
    assert (facts["label"], await desk.runs("n.textContent")) == ("删除", "0")
    await desk.do(action, number, selector="#it", **more)
    assert await desk.runs("n.textContent") == "1"


@pytest.mark.requirement("SNAP-47")
async def test_a_yes_for_one_name_told_to_the_browser_is_none_for_another(desk: Desk) -> None:
    await desk.tab.open(_TOLD)
    number, _ = await desk.approved("click", selector="#it")
    await desk.runs("it.own.ariaLabel = '删除全部'")
    with pytest.raises(PolicyDeniedError) as refused:
        await desk.do("click", number, selector="#it")
    assert refused.value.facts["rule"] == "approval.other_act"
    assert await desk.runs("n.textContent") == "0"


@pytest.mark.requirement("SNAP-47")
async def test_a_name_that_becomes_another_as_the_mouse_comes_is_not_pressed(desk: Desk) -> None:
    """The yes was good when it was given in; the page changes the name while the element is aimed at."""
    named = "it.own.ariaLabel = '清空'"
    moves = f"it.animate([{{translate:'0 0'}}, {{translate:'0 40px'}}], 300); setTimeout(() => {{ {named} }}, 150)"
    await desk.tab.open(_TOLD)
    number, _ = await desk.approved("click", selector="#it")
    await desk.runs(f"addEventListener('scroll', () => {{ {moves} }}, {{once: true}})")
    await desk.runs("document.body.style.height = '3000px'")
    await desk.runs("it.style.marginTop = '2000px'")
    with pytest.raises((ActionError, PolicyDeniedError)) as refused:
        await desk.do("click", number, selector="#it")
    assert refused.value.code in (ActionCode.STALE_REF, "POLICY_DENIED")
    assert await desk.runs("n.textContent") == "0"


@pytest.mark.requirement("SNAP-48")
async def test_enter_in_a_field_asks_for_the_custom_button_of_its_form(desk: Desk) -> None:
    body = "<form><input id=f name=q><x-it id=it></x-it></form>"
    script = "<script>f.onkeydown = (event) => { if (event.key === 'Enter') document.title = '交了'; }</script>"
    await desk.tab.open(custom("{role:'button', ariaLabel:'提交'}", body, "true") + script)
    number, facts = await desk.approved("press", selector="#f", key="Enter")
    assert facts["label"] == "提交"
    assert await desk.runs("document.title") != "交了"
    await desk.do("press", number, selector="#f", key="Enter")


@pytest.mark.requirement("SNAP-47")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_in_a_frame_of_another_origin_the_same_is_listed_judged_and_asked_again(desk: Desk, host: str) -> None:
    base = desk.far.base.replace("127.0.0.1", host)
    policy = parse_policy(policy_document([desk.tab.site.base, base]))
    performer = Performer(desk.tab.driver, policy, People(NobodyThere()), asyncio.Event())
    desk.performer, before = performer, desk.performer
    desk.domain = host
    try:
        desk.far.show(_TOLD + _CLOSED, "/inner")
        await desk.tab.open(f"<iframe src={base}/inner width=600 height=300></iframe>")
        nodes = (await desk.tab.act("getAomSnapshot"))["nodes"]
        seen = [item for item in flat(nodes) if item["role"] == "button"]
        assert [(item["name"], item["selector"]) for item in seen] == [
            ("删除", "iframe >>> #it"),
            ("删除", "iframe >>> #box >>> #d"),
        ]
        frame = desk.tab.driver._pages.get(None).page.frames[1]
        number, _ = await desk.approved("click", selector="iframe >>> #box")
        await desk.do("click", number, selector="iframe >>> #box")
        assert await frame.evaluate("said.textContent") == "删了"
        number, facts = await desk.approved("click", selector="iframe >>> #it")
        await desk.do("click", number, selector="iframe >>> #it")
        assert (facts["label"], await frame.evaluate("n.textContent")) == ("删除", "1")
        located = await desk.tab.locate("click", selector="iframe >>> #it")
        await frame.evaluate("it.own.ariaLabel = '清空'")
        with pytest.raises(ActionError) as stale:
            await desk.tab.driver.perform(located, 5.0)
        assert (stale.value.code, stale.value.facts["field"]) == (ActionCode.STALE_REF, "label")
    finally:
        desk.performer, desk.domain = before, "127.0.0.1"
