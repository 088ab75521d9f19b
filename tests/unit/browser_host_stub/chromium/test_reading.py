import asyncio
import hashlib

import pytest

from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("CHR-20")
async def test_text_is_what_a_person_sees_and_never_a_password(tab: Tab) -> None:
    await tab.open(
        "<div id=d>甲 <b>乙</b><span style='display:none'>藏</span></div><input id=i value=值><p id=e></p>"
        "<input id=p type=password value=secret><select id=s><option>一<option selected>二</select>"
        "<p id=h style='display:none'>x</p><p id=bad></p><script>bad.textContent='a\\ud800b'</script>"
    )
    texts = {selector: await tab.text(selector) for selector in ("#d", "#i", "#e", "#p", "#s", "#bad")}
    assert texts == {"#d": "甲 乙", "#i": "值", "#e": "", "#p": "", "#s": "二", "#bad": "a\ufffdb"}
    assert (await tab.refused("getText", selector="#h")).code == ActionCode.HIDDEN_TARGET


@pytest.mark.requirement("STUB-20")
async def test_title_and_address_that_go_with_every_answer_have_a_bounded_length(tab: Tab) -> None:
    await tab.open(
        "<p id=e>好</p><script>document.title = '题'.repeat(3e6);"
        "history.pushState(0, '', '#' + 'a'.repeat(1e6))</script>"
    )
    assert await tab.text("#e") == "好"
    info = await tab.driver.page_info(None)
    assert (len(info.title), info.title[-1], len(info.url)) == (500, "…", 8_000)
    assert info.url.startswith(f"{tab.site.base}/page#aaa")


@pytest.mark.requirement("CHR-21")
async def test_html_holds_no_secrets_and_runs_nothing(tab: Tab) -> None:
    await tab.open(
        "<div id=d><input type=password value=secret1><input type=hidden name=csrf_token value=secret2>"
        "<input name=q value=ok><script>'secret3'</script></div>"
    )
    html = str((await tab.act("getHtml", selector="#d"))["html"])
    assert "secret" not in html
    assert 'value="ok"' in html


@pytest.mark.requirement("CHR-22")
async def test_query_answers_every_fact(tab: Tab) -> None:
    await tab.open(
        "<input id=i value=v data-k=7 disabled><p class=r>1</p><p class=r>2</p><p id=h style='display:none'></p>"
        "<input id=p type=password value=secret>"
    )
    wanted = [
        ({"selector": "#i", "fact": "exists"}, True),
        ({"selector": "#no", "fact": "exists"}, False),
        ({"selector": ".r", "fact": "count"}, 2),
        ({"selector": "#i", "fact": "visible"}, True),
        ({"selector": "#h", "fact": "visible"}, False),
        ({"selector": "#i", "fact": "enabled"}, False),
        ({"selector": "#i", "fact": "value"}, "v"),
        ({"selector": "#p", "fact": "value"}, None),
        ({"selector": "#p", "fact": "attribute", "name": "value"}, None),
        ({"selector": "#i", "fact": "attribute", "name": "data-k"}, "7"),
        ({"selector": "#i", "fact": "attribute", "name": "data-none"}, None),
        ({"fact": "title"}, "测试页"),
        ({"fact": "url"}, f"{tab.site.base}/page"),
    ]
    assert [(await tab.act("query", None, 5.0, **params))["value"] for params, _ in wanted] == [v for _, v in wanted]
    assert (await tab.refused("query", selector="#no", fact="value")).code == ActionCode.NOT_FOUND


@pytest.mark.requirement("CHR-22")
async def test_exists_and_count_never_wait(tab: Tab) -> None:
    await tab.open("<p></p>")
    async with asyncio.timeout(1.0):
        assert await tab.act("query", selector="#none", fact="exists") == {"value": False}
        assert await tab.act("query", selector="#none", fact="count") == {"value": 0}


