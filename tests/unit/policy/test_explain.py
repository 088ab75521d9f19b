"""Every rule has an explanation, and every explanation a rule."""

import ast
import inspect
import re
from types import ModuleType

import pytest

from browser_host_stub import approvals, performing
from browser_host_stub.chromium import guard
from browser_host_stub.memory import driver as memory_driver
from sgclaw.errors import PolicyDeniedError
from sgclaw.host.told import refused
from sgclaw.policy import decide, origins
from sgclaw.policy.explain import RULES, Who, next_step_of

_WORD = re.compile(r"(?:action|skill|task|domain|url|origin|approval)\.[a-z0-9_]+")
_LISTING = {rule for rule in RULES if rule.startswith("url.") or rule == "origin.unlisted"}


def _words(module: ModuleType) -> set[str]:
    """The rule words that a module writes."""
    texts = [node.value for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and _WORD.fullmatch(text)}


@pytest.mark.requirement("POLICY-11")
def test_the_table_holds_exactly_the_rules_that_can_be_raised() -> None:
    written = set[str]().union(*map(_words, (decide, origins, approvals, performing)))
    landed = {f"landed.{rule}" for rule in (*_LISTING, "origin.mismatch")}
    stopped = {f"{guard.STOPPED}{rule}" for rule in _LISTING}
    assert guard.STOPPED == memory_driver.STOPPED
    assert set(RULES) == written | landed | stopped


@pytest.mark.requirement("POLICY-11")
@pytest.mark.parametrize("rule", RULES)
def test_an_explanation_is_chinese_names_who_can_change_it_and_says_how(rule: str) -> None:
    row = RULES[rule]
    for text in (row.meaning, row.next_step):
        assert re.search("[\u4e00-\u9fff]", text)
    assert row.who in Who
    assert next_step_of(rule) == row.next_step


def test_an_unknown_rule_has_no_next_step_of_its_own() -> None:
    assert (next_step_of("nope"), next_step_of(None), next_step_of(5)) == (None, None, None)


@pytest.mark.requirement("POLICY-11")
def test_a_refusal_of_the_browsers_end_gets_the_next_step_of_its_rule() -> None:
    for rule in ("stopped.origin.unlisted", "approval.other_act"):
        told = refused(PolicyDeniedError("被拒绝", facts={"rule": rule}))
        assert (told.cause, told.next_step, told.facts) == ("被拒绝", RULES[rule].next_step, {"rule": rule})
    unknown = PolicyDeniedError("被拒绝", facts={"rule": "of.another.host"})
    assert refused(unknown).next_step == PolicyDeniedError.default_next_step
