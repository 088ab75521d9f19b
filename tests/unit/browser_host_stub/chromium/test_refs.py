"""Elements named by their number in a snapshot: the same element, or one that is certainly the same, or none."""

import pytest

from browser_host_stub.chromium.frames import Place
from browser_host_stub.chromium.refs import Ref
from browser_host_stub.chromium.world import World
from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")
ROWS = (
    "<table><tbody id=t><tr><td>张三</td><td><button>删除</button></td></tr>"
    "<tr><td>李四</td><td><button>删除</button></td></tr></tbody></table><input id=i aria-label=意见>"
    "<div id=s role=combobox tabindex=0>甲</div>"
)


async def ref_of(tab: Tab, selector: str) -> str:
    """The ref a snapshot gives the element."""
    nodes = (await tab.act("getAomSnapshot", selector=selector))["nodes"]
    assert isinstance(nodes, list)
    return str(nodes[0]["ref"])


async def change(tab: Tab, script: str) -> None:
    """Let the page change itself."""
    await tab.driver._pages.get(None).page.evaluate(script)


@pytest.mark.requirement("CHR-86")
async def test_every_act_takes_a_ref(tab: Tab) -> None:
    await tab.open(ROWS + "<button id=b onclick=\"this.textContent='好'\">查</button>")
    field, button = await ref_of(tab, "#i"), await ref_of(tab, "#b")
    assert (await tab.act("type", ref=field, text="同意"))["value"] == "同意"
    assert await tab.act("query", ref=field, fact="value") == {"value": "同意"}
    assert await tab.act("query", ref=field, fact="exists") == {"value": True}
    assert await tab.act("press", ref=field, key="End") == {"pressed": True}
    assert await tab.act("waitForSelector", ref=field) == {"found": True}
    assert await tab.act("click", ref=button) == {"clicked": True}
    assert await tab.text("#b") == "好"
    assert (await tab.refused("click", ref=button)).code == ActionCode.STALE_REF  # it says something else by now
    combo = await ref_of(tab, "#s")
    await change(tab, "s.textContent='乙'")
    assert await tab.act("getText", ref=combo) == {"text": "乙"}  # what a box shows is its value


@pytest.mark.requirement("CHR-86")
async def test_a_ref_into_a_frame_of_another_origin_names_its_document(tab: Tab) -> None:
    here = tab.site.show("<button id=b onclick=\"this.title='点了'\">查</button>", "/in")
    far = here.replace("127.0.0.1", "localhost")
    await tab.open(f"<iframe id=f src={far}></iframe>")
    await tab.act("waitForSelector", selector="#f >>> #b")
    ref = await ref_of(tab, "#f >>> #b")
    assert ref.partition(":")[2].count(".") == 1
    assert await tab.act("click", ref=ref) == {"clicked": True}
    assert await tab.act("query", ref=ref, fact="attribute", name="title") == {"value": "点了"}
    await change(tab, "f.src += '?again'")
    error = await tab.refused("click", ref=ref, wait=1.0)
    assert error.code in (ActionCode.STALE_REF, ActionCode.DETACHED_TARGET)


@pytest.mark.requirement("CHR-87")
async def test_a_ref_of_an_earlier_version_names_both_versions(tab: Tab) -> None:
    await tab.open(ROWS)
    ref = await ref_of(tab, "#i")
    version = Ref.read(ref).version
    await tab.open(ROWS)
    error = await tab.refused("click", ref=ref)
    assert (error.code, error.facts["version"], error.facts["now"]) == (ActionCode.STALE_REF, version, version + 1)
    assert f"第 {version} 版" in error.cause


@pytest.mark.requirement("CHR-87")
@pytest.mark.parametrize("text", ["e1", "1", "1:", "1:2.", "1:.2", "1:2.3.4", "-1:2", "a:b"])
async def test_what_no_snapshot_wrote_is_a_bad_parameter(tab: Tab, text: str) -> None:
    assert (await tab.refused("click", ref=text)).code == ActionCode.BAD_PARAMS