@pytest.mark.requirement("CHR-23")
async def test_waiting_ends_when_the_state_is_reached(tab: Tab) -> None:
    await tab.open(
        "<p id=gone>1</p><p id=hide>2</p><p id=show style='display:none'>3</p><script>setTimeout(()=>{gone.remove();"
        "hide.style.display='none';show.style.display='';document.body.append(document.createElement('hr'))},200)</script>"
    )
    for selector, state in (("#show", "visible"), ("#hide", "hidden"), ("#gone", "detached"), ("hr", "attached")):
        assert await tab.act("waitForSelector", selector=selector, state=state) == {"found": True}


@pytest.mark.requirement("CHR-23")
async def test_a_wait_in_vain_is_a_timeout_that_says_why(tab: Tab) -> None:
    await tab.open("<p id=h style='display:none'>x</p><p class=r>1</p><p class=r>2</p>")
    hidden = await tab.refused("waitForSelector", selector="#h", timeout_ms=200)
    assert (hidden.code, hidden.facts["last"]) == (ActionCode.TIMEOUT, "HIDDEN_TARGET")
    several = await tab.refused("waitForSelector", selector=".r", timeout_ms=200)
    assert (several.code, several.facts["last"]) == (ActionCode.TIMEOUT, "AMBIGUOUS_TARGET")


@pytest.mark.requirement("CHR-23")
async def test_a_wait_lives_through_a_navigation_of_the_same_origin(tab: Tab) -> None:
    tab.site.show("<p id=there>到</p>", "/next")
    await tab.open("<script>setTimeout(()=>{location.href='/next'},200)</script>")
    assert await tab.act("waitForSelector", selector="#there") == {"found": True}


@pytest.mark.requirement("CHR-24")
async def test_a_screenshot_is_a_whole_png_among_the_artifacts(tab: Tab) -> None:
    await tab.open("<div id=d style='width:120px;height:40px;background:red'></div><p style='height:3000px'></p>")
    heights = []
    for params in ({}, {"full_page": True}, {"selector": "#d"}):
        fact = (await tab.act("pageScreenshot", None, 5.0, **params))["artifact"]
        assert isinstance(fact, dict)
        stored = tab.driver.artifacts.get(fact["id"])
        assert stored is not None
        content = stored.path.read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (fact["size"], fact["sha256"])
        assert (content[:8], fact["mime"]) == (b"\x89PNG\r\n\x1a\n", "image/png")
        heights.append(int.from_bytes(content[20:24]))
    assert heights[0] == 800
    assert heights[1] > 3000
    assert heights[2] == 40


@pytest.mark.requirement("CHR-25")
async def test_scrolling_answers_where_the_page_stands(tab: Tab) -> None:
    await tab.open("<p style='height:3000px'></p><i id=end>x</i>")
    assert await tab.act("scrollTo", y=500) == {"x": 0, "y": 500}
    assert int(str((await tab.act("scrollTo", selector="#end"))["y"])) > 1500


TABLE = """<div><table id=t>
<thead><tr><th colspan=2>科目</th><th rowspan=2>金额</th></tr><tr><th>编号</th><th>名称</th></tr></thead>
<tbody><tr><td>1001</td><td>库存 现金</td><td>10.00</td></tr><tr><td rowspan=2>1002</td><td>存款</td><td>5</td></tr>
<tr><td>其它</td><td><input value=7></td></tr><tr style='display:none'><td>x</td></tr></tbody></table>
<p>第 1 页，共 {total} 条</p></div>"""


@pytest.mark.requirement("CHR-26")
@pytest.mark.parametrize(("total", "complete"), [("3", True), ("1,203", False)])
async def test_a_table_becomes_rows_reconciled_with_the_pages_total(tab: Tab, total: str, complete: bool) -> None:
    await tab.open(TABLE.format(total=total))
    assert await tab.act("extractTable", selector="#t") == {
        "columns": ["编号", "名称", "金额"],
        "rows": [["1001", "库存 现金", "10.00"], ["1002", "存款", "5"], ["1002", "其它", "7"]],
        "row_count": 3,
        "page_total": int(total.replace(",", "")),
        "complete": complete,
    }


