import json
from typing import Any, cast

import pytest

from sgclaw.policy.decide import (
    ALLOWED,
    Attempt,
    Kind,
    Scope,
    check_address,
    decide,
    is_listed,
)
from sgclaw.policy.model import parse_policy
from sgclaw.protocol.actions import ACTIONS, Compare, Risk

ERP, OA, INTRANET = "https://erp.example.com", "https://oa.example.com", "http://10.1.2.3:8080"
POLICY = parse_policy(
    json.dumps(
        {
            "version": 1,
            "origins": [ERP, OA, INTRANET],
            "denied_actions": ["upload", "login"],
            "grants": [
                {"skill": "approver", "action": "click", "origin": ERP},
                {"skill": "cleaner", "action": "clearStorage", "origin": ERP},
            ],
        }
    )
)
SCOPE = Scope("reporter", frozenset({"erp.example.com"}), frozenset({"click", "navigate", "logout"}))


def _attempt(action: str = "click", domain: object = "erp.example.com", **known: Any) -> Attempt:
    params = {"url": known.pop("url")} if "url" in known else {}
    return Attempt(ACTIONS[action], params, cast("str", domain), **known)


def _rule(action: str = "click", domain: object = "erp.example.com", **known: Any) -> tuple[Kind, str]:
    verdict = decide(POLICY, _attempt(action, domain, **known))
    assert (verdict.kind is Kind.ALLOW) == (verdict == ALLOWED)
    assert verdict.kind is Kind.ALLOW or any("\u4e00" <= char <= "\u9fff" for char in verdict.cause)
    return verdict.kind, verdict.rule


# --- each rule ------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("POLICY-01")
@pytest.mark.parametrize(
    "known",
    [
        {},
        {"committed": ERP},
        {"committed": ERP, "label": "查询"},
        {"committed": ERP, "scope": SCOPE},
        {"action": "navigate", "url": ERP + "/报表"},
        {"action": "navigate", "url": INTRANET + "/a", "domain": "10.1.2.3"},
        {"action": "getHtml", "committed": ERP, "label": "提交"},
        {"action": "listPages", "committed": "about:blank"},
        {"action": "switchPage", "committed": "https://evil.example"},
    ],
)
def test_an_act_on_a_listed_origin_is_allowed(known: dict[str, Any]) -> None:
    assert _rule(**known) == (Kind.ALLOW, "allowed")


@pytest.mark.requirement("POLICY-04")
@pytest.mark.parametrize(
    ("known", "rule"),
    [
        ({"action": "upload"}, "action.denied"),
        ({"action": "login", "committed": ERP}, "action.denied"),
        ({"action": "type", "scope": SCOPE}, "skill.action"),
        ({"domain": "ERP.example.com"}, "domain.form"),
        ({"domain": "erp.example.com:443"}, "domain.form"),
        ({"domain": ""}, "domain.form"),
        ({"domain": None}, "domain.form"),
        ({"domain": "evil.example"}, "domain.unlisted"),
        ({"domain": "sub.erp.example.com"}, "domain.unlisted"),
        ({"domain": "com"}, "domain.unlisted"),
        ({"domain": "null"}, "domain.unlisted"),
        ({"action": "listPages", "domain": "evil.example"}, "domain.unlisted"),
        ({"domain": "oa.example.com", "scope": SCOPE}, "skill.domain"),
        ({"action": "navigate"}, "url.form"),
        ({"action": "navigate", "url": 5}, "url.form"),
        ({"action": "navigate", "url": "javascript:alert(1)"}, "url.scheme"),
        ({"action": "navigate", "url": r"https://evil.com\@erp.example.com/"}, "url.characters"),
        ({"action": "navigate", "url": "https://evil.example/"}, "origin.unlisted"),
        ({"action": "navigate", "url": "http://erp.example.com/"}, "origin.unlisted"),
        ({"action": "navigate", "url": "https://erp.example.com:8443/"}, "origin.unlisted"),
        ({"action": "navigate", "url": OA}, "origin.mismatch"),
        ({"action": "zombieSpawn", "url": OA}, "origin.mismatch"),
        ({"committed": OA}, "origin.mismatch"),
        ({"committed": "https://evil.example"}, "origin.unlisted"),
        ({"committed": "null"}, "url.scheme"),
        ({"committed": "about:blank"}, "url.scheme"),
        ({"action": "pageScreenshot", "committed": OA}, "origin.mismatch"),
    ],
)
def test_each_refusal_names_its_rule(known: dict[str, Any], rule: str) -> None:
    assert _rule(**known) == (Kind.DENY, rule)


@pytest.mark.requirement("POLICY-04")
def test_the_first_rule_that_objects_decides_in_the_order_action_domain_origin_approval() -> None:
    everything = {"committed": "https://evil.example", "label": "提交", "scope": SCOPE}
    assert _rule("upload", "BAD", **everything)[1] == "action.denied"
    assert _rule("type", "BAD", **everything)[1] == "skill.action"
    assert _rule("click", "BAD", **everything)[1] == "domain.form"
    assert _rule("click", "evil.example", **everything)[1] == "domain.unlisted"
    assert _rule("click", "oa.example.com", **everything)[1] == "skill.domain"
    assert _rule("click", "erp.example.com", **everything)[1] == "origin.unlisted"
    assert _rule("click", "erp.example.com", **{**everything, "committed": ERP})[1] == "approval.label"


