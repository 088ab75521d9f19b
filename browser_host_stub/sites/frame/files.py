"""Files of a site's package: pages to fill in, and assets served as they are."""

from __future__ import annotations

import functools
import html
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import Final

MIMES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file served under /static/."""

    mime: str
    content: bytes

    @property
    def is_code(self) -> bool:
        """Text that may name ids and classes."""
        return self.mime.startswith("text/")


@dataclass(frozen=True, slots=True)
class Files:
    """Everything in a package's static folder: assets by file name, pages by file name."""

    assets: Mapping[str, Asset]
    pages: Mapping[str, str]

    def fill(self, page: str, **values: str) -> str:
        """A page with its `$names` replaced, escaped for HTML; `$head` is the site's `head.html`, filled likewise."""
        escaped = {name: html.escape(value) for name, value in values.items()}
        head = Template(self.pages.get("head.html", "")).substitute(escaped).strip()
        return Template(self.pages[page]).substitute(escaped, head=head)

    def sources(self) -> list[str]:
        """The text of all pages, style sheets and scripts."""
        return [*self.pages.values(), *(one.content.decode() for one in self.assets.values() if one.is_code)]


@functools.cache
def files_of(package: str) -> Files:
    """The files of a package, read once."""
    assets: dict[str, Asset] = {}
    pages: dict[str, str] = {}
    for file in sorted(resources.files(package).joinpath("static").iterdir(), key=lambda one: one.name):
        suffix = "." + file.name.rpartition(".")[2]
        if suffix == ".html":
            pages[file.name] = file.read_text(encoding="utf-8")
        elif suffix in MIMES:
            assets[file.name] = Asset(MIMES[suffix], file.read_bytes())
    return Files(assets, pages)
