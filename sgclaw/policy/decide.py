"""The one decision about an act, run by both sides on what each of them knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.labels import irreversible_word
from sgclaw.policy.model import Grant, Policy
from sgclaw.policy.origins import is_canonical_host, origin_of
from sgclaw.protocol.actions import ActionSpec, Compare, Risk


class Kind(StrEnum):
    """Outcome of a decision."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a skill may do besides the policy: its own hosts and actions."""

    skill: str
    hosts: frozenset[str]
    actions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An act and what is known about it.

    `committed` is the origin (serialised) the browser committed for what the action table compares, None when the
    deciding side does not know it; `label` is the text of the control that would really be hit.
    """

    spec: ActionSpec
    params: Mapping[str, object]
    expected_domain: str
    committed: str | None = None
    label: str | None = None
    scope: Scope | None = None
    skill: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Allowed, needs a person, or refused; `rule` is the machine word, `cause` the Chinese explanation."""

    kind: Kind
    rule: str
    cause: str = ""


ALLOWED = Verdict(Kind.ALLOW, "allowed")


def _deny(rule: str, cause: str) -> Verdict:
    return Verdict(Kind.DENY, rule, cause)


def _action(policy: Policy, attempt: Attempt) -> Verdict | None:
    name = attempt.spec.name
    if name in policy.denied_actions:
        return _deny("action.denied", f"策略禁止操作 {name}")
    if attempt.scope is not None and name not in attempt.scope.actions:
        return _deny("skill.action", f"技能 {attempt.scope.skill} 没有声明操作 {name}")
    return None


def _domain(policy: Policy, attempt: Attempt) -> Verdict | None:
    domain = attempt.expected_domain
    if not is_canonical_host(domain):
        return _deny("domain.form", "expected_domain 不是规范的主机名")
    if domain not in policy.hosts:
        return _deny("domain.unlisted", f"策略没有列出 {domain}")
    if attempt.scope is not None and domain not in attempt.scope.hosts:
        return _deny("skill.domain", f"技能 {attempt.scope.skill} 没有声明域名 {domain}")
    return None


def _origin(policy: Policy, attempt: Attempt) -> Verdict | None:
    compares = attempt.spec.compares
    if compares is Compare.NOTHING:
        return None
    url = attempt.params.get("url") if compares is Compare.TARGET_URL else attempt.committed
    if url is None and compares is not Compare.TARGET_URL:
        return None
    return check_address(policy, url, attempt.expected_domain)


def _approval(policy: Policy, attempt: Attempt) -> Verdict | None:
    word = None
    if attempt.spec.changes and attempt.label:
        word = irreversible_word(attempt.label, policy.irreversible_labels)
    if word is None and attempt.spec.risk not in (Risk.IRREVERSIBLE, Risk.CREDENTIAL):
        return None
    if _granted(policy, attempt):
        return None
    rule = "approval.label" if word else f"approval.{attempt.spec.risk.value}"
    what = f"目标含有“{word}”" if word else f"操作 {attempt.spec.name} 影响较大"
    return Verdict(Kind.ASK, rule, f"{what}，需要您确认")


def _granted(policy: Policy, attempt: Attempt) -> bool:
    if attempt.skill is None or attempt.committed is None:
        return False
    return Grant(attempt.skill, attempt.spec.name, origin_of(attempt.committed)) in policy.grants


_CHECKS: tuple[Callable[[Policy, Attempt], Verdict | None], ...] = (_action, _domain, _origin, _approval)


def decide(policy: Policy, attempt: Attempt) -> Verdict:
    """The first rule that objects, in the order action, domain, origin, approval; else allowed."""
    for check in _CHECKS:
        verdict = check(policy, attempt)
        if verdict is not None:
            return verdict
    return ALLOWED


def check_address(policy: Policy, url: object, expected_domain: str) -> Verdict | None:
    """None when `url` (or a serialised origin) is on a listed origin whose host is `expected_domain`.

    Used for targets, for committed origins, and again for where a navigation landed.
    """
    try:
        origin = origin_of(url)
    except PolicyDeniedError as error:
        return _deny(str(error.facts["rule"]), error.cause)
    if origin not in policy.origins:
        return _deny("origin.unlisted", f"策略没有列出 {origin}")
    if origin.host != expected_domain:
        return _deny("origin.mismatch", f"操作声明的域名是 {expected_domain}，实际是 {origin.host}")
    return None


def is_listed(policy: Policy, url: object) -> bool:
    """Whether a page at this address may be shown to the agent at all."""
    try:
        return origin_of(url) in policy.origins
    except PolicyDeniedError:
        return False
