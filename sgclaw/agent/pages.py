"""What the run knows of the open pages: each one's newest view, the texts on it, and what an act changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sgclaw.errors import PolicyDeniedError
from sgclaw.perception.diff import Difference, apply, diff
from sgclaw.perception.model import View, view_of, walk
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Clock, Observed
from sgclaw.protocol.results import AomNode, PageInfo, Snapshot

_MESSAGES = frozenset({"alert", "status", "log", "tooltip", "alertdialog"})
_LISTS = frozenset({"table", "grid", "treegrid", "list", "tree", "listbox"})
_ITEMS = frozenset({"row", "listitem", "treeitem", "option"})
_UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Sight:
    """What one command showed of a page. `view` is the page now, `before` as it was, `difference` what changed.

    `fresh`: another document than before, or the first look at it. `looked`: the command showed the whole page.
    """

    page: PageInfo
    before: View | None
    view: View | None
    difference: Difference | None
    fresh: bool
    looked: bool = False

    @property
    def nodes(self) -> tuple[AomNode, ...]:
        """What is new to the eye: the changed nodes, or the whole page when it is a new one."""
        if self.difference is not None and not self.fresh:
            return self.difference.changed
        return self.view.nodes if self.view is not None else ()

    @property
    def shown(self) -> tuple[AomNode, ...]:
        """What a model can quote: after a look the whole page, after an act what is new to the eye."""
        return self.view.nodes if self.looked and self.view is not None else self.nodes

    @property
    def changed(self) -> bool | None:
        """Whether the page is another than before; None when nobody looked."""
        if self.fresh:
            return True
        return None if self.difference is None else bool(self.difference)


class Pages:
    """The views of a task's pages, kept up to date from what commands show."""

    def __init__(self, clock: Clock, current: str | None = None) -> None:
        self._clock = clock
        self._views: dict[str, View] = {}
        self._info: dict[str, PageInfo] = {}
        self._marks: dict[str, Mapping[int, str]] = {}
        self.current = current

    def view(self, page: str | None) -> View | None:
        """The newest view of a page, None while it was not looked at in its present document."""
        return self._views.get(page or self.current or _UNKNOWN)

    def info(self, page: str | None) -> PageInfo | None:
        """The newest address, title and version of a page."""
        return self._info.get(page or self.current or _UNKNOWN)

    def origin(self, page: str | None) -> str:
        """The origin a page was last seen on; empty when it is not known."""
        info = self.info(page)
        return origin_text(info.url) if info else ""

    def marks(self, page: str | None) -> Mapping[int, str]:
        """The numbers of the last picture of a page."""
        return self._marks.get(page or self.current or _UNKNOWN, {})

    def mark(self, page: str | None, marks: Mapping[int, str]) -> None:
        """A picture of the page with these numbers was shown."""
        self._marks[page or self.current or _UNKNOWN] = marks

    def forget(self) -> None:
        """A person had the pages: every view is out of date."""
        self._views.clear()
        self._marks.clear()

    def took(self, observed: Observed, page: str | None) -> Sight:
        """Bring the picture up to date from what a command showed of a page."""
        info = observed.page or self.info(page) or PageInfo(id=page or self.current or _UNKNOWN, url="")
        known = self._info.get(info.id)
        before = self._views.get(info.id)
        moved = known is None or known.version != info.version or origin_text(known.url) != origin_text(info.url)
        self._info[info.id] = info
        if page is None or observed.action == "switchPage":
            self.current = info.id
        if moved:
            self._views.pop(info.id, None)
            self._marks.pop(info.id, None)
        view, difference = self._seen(observed, info, None if moved else before)
        if view is not None:
            self._views[info.id] = view
        return Sight(info, before, view, difference, moved, observed.action == "getAomSnapshot")

    def _seen(self, observed: Observed, info: PageInfo, before: View | None) -> tuple[View | None, Difference | None]:
        now = self._clock.monotonic()
        if observed.action == "getAomSnapshot":
            snapshot = Snapshot.model_validate(observed.data)
            view = view_of(info, snapshot.nodes, snapshot, now)
            return view, diff(before.nodes, view.nodes) if before is not None else None
        if observed.snapshot is None or observed.facts is None:
            return None, None
        if observed.facts.removed is None:
            view = view_of(info, observed.snapshot, observed.facts, now)
            return view, diff(before.nodes, view.nodes) if before is not None else None
        difference = Difference(observed.snapshot, tuple(observed.facts.removed))
        if before is None:
            return None, difference
        nodes = apply(before.nodes, difference)
        total, blank = observed.facts.interactive_total, observed.facts.blank
        view = replace(before, page=info, nodes=nodes, interactive_total=total, blank=blank, taken_at=now)
        return view, difference


def origin_text(url: str) -> str:
    """The serialised origin of an address; empty when it has none."""
    try:
        return str(origin_of(url))
    except PolicyDeniedError:
        return ""


def texts_by_origin(nodes: tuple[AomNode, ...], origin: str) -> dict[str, list[str]]:
    """The texts of nodes by the origin that shows them: a frame's belong to the frame's."""
    found: dict[str, list[str]] = {}
    for node, path in walk(nodes):
        frame = next((outer.origin for outer in reversed((*path, node)) if outer.origin), None)
        found.setdefault(frame or origin, []).extend(_texts(node))
    return found


def _texts(node: AomNode) -> Iterator[str]:
    yield node.name
    if node.value:
        yield node.value
    if node.row_count is not None:
        yield f"{node.row_count} 行"
    if node.role in _LISTS:
        yield f"{sum(inner.role in _ITEMS for inner, _ in walk(node.children))} 项"


def spoken(nodes: tuple[AomNode, ...]) -> tuple[list[str], list[str]]:
    """The texts that stand on a page, and those of messages: alerts, states, what floats above it."""
    standing: list[str] = []
    said: list[str] = []
    for node, path in walk(nodes):
        is_message = any(each.role in _MESSAGES for each in (*path, node))
        (said if is_message else standing).extend(_texts(node))
    return standing, said
