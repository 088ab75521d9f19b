"""The one decision about an act, run by both sides on what each of them knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.labels import irreversible_word
from sgclaw.policy.model import Grant, Policy
from sgclaw.policy.origins import is_canonical_host, origin_of
from sgclaw.protocol.actions import ACTIONS, ActionSpec, Compare, Risk


class Kind(StrEnum):
    """Outcome of a decision."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a skill, or a task without one (`skill` None), may do within the policy: its hosts and its actions."""

    skill: str | None
    hosts: frozenset[str]
    actions: frozenset[str] = frozenset(ACTIONS)


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
    repeats: bool = False
    """The act would send a form once more that has been sent before."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Allowed, needs a person, or refused; `rule` is the machine word, `cause` the Chinese explanation."""

    kind: Kind
    rule: str
    cause: str = ""


ALLOWED = Verdict(Kind.ALLOW, "allowed")
_ALWAYS_ASKED = MappingProxyType({Risk.IRREVERSIBLE: "approval.irreversible", Risk.CREDENTIAL: "approval.credential"})


def _deny(rule: str, cause: str) -> Verdict:
    return Verdict(Kind.DENY, rule, cause)


def _action(policy: Policy, attempt: Attempt) -> Verdict | None:
    name = attempt.spec.name
    if name in policy.denied_actions:
        return _deny("action.denied", f"策略禁止操作 {name}")
    scope = attempt.scope
    if scope is None or name in scope.actions:
        return None
    if scope.skill is None:
        return _deny("task.action", f"这个任务的范围里没有操作 {name}")
    return _deny("skill.action", f"技能 {scope.skill} 没有声明操作 {name}")


def _domain(policy: Policy, attempt: Attempt) -> Verdict | None:
    domain = attempt.expected_domain
    if not is_canonical_host(domain):
        return _deny("domain.form", "expected_domain 不是规范的主机名")
    if domain not in policy.hosts:
        return _deny("domain.unlisted", f"策略没有列出 {domain}")
    scope = attempt.scope
    if scope is None or domain in scope.hosts:
        return None
    if scope.skill is None:
        return _deny("task.domain", f"这个任务的范围里没有 {domain}")
    return _deny("skill.domain", f"技能 {scope.skill} 没有声明域名 {domain}")


def _origin(policy: Policy, attempt: Attempt) -> Verdict | None:
    compares = attempt.spec.compares
    if compares is Compare.NOTHING:
        return None
    url = attempt.params.get("url") if compares is Compare.TARGET_URL else attempt.committed
    if url is None and compares is not Compare.TARGET_URL:
        return None  # not known on this side; the host always knows
    return check_address(policy, url, attempt.expected_domain)


def _approval(policy: Policy, attempt: Attempt) -> Verdict | None:
    asked = _asked(policy, attempt)
    return None if asked is None or _granted(policy, attempt) else asked


def _asked(policy: Policy, attempt: Attempt) -> Verdict | None:
    if attempt.spec.risk in _ALWAYS_ASKED:
        cause = f"操作 {attempt.spec.name} 影响较大，需要您确认"
        return Verdict(Kind.ASK, _ALWAYS_ASKED[attempt.spec.risk], cause)
    if attempt.repeats:
        return Verdict(Kind.ASK, "approval.repeats", "这一页是提交表单得到的，重新载入会再次提交，需要您确认")
    if not attempt.spec.changes or not attempt.label:
        return None
    if attempt.spec.name == "handleDialog" and attempt.params.get("accept") is False:
        return None  # a no to the page's question is never what cannot be taken back
    word = irreversible_word(attempt.label, policy.irreversible_labels)
    return Verdict(Kind.ASK, "approval.label", f"目标含有“{word}”，需要您确认") if word else None


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
    refused = check_listed(policy, url)
    if refused is not None:
        return refused
    host = origin_of(url).host
    if host != expected_domain:
        return _deny("origin.mismatch", f"操作声明的域名是 {expected_domain}，实际是 {host}")
    return None


def check_listed(policy: Policy, url: object) -> Verdict | None:
    """None when `url` is on a listed origin: where a page may go by itself, a redirect for instance."""
    try:
        origin = origin_of(url)
    except PolicyDeniedError as error:
        return _deny(str(error.facts["rule"]), error.cause)
    return None if origin in policy.origins else _deny("origin.unlisted", f"策略没有列出 {origin}")


def is_listed(policy: Policy, url: object) -> bool:
    """Whether a page at this address may be shown to the agent at all."""
    return check_listed(policy, url) is None
