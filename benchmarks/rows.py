"""One measured figure against its bar, and how a run is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

_HEAD: Final = "| figure | what | measured | baseline | ratio | bar | met | note |\n|---|---|--:|--:|--:|---|---|---|"


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of the design in `unit`; `baseline` and `ratio` are None for a figure without one."""

    name: str
    what: str
    measured: float
    unit: str
    baseline: float | None
    ratio: float | None
    bar: str
    met: bool
    note: str = ""


def absolute(name: str, what: str, measured: tuple[float, str], bar: float, note: str = "") -> Row:
    """A figure that must not exceed `bar`; `measured` is value and unit."""
    value, unit = measured
    return Row(name, what, round(value, 2), unit, None, None, f"≤ {bar:g} {unit}".strip(), value <= bar, note)


def relative(name: str, what: str, values: tuple[float, float, str], bar: float, note: str = "") -> Row:
    """A figure that must not exceed `bar` times its baseline; `values` are measured, baseline, unit."""
    measured, baseline, unit = values
    ratio = measured / baseline
    return Row(
        name, what, round(measured, 2), unit, round(baseline, 2), round(ratio, 3), f"≤ {bar:g}", ratio <= bar, note
    )


def as_markdown(rows: Sequence[Row], environment: Mapping[str, str]) -> str:
    """The run as a page: where it was measured, then the table."""
    facts = "\n".join(f"- {name}: {value}" for name, value in environment.items())
    table = "\n".join([_HEAD, *map(_line, rows)])
    return f"# Benchmark results\n\nWritten by `./dev bench`.\n\n{facts}\n\n{table}\n"


def as_json(rows: Sequence[Row], environment: Mapping[str, str]) -> dict[str, object]:
    """The run as data."""
    return {"environment": dict(environment), "rows": [asdict(row) for row in rows]}


def _line(row: Row) -> str:
    baseline = "" if row.baseline is None else f"{row.baseline:g} {row.unit}"
    ratio = "" if row.ratio is None else f"{row.ratio:g}"
    met = "yes" if row.met else "**no**"
    measured = f"{row.measured:g} {row.unit}".strip()
    return f"| {row.name} | {row.what} | {measured} | {baseline} | {ratio} | {row.bar} | {met} | {row.note} |"
