"""The tables of docs/skills.md that repeat what code says. The page is written by hand; a test compares them."""

from sgclaw.protocol.actions import ACTIONS, ActionSpec
from sgclaw.sandbox.budget import KIB, MIB, Budgets
from tests.docs.markdown import code, table


def calls_table() -> str:
    """Every action with its positional arguments and what `await browserAction(…)` gives."""
    rows = [
        (f"[`{name}`](protocol.md#{name.lower()})", ", ".join(spec.positional) or "—", _gives(spec))
        for name, spec in ACTIONS.items()
    ]
    return table(("action", "arguments", "gives"), rows)


def _gives(spec: ActionSpec) -> str:
    if spec.natural:
        return f"its {code(spec.natural)}"
    return code("{ " + ", ".join(spec.result.model_fields) + " }")


def budgets_table() -> str:
    """What one run may use."""
    budgets = Budgets()
    rows = (
        ("`wall_clock`", f"{budgets.wall_s:g} s of the script's own time; waiting for an act does not count"),
        ("`cpu`", f"{budgets.cpu_ms // 1000} s of processor time, loading included"),
        ("`memory`", f"{budgets.heap_bytes // MIB} MiB"),
        ("`calls`", f"{budgets.calls} calls of `browserAction`"),
        ("`log`", f"{budgets.log_bytes // KIB} KiB of console text"),
        ("`result`", f"{budgets.result_bytes // MIB} MiB of returned JSON"),
        ("`source`", f"{budgets.source_bytes // MIB} MiB of script"),
    )
    return table(("reason", "limit of one run"), rows)