@pytest.mark.requirement("CHR-87")
async def test_a_number_no_snapshot_gave_is_stale(tab: Tab) -> None:
    await tab.open(ROWS)
    version = tab.driver._pages.get(None).version
    assert (await tab.refused("click", ref=f"{version}:9999")).code == ActionCode.STALE_REF
    assert (await tab.refused("click", ref=f"{version}:7.1")).code == ActionCode.STALE_REF


@pytest.mark.requirement("CHR-88")
async def test_an_element_that_is_drawn_again_is_found_again(tab: Tab) -> None:
    await tab.open(ROWS)
    ref = await ref_of(tab, "tr:nth-child(2) button")
    await change(tab, "t.innerHTML = t.innerHTML")
    assert await tab.act("click", ref=ref) == {"clicked": True}


@pytest.mark.requirement("CHR-88")
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("t.deleteRow(1)", ActionCode.DETACHED_TARGET),
        # rows are drawn again in another order: the button at this place belongs to another one now
        ("t.innerHTML = t.rows[1].outerHTML + t.rows[0].outerHTML", ActionCode.DETACHED_TARGET),
        # the element is kept and used for another row
        ("t.rows[1].cells[0].textContent = '王五'", ActionCode.STALE_REF),
        ("t.rows[1].querySelector('button').textContent = '通过'", ActionCode.STALE_REF),
        ("t.rows[1].querySelector('button').setAttribute('data-id', '9')", ActionCode.STALE_REF),
    ],
)
async def test_a_doubtful_element_is_never_acted_on(tab: Tab, script: str, code: ActionCode) -> None:
    await tab.open(ROWS)
    ref = await ref_of(tab, "tr:nth-child(2) button")
    await change(tab, f"t.onclick = () => {{ document.title = '点了' }}; {script}")
    error = await tab.refused("click", ref=ref, wait=0.3)
    assert error.code == code
    assert error.facts["was"] == {"role": "button", "name": "删除"}
    assert await tab.act("query", fact="title") == {"value": "测试页"}


@pytest.mark.requirement("CHR-88")
async def test_a_ref_that_failed_names_what_looks_like_it(tab: Tab) -> None:
    await tab.open(ROWS)
    ref = await ref_of(tab, "tr:nth-child(2) button")
    await change(tab, "document.querySelector('#t').deleteRow(1)")
    error = await tab.refused("click", ref=ref)
    assert error.facts["alternatives"] == [{"selector": "button", "role": "button", "name": "删除"}]


@pytest.mark.requirement("CHR-88")
async def test_a_gone_element_counts_as_gone_to_waits_and_queries(tab: Tab) -> None:
    await tab.open(ROWS)
    ref = await ref_of(tab, "tr:nth-child(2) button")
    await change(tab, "document.querySelector('#t').deleteRow(1)")
    assert await tab.act("waitForSelector", ref=ref, state="detached", timeout_ms=500) == {"found": True}
    assert await tab.act("query", ref=ref, fact="exists") == {"value": False}


@pytest.mark.requirement("CHR-86")
async def test_refs_are_written_and_read_alike() -> None:
    class NoWorld(World):
        def __init__(self) -> None:
            self.origin = ""

    world = NoWorld()
    assert Place(world, "t", "o").ref(3, 7) == "3:7"
    assert Place(world, "t", "o", number=2).ref(3, 7) == "3:2.7"
    assert Ref.read("3:2.7") == Ref(3, 2, 7)
    assert str(Ref.read("3:7")) == "3:7"
    with pytest.raises(ActionError):
        Ref.read("3:2.7\n")