@pytest.mark.requirement("POLICY-09")
def test_a_skills_scope_only_narrows() -> None:
    wide = Scope("wide", frozenset({"evil.example", "erp.example.com"}), frozenset(ACTIONS))
    assert _rule("upload", scope=wide) == (Kind.DENY, "action.denied")
    assert _rule(domain="evil.example", scope=wide) == (Kind.DENY, "domain.unlisted")
    assert _rule(scope=Scope("empty", frozenset(), frozenset())) == (Kind.DENY, "skill.action")


@pytest.mark.requirement("POLICY-04")
@pytest.mark.parametrize(
    "action", [name for name, row in ACTIONS.items() if row.compares in (Compare.PAGE, Compare.FRAME)]
)
def test_every_page_and_element_action_is_judged_on_the_committed_origin(action: str) -> None:
    committed = "https://evil.example"
    expected = "action.denied" if action in POLICY.denied_actions else "origin.unlisted"
    assert _rule(action, committed=committed) == (Kind.DENY, expected)


# --- approval -------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("POLICY-05")
@pytest.mark.parametrize(
    ("known", "rule"),
    [
        ({"label": "提交"}, "approval.label"),
        ({"label": "提 交"}, "approval.label"),
        ({"label": "提\u200b交", "committed": ERP}, "approval.label"),
        ({"label": "审批通过", "committed": ERP, "scope": SCOPE}, "approval.label"),
        ({"action": "press", "label": "提交"}, "approval.label"),
        ({"action": "handleDialog", "label": "确认删除？"}, "approval.label"),
        ({"action": "clearStorage"}, "approval.irreversible"),
        ({"action": "logout"}, "approval.credential"),
        ({"action": "logout", "label": "退出"}, "approval.credential"),
    ],
)
def test_an_irreversible_or_credential_act_needs_a_person(known: dict[str, Any], rule: str) -> None:
    assert _rule(**known) == (Kind.ASK, rule)


@pytest.mark.requirement("POLICY-05")
@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_a_dangerous_label_matters_for_every_act_that_changes_something(action: str) -> None:
    row = ACTIONS[action]
    url = {"url": ERP} if row.compares is Compare.TARGET_URL else {}
    kind, _ = _rule(action, label="提交", committed=ERP, **url)
    if action in POLICY.denied_actions:
        assert kind is Kind.DENY
    else:
        asks = row.changes or row.risk in (Risk.IRREVERSIBLE, Risk.CREDENTIAL)
        assert kind is (Kind.ASK if asks else Kind.ALLOW)


def test_the_words_are_the_policys_own() -> None:
    policy = parse_policy(json.dumps({"version": 1, "origins": [ERP], "irreversible_labels": ["导 出"]}))
    assert decide(policy, _attempt(label="导出")).rule == "approval.label"
    assert decide(policy, _attempt(label="提交")) == ALLOWED


@pytest.mark.requirement("POLICY-06")
def test_a_grant_covers_exactly_its_skill_action_and_origin() -> None:
    granted = {"skill": "approver", "label": "审批通过", "committed": ERP}
    assert _rule(**granted) == (Kind.ALLOW, "allowed")
    assert _rule("clearStorage", skill="cleaner", committed=ERP) == (Kind.ALLOW, "allowed")
    others: tuple[dict[str, Any], ...] = (
        {"skill": "Approver"},
        {"skill": "approver2"},
        {"skill": None},
        {"skill": "cleaner"},
        {"action": "press"},
        {"domain": "oa.example.com", "committed": OA},
        {"committed": None},
    )
    for other in others:
        assert _rule(**{**granted, **other}) == (Kind.ASK, "approval.label")


@pytest.mark.requirement("POLICY-06")
def test_a_grant_never_lifts_a_refusal() -> None:
    assert _rule(skill="approver", label="提交", committed="https://evil.example")[0] is Kind.DENY
    assert _rule(domain="evil.example", skill="approver", committed=ERP)[0] is Kind.DENY


# --- where a page is ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("POLICY-08")
@pytest.mark.parametrize(
    ("landed", "rule"),
    [
        (ERP + "/welcome", None),
        ("https://evil.example/login?next=" + ERP, "origin.unlisted"),
        ("http://erp.example.com/", "origin.unlisted"),
        (OA + "/", "origin.mismatch"),
        ("about:blank", "url.scheme"),
        (None, "url.form"),
    ],
)
def test_where_a_navigation_landed_is_judged_like_its_target(landed: object, rule: str | None) -> None:
    verdict = check_address(POLICY, landed, "erp.example.com")
    assert (verdict.rule if verdict else None) == rule
    assert verdict is None or verdict.kind is Kind.DENY


@pytest.mark.requirement("POLICY-08")
@pytest.mark.parametrize(
    ("url", "listed"),
    [(ERP + "/a", True), (INTRANET, True), ("http://10.1.2.3/", False), ("null", False), (None, False), ("", False)],
)
def test_only_pages_of_listed_origins_are_shown(url: object, listed: bool) -> None:
    assert is_listed(POLICY, url) is listed


def test_an_attempt_and_a_verdict_cannot_be_changed() -> None:
    for value, name in ((_attempt(), "committed"), (ALLOWED, "kind"), (SCOPE, "hosts")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)
