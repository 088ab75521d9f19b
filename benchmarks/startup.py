"""From the start of `sgclaw pipe` to its `ready`, against a process that only imports the same foundations.

Both are timed from before the start to the first line on stdout, in turns. `import pydantic` alone loads almost
nothing of it (its names are lazy), so the note also tells what a process pays that really has its `BaseModel`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.agent import compile_modules, ready_agent
from benchmarks.rows import Row, absolute, relative
from benchmarks.series import Series, against

ROUNDS: Final = 21
QUICK_ROUNDS: Final = 5
_SAY: Final = "\nimport os\nos.write(1, b'ready\\n')"
_BARE: Final = f"import asyncio, pydantic, orjson, nacl, sqlite3{_SAY}"
_WITH_BASE_MODEL: Final = f"import asyncio, orjson, nacl, sqlite3\nfrom pydantic import BaseModel{_SAY}"
_ONE_MODEL: Final = (
    "import asyncio, orjson, nacl, sqlite3\nfrom pydantic import BaseModel\n"
    f"class M(BaseModel):\n  a: int\nM.model_validate({{'a': 1}}){_SAY}"
)


def measure(quick: bool) -> list[Row]:
    """Ratio and absolute of the start."""
    agent, bare, base_model, one_model = Series(), Series(), Series(), Series()
    compile_modules()
    with tempfile.TemporaryDirectory() as folder:
        _round(Path(folder))  # warms the disk cache
        for _ in range(QUICK_ROUNDS if quick else ROUNDS):
            agent.add(_round(Path(folder)))
            bare.add(_until_line(_BARE))
            base_model.add(_until_line(_WITH_BASE_MODEL))
            one_model.add(_until_line(_ONE_MODEL))
    note = (
        f"{against(agent, bare)}; against `from pydantic import BaseModel` {base_model.median:.0f} ms = "
        f"{agent.median / base_model.median:.2f}, against one validated model {one_model.median:.0f} ms = "
        f"{agent.median / one_model.median:.2f}"
    )
    what = "spawn to `ready` ÷ bare process importing asyncio, pydantic, orjson, nacl, sqlite3"
    return [
        relative("startup.ratio", what, (agent.median, bare.median, "ms"), 1.5, note),
        absolute("startup.ready", "spawn to `ready`", (agent.median, "ms"), 500, f"quartiles {agent.spread}"),
    ]


def _round(folder: Path) -> float:
    with ready_agent(folder / "state") as agent:
        return agent.ready_ms


def _until_line(program: str) -> float:
    began = time.perf_counter()
    with subprocess.Popen((sys.executable, "-c", program), stdout=subprocess.PIPE) as process:
        if process.stdout is None or not process.stdout.readline():
            raise RuntimeError("the baseline did not start")
        return (time.perf_counter() - began) * 1_000
