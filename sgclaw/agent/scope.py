"""What a task may touch, fixed from the user's words and the policy before any page is read.

Nothing a page or a model says makes it wider: that takes a person, for one more origin at a time, and never reaches
beyond the policy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from sgclaw.errors import NeedsHumanError, PolicyDeniedError
from sgclaw.policy.model import Policy
from sgclaw.policy.origins import Origin, origin_of
from sgclaw.ports import Question
from sgclaw.protocol.actions import ACTIONS, Risk

OFFERED: Final = tuple(row.name for row in ACTIONS.values() if row.risk is not Risk.CREDENTIAL)
"""Actions an agent may ask for: people log in and out themselves."""
ALLOW, REFUSE = "允许", "不允许"
_TOKEN: Final = re.compile(r"[a-z0-9][a-z0-9.-]*[a-z0-9](?::\d+)?")
_PLAIN: Final = frozenset({"www", "com", "cn", "net", "org", "local", "internal", "intranet", "corp", "example", "gov"})


@dataclass(slots=True)
class TaskScope:
    """Origins and actions of one task. `listed` is the policy's whole list, the most it can be widened to."""

    origins: frozenset[Origin]
    actions: frozenset[str]
    listed: frozenset[Origin]
    main: Origin
    """Where the task is done unless an act says otherwise."""
    widened: set[Origin] = field(default_factory=set)
    refused: set[Origin] = field(default_factory=set)

    @property
    def all_origins(self) -> frozenset[Origin]:
        """Those fixed at the start and those a person added."""
        return self.origins | self.widened

    @property
    def hosts(self) -> frozenset[str]:
        """Legal values of `expected_domain` for this task."""
        return frozenset(origin.host for origin in self.all_origins)

    def check_action(self, action: str) -> None:
        """Raises `POLICY_DENIED` for an action outside the scope."""
        if action not in self.actions:
            raise PolicyDeniedError(
                f"这个任务的范围里没有操作 {action}", next_step="请换一种做法", facts={"rule": "task.action"}
            )

    def missing(self, target: Origin) -> bool:
        """Whether a person must widen the scope before `target` may be used; raises `POLICY_DENIED` when nobody can."""
        if target in self.all_origins:
            return False
        if target not in self.listed:
            raise PolicyDeniedError(f"策略没有列出 {target}", facts={"rule": "origin.unlisted"})
        if target in self.refused:
            raise PolicyDeniedError(
                f"您没有同意任务使用 {target}", next_step="请换一种做法，或结束任务", facts={"rule": "task.domain"}
            )
        return True

    def origin_for(self, host: str, seen: str) -> Origin:
        """The origin an act declares by its host: the one seen on the page if it is that host's, else a listed one.

        Raises `POLICY_DENIED` for a host the policy does not have.
        """
        candidates = sorted(origin for origin in self.listed if origin.host == host)
        if not candidates:
            raise PolicyDeniedError(f"策略没有列出 {host[:253]}", facts={"rule": "domain.unlisted"})
        on_page = next((origin for origin in candidates if str(origin) == seen), None)
        in_scope = next((origin for origin in candidates if origin in self.all_origins), None)
        return on_page or in_scope or candidates[0]


def widening(target: Origin, what: str) -> Question:
    """The question that widens a scope by one origin; `what` is the act in our own words."""
    text = f"任务开始时的范围里没有 {target}。要{what}，是否允许这个任务使用它？"
    return Question(text, (ALLOW, REFUSE))


def fix_scope(
    instruction: str, policy: Policy, page_url: str | None = None, names: Mapping[str, str] | None = None
) -> TaskScope:
    """The scope of a task: origins its words name, and the page it was given on.

    `names` are words of the operator for hosts (财务系统 → fin.example.com). Where neither words nor a page name an
    origin, a policy with one origin means that one; with several a person has to say which: `NEEDS_HUMAN` with them.
    """
    here = _of_page(page_url, policy.origins) if page_url is not None else set()
    found = _named(instruction, policy.origins, names or {}) | here
    if not found and len(policy.origins) == 1:
        found = set(policy.origins)
    if not found:
        raise NeedsHumanError(
            "没有说明在哪个系统里办，任务没有开始",
            next_step="请在指令里写出系统名称，或先打开要用的页面",
            facts={"reason": "no_scope", "origins": sorted(map(str, policy.origins))[:20]},
        )
    actions = frozenset(OFFERED) - policy.denied_actions
    return TaskScope(frozenset(found), actions, policy.origins, min(here or found))


def _of_page(url: str, listed: Collection[Origin]) -> set[Origin]:
    try:
        origin = origin_of(url)
    except PolicyDeniedError:
        return set()
    return {origin} & set(listed)


def _named(instruction: str, listed: Collection[Origin], names: Mapping[str, str]) -> set[Origin]:
    text = unicodedata.normalize("NFKC", instruction).lower()
    said = set(_TOKEN.findall(text))
    said |= {token.partition(":")[0] for token in said}
    said |= {host for word, host in names.items() if word and word.lower() in text}
    found = {origin for origin in listed if origin.host in said or f"{origin.host}:{origin.port}" in said}
    exact = {origin for origin in found if f"{origin.host}:{origin.port}" in said}
    return exact or found or {origin for origin in listed if _short_name(origin.host) in said}


def _short_name(host: str) -> str:
    """`erp` of erp.example.com; no name for a host that is a number or begins with a word every host has."""
    first = host.partition(".")[0]
    return "\n" if first.isdigit() or first in _PLAIN or len(first) < 2 else first
