"""Nothing that runs after `init` can widen a policy."""

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from sgclaw.policy import labels, origins
from sgclaw.policy.decide import Attempt, Kind, decide
from sgclaw.policy.explain import RULES
from sgclaw.policy.model import Grant, parse_policy
from sgclaw.policy.origins import Origin
from sgclaw.protocol.actions import ACTIONS

ERP, EVIL = "https://erp.example.com", Origin("https", "evil.example", 443)


def _policy() -> Any:
    grant = {"skill": "a", "action": "click", "origin": ERP}
    return parse_policy(json.dumps({"version": 1, "origins": [ERP], "denied_actions": ["upload"], "grants": [grant]}))


@pytest.mark.requirement("POLICY-12")
def test_no_part_of_a_policy_can_be_rebound_deleted_or_added() -> None:
    policy = _policy()
    for value in (policy, *policy.grants, *policy.origins):
        assert not hasattr(value, "__dict__")
        for name in value.__slots__:
            with pytest.raises(FrozenInstanceError):
                setattr(value, name, frozenset())
            with pytest.raises(FrozenInstanceError):
                delattr(value, name)
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            value.extra = 1


@pytest.mark.requirement("POLICY-12")
def test_the_collections_of_a_policy_have_no_way_to_grow() -> None:
    policy = _policy()
    for name in ("origins", "hosts", "denied_actions", "grants", "irreversible_labels"):
        kept = getattr(policy, name)
        for way in ("add", "append", "update", "extend", "clear", "pop", "remove", "discard", "__ior__", "__setitem__"):
            assert not hasattr(kept, way), (name, way)
    grants = policy.grants
    grants |= {Grant("a", "press", EVIL)}
    assert len(policy.grants) == 1


@pytest.mark.requirement("POLICY-12")
def test_a_copy_with_more_in_it_is_another_policy() -> None:
    policy = _policy()
    wider = replace(policy, origins=policy.origins | {EVIL})
    attempt = Attempt(ACTIONS["click"], {}, "evil.example", committed=str(EVIL))
    assert decide(wider, attempt).kind is Kind.ALLOW
    assert decide(policy, attempt).rule == "domain.unlisted"
    assert wider != policy


@pytest.mark.requirement("POLICY-12")
def test_the_document_that_was_read_no_longer_matters() -> None:
    document: dict[str, Any] = {"version": 1, "origins": [ERP]}
    policy = parse_policy(json.dumps(document))
    document["origins"].append("https://evil.example")
    assert policy.hosts == {"erp.example.com"}


@pytest.mark.requirement("POLICY-12")
def test_the_tables_that_a_decision_reads_are_read_only() -> None:
    tables: tuple[Any, ...] = (ACTIONS, RULES, origins._DEFAULT_PORTS)
    for table in tables:
        with pytest.raises(TypeError):
            table["eval"] = 1
    words: Any = labels.IRREVERSIBLE_LABELS
    with pytest.raises(TypeError):
        words[0] = "x"


@pytest.mark.requirement("POLICY-12")
def test_a_policy_that_lists_nothing_allows_nothing() -> None:
    policy = parse_policy('{"version":1,"origins":[]}')
    for name, spec in ACTIONS.items():
        for committed in (None, ERP, "null"):
            attempt = Attempt(spec, {"url": ERP}, "erp.example.com", committed=committed)
            assert decide(policy, attempt).kind is Kind.DENY, name
