"""A file reaches the input that the page means, and what the page was told of it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TELL = (
    "<p id=o></p><script>const tell=i=>{i.addEventListener('change',async e=>{const f=e.target.files[0];"
    "o.textContent=`${i.id||'made'} ${e.isTrusted} ${f.name} ${f.size} ${await f.text()}`})}</script>"
)
_CONTENT = "科目,金额\n"


async def _file(tab: Tab, folder: Path, name: str = "三月 报表.csv") -> str:
    path = folder / name
    path.write_text(_CONTENT, encoding="utf-8")
    return (await tab.driver.artifacts.register(path)).artifact.id


@pytest.mark.requirement("ACT-03")
@pytest.mark.parametrize(
    ("body", "selector", "where"),
    [
        ("<input type=file id=f>", "#f", "f"),
        ("<input type=file id=f style='display:none'>", "#f", "f"),
        ("<label id=t>选择附件<input type=file id=f hidden></label>", "#t", "f"),
        ("<div id=t><button>点击上传</button><input type=file id=f hidden></div>", "#t", "f"),
        ("<form><div><button type=button id=t>上传</button><input type=file id=f hidden></div></form>", "#t", "f"),
        ("<my-up id=t></my-up>", "#t", "f"),
    ],
)
async def test_the_file_reaches_the_input_behind_the_target(
    body: str, selector: str, where: str, tab: Tab, tmp_path: Path
) -> None:
    wire = (
        "<script>const host=document.querySelector('my-up');if(host)host.attachShadow({mode:'open'}).innerHTML="
        "'<button>传</button><input type=file id=f hidden>';"
        "tell((host?host.shadowRoot:document).querySelector('#f'))</script>"
    )
    await tab.open(body + _TELL + wire)
    file = await _file(tab, tmp_path)
    size = len(_CONTENT.encode())
    assert await tab.act("upload", selector=selector, file=file) == {
        "uploaded": True,
        "name": "三月 报表.csv",
        "size": size,
    }
    await tab.act("waitForSelector", selector="#o:not(:empty)")
    assert await tab.text("#o") == f"{where} true 三月 报表.csv {size} 科目,金额"


@pytest.mark.requirement("ACT-03")
async def test_a_chooser_that_a_click_opens_gets_the_file_also_for_an_input_that_is_nowhere_on_the_page(
    tab: Tab, tmp_path: Path
) -> None:
    await tab.open(
        _TELL + "<section><button id=b>导入</button></section><script>b.onclick=()=>{"
        "const i=document.createElement('input');i.type='file';tell(i);i.click()}</script>"
    )
    assert (await tab.act("upload", selector="#b", file=await _file(tab, tmp_path)))["name"] == "三月 报表.csv"
    await tab.act("waitForSelector", selector="#o:not(:empty)")
    assert str(await tab.text("#o")).startswith("made true 三月 报表.csv")


@pytest.mark.requirement("ACT-04")
async def test_a_widget_that_empties_its_input_at_once_has_got_the_file_all_the_same(tab: Tab, tmp_path: Path) -> None:
    await tab.open(
        "<input type=file id=f><p id=o></p><script>f.onchange=()=>{o.textContent=f.files[0].name;f.value='';"
        "f.replaceWith(f.cloneNode())}</script>"
    )
    assert (await tab.act("upload", selector="#f", file=await _file(tab, tmp_path)))["uploaded"] is True
    assert await tab.text("#o") == "三月 报表.csv"


@pytest.mark.requirement("ACT-04")
async def test_what_cannot_be_uploaded_is_an_error_that_says_why(tab: Tab, tmp_path: Path) -> None:
    await tab.open(
        "<input type=file id=f><input type=file id=off disabled><p id=p>文字</p>"
        "<div id=two><input type=file><input type=file></div>"
    )
    file = await _file(tab, tmp_path)
    codes = {
        selector: (await tab.refused("upload", selector=selector, file=file)).code
        for selector in ("#off", "#p", "#two")
    }
    assert codes == {
        "#off": ActionCode.DISABLED_TARGET,
        "#p": ActionCode.UNSUPPORTED_WIDGET,
        "#two": ActionCode.AMBIGUOUS_TARGET,
    }
    assert (await tab.refused("upload", selector="#f", file="f-none")).code == ActionCode.BAD_PARAMS
    (tmp_path / "三月 报表.csv").write_text("改过", encoding="utf-8")
    assert (await tab.refused("upload", selector="#f", file=file)).code == ActionCode.ACTION_FAILED
    assert await tab.act("query", selector="#f", fact="value") == {"value": ""}


@pytest.mark.requirement("ACT-04")
async def test_a_page_that_empties_its_input_has_got_the_file_and_the_result_says_when_nothing_shows_it(
    tab: Tab, tmp_path: Path
) -> None:
    file = await _file(tab, tmp_path, "合同.txt")
    empties = (
        "<input type=file id=f><p id=o></p><div role=alert id=a></div>"
        "<script>f.onchange=()=>{const n=f.files[0].name;f.value='';%s}</script>"
    )
    told = {}
    for then in ("", "a.textContent=n+' 格式不对'", "o.textContent=n", "fetch('/up',{method:'POST',body:n})"):
        await tab.open(empties % then)
        done = await tab.act("upload", selector="#f", file=file)
        assert done["uploaded"] is True
        told[then[:1]] = done.get("emptied", False)
    assert told == {"": True, "a": True, "o": False, "f": False}


@pytest.mark.requirement("ACT-04")
async def test_a_file_that_was_gone_before_the_page_was_told_is_an_error(tab: Tab, tmp_path: Path) -> None:
    await tab.open("<input type=file id=f><script>addEventListener('input',()=>{f.value=''},true)</script>")
    error = await tab.refused("upload", selector="#f", file=await _file(tab, tmp_path))
    assert (error.code, error.facts["why"]) == (ActionCode.ACTION_FAILED, "页面没有收到文件")
