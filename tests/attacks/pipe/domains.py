"""Both policies on one address: what sgclaw's copy says, and what the browser does. One table: kind of row → how."""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element, Page, Site
from sgclaw.errors import PolicyDeniedError
from sgclaw.host.observe import check_landing
from sgclaw.policy.decide import ALLOWED, Attempt, check_address, decide
from sgclaw.policy.model import Policy
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.messages import Response
from sgclaw.protocol.results import PageInfo
from tests.attacks.corpus import Case
from tests.attacks.pipe.browser import BrowserEnd, browser_end

Data = Mapping[str, Any]


_PLACES: Final = ("frame", "popup", "tab", "target", "url", "href", "action", "to")
"""Where a row may say where it ends, when it has no chain."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row with the policy of its file."""

    case: Case

    @property
    def data(self) -> Data:
        return self.case.data

    @property
    def hosts(self) -> list[str]:
        return list(self.case.file["policy"]["allowed_domains"])

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"{scheme}://{host}" for host in self.hosts for scheme in self.case.file["policy"]["schemes"])

    @property
    def page(self) -> str:
        """Where the page is. A control of `expected_domain` is about a page that is there."""
        of_page = self.data["kind"] == "expected_domain" and self.data["allow"]
        origin = f"https://{self.data['input']}" if of_page else str(self.case.file["policy"]["page_origin"])
        return f"{origin}/"

    @property
    def chain(self) -> list[str]:
        """The addresses in order: where it begins first, where it ends last."""
        chain = self.data.get("chain")
        if chain is None:
            chain = [self.data["top"], next(self.data[name] for name in _PLACES if name in self.data)]
        return [str(address) for address in chain]

    @property
    def domain(self) -> str:
        """What a command for the first address says it expects."""
        return origin_of(self.chain[0]).host


def _response(url: str, data: dict[str, Any]) -> Response:
    return Response(seq=1, success=True, data=data, page=PageInfo(id="p1", url=url))


# --- sgclaw's copy ----------------------------------------------------------------------------------------------------


def _says_url(policy: Policy, row: Row) -> bool:
    url = row.data["input"]
    return any(decide(policy, Attempt(spec_of("navigate"), {"url": url}, host)) == ALLOWED for host in row.hosts)


def _says_domain(policy: Policy, row: Row) -> bool:
    domain = cast("str", row.data["input"])
    committed = str(origin_of(row.page))
    return decide(policy, Attempt(spec_of("getText"), {"selector": "#x"}, domain, committed=committed)) == ALLOWED


def _says_chain(policy: Policy, row: Row) -> bool:
    """Every address on the way must be one it would go to; and the last is refused again when it comes back."""
    if any(check_address(policy, address, row.domain) is not None for address in row.chain):
        return False
    return _takes(policy, row, "navigate", {"url": row.chain[-1]})


def _says_page(policy: Policy, row: Row) -> bool:
    """The page is elsewhere by the next answer."""
    return _says_frame(policy, row) and _takes(policy, row, "getText", {"text": "内容"})


def _takes(policy: Policy, row: Row, action: str, data: dict[str, Any]) -> bool:
    try:
        check_landing(policy, spec_of(action), row.domain, _response(row.chain[-1], data))
    except PolicyDeniedError:
        return False
    return True


def _says_frame(policy: Policy, row: Row) -> bool:
    """The origin of the page or frame that was read counts; one that has none is `null`."""
    try:
        committed = str(origin_of(row.chain[-1]))
    except PolicyDeniedError:
        committed = "null"
    return decide(policy, Attempt(spec_of("getText"), {"selector": "#x"}, row.domain, committed=committed)) == ALLOWED


# --- the browser ------------------------------------------------------------------------------------------------------


def _element(**known: Any) -> Callable[[], dict[str, Element]]:
    return lambda: {"#x": Element(text="内容", tag="button", **known)}


async def _opens(end: BrowserEnd, row: Row) -> bool:
    """Whether the page is opened under any of the listed domains; a refusal leaves the page where it is."""
    before = end.driver.pages["p1"].url
    for host in row.hosts:
        if not (await end.command("navigate", {"url": row.data["input"]}, host)).refused:
            return True
        assert end.driver.pages["p1"].url == before
    return False


async def _expects(end: BrowserEnd, row: Row) -> bool:
    return not (await end.command("getText", {"selector": "#x"}, row.data["input"])).refused


async def _lands(end: BrowserEnd, row: Row) -> bool:
    end.driver.redirects.update(itertools.pairwise(row.chain))
    return not (await end.command("navigate", {"url": row.chain[0]}, row.domain)).refused


