"""Drifted pages: what changes, that it changes alike for the same seed, and that a person still gets things done."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Frame, FrameLocator, Locator, Page, expect

from browser_host_stub.sites.frame.drift import names_of, new_name, renamed
from browser_host_stub.sites.frame.knobs import DRIFTS
from browser_host_stub.sites.oa.approvals import APPROVED
from browser_host_stub.sites.server import DemoSites
from tests.unit.browser_host_stub.sites.conftest import LOGIN
from tests.unit.browser_host_stub.sites.reach import OA, Shop, open_shop, signed_in

in_chromium = pytest.mark.asyncio(loop_scope="module")
APPROVE = re.compile("^(通过|审核通过|准予通过)$")
AGREE = re.compile("^(确定|好的|是)$")
FIRST = "AP20260060"
ALL_LIVE = "ids,classes,move,wrap,twins,labels,dialog,step"
PACKAGES = [f"browser_host_stub.sites.{name}" for name in ("erp", "oa", "finance", "hr", "legal")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop() -> AsyncIterator[Shop]:
    async with open_shop() as opened:
        yield opened


@pytest.mark.requirement("SITE-07")
@pytest.mark.parametrize("package", PACKAGES)
def test_names_that_drift_are_a_sites_own_and_become_others_one_to_one(package: str) -> None:
    names = names_of(package)
    assert len(names.ids | names.classes) > 10
    assert [name for name in names.ids | names.classes if re.match(r"(el|ant|vxe|layui|is)-", name)] == []
    for seed in range(8):
        others = {new_name(name, seed) for name in names.ids | names.classes}
        assert len(others) == len(names.ids | names.classes)
        assert not others & (names.ids | names.classes)


@pytest.mark.requirement("SITE-07")
def test_only_whole_names_change_and_never_addresses() -> None:
    text = 'a.approve-btn #filter-range /approve-btn my-approve-btn approve-btn-x "approve-btn" lay-filter'
    new = new_name("approve-btn", 3)
    wanted = text.replace("a.approve-btn", f"a.{new}").replace('"approve-btn"', f'"{new}"')
    assert renamed(text, "browser_host_stub.sites.oa", ["classes"], 3) == wanted
    assert renamed(text, "browser_host_stub.sites.oa", ["ids"], 3) == text.replace(
        "filter-range", new_name("filter-range", 3)
    )


@pytest.mark.requirement("SITE-07")
async def test_pages_scripts_and_styles_of_a_drifted_site_agree_and_repeat(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        plain = (await client.get("/approval/pending")).text
        await client.post("/__control", json={"drift": ["classes", "ids"], "seed": 5})
        page = (await client.get("/approval/pending")).text
        assert page == (await client.get("/approval/pending")).text
        assert 'class="approval-list"' in plain
        assert f'class="{new_name("approval-list", 5)}"' in page
        script = (await client.get("/static/@ids.classes-5/pending.js")).text
        style = (await client.get("/static/@ids.classes-5/oa.css")).text
        assert "/static/@ids.classes-5/pending.js" in page
        assert f".{new_name('approval-list', 5)}" in script
        assert f".{new_name('approval-list', 5)}" in style
        assert (await client.get("/static/@ids.classes-5/none.js")).status_code == 404
        await client.post("/__control", json={"drift": []})
        assert (await client.get("/approval/pending")).text == plain


@pytest.mark.requirement("SITE-07")
async def test_paging_gives_other_sizes_and_another_pager(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        sizes = set()
        for seed in range(6):
            await client.post("/__control", json={"drift": ["paging"], "seed": seed})
            sizes.add((await client.get("/api/approvals")).json()["page_size"])
            report = await client.get("https://erp.example.com/api/report/finance?month=2026-03")
            assert report.json()["page_size"] == len(report.json()["rows"]) != 20
        assert len(sizes) > 1
        assert 10 not in sizes
        assert 'data-paging="simple"' in (await client.get("/approval/pending")).text


@pytest.mark.requirement("SITE-07")
async def test_frame_wraps_only_what_a_person_opens(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        await client.post("/__control", json={"drift": ["frame"]})
        opened = (await client.get("/approval/pending?x=1", headers={"sec-fetch-dest": "document"})).text
        assert '<iframe name="content-frame" src="/approval/pending?x=1"' in opened
        assert "iframe" not in (await client.get("/approval/pending", headers={"sec-fetch-dest": "iframe"})).text
        missing = await client.get("/nowhere", headers={"sec-fetch-dest": "document"})
        assert missing.status_code == 404


async def close_notice(page: Page, area: Page | FrameLocator, drift: str) -> None:
    if "dialog" in drift:
        await page.wait_for_load_state()
        await area.get_by_role("dialog", name="系统公告").get_by_role("button").click()


async def go_on(area: Page | FrameLocator, drift: str) -> None:
    if "step" in drift:
        await area.get_by_role("dialog", name="操作确认").get_by_role("button", name="继续执行").click()


async def press(buttons: Locator, answered: Locator) -> None:
    """The first of the buttons that does something; what a live one does is there at once."""
    for button in await buttons.all():
        await button.click()
        if await answered.count():
            return
    raise AssertionError("none of the buttons does anything")


async def person_approves(page: Page, drift: str) -> None:
    """As a person does: by what is written on the buttons."""
    area = page.frame_locator("iframe[name=content-frame]") if "frame" in drift else page
    await close_notice(page, area, drift)
    row = area.locator(f'[data-id="{FIRST}"]')
    dialog = area.locator(".layui-layer-page")
    await row.get_by_role("button").first.wait_for()
    asked = area.get_by_role("dialog", name="操作确认")
    await press(row.get_by_role("button", name=APPROVE), asked.or_(dialog))
    await go_on(area, drift)
    await expect(dialog).to_have_count(1)
    done = area.get_by_text(f"{FIRST} 已通过")
    await press(dialog.get_by_role("button", name=AGREE), asked.or_(dialog.locator("[disabled]")).or_(done))
    await go_on(area, drift)
    await expect(done).to_be_visible()


@in_chromium
@pytest.mark.requirement("SITE-08")
@pytest.mark.parametrize(
    ("drift", "seed"), [*((drift, 1) for drift in DRIFTS), (ALL_LIVE, 2), (f"{ALL_LIVE},frame,paging", 3)]
)
async def test_a_person_approves_a_request_under_every_drift(shop: Shop, drift: str, seed: int) -> None:
    async with shop.page(f"{OA}/approval/pending?drift={drift}&seed={seed}") as page:
        await person_approves(page, drift)
        assert shop.sites.oa.state.approval(FIRST).status == APPROVED
        assert shop.complaints == []


async def shape(page: Page | Frame) -> str:
    """The page's elements, without what a framework numbers anew each time."""
    await page.wait_for_selector('[data-state="ready"]')
    text: str = await page.evaluate("document.body.outerHTML")
    return re.sub(r'(layui-laypage-|laypage_|times="|lay-key="|id="|for="|datetime="|lay-id=")\d*', r"\1", text)


