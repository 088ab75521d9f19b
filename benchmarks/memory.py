"""What an idle `sgclaw pipe` holds three seconds after `ready`: the process alone, and with its warm sandbox worker."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Final

import psutil

from benchmarks.agent import ready_agent
from benchmarks.rows import Row, absolute
from sgclaw.protocol.messages import CatalogueChanged

IDLE_S: Final = 3.0
BAR_MB: Final = 70.0
_MB: Final = 1024 * 1024


def measure(quick: bool) -> list[Row]:
    """Resident and unique memory, without and with the worker."""
    with tempfile.TemporaryDirectory() as folder, ready_agent(Path(folder) / "state") as agent:
        agent.wait_for(CatalogueChanged)
        time.sleep(1.0 if quick else IDLE_S)
        root = psutil.Process(agent.process.pid)
        alone, family = _usage([root]), _usage([root, *root.children(recursive=True)])
        workers = len(root.children(recursive=True))
    return [
        _row("memory.process", "idle memory of `sgclaw pipe` alone (RSS)", alone),
        _row(
            "memory.with_worker",
            f"the same with {workers} warm sandbox worker (RSS, shared pages counted twice)",
            family,
        ),
    ]


def _usage(processes: list[psutil.Process]) -> tuple[float, float]:
    facts = [process.memory_full_info() for process in processes]
    return sum(fact.rss for fact in facts) / _MB, sum(fact.uss for fact in facts) / _MB


def _row(name: str, what: str, usage: tuple[float, float]) -> Row:
    rss, uss = usage
    return absolute(name, what, (rss, "MB"), BAR_MB, f"USS {uss:.1f} MB")
