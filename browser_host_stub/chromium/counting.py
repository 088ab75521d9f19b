"""How many elements of a page a person can operate, judged apart from the snapshot.

Works from what the browser says is laid out and clickable, in Python, so that what the page library's walk loses shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from browser_host_stub.chromium.layout import Document, Element

_WIDGETS: Final = frozenset(
    {
        *("button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio"),
        *("option", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"),
    }
)
_NATIVE: Final = frozenset({"input", "select", "textarea", "button", "summary"})
_HOLDERS: Final = frozenset(
    {
        *("html", "body", "ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "nav", "main", "section", "article"),
        *("form", "fieldset", "iframe", "frame", "frameset"),
    }
)
_IN_CONTROL: Final = frozenset({"button", "a", "summary", "select"})
_NOT_FOCUSED: Final = frozenset(
    {"tabpanel", "dialog", "region", "document", "application", "grid", "tree", "listbox", "menu"}
)
_ROWS: Final = frozenset({"tr", "td", "th"})
_LIBRARY_ROW: Final = re.compile(r"\b(?:el-table__row|ant-table-row|vxe-body--row)\b")
"""Rows of libraries that listen whether the page wants to know or not; one that may be clicked shows the hand."""
_OPENS: Final = re.compile(
    r"edge|caret|arrow|trigger|-down|dropdown|calendar|picker|input__(?:icon|prefix|suffix)|date|clock", re.I
)
"""Classes of what is drawn into a field and opens what the field opens."""
_OPTIONS: Final = frozenset({"option", "optgroup"})
_PICTURES: Final = frozenset({"img", "canvas", "svg", "video", "iframe", "frame", "object", "embed"})
_CURSOR, _VISIBILITY, _OPACITY, _POINTER_EVENTS, _DISPLAY = range(5)
_FAINT: Final = 0.02
_LARGE: Final = 500_000.0
"""Square pixels from which a thing without a control of its own is an area, not something to press."""


@dataclass(frozen=True, slots=True)
class Count:
    """Operable elements, and whether the page shows nothing at all."""

    total: int
    blank: bool


def count(document: Document, scope: Sequence[int] = ()) -> Count:
    """Count below the element at `scope`: places in document order through frames, outermost first; empty for all."""
    for step in scope[:-1]:
        inner = document.elements[step].frame if step < len(document.elements) else None
        if inner is None:
            return Count(0, blank=True)
        document = inner
    start = scope[-1] if scope else 0
    end = document.elements[start].end if start < len(document.elements) else start
    judged = [_Judge(part, first, last) for part, first, last in _parts(document, start, end)]
    total = sum(judge.total for judge in judged)
    return Count(total, total == 0 and not any(judge.shows for judge in judged))


def _parts(document: Document, start: int, end: int) -> Iterator[tuple[Document, int, int]]:
    yield document, start, end
    for element in document.elements[start:end]:
        if element.frame is not None and _seen(element):
            yield from _parts(element.frame, 0, len(element.frame.elements))


def _seen(element: Element) -> bool:
    box = element.box
    return box is not None and box[2] > 0 and box[3] > 0 and element.styles[_VISIBILITY] == "visible"


def _is_apart(element: Element, around: Element) -> bool:
    """Whether a part that listens is a thing of its own: not in a link, and not what fills a button."""
    if around.tag not in _IN_CONTROL:
        return True
    if around.tag not in ("button", "summary") or element.box is None or around.box is None:
        return False
    return element.box[2] * element.box[3] <= 0.6 * around.box[2] * around.box[3]


class _Judge:
    """One document, from the leaves up."""

    def __init__(self, document: Document, start: int, end: int) -> None:
        self._all = document.elements
        self._below: dict[int, int] = {}
        self._texts: set[int] = set()
        self._hidden: dict[int, int] = {}
        self._fields: set[int] = set()
        self.total = 0
        self.shows = False
        self._spots: set[tuple[str, int, int, int, int]] = set()
        self._faint = self._faint_places(end)
        self._fielded = self._around_fields(start, end)
        for place in range(end - 1, start - 1, -1):
            self._look(place)

    def _faint_places(self, end: int) -> set[int]:
        faint: set[int] = set()
        for place in range(end):
            element = self._all[place]
            if element.parent in faint or (element.box is not None and float(element.styles[_OPACITY] or 1) < _FAINT):
                faint.add(place)
        return faint

    def _around_fields(self, start: int, end: int) -> set[int]:
        """What stands up to four steps around a field that is seen."""
        around: set[int] = set()
        for place in range(start, end):
            element = self._all[place]
            if element.tag not in ("input", "textarea", "select") or not _seen(element) or place in self._faint:
                continue
            up = element.parent
            for _ in range(4):
                if up < 0:
                    break
                around.add(up)
                up = self._all[up].parent
        return around

    def _look(self, place: int) -> None:
        element = self._all[place]
        seen = _seen(element) and place not in self._faint
        if seen and element.text:
            self._texts.add(place)
        self.shows = self.shows or (seen and (element.text or element.tag in _PICTURES))
        operable = seen and self._operable(place, element) and self._is_first(element)
        self.total += operable
        up = element.parent
        if up < 0:
            return
        self._below[up] = self._below.get(up, 0) + self._below.get(place, 0) + operable
        if place in self._texts and not operable:
            self._texts.add(up)
        self._pass_fields(place, up, element, seen, operable)

    def _is_first(self, element: Element) -> bool:
        """Tables draw their locked columns twice at the same place: both are one."""
        if element.box is None:
            return True
        x, y, width, height = (round(length) for length in element.box)
        spot = (element.tag, x, y, width, height)
        known = spot in self._spots
        self._spots.add(spot)
        return not known

    def _pass_fields(self, place: int, up: int, element: Element, seen: bool, operable: bool) -> None:
        native = element.tag in ("input", "select", "textarea") and element.attributes.get("type") != "hidden"
        taken = operable and element.tag not in _NATIVE
        self._hidden[up] = (
            self._hidden.get(up, 0) + (0 if taken else self._hidden.get(place, 0)) + (native and not seen)
        )
        if (native and seen) or place in self._fields:
            self._fields.add(up)

    def _operable(self, place: int, element: Element) -> bool:
        if element.styles[_POINTER_EVENTS] == "none" or element.tag in _HOLDERS or element.tag in _OPTIONS:
            return False
        if self._in_control(element):
            return False
        told = element.told is not None and element.told.get("role") in _WIDGETS and "role" not in element.attributes
        if told and self._below.get(place, 0) == 0:
            return True
        return self._stated(element) or self._by_behaviour(place, element)

    def _by_behaviour(self, place: int, element: Element) -> bool:
        below, hidden = self._below.get(place, 0), self._hidden.get(place, 0)
        if element.tag in _ROWS and element.styles[_CURSOR] != "pointer":
            return self._by_row(place, element)
        if self._in_field(element, has_text=place in self._texts):
            return False
        if element.tag == "label":
            return hidden == 1 and below == 0
        if not self._weak(element):
            return False
        if below == 0:
            return hidden == 1 or self._content(place, element)
        pointer = element.styles[_CURSOR] == "pointer"
        return pointer and place in self._texts and not (below == 1 and place in self._fields)

    def _stated(self, element: Element) -> bool:
        tag, facts = element.tag, element.attributes
        if tag in _NATIVE:
            return facts.get("type") != "hidden"
        if tag in ("a", "area") and ("href" in facts or element.listens & 1):
            return True
        if facts.get("contenteditable") in ("", "true", "plaintext-only"):
            return True
        return facts.get("role", "").partition(" ")[0] in _WIDGETS

    def _weak(self, element: Element) -> bool:
        cursor = element.styles[_CURSOR]
        if cursor.endswith("resize") or cursor in ("move", "grab"):
            return False
        if element.clickable or element.listens & 5:
            return True
        around = self._all[element.parent].styles[_CURSOR] if element.parent >= 0 else ""
        if cursor == "pointer" and around != "pointer":
            return True
        facts = element.attributes
        return facts.get("tabindex", "-1").lstrip("+").isdigit() and facts.get("role") not in _NOT_FOCUSED

    def _by_row(self, place: int, element: Element) -> bool:
        """Rows that listen are rows to click; of cells those that are written in, or listen unlike the rest."""
        if not element.listens & 5 or element.tag == "th":
            return False
        if element.tag == "tr":
            return place in self._texts and not _LIBRARY_ROW.search(element.attributes.get("class", ""))
        if "data-edit" in element.attributes or "edit" in element.attributes.get("class", ""):
            return True
        row = self._all[element.parent]
        cells = [cell for cell in self._all[element.parent + 1 : row.end] if cell.parent == element.parent]
        return self._below.get(place, 0) == 0 and (len(cells) < 2 or not all(cell.listens & 5 for cell in cells))

    def _in_field(self, element: Element, *, has_text: bool) -> bool:
        """A small sign in the box of a field opens what the field opens."""
        box = element.box
        if has_text or box is None or box[2] * box[3] > 2_500 or not _OPENS.search(element.attributes.get("class", "")):
            return False
        up = element.parent
        for _ in range(4):
            around = self._all[up].box if up >= 0 else None
            if around is None:
                return False
            if up in self._fielded:
                return around[3] <= 64 and around[0] <= box[0] <= around[0] + around[2]
            up = self._all[up].parent
        return False

    def _in_control(self, element: Element) -> bool:
        """A part of a button is that button; so is what shows the hand in a label."""
        up = element.parent
        for _ in range(6):
            if up < 0:
                return False
            around = self._all[up]
            if around.tag in _IN_CONTROL or around.attributes.get("role", "") in ("button", "link", "option", "tab"):
                return element.tag not in _NATIVE and not (element.listens & 1 and _is_apart(element, around))
            if around.tag == "label" and element.tag not in _NATIVE:
                return True
            up = around.parent
        return False

    def _content(self, place: int, element: Element) -> bool:
        if element.box is None:
            return False
        size = element.box[2] * element.box[3]
        return size <= _LARGE if place in self._texts or element.tag in _PICTURES else size <= 10_000
