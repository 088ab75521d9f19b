"""A script reaches its own actions on its own domains, whatever the policy allows to others: through the real pipe."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from sgclaw.errors import PolicyDeniedError
from sgclaw.ports import SkillResult
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.trust import VerifiedSkill
from tests.attacks.sandbox.browser import Observed, observed
from tests.unit.sandbox.support import QUICK, Bench, bench, verified

ERP, OA = "erp.example.com", "oa.example.com"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Observed]:
    async with observed(tmp_path, [ERP, OA], mock={}, approves=True) as made:
        yield made


@pytest.fixture
async def sandbox() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made


def bound(body: str, *, actions: str = "getText, navigate") -> VerifiedSkill:
    """A skill for one of the two systems of the policy, with these actions."""
    return verified(
        f"/**\n * @skill bound\n * @version 1.0.0\n * @description 测试\n * @domains {ERP}\n"
        f" * @actions {actions}\n */\n"
        f"async function execute(params, browserAction) {{\n{body}\n}}\n"
    )


async def run(sandbox: Bench, site: Observed, skill: VerifiedSkill) -> SkillResult:
    return await ScriptRunner(sandbox.pool, sandbox.log, QUICK).run(skill, {}, site.browser(skill, ERP))


INHERITED: Final = f"""browserAction('getText',
        Object.create({{ expected_domain: '{OA}' }}, {{ selector: {{ value: '#a', enumerable: true }} }}))"""
OUTSIDE: Final = {
    "an action it did not declare": ("browserAction('click', '#a')", "POLICY_DENIED"),
    "an action that does not exist": ("browserAction('executeJsInPage', '1')", "UNKNOWN_ACTION"),
    "a domain it did not declare": (f"browserAction('navigate', 'https://{OA}/')", "POLICY_DENIED"),
    "a domain nobody listed": ("browserAction('navigate', 'https://evil.example/')", "POLICY_DENIED"),
    "a smuggled domain": (f"browserAction('getText', {{ selector: '#a', expected_domain: '{OA}' }})", "BAD_PARAMS"),
    "a smuggled envelope": (f"browserAction('getText', '#a', {{ security: {{ expected_domain: '{OA}' }} }})",
                            "BAD_PARAMS"),
    "a smuggled address": (f"browserAction('getText', {{ selector: '#a', url: 'https://{OA}/' }})", "BAD_PARAMS"),
    "a smuggled page": ("browserAction('getText', { selector: '#a', page: 'p2' })", "BAD_PARAMS"),
    "a smuggled approval": ("browserAction('getText', { selector: '#a', approval_id: 'a1' })", "BAD_PARAMS"),
    "a smuggled task": ("browserAction('getText', { selector: '#a', task_id: 't2', seq: 7 })", "BAD_PARAMS"),
    "a prototype with a domain": (INHERITED, None),
}  # fmt: skip


@pytest.mark.requirement("ATTACK-42")
@pytest.mark.parametrize("what", OUTSIDE)
async def test_what_lies_outside_a_skills_bounds_is_refused_and_the_script_goes_on(
    what: str, sandbox: Bench, site: Observed
) -> None:
    call, code = OUTSIDE[what]
    skill = bound(f"""
      const code = await {call}.then(() => null, (error) => error.code);
      return {{ success: true, data: [code, await browserAction('getText', '#inside')] }};
    """)
    assert await run(sandbox, site, skill) == SkillResult(success=True, data=[code, "<text>"])
    assert {one.host for one in site.driver.done} == {ERP}
    assert {one.action for one in site.driver.done} == {"getText"}
    assert all(command["security"] == {"expected_domain": ERP} for command in site.commands)


@pytest.mark.requirement("ATTACK-42")
async def test_a_refusal_outside_the_bounds_that_is_let_through_ends_the_run_as_what_it_is(
    sandbox: Bench, site: Observed
) -> None:
    with pytest.raises(PolicyDeniedError):
        await run(
            sandbox, site, bound(f"await browserAction('navigate', 'https://{OA}/'); return {{ success: true }};")
        )
    assert site.commands == []
    assert [record["verdict"] for record in site.ledger.data("command")] == ["deny"]


@pytest.mark.requirement("ATTACK-42")
async def test_a_script_cannot_change_what_it_is_bound_to(sandbox: Bench, site: Observed) -> None:
    skill = bound(f"""
      const codes = [];
      browserAction.domains = ['{OA}']; browserAction.actions = ['click'];
      globalThis.browserAction = (...args) => browserAction(...args, {{ expected_domain: '{OA}' }});
      for (const call of [() => browserAction('click', '#a'),
                          () => browserAction.call({{ domain: '{OA}' }}, 'click', '#a'),
                          () => Reflect.apply(browserAction, {{ actions: ['click'] }}, ['click', '#a'])]) {{
        codes.push(await call().then(() => null, (error) => error.code));
      }}
      return {{ success: true, data: codes }};
    """)
    assert await run(sandbox, site, skill) == SkillResult(success=True, data=["POLICY_DENIED"] * 3)
    assert site.driver.done == []
