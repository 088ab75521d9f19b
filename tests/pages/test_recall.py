"""On pages nobody here wrote, everything a person can operate is in the snapshot, by a selector that acts on it."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from tests.pages.corpus import FOLDER, PAGES, OthersPage
from tests.pages.judge import Judge, judging
from tests.pages.looking import operable, refused_clicks, settled, uncounted
from tests.pages.serve import serving

loop = pytest.mark.asyncio(loop_scope="module")
each = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    assert FOLDER.is_dir(), "the pages come from npm packages: run ./dev setup"
    with serving(FOLDER) as address:
        yield address


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def driver(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ChromiumDriver]:
    driver = await ChromiumDriver.start(ChromiumOptions(downloads_dir=tmp_path_factory.mktemp("files")))
    yield driver
    await driver.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def judge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Judge]:
    async with judging(ChromiumOptions(downloads_dir=tmp_path_factory.mktemp("judge"))) as found:
        yield found


@pytest.mark.requirement("SNAP-80")
@loop
@each
async def test_everything_a_person_can_operate_is_listed(
    page: OthersPage, base: str, driver: ChromiumDriver, judge: Judge
) -> None:
    url = f"{base}/{page.path}"
    seen = await settled(driver, url, page.listed)
    judgement = await judge.judge(url, [str(node.selector) for node in operable(seen)])
    assert judgement.judged >= page.operable
    assert (judgement.missed, judgement.wrong, seen.cut) == ([], [], False)
    assert uncounted(seen) <= 0.03, (seen.interactive_total, len(operable(seen)))


@pytest.mark.requirement("SNAP-81")
@loop
@each
async def test_a_sample_of_each_kind_can_be_clicked(page: OthersPage, base: str, driver: ChromiumDriver) -> None:
    kinds, refused = await refused_clicks(driver, f"{base}/{page.path}", page.listed)
    assert refused == []
    assert kinds >= 2


@pytest.mark.requirement("SNAP-42")
@loop
@pytest.mark.parametrize("page", [PAGES[0], PAGES[7], PAGES[10]], ids=lambda page: page.id)
async def test_after_a_reload_the_same_elements_have_the_same_selectors(
    page: OthersPage, base: str, driver: ChromiumDriver
) -> None:
    told: list[list[tuple[str, str, str | None]]] = []
    for _ in range(2):
        seen = operable(await settled(driver, f"{base}/{page.path}", page.listed))
        told.append([(node.role, node.name, node.selector) for node in seen])
    assert told[0] == told[1]
    counted_up = re.compile(r"\d{5,}|layui-\w+-\d{3,}|laytable-cell-\d|lay-id")
    assert [selector for _, _, selector in told[0] if counted_up.search(str(selector))] == []


def test_the_corpus_has_ten_pages_of_at_least_three_packages() -> None:
    assert len(PAGES) >= 10
    assert len({page.path.split("/")[0] for page in PAGES}) >= 3
    assert [page.path for page in PAGES if not Path(FOLDER / page.path).is_file()] == []
