"""Which modules a `sgclaw pipe` has loaded once it is ready, warm and idle.

The launcher below lets the process write its list when it ends, after an orderly shutdown: everything loaded up to
`ready` is on it, and what the background loads right after.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from benchmarks.agent import ready_agent
from benchmarks.rows import Row, absolute
from sgclaw.protocol.messages import CatalogueChanged

HEAVY: Final = frozenset(
    [
        "anthropic",
        "click",
        "httpx",
        "httpx2",
        "jsonschema",
        "mcp",
        "numpy",
        "openai",
        "pip",
        "playwright",
        "rich",
        "quicktok",
        "rjieba",
        "starlette",
        "typer",
        "uvicorn",
        "yaml",
    ]
)
"""Top-level packages that have no place in a process that only waits for a task."""

_LAUNCHER: Final = """
import atexit, sys
listing = sys.argv.pop(1)
def write():
    with open(listing, "w") as file:
        file.write("\\n".join(sys.modules))
atexit.register(write)
from sgclaw.cli.main import main
main()
"""


def loaded_modules(folder: Path) -> frozenset[str]:
    """Start `sgclaw pipe`, let it become ready and warm, end it in order, and return the names it had loaded."""
    listing = folder / "modules.txt"
    command = (sys.executable, "-c", _LAUNCHER, str(listing), "pipe")
    with ready_agent(folder / "state", command) as agent:
        agent.wait_for(CatalogueChanged)
    return frozenset(listing.read_text(encoding="utf-8").split("\n"))


def heavy(modules: Iterable[str]) -> frozenset[str]:
    """Those of `HEAVY` that are among the modules."""
    return HEAVY & {name.partition(".")[0] for name in modules}


def measure(quick: bool) -> list[Row]:
    """How many of the heavy packages are loaded."""
    with tempfile.TemporaryDirectory() as folder:
        modules = loaded_modules(Path(folder))
    ours = sum(name.partition(".")[0] == "sgclaw" for name in modules)
    found = ", ".join(sorted(heavy(modules))) or "none"
    note = f"{len(modules)} modules in all, {ours} of them sgclaw's; heavy ones: {found}"
    return [absolute("imports.heavy", "heavy packages loaded when ready and warm", (len(heavy(modules)), ""), 0, note)]
