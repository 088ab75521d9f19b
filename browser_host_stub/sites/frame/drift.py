"""How pages drift on the server: other names of ids and classes, other markup around the page, the client's script.

Names are changed in the text of a site's own pages, scripts and style sheets alike, so the site goes on working: only
names with a hyphen, which are nothing else in any of those texts, and never a component library's own.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from browser_host_stub.sites.frame.files import files_of
from browser_host_stub.sites.frame.knobs import DRIFTS, Knobs, mark

CLIENT: Final = frozenset({"move", "wrap", "twins", "labels", "dialog", "step"})
RENAMES: Final = frozenset({"ids", "classes"})
# Own static files under another name for each set of renames: a browser may keep both in its cache.
DRIFTED: Final = re.compile(r"/static/@(?P<ops>[a-z.]+)-(?P<seed>[0-9]{1,7})/(?P<name>.+)")
_LIBRARY: Final = ("layui", "layer", "laydate", "laypage", "laytpl", "el", "ant", "anticon", "vxe", "is", "has", "i")
_QUOTED: Final = r"\s*[=:]\s*[\"'`]([^\"'`]*)[\"'`]"
_ID: Final = re.compile(r"(?<![\w-])id" + _QUOTED)
_CLASS: Final = re.compile(r"(?<![\w-])(?:class|className)" + _QUOTED)
_BOUND_CLASS: Final = re.compile(r":class=\"([^\"]*)\"")
_STYLED: Final = re.compile(r"\.([a-zA-Z][\w-]*)(?=[^{}]*\{)")
_NAME: Final = re.compile(r"[a-zA-Z]\w*(?:-\w+)+")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one site's own elements."""

    ids: frozenset[str]
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Marks:
    """Where the client's script may work, as selectors: `zones` hold controls to move, `acts` order something."""

    zones: str = "[data-zone]"
    acts: str = "[data-act]"


@functools.cache
def names_of(package: str) -> Names:
    """Every hyphenated id and class that the site's files use and that is no library's."""
    ids: set[str] = set()
    classes: set[str] = set()
    for text in files_of(package).sources():
        ids |= _names(_ID.findall(text))
        classes |= _names([*_CLASS.findall(text), *_BOUND_CLASS.findall(text)])
        if "{" in text and "function" not in text and "<" not in text:
            classes |= _names(_STYLED.findall(text))
    return Names(frozenset(ids), frozenset(classes))


def _names(texts: Iterable[str]) -> set[str]:
    found = {name for text in texts for name in _NAME.findall(text)}
    return {name for name in found if name.partition("-")[0] not in _LIBRARY}


def renamed(text: str, package: str, ops: Iterable[str], seed: int) -> str:
    """The text of a page, script or style sheet of the site, with its names changed as the drift says."""
    return _renamer(package, frozenset(ops) & RENAMES, seed)(text)


@functools.lru_cache(maxsize=64)
def _renamer(package: str, ops: frozenset[str], seed: int) -> Callable[[str], str]:
    names = names_of(package)
    chosen = (names.ids if "ids" in ops else frozenset()) | (names.classes if "classes" in ops else frozenset())
    if not chosen:
        return lambda text: text
    longest_first = sorted(chosen, key=lambda name: (-len(name), name))
    # A slash before it makes it part of an address, which must stay.
    pattern = re.compile(r"(?<![\w/-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])")
    return lambda text: pattern.sub(lambda found: new_name(found[0], seed), text)


def new_name(name: str, seed: int) -> str:
    """Another name, in one of the fashions of the trade: a hash behind it, a version before it, turned round."""
    tag = f"{mark(seed, name):08x}"[:5]
    words = name.split("-")
    match mark(seed, "fashion") % 4:
        case 0:
            return f"{name}-{tag}"
        case 1:
            return f"v{2 + seed % 7}-{name}-{tag[0]}"
        case 2:
            return words[0] + "".join(word.capitalize() for word in words[1:]) + f"_{tag}"
        case _:
            return "-".join([*words[1:], words[0], tag[:3]])


def drifted_page(page: str, package: str, marks: Marks, knobs: Knobs) -> str:
    """A page of the site as the knobs want it."""
    ops = [op for op in DRIFTS if op in knobs.drift and op in CLIENT]
    if ops:
        config = json.dumps({"ops": ops, "seed": knobs.seed, "zones": marks.zones, "acts": marks.acts})
        script = f'<script src="/frame/drift.js" data-config="{html.escape(config)}"></script>'
        page = page.replace("<head>", "<head>\n" + script, 1)
    if "paging" in knobs.drift:
        page = page.replace("<html ", '<html data-paging="simple" ', 1)
    renames = [op for op in DRIFTS if op in knobs.drift and op in RENAMES]
    if renames:
        page = page.replace("/static/", f"/static/@{'.'.join(renames)}-{knobs.seed}/")
        page = renamed(page, package, renames, knobs.seed)
    return page


def framed(url: str, title: str) -> str:
    """A page that shows another page of the same site in a frame."""
    return (
        '<!doctype html><html lang="zh-CN" data-wrapper="1"><head><meta charset="utf-8">'
        f'<title>{html.escape(title)}</title><link rel="icon" href="/frame/logo.svg" type="image/svg+xml">'
        "<style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;border:0;width:100%;height:100%}</style>"
        f'</head><body><iframe name="content-frame" src="{html.escape(url)}" title="{html.escape(title)}"></iframe>'
        "</body></html>"
    )


def title_of(page: str) -> str:
    """The text of a page's title."""
    found = re.search(r"<title>([^<]*)</title>", page)
    return html.unescape(found[1]) if found else ""
