"""Look for inputs that break a promise: `python -m tests.fuzz [SECONDS] [TARGET...]`.

The time is shared evenly by the targets. Corpora grow in out/fuzz, which git ignores; a later run goes on from there.
Exits with 1 when an input was found. It is kept there, and run again by `python -m tests.fuzz again TARGET FILE`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fuzz.table import TARGETS, load

ROOT: Final = Path(__file__).parents[2]
OUT: Final = ROOT / "out" / "fuzz"
_DEFAULT_SECONDS: Final = 110
_ONE_INPUT_SECONDS: Final = 20
_MEMORY_MB: Final = 1_500


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one target's run came to."""

    name: str
    executions: int
    coverage: int
    seconds: float
    finds: tuple[Path, ...]
    log: str

    @property
    def line(self) -> str:
        """One row of the table."""
        state = "ok" if not self.finds else f"{len(self.finds)} found"
        return f"{self.name:<10} {self.executions:>12,} {self.coverage:>9} {self.seconds:>8.0f}  {state}"


def run(name: str, seconds: int) -> Outcome:
    """Fuzz one target in a process of its own."""
    corpus, finds = OUT / name, OUT / "finds" / name
    corpus.mkdir(parents=True, exist_ok=True)
    finds.mkdir(parents=True, exist_ok=True)
    before = set(finds.iterdir())
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_ONE_INPUT_SECONDS}",
        f"-rss_limit_mb={_MEMORY_MB}",
        f"-artifact_prefix={finds}/",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    started = time.monotonic()
    command = [sys.executable, "-m", "tests.fuzz.engine", name, str(corpus), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    log = done.stderr.decode("utf-8", "replace") + done.stdout.decode("utf-8", "replace")
    found = tuple(sorted(set(finds.iterdir()) - before))
    if done.returncode and not found:
        raise SystemExit(f"{name} did not run:\n{log[-4_000:]}")
    return Outcome(
        name,
        _last(r"number_of_executed_units:\s+(\d+)", log) or _last(r"^#(\d+)", log),
        _last(r"cov: (\d+)", log),
        time.monotonic() - started,
        found,
        log,
    )


def _last(pattern: str, log: str) -> int:
    found = re.findall(pattern, log, re.MULTILINE)
    return int(found[-1]) if found else 0


def main(arguments: list[str]) -> int:
    """Run the targets one after the other; 1 when any input broke a promise."""
    if arguments[:1] == ["again"]:
        load(arguments[1]).one_input(Path(arguments[2]).read_bytes())
        return 0
    total = int(arguments[0]) if arguments else _DEFAULT_SECONDS
    names = arguments[1:] or list(TARGETS)
    print(f"{'target':<10} {'executions':>12} {'coverage':>9} {'seconds':>8}", flush=True)
    outcomes = []
    for name in names:
        outcome = run(name, max(1, total // len(names)))
        outcomes.append(outcome)
        print(outcome.line, flush=True)
        for find in outcome.finds:
            print(f"  {outcome.log[-3_000:]}\n  again: python -m tests.fuzz again {name} {find}", flush=True)
    executions = sum(outcome.executions for outcome in outcomes)
    found = sum(len(outcome.finds) for outcome in outcomes)
    print(f"{len(outcomes)} targets, {executions:,} executions, {found} inputs that break a promise", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
