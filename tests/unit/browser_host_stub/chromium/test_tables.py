"""Tables however a page draws them."""

import pytest

from browser_host_stub.driver import JsonObject
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _table(tab: Tab, body: str, selector: str = "#g", **params: object) -> JsonObject:
    await tab.open(f"<div id=g>{body}</div>")
    return await tab.act("extractTable", None, 5.0, selector=selector, **params)


HEAD = "<table><thead><tr><th><input type=checkbox><th>编号<th>金额</thead></table>"
BODY = "<table>" + "".join(f"<tr><td><input type=checkbox><td>A-{i}<td>{i}0" for i in (1, 2)) + "</table>"
WANTED = {"columns": ["编号", "金额"], "rows": [["A-1", "10"], ["A-2", "20"]], "row_count": 2, "complete": True}


@pytest.mark.requirement("SNAP-30")
async def test_a_split_header_belongs_to_its_body_and_tick_columns_are_left_out(tab: Tab) -> None:
    body = f"<div class=layui-table-view><div>{HEAD}</div><div>{BODY}</div><div>共 2 条</div></div>"
    assert await _table(tab, body) == {**WANTED, "page_total": 2}
    assert await _table(tab, body, "#g div div:nth-of-type(2) table") == {**WANTED, "page_total": 2}


@pytest.mark.requirement("SNAP-30")
async def test_locked_columns_drawn_again_are_not_told_twice(tab: Tab) -> None:
    copy = "<table><tr><th>编号</table><table><tr><td>A-1<tr><td>A-2</table>"
    body = f"<div class=box>{HEAD}{BODY}</div><div class=layui-table-fixed>{copy}</div>"
    assert await _table(tab, body) == {**WANTED, "page_total": None}


@pytest.mark.requirement("SNAP-30")
async def test_locked_columns_that_stand_only_beside_are_put_together_from_left_to_right(tab: Tab) -> None:
    left = "<table><thead><tr><th>编号</thead><tr><td>A-1<tr><td>A-2</table>"
    right = "<table><thead><tr><th>名称<th>金额</thead><tr><td>甲<td>10<tr><td>乙<td>20</table>"
    body = f"<div style=display:flex><div class=frozen>{left}</div><div>{right}</div></div>"
    assert await _table(tab, body) == {
        "columns": ["编号", "名称", "金额"],
        "rows": [["A-1", "甲", "10"], ["A-2", "乙", "20"]],
        "row_count": 2,
        "page_total": None,
        "complete": True,
    }


@pytest.mark.requirement("SNAP-31")
async def test_a_table_for_each_row_is_one_table(tab: Tab) -> None:
    rows = "".join(f"<table><tr><td>A-{i}<td>{i}0</table>" for i in range(1, 5))
    table = await _table(tab, f"<table><tr><th>编号<th>金额</table>{rows}")
    assert (table["columns"], table["row_count"]) == (["编号", "金额"], 4)


@pytest.mark.requirement("SNAP-31")
async def test_a_grid_of_boxes_is_a_table(tab: Tab) -> None:
    cells = "".join(f"<div role=row><div role=gridcell>A-{i}</div><div role=gridcell>{i}0</div></div>" for i in (1, 2))
    body = f"<div role=row><div role=columnheader>编号</div><div role=columnheader>金额</div></div>{cells}"
    assert await _table(tab, f"<div role=grid>{body}</div>") == {**WANTED, "page_total": None}


VIRTUAL = """<div id=v style='height:120px;overflow:auto'><div id=pad><table>
<thead><tr><th>编号<th>金额</thead><tbody id=tb></tbody></table></div></div>
<script>const N = 60, H = 20; pad.style.height = N * H + 'px';
function show() { const from = Math.floor(v.scrollTop / H); tb.innerHTML = '';
 for (let i = from; i < Math.min(N, from + 8); i++)
 tb.insertAdjacentHTML('beforeend',
 `<tr data-index=${i} style="height:20px"><td>A-${i}<td>${i}</tr>`);
 pad.style.paddingTop = v.scrollTop + 'px'; pad.style.height = (N * H - v.scrollTop) + 'px' }
v.addEventListener('scroll', show); show(); v.scrollTop = 40</script>"""


@pytest.mark.requirement("SNAP-32")
async def test_rows_that_exist_only_in_view_are_collected_and_the_place_is_restored(tab: Tab) -> None:
    table = await _table(tab, VIRTUAL + "<p>总共 60 条</p>")
    assert (table["row_count"], table["page_total"], table["complete"]) == (60, 60, True)
    rows = table["rows"]
    assert isinstance(rows, list)
    assert (rows[0], rows[59]) == (["A-0", "0"], ["A-59", "59"])
    first = {"selector": "#tb tr:nth-of-type(1)", "fact": "attribute", "name": "data-index"}
    assert await tab.act("query", None, 5.0, **first) == {"value": "2"}


@pytest.mark.requirement("SNAP-33")
@pytest.mark.parametrize(
    ("pager", "total", "complete"),
    [
        ("<span>共 2 条</span>", 2, True),
        ("<span>第 1-2 条/总共 35 条</span>", 35, False),
        ("<span>Total 120</span>", 120, False),
        ("<ul class=pagination><li>1</li><li>2</li></ul>", None, False),
        ("<p>两份合同</p>", None, True),
    ],
)
async def test_rows_are_reconciled_with_what_the_pager_states(
    tab: Tab, pager: str, total: int | None, complete: bool
) -> None:
    table = await _table(tab, f"<table id=t><tr><th>编号<tr><td>甲<tr><td>乙</table><div>{pager}</div>", "#t")
    assert (table["page_total"], table["complete"]) == (total, complete)
