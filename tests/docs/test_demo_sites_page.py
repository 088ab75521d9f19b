"""The page of the demo sites says what the sites and their knobs are."""

import re
from importlib import resources

import pytest

from browser_host_stub.sites.frame.knobs import DRIFTS, FAULTS
from browser_host_stub.sites.frame.sso import PERSON
from browser_host_stub.sites.oa.app import PAGES
from browser_host_stub.sites.oa.approvals import LIMIT
from browser_host_stub.sites.server import SITE_NAMES
from tests.gates.repository import ROOT

PAGE = (ROOT / "docs" / "demo-sites.md").read_text(encoding="utf-8")
OA = "".join(
    file.read_text(encoding="utf-8")
    for file in resources.files("browser_host_stub.sites.oa").joinpath("static").iterdir()
)


def first_cells(part: str) -> list[str]:
    return [
        text
        for row in part.splitlines()
        if row.startswith("| `")
        for text in re.findall(r"`([^`]*)`", row.split("|")[1])
    ]


@pytest.mark.requirement("DOCS-07")
def test_every_selector_of_the_oa_is_one_of_its_pages() -> None:
    selectors = [text for text in first_cells(PAGE.partition("\n## OA\n")[2]) if text[0] in "#.["]
    assert len(selectors) > 50
    words = {word for selector in selectors for word in re.findall(r"[#.\[]([a-z][a-z-]*)", selector)}
    assert sorted(word for word in words if not re.search(rf"(?<![\w-]){word}(?![\w-])", OA)) == []


@pytest.mark.requirement("DOCS-07")
def test_the_page_lists_every_site_page_of_the_oa_account_drift_and_fault() -> None:
    cells = first_cells(PAGE)
    assert [name for name in SITE_NAMES if f"https://{name}" not in cells] == []
    assert [path for path in PAGES if f"`{path}`" not in PAGE and f"`{path}?id=…`" not in PAGE] == []
    assert [word for word in (*DRIFTS, *FAULTS) if word not in cells] == []
    assert f"`{PERSON.account}`, password `{PERSON.password}` ({PERSON.name}, {PERSON.department})" in PAGE
    assert f"up to {int(LIMIT):,} yuan" in PAGE
