"""Measure and print: `python -m benchmarks [NAME ...] [--json FILE] [--quick]`.

The table goes to stdout, progress to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from benchmarks import (
    agent_overhead,
    decide,
    imports,
    looking,
    memory,
    observation,
    replay,
    roundtrip,
    sandbox,
    startup,
)
from benchmarks.environment import describe
from benchmarks.rows import Row, as_json, as_markdown

BENCHMARKS: Final[Mapping[str, Callable[[bool], list[Row]]]] = {
    "startup": startup.measure,
    "imports": imports.measure,
    "memory": memory.measure,
    "roundtrip": roundtrip.measure,
    "sandbox": sandbox.measure,
    "replay": replay.measure,
    "decide": decide.measure,
    "observation": observation.measure,
    "looking": looking.measure,
    "agent": agent_overhead.measure,
}


def main() -> None:
    """Run the named benchmarks, or all."""
    parser = _parser()
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    environment = describe()
    rows: list[Row] = []
    for name in options.names or BENCHMARKS:
        print(f"bench: {name} ...", file=sys.stderr, flush=True)
        rows += BENCHMARKS[name](options.quick)
    print(as_markdown(rows, environment), end="")
    if options.json is not None:
        text = json.dumps(as_json(rows, environment), ensure_ascii=False, indent=2)
        options.json.write_text(f"{text}\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure the figures the project promises.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the result as JSON")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, for trying things out")
    return parser


if __name__ == "__main__":
    main()
