"""What a page answers about jQuery's handlers is a stranger's text."""

import pytest

from browser_host_stub.chromium.delegated import Hits, parsed
from tests.unit.browser_host_stub.chromium.conftest import Tab

HOSTILE = """<script>
Map.prototype.get = () => ({ toString() { return 'x'.repeat(1e7); } });
Map.prototype.has = () => true;
Array.prototype.forEach = function () { while (true) { this.length; } };
Object.keys = () => { throw new Error('no'); };
</script><ul id=l><li>一</li></ul><button id=b>查询</button>"""


@pytest.mark.requirement("SNAP-41")
@pytest.mark.parametrize(
    ("text", "documents"),
    [
        (":3:1,1;2,4;|/2:5:0,1;|", {(): Hits(3, {1: 1, 2: 4}), (2,): Hits(5, {0: 1})}),
        (":3:", {(): Hits(3, {})}),
        ("", {}),
        (":3:1,1;x", {}),
        (":99999999:1,1;|/1/2:1:|", {(1, 2): Hits(1, {})}),
        (":3:1,99;", {(): Hits(3, {1: 1})}),
    ],
)
def test_only_what_is_written_as_ours_counts(text: str, documents: object) -> None:
    assert parsed(text) == documents


@pytest.mark.requirement("SNAP-41")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_that_replaced_every_function_is_seen_without_its_handlers(tab: Tab) -> None:
    await tab.open(HOSTILE)
    nodes = (await tab.act("getAomSnapshot"))["nodes"]
    assert "查询" in str(nodes)
