import asyncio
import hashlib
import os
import sys
from pathlib import Path

import pytest

from browser_host_stub.chromium.artifacts import FolderArtifacts, mime_of, safe_name
from sgclaw.errors import ActionCode, ActionError
from tests.unit.browser_host_stub.chromium.conftest import Tab
from tests.unit.browser_host_stub.chromium.site import Writer, attachment, html

CONTENT = "编号,名称\n1,现金\n".encode()
shared_browser = pytest.mark.asyncio(loop_scope="module")


def _names(tab: Tab) -> list[str]:
    return [stored.artifact.name for stored in tab.driver.artifacts.all()]


@shared_browser
@pytest.mark.requirement("CHR-40")
@pytest.mark.parametrize("how", ["<a id=b href=/file>下</a>", "<a id=b target=_blank href=/file>下</a>"])
async def test_a_download_is_complete_when_it_is_reported(tab: Tab, how: str) -> None:
    tab.site.pages["/file"] = attachment("report.xlsx", CONTENT)
    await tab.open(how)
    fact = (await tab.act("download", selector="#b"))["artifact"]
    assert isinstance(fact, dict)
    stored = tab.driver.artifacts.get(fact["id"])
    assert stored is not None
    assert stored.path.read_bytes() == CONTENT
    assert fact == {
        "id": fact["id"],
        "name": stored.path.name,
        "size": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "mime": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
    assert await tab.act("query", selector="#b", fact="exists") == {"value": True}


@shared_browser
@pytest.mark.requirement("CHR-40")
async def test_a_download_that_starts_later_is_waited_for(tab: Tab) -> None:
    tab.site.pages["/file"] = attachment("later.csv", CONTENT)
    await tab.open("<button id=b onclick=\"setTimeout(()=>{location.href='/file'},700)\">导出</button>")
    fact = (await tab.act("download", selector="#b"))["artifact"]
    assert isinstance(fact, dict)
    assert (fact["name"], fact["mime"]) == ("later.csv", "text/csv")


@shared_browser
@pytest.mark.requirement("CHR-41")
async def test_a_cut_connection_is_an_error_and_leaves_no_file(tab: Tab) -> None:
    async def cut(writer: Writer) -> None:
        writer.write(attachment("cut.csv", CONTENT * 1000)[:5_000])
        await writer.drain()

    tab.site.special["/cut"] = cut
    await tab.open("<a id=b href=/cut>下</a>")
    error = await tab.refused("download", selector="#b")
    assert (error.code, error.facts["name"]) == (ActionCode.DOWNLOAD_FAILED, "cut.csv")
    folder = tab.driver.artifacts.incoming.parent
    assert not list(folder.glob("cut*"))
    assert list(tab.driver.artifacts.incoming.iterdir()) == []


@shared_browser
@pytest.mark.requirement("CHR-41")
async def test_an_error_page_or_nothing_instead_of_a_file_is_an_error(tab: Tab) -> None:
    tab.site.pages["/broken"] = html("出错了", status="500 Internal Server Error")
    await tab.open("<a id=b href=/broken>下</a><button id=n>无</button>")
    nothing = await tab.refused("download", selector="#n", timeout_ms=300)
    assert (nothing.code, nothing.facts["reason"]) == (ActionCode.DOWNLOAD_FAILED, "timeout")
    broken = await tab.refused("download", selector="#b")
    assert (broken.code, broken.facts["status"]) == (ActionCode.DOWNLOAD_FAILED, 500)


@shared_browser
@pytest.mark.requirement("CHR-42")
async def test_a_download_nobody_asked_for_is_kept_too(tab: Tab) -> None:
    tab.site.pages["/file"] = attachment("unasked.csv", CONTENT)
    await tab.open("<a id=b href=/file>下</a>")
    await tab.act("click", selector="#b")
    async with asyncio.timeout(5):
        while "unasked.csv" not in _names(tab):
            await tab.act("query", fact="title")


@pytest.mark.requirement("CHR-43")
async def test_a_taken_name_is_never_replaced(tmp_path: Path) -> None:
    store = FolderArtifacts(tmp_path)
    first, second = await store.keep_bytes(b"1", "报表.xlsx"), await store.keep_bytes(b"2", "报表.xlsx")
    assert (first.path.name, first.path.read_bytes()) == ("报表.xlsx", b"1")
    assert (second.path.name, second.path.read_bytes()) == ("报表 (2).xlsx", b"2")
    assert store.all() == (first, second)
    assert list(store.incoming.iterdir()) == []


@pytest.mark.requirement("CHR-43")
async def test_a_folder_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    store = FolderArtifacts(tmp_path / "d")
    store.incoming.rmdir()
    with pytest.raises(ActionError) as caught:
        await store.keep_bytes(b"1", "a.csv")
    assert caught.value.code == ActionCode.DOWNLOAD_FAILED
    assert store.all() == ()


@pytest.mark.requirement("CHR-43")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "_.._etc_passwd"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("..", "download"),
        ("", "download"),
        (".bashrc", "bashrc"),
        ("报" * 200 + ".xlsx", "报" * 65 + ".xlsx"),
    ],
)
def test_names_are_plain_file_names(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.mark.requirement("CHR-43")
def test_media_types_come_from_the_name_alone() -> None:
    assert [mime_of(name) for name in ("a.PDF", "a.png", "a.csv", "a", "a.unknown")] == [
        "application/pdf",
        "image/png",
        "text/csv",
        "application/octet-stream",
        "application/octet-stream",
    ]


@pytest.mark.requirement("CHR-43")
async def test_what_a_killed_process_left_unfinished_is_removed_and_a_running_ones_is_kept(tmp_path: Path) -> None:
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await done.wait()
    dead, alive = tmp_path / ".incoming" / f"{done.pid}-aa", tmp_path / ".incoming" / f"{os.getpid()}-bb"
    for folder in (dead, alive):
        folder.mkdir(parents=True)
        (folder / "half").write_bytes(b"x")
    store = FolderArtifacts(tmp_path)
    assert sorted(path.name for path in (tmp_path / ".incoming").iterdir()) == sorted([alive.name, store.incoming.name])