@in_chromium
@pytest.mark.requirement("SITE-08")
async def test_a_seed_gives_the_same_page_again_and_another_seed_another(shop: Shop) -> None:
    seen: dict[int, list[str]] = {1: [], 2: []}
    for _ in range(2):
        for seed, shapes in seen.items():
            async with shop.page(f"{OA}/approval/pending?drift=move,wrap,twins,labels&seed={seed}") as page:
                shapes.append(await shape(page))
    assert seen[1][0] == seen[1][1]
    assert seen[2][0] == seen[2][1]
    assert seen[1][0] != seen[2][0]


@in_chromium
@pytest.mark.requirement("SITE-08")
async def test_a_twin_says_the_same_and_does_nothing(shop: Shop) -> None:
    async with shop.page(f"{OA}/approval/pending?drift=twins&seed=3") as page:
        await page.wait_for_selector('[data-state="ready"]')
        twins = page.locator(f'[data-id="{FIRST}"] .item-actions button:not([data-act]):not(.detail-btn)')
        await expect(twins).to_have_count(1)
        await twins.click()
        await page.evaluate("new Promise(requestAnimationFrame)")
        await expect(page.locator(".confirm-dialog")).to_have_count(0)


@in_chromium
@pytest.mark.requirement("SITE-08")
async def test_the_erp_exports_under_drift_too(shop: Shop) -> None:
    url = f"https://erp.example.com/report/finance?drift={ALL_LIVE}&seed=2"
    async with shop.page(url) as page:
        await close_notice(page, page, ALL_LIVE)
        await page.wait_for_selector('table[data-state="ready"]')
        buttons = page.get_by_role("button", name=re.compile("^(下载报表|报表下载)$"))
        await press(buttons, page.get_by_role("dialog", name="操作确认"))
        await go_on(page, ALL_LIVE)
        await expect(page.get_by_text("月度报表，共")).to_be_visible()
        assert len(shop.sites.erp.state) == 1
        assert shop.complaints == []


@in_chromium
@pytest.mark.requirement("SITE-05")
async def test_a_page_of_another_origin_cannot_turn_knobs(shop: Shop) -> None:
    async with shop.page("https://legal.example.com/login") as page:
        await page.evaluate(
            """async (url) => {
                for (const type of ["text/plain", "application/json"]) {
                    const order = { method: "POST", headers: { "content-type": type }, body: '{"drift":["ids"]}' };
                    for (const mode of ["no-cors", "cors"]) {
                        await fetch(url, { ...order, mode, credentials: "include" }).catch(() => {});
                    }
                }
            }""",
            f"{OA}/__control",
        )
        async with page.expect_navigation(url=re.compile("fault=")) as pending:
            await page.evaluate("url => { location = url }", f"{OA}/?fault=error_500")
        answer = await pending.value
        assert answer is not None
        assert answer.status == 403
        await page.goto(f"{OA}/__control")
        assert '"drift":[]' in await page.inner_text("body")
        assert '"faults":[]' in await page.inner_text("body")
        assert LOGIN["username"] not in await page.inner_text("body")
