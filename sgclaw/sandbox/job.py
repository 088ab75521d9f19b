"""The two lines that a worker is started on."""

from __future__ import annotations

from collections.abc import Mapping

from sgclaw.protocol.strict import encode
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.limits import address_space


def job_lines(source: str, inputs: Mapping[str, object], budgets: Budgets, *, load_only: bool = False) -> bytes:
    """Limits and job, without the last newline. With `load_only` the script is loaded and `execute` is not called."""
    limits = f"{budgets.heap_bytes} {address_space(budgets)} {budgets.cpu_ms}\n".encode()
    job = {
        "source": source,
        "params": inputs,
        "calls": budgets.calls,
        "outstanding": budgets.outstanding,
        "call": budgets.params_bytes,
        "timers": budgets.timers,
        "log": budgets.log_bytes,
        "result": budgets.result_bytes,
        "load_only": load_only,
    }
    return limits + encode(job)
