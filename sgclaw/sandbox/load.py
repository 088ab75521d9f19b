"""Whether a script can be loaded at all: asked before it is signed, for a run would only say so to its user."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from sgclaw.errors import SandboxError, WireError
from sgclaw.protocol.framing import LineFramer
from sgclaw.sandbox.budget import MIB, Budgets
from sgclaw.sandbox.ends import End, no_worker, sandbox_error
from sgclaw.sandbox.job import job_lines
from sgclaw.sandbox.limits import end_of_exit
from sgclaw.sandbox.messages import EndLine, LogLine, ResultLine, parse_line
from sgclaw.sandbox.process import Worker, start_worker

LOAD_BUDGETS: Final = Budgets(wall_s=20.0)


async def load_script(engine: Path, source: str, name: str, budgets: Budgets = LOAD_BUDGETS) -> None:
    """Load a script as a run would, in a worker of its own that acts on nothing; `execute` is not called.

    Its top-level code does run. Raises `SandboxError` with the reason a run would end with; `name` is what to call the
    script. The worker is dead when this returns or raises.
    """
    try:
        worker = await start_worker(engine)
    except OSError as error:
        raise no_worker(name, error) from None
    try:
        worker.start_job(job_lines(source, {}, budgets, load_only=True), budgets)
        async with asyncio.timeout(budgets.wall_s):
            problem = await _verdict(worker, name)
    except TimeoutError:
        raise sandbox_error(End.WALL_CLOCK, name) from None
    except OSError as error:
        raise no_worker(name, error) from None
    finally:
        await worker.destroy()
    if problem is not None:
        raise problem


async def _verdict(worker: Worker, name: str) -> SandboxError | None:
    """What the worker's last line says; console text goes nowhere."""
    framer = LineFramer(MIB)
    while chunk := await worker.read():
        try:
            lines = [parse_line(line) for line in framer.feed(chunk)]
        except WireError:
            return sandbox_error(End.WORKER_DIED, name)
        for line in lines:
            match line:
                case LogLine():
                    continue
                case ResultLine():
                    return None
                case EndLine():
                    return sandbox_error(line.end, name, line.detail)
                case _:
                    return sandbox_error(End.WORKER_DIED, name)
    await worker.destroy()
    return sandbox_error(end_of_exit(worker.returncode), name)
