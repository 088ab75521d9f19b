"""The hand-written pages for authors of skills say what the code and the demo site say."""

import re
from importlib import resources

import pytest

from sgclaw.sandbox.ends import End
from tests.docs.skills_page import budgets_table, calls_table
from tests.gates.repository import ROOT

SKILLS = (ROOT / "docs" / "skills.md").read_text(encoding="utf-8")
DEMO_ERP = (ROOT / "docs" / "demo-erp.md").read_text(encoding="utf-8")
SITE = "".join(
    file.read_text(encoding="utf-8")
    for file in resources.files("browser_host_stub.sites.erp").joinpath("static").iterdir()
    if file.name.endswith((".html", ".js"))
)


@pytest.mark.requirement("DOCS-06")
def test_the_page_of_skills_lists_every_action_with_arguments_and_result() -> None:
    assert calls_table() in SKILLS


@pytest.mark.requirement("DOCS-06")
def test_the_page_of_skills_lists_every_limit_and_every_end_of_a_run() -> None:
    assert budgets_table() in SKILLS
    assert [end for end in End if f"`{end}`" not in SKILLS] == []


@pytest.mark.requirement("DOCS-07")
def test_every_selector_of_the_demo_pages_is_one_of_the_site() -> None:
    cells = [row.split("|")[1] for row in DEMO_ERP.splitlines() if row.startswith("| `")]
    selectors = [text for cell in cells for text in re.findall(r"`([^`]*)`", cell) if text[0] in "#.["]
    assert len(selectors) > 20
    words = {word for selector in selectors for word in re.findall(r"[#.\[]([a-z][a-z-]*)", selector)}
    assert sorted(word for word in words if not re.search(rf"(?<![\w-]){word}(?![\w-])", SITE)) == []


@pytest.mark.requirement("DOCS-07")
def test_the_first_skill_uses_selectors_of_the_demo_pages_only() -> None:
    source = SKILLS.split("```javascript\n")[1].split("```")[0]
    words = set(re.findall(r"['` ][#.]([a-z][a-z-]+)", source.partition("async function")[2]))
    assert {"report-total", "report-sums"} <= words
    assert [word for word in words if word not in SITE] == []
