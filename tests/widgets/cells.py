"""The matrix as rows: library × widget × intent. Each row acts, and names what the site must hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One cell. `acts` run in order; then `key` of the site's state is `holds`."""

    widget: str
    intent: str
    acts: tuple[tuple[str, dict[str, object]], ...]
    key: str
    holds: object
    fails: str = field(default="")
    """The error code of a cell that does not work: it is listed with its reason in docs/widgets.md."""

    @property
    def name(self) -> str:
        return f"{self.widget} {self.intent} {self.key}"


def act(action: str, selector: str, **params: object) -> tuple[str, dict[str, object]]:
    return action, {"selector": selector, **params}


def select(widget: str, selector: str, value: str, key: str, holds: object) -> Cell:
    return Cell(widget, "select", (act("select", selector, value=value),), key, holds)


def typed(widget: str, selector: str, text: str, key: str, holds: object) -> Cell:
    return Cell(widget, "type", (act("type", selector, text=text),), key, holds)


def check(widget: str, selector: str, key: str, holds: object, *, checked: bool = True) -> Cell:
    return Cell(widget, "check", (act("check", selector, checked=checked),), key, holds)


def steps(widget: str, intent: str, key: str, holds: object, *acts: tuple[str, dict[str, object]]) -> Cell:
    return Cell(widget, intent, acts, key, holds)


def refused(widget: str, intent: str, *acts: tuple[str, dict[str, object]]) -> Cell:
    """A cell that does not work, and says so."""
    return Cell(widget, intent, acts, "", None, fails="UNSUPPORTED_WIDGET")
