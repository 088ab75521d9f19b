"""What a model is shown of real pages: within the caps of tokens, each element once, with its name and its text."""

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from sgclaw.perception.changes import difference_text
from sgclaw.perception.diff import diff
from sgclaw.perception.model import View, short_ref, view_of
from sgclaw.perception.pages import text_view
from tests.pages.corpus import FOLDER, PAGES, OthersPage
from tests.pages.large import NODES, large_page
from tests.pages.looking import act, every, settled, snapshot
from tests.pages.serve import serving
from tests.unit.perception.pages import tokens

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]
each = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
FIRST, CHANGED, NAMED = 2_000, 300, 0.95
LOOKS = 10
REF = re.compile(r"\[(\d+(?:\.\d+)?)\]")


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    assert FOLDER.is_dir(), "the pages come from npm packages: run ./dev setup"
    with serving(FOLDER) as address:
        yield address


@dataclass(frozen=True)
class Large:
    """The address of a page of a thousand nodes."""

    url: str


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    folder = tmp_path_factory.mktemp("large")
    Path(folder / "large.html").write_text(large_page(), encoding="utf-8")
    with serving(folder) as address:
        yield Large(f"{address}/large.html")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def driver(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ChromiumDriver]:
    driver = await ChromiumDriver.start(ChromiumOptions(downloads_dir=tmp_path_factory.mktemp("files")))
    yield driver
    await driver.close()


async def seen(driver: ChromiumDriver, url: str, least: int) -> View:
    shot = await settled(driver, url, least)
    return view_of(await driver.page_info(None), shot.nodes, shot)


async def after_click(driver: ChromiumDriver, before: View, selector: str | None) -> str:
    await act(driver, "click", selector=selector)
    shot = await snapshot(driver)
    for _ in range(LOOKS):
        if not shot.cut:  # a busy machine ends a look early
            break
        shot = await snapshot(driver)
    after = view_of(await driver.page_info(None), shot.nodes, shot)
    return difference_text(diff(before.nodes, after.nodes), after.page, before=before)


@pytest.mark.requirement("SNAP-85")
@each
async def test_every_page_of_a_view_is_within_its_cap_and_every_element_stands_on_one(
    page: OthersPage, base: str, driver: ChromiumDriver
) -> None:
    view = await seen(driver, f"{base}/{page.path}", page.operable // 2)
    texts = text_view(view).pages
    assert [tokens(text) for text in texts if tokens(text) > FIRST] == []
    told = sorted(ref for text in texts for ref in REF.findall(text))
    assert told == sorted(short_ref(node.ref or "") for node in view.operable)
    assert sum(bool(node.name) for node in view.operable) >= NAMED * len(view.operable)


@pytest.mark.requirement("SNAP-85")
@each
async def test_what_a_click_changed_is_told_within_its_cap(page: OthersPage, base: str, driver: ChromiumDriver) -> None:
    view = await seen(driver, f"{base}/{page.path}", page.operable // 2)
    free = [node for node in view.operable if node.role != "link" and not (node.disabled or node.covered)]
    assert tokens(await after_click(driver, view, (free or view.operable)[0].selector)) <= CHANGED


@pytest.mark.requirement("SNAP-85")
async def test_a_page_of_a_thousand_nodes_is_within_the_caps_and_says_what_changed(
    large: Large, driver: ChromiumDriver
) -> None:
    view = await seen(driver, large.url, 800)
    assert len(list(every(view.nodes))) >= NODES
    first = text_view(view).page(1)
    assert tokens(first) <= FIRST
    assert "共240行 显示20行" in first
    assert "HT-10001 | 乙公司采购合同第1号 | 317.50 | 已通过 |" in first
    changed = await after_click(driver, view, "#next")
    assert tokens(changed) <= CHANGED
    assert "第 2 页，合计 2000000 元" in changed
    assert "行" in changed.rpartition("另有")[2]
