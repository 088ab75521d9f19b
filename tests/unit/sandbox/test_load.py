"""Scripts that cannot be loaded: what their author is told, in a run and before signing."""

from __future__ import annotations

import pytest

from sgclaw.errors import SandboxError
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.ends import End, sandbox_error
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.load import load_script
from tests.unit.sandbox.support import HEADER, QUICK, Bench, verified

BROKEN = HEADER + "async function execute(params) {\n  const a = ;\n}\n"
FACTS = {"reason": "load", "detail": "SyntaxError: unexpected token in expression: ';'", "line": 10}


async def told(source: str, budgets: Budgets = QUICK) -> SandboxError:
    with pytest.raises(SandboxError) as raised:
        await load_script(engine_folder(), source, "custom/probe.js", budgets)
    return raised.value


@pytest.mark.requirement("SBX-07")
async def test_a_run_tells_the_line_and_the_message_of_a_syntax_error(sandbox: Bench) -> None:
    with pytest.raises(SandboxError) as raised:
        await sandbox.run(verified(BROKEN))
    assert raised.value.cause == f"脚本无法加载：第 10 行 {FACTS['detail']}"
    assert raised.value.facts == {**FACTS, "skill": "probe"}
    assert "sgclaw skill sign" in raised.value.next_step


@pytest.mark.requirement("SBX-08")
async def test_a_load_check_tells_the_same_as_a_run() -> None:
    error = await told(BROKEN)
    assert error.cause == f"脚本无法加载：第 10 行 {FACTS['detail']}"
    assert error.facts == {**FACTS, "skill": "custom/probe.js"}


@pytest.mark.requirement("SBX-07")
@pytest.mark.parametrize("source", ["", "function run() {}", "const execute = 1;"])
async def test_a_missing_execute_is_told_by_what_is_missing(source: str) -> None:
    error = await told(source)
    assert error.cause == "脚本无法加载：没有 async function execute(params, browserAction)"
    assert "line" not in error.facts


@pytest.mark.requirement("SBX-08")
@pytest.mark.parametrize(
    "source",
    [
        "async function execute() { for (;;) {} }",
        "const execute = async () => { throw new Error('never called'); };",
        "console.log('loading'); browserAction('click', '#pay'); async function execute() {}",
    ],
)
async def test_what_loads_passes_without_being_executed(source: str) -> None:
    await load_script(engine_folder(), source, "custom/probe.js", QUICK)


@pytest.mark.requirement("SBX-08")
async def test_a_script_that_never_ends_loading_is_stopped() -> None:
    assert (await told("for (;;) {}")).facts["reason"] == "cpu"


@pytest.mark.requirement("SBX-07")
async def test_the_line_of_an_exception_thrown_while_loading_is_told() -> None:
    error = await told("\n\nconst limit = missing + 1;\nasync function execute() {}\n")
    assert (error.facts["detail"], error.facts["line"]) == ("ReferenceError: missing is not defined", 3)


@pytest.mark.requirement("SBX-07")
async def test_a_thrown_text_is_redacted_put_on_one_line_made_inert_and_cut() -> None:
    error = await told("throw new Error('password: hunter22\\n\\u001b[31m' + 'x'.repeat(5000));")
    shown = str(error.facts["detail"])
    assert shown in error.cause
    assert "hunter22" not in error.cause
    assert len(shown) == 300
    assert error.cause.isprintable()


@pytest.mark.requirement("SBX-07")
@pytest.mark.parametrize("stack", ["", "\n    at <input>:99999999999:1", "\n    at nowhere"])
def test_a_stack_without_a_usable_line_gives_none(stack: str) -> None:
    assert sandbox_error(End.LOAD, "probe", "boo" + stack).facts == {
        "reason": "load",
        "skill": "probe",
        "detail": "boo",
    }
