"""What the page made of an act is read back, never taken for granted."""

import pytest

from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("CHR-07")
async def test_a_page_that_chooses_another_option_is_told_and_a_list_of_many_ends_with_one(tab: Tab) -> None:
    options = "<option selected>甲</option><option>乙</option></select>"
    await tab.open("<select id=s onchange='Promise.resolve().then(()=>{this.selectedIndex=0})'>" + options)
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
