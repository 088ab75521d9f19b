"""Chromium on the demo sites, signed in as the person in front of it would be."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from browser_host_stub.sites.frame.sso import PERSON as DEMO_USER
from browser_host_stub.sites.server import SITE_NAMES, DemoSites
from browser_host_stub.task_run import local_today
from sgclaw.policy.model import policy_document
from sgclaw.protocol.actions import spec_of

DEMO_ORIGINS = tuple(f"https://{name}" for name in SITE_NAMES)
LOGIN_URL = "https://erp.example.com/login"
PERSON = (DEMO_USER.account, DEMO_USER.password)
"""The demo user; exists only in the demo sites' memory. One login counts at every site."""


@dataclass(frozen=True)
class DemoBrowser:
    """A browser and the sites it shows."""

    driver: ChromiumDriver
    sites: DemoSites


def demo_policy() -> str:
    """The access policy the stub gives sgclaw."""
    return policy_document(list(DEMO_ORIGINS))


@contextlib.asynccontextmanager
async def demo_browser(
    files: Path, *, headless: bool = True, signed_in: bool = True, today: date | None = None
) -> AsyncIterator[DemoBrowser]:
    """The demo sites and a Chromium that reaches nothing else, while the block runs; downloads go to `files`."""
    async with DemoSites(today or local_today()) as sites:
        options = ChromiumOptions(
            downloads_dir=files,
            headless=headless,
            resolver_rules=(sites.resolver_rules,),
            spki_pins=(sites.spki,),
        )
        driver = await ChromiumDriver.start(options)
        try:
            if signed_in:
                await _sign_in(driver)
            yield DemoBrowser(driver, sites)
        finally:
            await driver.close()


async def _sign_in(driver: ChromiumDriver) -> None:
    """What the person did before: no credential ever passes through sgclaw."""
    name, password = PERSON
    for action, params in (
        ("navigate", {"url": LOGIN_URL}),
        ("type", {"selector": "[name=username]", "text": name}),
        ("type", {"selector": "[name=password]", "text": password}),
        ("click", {"selector": "button[type=submit]"}),
        ("waitForSelector", {"selector": "nav"}),
    ):
        located = await driver.locate(action, spec_of(action).check(params), None)
        await driver.perform(located, 15.0)
