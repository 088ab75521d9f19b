"""The demo sites' pages: everything a person can operate is in the snapshot, and their pictures can be looked at."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.demo_browser import PERSON, demo_browser
from tests.pages.corpus import DEMO_PAGES, DemoPage
from tests.pages.judge import Judge, judging
from tests.pages.looking import act, operable, refused_clicks, settled, uncounted

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]
each = pytest.mark.parametrize("page", DEMO_PAGES, ids=lambda page: page.id)
TODAY = date(2026, 11, 30)
DENSEST = next(page for page in DEMO_PAGES if page.path == "/compliance")


@dataclass(frozen=True)
class Bench:
    """A signed-in browser under test, and a judge that is signed in as well."""

    driver: ChromiumDriver
    judge: Judge
    pictures: Path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    files = tmp_path_factory.mktemp("files")
    kept = request.config.getoption("--pictures")
    pictures = Path(str(kept)) if kept else tmp_path_factory.mktemp("pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    async with demo_browser(files, today=TODAY) as browser:
        options = ChromiumOptions(
            files, resolver_rules=(browser.sites.resolver_rules,), spki_pins=(browser.sites.spki,)
        )
        async with judging(options) as judge:
            await judge.sign_in("https://erp.example.com/login", *PERSON)
            yield Bench(browser.driver, judge, pictures)


async def picture(bench: Bench, name: str, **params: object) -> tuple[Image.Image, list[object]]:
    taken = await act(bench.driver, "pageScreenshot", **params)
    artifact = taken["artifact"]
    assert isinstance(artifact, dict)
    stored = bench.driver.artifacts.get(str(artifact["id"]))
    assert stored is not None
    path = bench.pictures / f"{name}.png"
    path.write_bytes(stored.path.read_bytes())
    labels = taken["som_labels"]
    assert isinstance(labels, list)
    return Image.open(path), labels


@pytest.mark.requirement("SNAP-82")
@each
async def test_everything_a_person_can_operate_is_listed(page: DemoPage, bench: Bench) -> None:
    seen = await settled(bench.driver, page.url, page.listed)
    judgement = await bench.judge.judge(page.url, [str(node.selector) for node in operable(seen)])
    assert judgement.judged >= page.operable
    assert (judgement.missed, judgement.wrong, seen.cut) == ([], [], False)
    assert uncounted(seen) <= 0.03, (seen.interactive_total, len(operable(seen)))


@pytest.mark.requirement("SNAP-82")
@each
async def test_a_sample_of_each_kind_can_be_clicked(page: DemoPage, bench: Bench) -> None:
    kinds, refused = await refused_clicks(bench.driver, page.url, page.listed)
    assert refused == []
    assert kinds >= 2


@pytest.mark.requirement("SNAP-83")
@each
async def test_a_picture_of_the_page_is_not_blank(page: DemoPage, bench: Bench) -> None:
    await settled(bench.driver, page.url, page.listed)
    image, _ = await picture(bench, page.id)
    assert image.size == (1280, 800)
    shades = image.convert("L").resize((320, 200)).histogram()
    assert sum(count > 0 for count in shades) > 30


@pytest.mark.requirement("SNAP-84")
async def test_marks_on_the_densest_page_name_what_can_be_clicked(bench: Bench) -> None:
    await settled(bench.driver, DENSEST.url, DENSEST.listed)
    image, labels = await picture(bench, "marks", som_overlay=True)
    plain, _ = await picture(bench, "no-marks")
    assert image.tobytes() != plain.tobytes()
    assert len(labels) >= DENSEST.listed // 2
