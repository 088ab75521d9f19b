"""Every link of the pages leads to a file of the repository, and every anchor to a heading."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gates.repository import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
_LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")


def anchors(text: str) -> set[str]:
    """The anchors of a page, as GitHub makes them of its headings; the second of one name gets `-1`."""
    found: dict[str, int] = {}
    made = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} (.*?)[ \t#]*$", _FENCE.sub("", text), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).strip().replace(" ", "-")
        made.add(slug if slug not in found else f"{slug}-{found[slug]}")
        found[slug] = found.get(slug, 0) + 1
    return made


def links(text: str) -> list[str]:
    """The targets of a page's links that lead into the repository."""
    bare = _CODE.sub("", _FENCE.sub("", text))
    return [target for target in _LINK.findall(bare) if not re.match(r"[a-z][a-z0-9+.-]*:", target)]


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for target in links(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        file = page if not name else page.parent / name
        if not file.exists():
            yield f"{target}: no such file"
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text(encoding="utf-8"))):
            yield f"{target}: no such heading"


@pytest.mark.requirement("DOCS-04")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading(page: Path) -> None:
    assert list(broken(page)) == []


@pytest.mark.requirement("DOCS-04")
def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One `two` three\n\n## Same\n\n## Same\n\n[a](#one-two-three) [b](#same-1) [c](https://example.com/x)\n"
        "`[d](nowhere.md)`\n\n```text\n# Not a heading\n[e](nowhere.md)\n```\n\n"
        "[f](nowhere.md) [g](#not-a-heading) [h](page.md#same-2) [i](page.md#same)\n",
        encoding="utf-8",
    )
    assert list(broken(page)) == [
        "nowhere.md: no such file",
        "#not-a-heading: no such heading",
        "page.md#same-2: no such heading",
    ]


def test_the_pages_that_people_start_with_are_among_them() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "README.zh-CN.md", "ARCHITECTURE.md", "SECURITY.md", "docs/skills.md"} <= names
