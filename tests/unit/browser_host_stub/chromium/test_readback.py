"""What the page made of an act is read back, never taken for granted."""

import asyncio

import pytest

from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.site import Writer, answer

pytestmark = pytest.mark.asyncio(loop_scope="module")

_LATER = ("Promise.resolve().then(()=>{%s})", "requestAnimationFrame(()=>{%s})", "setTimeout(()=>{%s},5)")
"""When a page takes back what an act did."""
_ASKS = "fetch('/ask').then(()=>{%s})"


async def _slow(writer: Writer) -> None:
    await asyncio.sleep(0.03)
    writer.write(answer(b"no"))


@pytest.mark.requirement("CHR-07")
async def test_a_page_that_chooses_another_option_is_told_and_a_list_of_many_ends_with_one(tab: Tab) -> None:
    options = "<option selected>甲</option><option>乙</option></select>"
    for when in _LATER:
        await tab.open(f'<select id=s onchange="{when % "this.selectedIndex=0"}">' + options)
        error = await tab.refused("select", selector="#s", value="乙")
        assert (error.code, error.facts["now"]) == (ActionCode.ACTION_FAILED, [{"value": "甲", "label": "甲"}])
    await tab.open("<select id=s multiple>" + options)
    assert (await tab.act("select", selector="#s", value="乙"))["value"] == "乙"
    assert await tab.text("#s") == "乙"


@pytest.mark.requirement("CHR-06")
async def test_a_field_that_is_not_empty_after_clearing_is_told(tab: Tab) -> None:
    await tab.open("<input id=i value=abc><script>i.addEventListener('beforeinput',e=>e.preventDefault())</script>")
    error = await tab.refused("clear", selector="#i")
    assert (error.code, error.facts["left"]) == (ActionCode.ACTION_FAILED, "abc")


@pytest.mark.requirement("CHR-08")
@pytest.mark.parametrize("when", [*_LATER, _ASKS])
async def test_a_tick_that_the_page_takes_back_a_moment_later_is_told(tab: Tab, when: str) -> None:
    tab.site.special["/ask"] = _slow
    await tab.open(f'<input type=checkbox id=c onchange="{when % "this.checked=false"}">')
    error = await tab.refused("check", selector="#c")
    assert (error.code, error.facts["now"]) == (ActionCode.ACTION_FAILED, False)


@pytest.mark.requirement("CHR-95")
@pytest.mark.parametrize("when", [*_LATER, _ASKS])
@pytest.mark.parametrize(
    ("kind", "event", "value"),
    [("date", "change", "2026-03-05"), ("date", "blur", "2026-03-05"), ("text", "input", "三月")],
)
async def test_a_value_that_the_page_swallows_a_moment_later_is_told_with_what_is_there_now(
    tab: Tab, when: str, kind: str, event: str, value: str
) -> None:
    tab.site.special["/ask"] = _slow
    await tab.open(f'<input type={kind} id=i on{event}="{when % "this.value=``"}">')
    error = await tab.refused("type", selector="#i", text=value)
    assert (error.code, error.facts["kept"]) == (ActionCode.ACTION_FAILED, "")


@pytest.mark.requirement("CHR-95")
async def test_a_date_that_is_none_is_refused_and_the_one_before_stays(tab: Tab) -> None:
    await tab.open("<input type=date id=i value=2026-03-05>")
    assert (await tab.refused("type", selector="#i", text="2026-02-30")).code == ActionCode.BAD_PARAMS
    assert await tab.act("query", selector="#i", fact="value") == {"value": "2026-03-05"}


@pytest.mark.requirement("CHR-95")
async def test_a_text_that_is_cut_says_what_was_kept_and_how_much_the_field_takes(tab: Tab) -> None:
    await tab.open(
        "<input id=i maxlength=6><textarea id=t maxlength=3></textarea><input id=p type=password maxlength=4>"
        "<input id=m oninput=\"this.value=this.value.replace(/[^0-9]/g,'').slice(0,4)\">"
    )
    facts = {}
    for selector, text in (("#i", "三月费用报销单"), ("#t", "报销单据"), ("#p", "a1b2c3"), ("#m", "123456")):
        error = await tab.refused("type", selector=selector, text=text)
        assert error.code == ActionCode.ACTION_FAILED
        facts[selector] = tuple(error.facts[name] for name in ("typed_length", "kept", "length", "maxlength"))
    assert facts == {
        "#i": (7, "三月费用报销", 6, 6),
        "#t": (4, "报销单", 3, 3),
        "#p": (6, None, 4, 4),
        "#m": (6, "1234", 4, None),
    }
    error = await tab.refused("type", selector="#i", text="三月费用报销单")
    assert "要输入 7 个字，输入框最多收 6 个" in error.cause
