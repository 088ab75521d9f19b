"""The policy document a host sends in `init`, parsed once and immutable afterwards."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import BadPolicyError, PolicyDeniedError, WireError
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, plain_label
from sgclaw.policy.origins import Origin, origin_of
from sgclaw.protocol.strict import decode


class _GrantDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    skill: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}$")]
    action: str
    origin: str


class _PolicyDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    version: Annotated[int, Field(ge=1, le=1)]
    origins: Annotated[list[str], Field(max_length=1_000)]
    denied_actions: list[str] = []
    irreversible_labels: Annotated[list[Annotated[str, Field(min_length=1, max_length=32)]], Field(max_length=500)] = (
        list(IRREVERSIBLE_LABELS)
    )
    grants: Annotated[list[_GrantDocument], Field(max_length=1_000)] = []


@dataclass(frozen=True, slots=True)
class Grant:
    """A standing yes for exactly one skill, action and origin."""

    skill: str
    action: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Policy:
    """What the host allows. Immutable; `sha256` is over the document's bytes and is echoed in `ready`."""

    origins: frozenset[Origin]
    denied_actions: frozenset[str]
    irreversible_labels: tuple[str, ...]
    grants: frozenset[Grant]
    sha256: str
    hosts: frozenset[str] = field(init=False, repr=False, compare=False)
    """Canonical hosts of the listed origins: the legal values of `expected_domain`. Kept, for every act asks."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hosts", frozenset(origin.host for origin in self.origins))


def _known_action(name: str) -> str:
    from sgclaw.protocol.actions import ACTIONS  # noqa: PLC0415 - most policies name no action; `ready` waits for this

    if name not in ACTIONS:
        raise BadPolicyError("策略中有不认识的操作", facts={"action": name[:64]})
    return name


def _listed_origin(text: str) -> Origin:
    """An origin as the policy writes it: nothing after the port."""
    try:
        origin = origin_of(text)
    except PolicyDeniedError as error:
        raise BadPolicyError(f"策略中的来源不可用：{error.cause}", facts={"origin": text[:253]}) from None
    if str(origin) != text:
        raise BadPolicyError("策略中的来源必须写成规范形式", facts={"origin": text[:253], "canonical": str(origin)})
    return origin


def _comparable(word: str) -> str:
    """A word as labels are compared with it; one without visible characters would be found in every label."""
    plain = plain_label(word)
    if not plain:
        raise BadPolicyError("策略中有空白的不可撤销词", facts={"word": word})
    return plain


def parse_policy(document: str) -> Policy:
    """Read a policy document; raises `BAD_POLICY` naming what is wrong."""
    raw = document.encode("utf-8", "surrogatepass")
    try:
        parsed = _PolicyDocument.model_validate(decode(raw))
    except (WireError, ValidationError) as error:
        raise BadPolicyError("策略文档不可用", facts={"why": type(error).__name__}) from None
    origins = frozenset(map(_listed_origin, parsed.origins))
    grants = frozenset(
        Grant(item.skill, _known_action(item.action), _listed_origin(item.origin)) for item in parsed.grants
    )
    if not {grant.origin for grant in grants} <= origins:
        raise BadPolicyError("长期授权只能给策略列出的来源")
    return Policy(
        origins=origins,
        denied_actions=frozenset(map(_known_action, parsed.denied_actions)),
        irreversible_labels=tuple(map(_comparable, parsed.irreversible_labels)),
        grants=grants,
        sha256=hashlib.sha256(raw).hexdigest(),
    )


def policy_document(origins: list[str], *, grants: list[dict[str, str]] | None = None) -> str:
    """A policy document with default labels, as a host would send it."""
    return json.dumps(
        {
            "version": 1,
            "origins": origins,
            "irreversible_labels": list(IRREVERSIBLE_LABELS),
            "grants": grants or [],
        },
        ensure_ascii=False,
    )
