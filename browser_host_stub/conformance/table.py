"""What a row of the kit is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from browser_host_stub.conformance.kit import Kit

Check = Callable[[Kit], Awaitable[None]]


class Severity(StrEnum):
    """How much the protocol page asks for it; the kit counts both."""

    MUST = "must"
    SHOULD = "should"


@dataclass(frozen=True, slots=True)
class Row:
    """One promise of docs/protocol.md and how it is judged.

    `check` ends when the promise is kept and raises `UnmetError` when not. `fresh` rows have a host process of their
    own that nobody has answered yet.
    """

    id: str
    title: str
    section: str
    check: Check
    severity: Severity = Severity.MUST
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share one host process. `needs` are rows without which none of these can be judged.

    `approve` is what the host's person shall say (`yes`, `no` or `silent`), `policy` what the policy holds beside the
    origins, as a function of the first origin. `slow` groups run only when asked for.
    """

    name: str
    title: str
    rows: Sequence[Row]
    needs: Sequence[str] = ()
    approve: str = "no"
    policy: Callable[[str], dict[str, object]] = lambda _origin: {}
    slow: bool = False


class Rows:
    """Collects the rows of a group in the order of their definition."""

    def __init__(self, group: str) -> None:
        self._group = group
        self.rows: list[Row] = []

    def add(
        self,
        name: str,
        title: str,
        section: str,
        *,
        severity: Severity = Severity.MUST,
        fresh: bool = False,
    ) -> Callable[[Check], Check]:
        """Enter the decorated check as row `group.name`."""

        def enter(check: Check) -> Check:
            self.rows.append(Row(f"{self._group}.{name}", title, section, check, severity, fresh))
            return check

        return enter