CARDS = (
    "<div id=l>"
    + "".join(f"<div class=c><b>{who}</b><button>查看</button></div>" for who in ("张三", "李四"))
    + "</div>"
)
DIALOG = "<div id=l role=dialog><h2>合同A</h2><input aria-label=意见><button>提交</button></div>"
DETAIL = "<h2 id=h>合同A</h2><p id=p>金额 1</p><button>编辑</button>"
OTHERS = (
    (CARDS, "l.children[1].firstChild.textContent = '王五'"),
    (CARDS, "l.innerHTML = l.innerHTML.replace('李四', '王五')"),
    (
        CARDS.replace("div class=c", "article").replace("n></div>", "n></article>"),
        "l.children[1].firstChild.textContent = '王五'",
    ),
    (
        "<div id=l><p class=f>姓名 <b>张三</b></p><p class=f>不可撤销 <button>删除</button></p></div>",
        "l.querySelector('b').textContent = '王五'",
    ),
    (f"<table><tr id=l><td>张三<td>{'长' * 400}<td><button>查看</button></table>", "l.cells[0].textContent = '李四'"),
    (DIALOG, "l.firstChild.textContent = '合同B'"),
    (DIALOG.replace("<input aria-label=意见>", "<p>删除甲？</p>"), "l.children[1].textContent = '删除乙？'"),
    (DETAIL, "h.textContent = '合同B'"),
    (DETAIL.replace("h2", "b"), "p.textContent = '金额 2'; history.pushState({}, '', '/other')"),
    (DETAIL.replace("h2", "b"), "p.textContent = '金额 2'; location.hash = '#/other'"),
    ("<button lay-event=detail>操作</button>", "document.querySelector('button').setAttribute('lay-event', 'del')"),
    ("<button onclick=a()>操作</button>", "document.querySelector('button').setAttribute('onclick', 'b()')"),
    ("<button value=1>操作</button>", "document.querySelector('button').value = '2'"),
    ("<ul id=l><li><button>删除</button></li><li><button>删除</button></li></ul>", "l.lastChild.remove()"),
)


@pytest.mark.requirement("CHR-106")
@pytest.mark.parametrize(("body", "script"), OTHERS)
async def test_a_ref_does_not_act_on_another_record(tab: Tab, body: str, script: str) -> None:
    await tab.open(f"{body}<p id=o></p>")
    listed = str((await tab.act("query", selector="button", fact="count"))["value"])
    selector = "button" if listed == "1" else "#l > :nth-child(2) button"
    ref = await ref_of(tab, selector)
    await change(tab, f"document.addEventListener('click', () => {{ document.title = '点了' }}); {script}")
    error = await tab.refused("click", ref=ref, wait=0.3)
    assert error.code in (ActionCode.STALE_REF, ActionCode.DETACHED_TARGET)
    assert await tab.act("query", fact="title") == {"value": "测试页"}


@pytest.mark.requirement("CHR-106")
@pytest.mark.parametrize("lists_all", [True, False])
async def test_a_twin_that_moves_up_is_not_the_one_that_went(tab: Tab, lists_all: bool) -> None:
    await tab.open("<ul id=l><li><button>删除</button></li><li><button>删除</button></li></ul>")
    ref = await ref_of(tab, "#l > :nth-child(1) button")
    if lists_all:
        await tab.act("getAomSnapshot")
    await change(tab, "l.firstChild.remove()")
    assert (await tab.refused("click", ref=ref, wait=0.3)).code == ActionCode.DETACHED_TARGET


@pytest.mark.requirement("CHR-106")
@pytest.mark.parametrize(
    ("body", "script"),
    [
        (CARDS, "l.children[0].firstChild.textContent = '王五'"),
        (CARDS, "l.innerHTML = l.innerHTML"),
        (DIALOG, "document.querySelector('input').insertAdjacentHTML('afterend', '<p>还差 3 字</p>')"),
        (DETAIL, "p.textContent = '金额 2'"),
        (DETAIL, "history.pushState({}, '', '/other')"),
    ],
)
async def test_a_ref_outlives_work_on_the_page(tab: Tab, body: str, script: str) -> None:
    await tab.open(body)
    count = (await tab.act("query", selector="button", fact="count"))["value"]
    ref = await ref_of(tab, "button" if count == 1 else "#l > :nth-child(2) button")
    await change(tab, script)
    assert await tab.act("click", ref=ref) == {"clicked": True}