async def _reads_after_a_move(end: BrowserEnd, row: Row) -> bool:
    """A script of the page has moved it: what it shows now is asked for."""
    page = end.driver.pages["p1"]
    page.url, page.version = row.chain[-1], page.version + 1
    return not (await end.command("getText", {"selector": "#x"}, row.domain)).refused


async def _reads_in_a_frame(end: BrowserEnd, row: Row) -> bool:
    end.driver.pages["p1"].elements["#x"].frame = row.chain[-1]
    return not (await end.command("getText", {"selector": "#x"}, row.domain)).refused


async def _posts(end: BrowserEnd, row: Row) -> bool:
    """A click sends the form; where it goes is refused before anything is sent, and the page stays."""
    return await _clicks(end, row, form_action=row.chain[-1])


async def _follows(end: BrowserEnd, row: Row) -> bool:
    return await _clicks(end, row, href=row.chain[-1])


async def _opens_a_tab(end: BrowserEnd, row: Row) -> bool:
    """The new page must exist and be read."""
    if not await _clicks(end, row, href=row.chain[-1], opens_page=True):
        return False
    return not (await end.command("getText", {"selector": "#x"}, row.domain, page="p2")).refused


async def _clicks(end: BrowserEnd, row: Row, **leads: Any) -> bool:
    page: Page = end.driver.pages["p1"]
    page.elements["#x"] = Element(text="查询", tag="button", label="查询", **leads)
    allowed = not (await end.command("click", {"selector": "#x"}, row.domain)).refused
    assert allowed or (page.url == row.chain[0] and list(end.driver.pages) == ["p1"])
    return allowed


async def _goes_back(end: BrowserEnd, row: Row) -> bool:
    end.driver.pages["p1"].before = row.chain[-1]
    return not (await end.command("goBack", {}, row.domain)).refused


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of row is put to both sides."""

    says: Callable[[Policy, Row], bool]
    does: Callable[[BrowserEnd, Row], Awaitable[bool]]
    starts_at_chain: bool = True


KINDS: Final[Mapping[str, Kind]] = {
    "url": Kind(_says_url, _opens, starts_at_chain=False),
    "expected_domain": Kind(_says_domain, _expects, starts_at_chain=False),
    "redirect": Kind(_says_chain, _lands),
    "http_redirect": Kind(_says_chain, _lands),
    "meta_refresh": Kind(_says_chain, _lands),
    "js_location": Kind(_says_page, _reads_after_a_move),
    "history": Kind(_says_chain, _goes_back),
    "iframe": Kind(_says_frame, _reads_in_a_frame),
    "frame": Kind(_says_frame, _reads_in_a_frame),
    "form_post": Kind(_says_chain, _posts),
    "form_get": Kind(_says_chain, _posts),
    "link": Kind(_says_chain, _follows),
    "popup": Kind(_says_chain, _opens_a_tab),
    "new_tab": Kind(_says_chain, _opens_a_tab),
    "window_open": Kind(_says_chain, _opens_a_tab),
}


_FAMILIES: Final = (
    (r"frame", "iframe"),
    (r"form|post|submit", "form_post"),
    (r"popup|tab|window|opener|blank", "popup"),
    (r"history|back", "history"),
    (r"js|script|location|push_state|spa", "js_location"),
    (r"redirect|refresh|30\d|hop", "redirect"),
    (r"link|click|href|download|anchor", "link"),
)
"""Word in the name of a kind that has no row of its own → the kind it is one of."""


def kind_of(row: Row) -> Kind:
    name = str(row.data["kind"])
    family = next((kind for pattern, kind in _FAMILIES if re.search(pattern, name)), None)
    kind = KINDS[name] if name in KINDS else KINDS.get(family or "")
    if kind is None:
        raise AssertionError(f"the adapter does not know this kind of row: {name}")
    return kind


def site_for(row: Row) -> Site:
    """Every address of the row and of the policy exists, so that nothing is refused because it cannot be opened."""
    named = [row.data.get(name) for name in ("input", "top", *_PLACES)]
    addresses = {address for address in (*named, *row.data.get("chain", ())) if isinstance(address, str)}
    return dict.fromkeys([*addresses, row.page, *(f"{origin}/" for origin in row.origins)], _element())


async def browser_allows(row: Row, folder: Path) -> bool:
    """What the browser's end does, alone."""
    kind = kind_of(row)
    start = row.chain[0] if kind.starts_at_chain else row.page
    async with browser_end(folder, "ready", site=site_for(row), start=start, origins=row.origins) as end:
        assert isinstance(end.driver, MemoryDriver)
        return await kind.does(end, row)