@pytest.mark.requirement("CHR-26")
async def test_a_header_table_and_its_body_table_are_one(tab: Tab) -> None:
    head, body = "<table><tr><th>甲</th><th>乙</th></tr></table>", "<table><tr><td>1</td><td>2</td></tr></table>"
    await tab.open(f"<div id=g>{head}{body}</div><div id=two>{body}{body}</div><div id=no></div>")
    table = await tab.act("extractTable", selector="#g")
    assert table == {
        "columns": ["甲", "乙"],
        "rows": [["1", "2"]],
        "row_count": 1,
        "page_total": None,
        "complete": True,
    }
    assert (await tab.refused("extractTable", selector="#two")).code == ActionCode.AMBIGUOUS_TARGET
    assert (await tab.refused("extractTable", selector="#no")).code == ActionCode.NOT_FOUND


@pytest.mark.requirement("CHR-26")
async def test_rows_beyond_the_limit_make_a_table_incomplete(tab: Tab) -> None:
    await tab.open("<table id=t><tr><th>甲</th></tr>" + "<tr><td>1</td></tr>" * 5 + "</table>")
    table = await tab.act("extractTable", selector="#t", max_rows=2)
    assert (table["row_count"], table["complete"]) == (2, False)


@pytest.mark.requirement("CHR-25")
async def test_scrolling_to_an_element_scrolls_every_box_around_it(tab: Tab) -> None:
    await tab.open(
        "<div id=o style='height:200px;overflow:auto'><p style='height:900px'></p><div id=m style='height:150px;"
        "overflow:auto'><p style='height:900px'></p><b id=t>目标</b><p style='height:900px'></p></div>"
        "<p style='height:900px'></p></div><p style='height:3000px'></p>"
    )
    assert await tab.act("scrollTo", selector="#t") == {"x": 0, "y": 0}
    assert (await tab.act("click", selector="#t")) == {"clicked": True}
    page = tab.driver._pages.get(None).page
    assert await page.evaluate(
        "[o.scrollTop > 0, m.scrollTop > 0, document.elementFromPoint("
        "t.getBoundingClientRect().x + 2, t.getBoundingClientRect().y + 2) === t]"
    ) == [True, True, True]


@pytest.mark.requirement("SNAP-05")
@pytest.mark.parametrize(
    "field",
    [
        "<input id=s autocomplete='section-a one-time-code' value=SEC>",
        "<input id=s autocomplete=new-password value=SEC>",
        "<input id=s style='-webkit-text-security:disc' value=SEC>",
        "<textarea id=s autocomplete=One-Time-Code>SEC</textarea>",
        "<div id=s contenteditable aria-label=密码>SEC</div>",
        "<input id=s type=password value=SEC><button type=button id=eye onclick='s.type=\"text\"'>看</button>",
        "<i id=s data-token=SEC onclick='x(\"SEC\")'>字<a href='/x?token=SEC&id=7'>链</a></i>",
        "<p id=s>字<template><script>SEC</script></template><iframe srcdoc='<input type=password value=SEC>'></iframe>",
    ],
)
async def test_secrets_are_in_no_text_html_fact_or_snapshot(tab: Tab, field: str) -> None:
    await tab.open(f"<form>{field}<select name=form><option>x</select></form>")
    if "id=eye" in field:
        await tab.act("click", selector="#eye")
        await tab.act("waitForSelector", selector="#s[type=text]")
    html = await tab.act("getHtml", selector="form")
    told = [await tab.act("getText", selector="#s"), html, await tab.act("getAomSnapshot", detail="full")]
    told.append(await tab.act("query", selector="#s", fact="attribute", name="value"))
    assert "SEC" not in str(told), str(told)
    assert ("href" not in field) or "/x?token=&amp;id=7" in str(html)
