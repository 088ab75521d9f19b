"""The demo ERP as a person sees it: the real Chromium, the real port, the real certificate."""

import asyncio
import re
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.async_api import Error, Page, expect

from browser_host_stub import tls
from browser_host_stub.sites.erp import data
from browser_host_stub.sites.server import DEMO_NAMES, DemoSites
from tests.unit.browser_host_stub.sites.conftest import LOGIN, OpenPage

REPORT = "https://erp.example.com/report/finance"


async def log_in(page: Page) -> None:
    await page.goto(REPORT)
    await page.fill("#username", LOGIN["username"])
    await page.fill("#password", LOGIN["password"])
    await page.click("#login-btn")
    await expect(page).to_have_url(REPORT)
    await ready(page)


async def ready(page: Page) -> None:
    await page.wait_for_selector(".report-table[data-state=ready]")


async def chips(page: Page) -> dict[str, str | None]:
    return {
        name: await page.get_attribute(f".filter-chips [data-filter={name}]", "data-value")
        for name in ("month", "department")
    }


def exported(path: Path) -> list[tuple[str, str, Decimal, Decimal]]:
    lines = load_workbook(path).worksheets[0].iter_rows(min_row=2, values_only=True)
    return [(str(line[1]), str(line[3]), Decimal(str(line[6])), Decimal(str(line[7]))) for line in lines]


@pytest.mark.requirement("SITES-09")
async def test_a_person_filters_by_month_and_department_and_exports_exactly_those_rows(
    sites: DemoSites, open_page: OpenPage, tmp_path: Path
) -> None:
    truth = data.rows("2026-03", "财务部")
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        await page.click("#month-picker")
        await page.fill("#month-input", "2026-03")
        await page.press("#month-input", "Enter")
        await page.click("#dept-selector")
        await page.fill("#dept-search", "财务")
        await page.click('.dept-option[data-name="财务部"]')
        assert await chips(page) == {"month": "2026-03", "department": "财务部"}
        await ready(page)
        assert await page.inner_text(".report-total") == f"共 {len(truth)} 条"
        assert await page.locator(".report-table tbody tr").count() == 20
        await page.click('.page-btn[data-page="2"]')
        await ready(page)
        assert await page.locator(".report-table tbody tr").count() == len(truth) - 20

        await page.select_option("#export-format", "xlsx")
        await page.click("#export-btn")
        await page.wait_for_selector(".export-success")
        assert await page.inner_text(".export-result") == f"已导出 2026-03 财务部 月度报表，共 {len(truth)} 条"
        async with page.expect_download() as pending:
            await page.click(".export-link")
        download = await pending.value
        assert download.suggested_filename == "月度报表_2026-03_财务部.xlsx"
        await download.save_as(tmp_path / "report.xlsx")
    wanted = [(row.number, row.subject_code, row.debit, row.credit) for row in truth]
    assert await asyncio.to_thread(exported, tmp_path / "report.xlsx") == wanted


@pytest.mark.requirement("SITES-10")
async def test_filters_are_committed_the_moment_they_are_chosen(sites: DemoSites, open_page: OpenPage) -> None:
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        assert await chips(page) == {"month": "2026-04", "department": ""}
        # By the cells of another year.
        await page.click("#month-picker")
        await page.click(".year-prev")
        await page.click('.month-cell[data-month="2025-12"]')
        assert await chips(page) == {"month": "2025-12", "department": ""}
        # By typing a month and going on to the next field.
        await page.click("#month-picker")
        await page.fill("#month-input", "2025-07")
        await page.click("#dept-selector")
        await page.click('.dept-option[data-name="法务部"]')
        assert await chips(page) == {"month": "2025-07", "department": "法务部"}
        # What is no month changes nothing and is said.
        await page.click("#month-picker")
        await page.fill("#month-input", "2025-7")
        await page.press("#month-input", "Enter")
        await expect(page.locator(".month-error")).to_have_text(re.compile("YYYY-MM"))
        # Escape drops even a good month; then the department is cleared by its chip.
        await page.fill("#month-input", "2025-01")
        await page.press("#month-input", "Escape")
        await page.click(".chip-clear")
        assert await chips(page) == {"month": "2025-07", "department": ""}
        await expect(page.locator(".report-total")).to_have_text(f"共 {len(data.rows('2025-07'))} 条")


@pytest.mark.requirement("SITES-10")
async def test_a_failed_export_shows_its_error_and_a_new_filter_takes_old_outcomes_away(
    sites: DemoSites, open_page: OpenPage
) -> None:
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        sites.erp.knobs.fail_export = True
        await page.click("#export-btn")
        await page.wait_for_selector(".export-progress[aria-valuenow]")
        await expect(page.locator(".export-error")).to_have_text(re.compile("导出失败"))
        sites.erp.knobs.fail_export = False
        await page.click("#export-btn")
        await page.wait_for_selector(".export-success")
        await page.click("#month-picker")
        await page.click('.month-cell[data-month="2026-01"]')
        await expect(page.locator(".export-success, .export-error")).to_have_count(0)


@pytest.mark.requirement("SITES-10")
async def test_an_expired_session_leads_back_to_the_login(sites: DemoSites, open_page: OpenPage) -> None:
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        sites.erp.expire_session()
        await page.click("#query-btn")
        await expect(page).to_have_url("https://erp.example.com/login?next=%2Freport%2Ffinance")


@pytest.mark.requirement("SITES-06")
async def test_a_truncated_download_fails_in_the_browser(sites: DemoSites, open_page: OpenPage) -> None:
    sites.erp.knobs.truncate_download = True
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        await page.click("#export-btn")
        async with page.expect_download() as pending:
            await page.click(".export-link")
        assert await (await pending.value).failure() is not None


@pytest.mark.requirement("SITES-07")
async def test_chromium_accepts_the_pinned_key_only(sites: DemoSites, open_page: OpenPage) -> None:
    other = tls.issue(DEMO_NAMES)
    async with open_page(sites, other.spki) as page:
        with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
            await page.goto(REPORT)


@pytest.mark.requirement("SITES-07")
@pytest.mark.parametrize(
    "url",
    ["https://example.com/", "https://shop.example.com/", "http://erp.example.com/", "https://erp.example.com:8443/"],
)
async def test_chromium_finds_no_other_name_or_port(sites: DemoSites, open_page: OpenPage, url: str) -> None:
    async with open_page(sites, sites.spki) as page:
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            await page.goto(url)


@pytest.mark.requirement("SITES-08")
async def test_leaving_takes_less_than_two_seconds_with_a_page_still_open(
    sites: DemoSites, open_page: OpenPage
) -> None:
    async with open_page(sites, sites.spki) as page:
        await log_in(page)
        async with asyncio.timeout(2):
            await sites.__aexit__(None, None, None)
