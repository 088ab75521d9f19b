"""The policy document a host sends in `init`, parsed once and immutable afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import BadPolicyError, PolicyDeniedError, WireError
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, plain_label
from sgclaw.policy.origins import Origin, origin_of
from sgclaw.protocol.strict import decode
from sgclaw.redact import redact_text


class _GrantDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    skill: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}$")]
    action: str
    origin: str


class PolicyDocument(BaseModel):
    """The JSON of a policy, as a host writes it."""

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


_SHOWN: Final = 80
_LOOKED_AT: Final = 2_000
_FAULTS: Final[Mapping[str, str]] = {
    "missing": "缺少字段 {field}",
    "extra_forbidden": "不认识的字段 {field}",
    "string_type": "字段 {field} 应为文字，现在是 {value}",
    "int_type": "字段 {field} 应为整数，现在是 {value}",
    "list_type": "字段 {field} 应为列表，现在是 {value}",
    "model_type": "字段 {field} 应为对象，现在是 {value}",
    "greater_than_equal": "字段 {field} 最小是 {ge}，现在是 {value}",
    "less_than_equal": "字段 {field} 最大是 {le}，现在是 {value}",
    "too_long": "字段 {field} 最多 {max_length} 项，现在有 {actual_length} 项",
    "string_too_short": "字段 {field} 不能是空的",
    "string_too_long": "字段 {field} 最多 {max_length} 个字符：{value}",
    "string_pattern_mismatch": "字段 {field} 的写法不对：{value}",
}
"""What is wrong with one field, by the validator's word for it."""


def _quoted(value: object) -> str:
    """A value of the document as a message may show it: without credentials, cut, with what shows nothing spelt out."""
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = redact_text(whole[:_LOOKED_AT])
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    shown = "".join(char if char.isprintable() else f"⟨U+{ord(char):04X}⟩" for char in cut)
    return f"“{shown}”" if isinstance(value, str) else shown


def _bad_field(error: ValidationError) -> BadPolicyError:
    """The first field at fault, with its value."""
    fault = error.errors(include_url=False)[0]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    place = redact_text(path[:_LOOKED_AT])[:_SHOWN]
    words = _FAULTS.get(fault["type"], "字段 {field} 的值不能用：{value}")
    told = words.format_map({**fault.get("ctx", {}), "field": place, "value": _quoted(fault["input"])})
    return BadPolicyError(f"策略文档不可用：{told}", facts={"why": fault["type"], "field": place})


def _known_action(name: str) -> str:
    from sgclaw.protocol.actions import ACTIONS  # noqa: PLC0415 - most policies name no action; `ready` waits for this

    if name not in ACTIONS:
        raise BadPolicyError(f"策略中有不认识的操作：{_quoted(name)}", facts={"action": name[:64]})
    return name


def _listed_origin(text: str) -> Origin:
    """An origin as the policy writes it: nothing after the port."""
    try:
        origin = origin_of(text)
    except PolicyDeniedError as error:
        cause = f"策略中的来源 {_quoted(text)} 不可用：{error.cause}"
        raise BadPolicyError(cause, facts={"origin": text[:253]}) from None
    if str(origin) != text:
        cause = f"策略中的来源必须写成规范形式：{_quoted(text)} 应写成 {origin}"
        raise BadPolicyError(cause, facts={"origin": text[:253], "canonical": str(origin)})
    return origin


def _comparable(word: str) -> str:
    """A word as labels are compared with it; one without visible characters would be found in every label."""
    plain = plain_label(word)
    if not plain:
        raise BadPolicyError(f"策略中有空白的不可撤销词：{_quoted(word)}", facts={"word": word})
    return plain


def parse_policy(document: str) -> Policy:
    """Read a policy document; raises `BAD_POLICY` naming what is wrong."""
    raw = document.encode("utf-8", "surrogatepass")
    try:
        parsed = PolicyDocument.model_validate(decode(raw))
    except WireError as error:
        why = error.cause.replace("消息", "文档").replace("一行必须", "文档必须")
        raise BadPolicyError(f"策略文档不可用：{why}", facts={"why": error.code}) from None
    except ValidationError as error:
        raise _bad_field(error) from None
    origins = frozenset(map(_listed_origin, parsed.origins))
    grants = frozenset(
        Grant(item.skill, _known_action(item.action), _listed_origin(item.origin)) for item in parsed.grants
    )
    strangers = sorted(str(grant.origin) for grant in grants if grant.origin not in origins)
    if strangers:
        cause = f"长期授权只能给策略列出的来源，没有列出 {strangers[0]}"
        raise BadPolicyError(cause, facts={"origin": strangers[0]})
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
