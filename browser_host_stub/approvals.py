"""Acts the host holds until a person has decided.

An approval is good for exactly the act it was asked for (same action, parameters, page, domain, task, skill, the same
real element in the same document, with the form and the row as they were), once, for 120 s, and only while no other
act has touched the page. Silence is no.
"""

from __future__ import annotations

import hashlib
import json
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from browser_host_stub.driver import Around, Located
from sgclaw.errors import PolicyDeniedError
from sgclaw.protocol.limits import APPROVAL_SECONDS
from sgclaw.protocol.messages import Command

JsonObject = dict[str, object]
NOWHERE = Around()
MAX_HELD = 16
MAX_SHOWN = 500
"""Characters of one text of a page in the facts of an act."""
_TAIL = 160
"""Of them from the end of a longer text: a question mostly stands last."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs by their category that show nothing."""


class Approver(Protocol):
    """The person at the browser."""

    async def approve(self, facts: Mapping[str, object]) -> bool:
        """Whether the act may be done; `facts` come from the real page, never from a model."""
        ...

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        """The answer to a question of sgclaw; None when nobody answers."""
        ...


class NobodyThere:
    """No person: everything that needs one is refused at once."""

    async def approve(self, facts: Mapping[str, object]) -> bool:
        return False

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        return None


@dataclass
class _Held:
    digest: str
    page: str
    expires: float
    approved: bool = False


def _cut(text: str | None) -> str | None:
    """A page's text at a length a person can read; the identity of the act holds all of it."""
    if text is None:
        return None
    seen = visible(text)
    return seen if len(seen) <= MAX_SHOWN else f"{seen[: MAX_SHOWN - _TAIL - 1]}…{seen[-_TAIL:]}"


def visible(text: str) -> str:
    """The text with every character that shows nothing or turns the reading around spelt out: ⟨U+202E⟩."""
    if text.isprintable() and _BLANK.isdisjoint(text):
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if _hides(char) else char for char in text)


def _hides(char: str) -> bool:
    if char in _BLANK:
        return True
    return char not in "\n\t" and (unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp"))


def _all_visible(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {name: _all_visible(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_all_visible(item) for item in value]
    return value


def facts_of(command: Command, domain: str, located: Located, rule: str, around: Around = NOWHERE) -> JsonObject:
    """What a person is shown: the label is quoted page content; nothing here was written by a model."""
    target = located.target
    return {
        "action": command.action,
        "params": _all_visible(command.params),
        "origin": located.origin,
        "domain": domain,
        "rule": rule,
        "label": _cut(target.label) if target else "",
        "element": _cut(target.name) if target else "",
        "value": _cut(target.value_preview) if target else None,
        "form_action": _cut(target.form_action) if target else None,
        "href": _cut(target.href) if target else None,
        "context": _cut(around.context) or None,
        "skill": command.skill.ref if command.skill else None,
    }


def digest_of(command: Command, domain: str, located: Located, around: Around = NOWHERE) -> str:
    """Identity of the act: everything that decides what happens, and what it happens to."""
    target = located.target
    identity = [
        command.action,
        command.params,
        domain,
        command.task_id,
        command.skill.model_dump() if command.skill else None,
        located.page.id,
        located.page.version,
        located.origin,
        [around.element, around.state],
        [target.tag, target.label, target.name, target.href, target.form_action, target.value_preview]
        if target
        else None,
    ]
    return hashlib.sha256(json.dumps(identity, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class HeldActs:
    """Acts waiting for a person, and those approved but not yet done."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        self._count = 0

    def hold(self, digest: str, page: str) -> str:
        """Remember an act on a page; returns its approval id. The oldest is forgotten when too many wait."""
        if len(self._held) >= MAX_HELD:
            del self._held[next(iter(self._held))]
        self._count += 1
        approval_id = f"ap-{self._count}"
        self._held[approval_id] = _Held(digest, page, time.monotonic() + APPROVAL_SECONDS)
        return approval_id

    def touch(self, page: str) -> None:
        """Another act is about to change this page: what was asked about it is not what it will be."""
        for approval_id in [number for number, held in self._held.items() if held.page == page]:
            del self._held[approval_id]

    def decide(self, approval_id: str, approved: bool) -> bool:
        """Store the person's word; returns what it counts for (a late yes is a no)."""
        held = self._held.get(approval_id)
        if held is None or not approved or time.monotonic() > held.expires:
            self._held.pop(approval_id, None)
            return False
        held.approved = True
        return True

    def use(self, approval_id: str, digest: str) -> None:
        """Use an approval up for this act; raises `POLICY_DENIED` when it does not cover it."""
        held = self._held.pop(approval_id, None)
        if held is None or not held.approved:
            raise PolicyDeniedError("没有这个确认，或它已经用过", facts={"rule": "approval.unknown"})
        if time.monotonic() > held.expires:
            raise PolicyDeniedError("确认已经过期", facts={"rule": "approval.expired"})
        if held.digest != digest:
            raise PolicyDeniedError("确认的不是这个操作", facts={"rule": "approval.other_act"})
