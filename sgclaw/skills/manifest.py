"""The manifest: what a skill says about itself, whichever kind of body it has.

Values and their rules only. Reading a header out of a file is `header.py`; whether to believe it is `trust.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sgclaw.policy.origins import is_canonical_host
from sgclaw.protocol.actions import ACTIONS, Risk
from sgclaw.skills.schema import JsonSchema, check_schema

SkillKind = Literal["script", "flow", "guide"]

_NAME = r"[a-z0-9][a-z0-9-]{0,63}"
_VERSION = r"(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}"
_REF = re.compile(rf"{_NAME}(?:@{_VERSION})?")
_FILE = re.compile(rf"(?:builtin|custom)/({_NAME})\.js")

_WINDOWS_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
_TOOLS = {"observe", "act", "extract", "approve"} | {name.lower() for name in ACTIONS}
RESERVED_NAMES = frozenset({"constructor"} | _WINDOWS_DEVICES | _TOOLS)
"""Names that mean something else: to JavaScript objects, to Windows whatever follows them, to a model as a tool."""

DEFAULT_ACTIONS: tuple[str, ...] = tuple(
    row.name for row in ACTIONS.values() if row.risk in {Risk.READ, Risk.REVERSIBLE}
)
"""What a script may do when its header has no `@actions`: the read and reversible rows of the action table."""

EMPTY_PARAMS: JsonSchema = {"type": "object", "properties": {}}
"""A skill without `@params` takes no inputs."""


def _distinct(items: Sequence[str]) -> Sequence[str]:
    repeated = sorted(item for item, times in Counter(items).items() if times > 1)
    if repeated:
        raise ValueError(f"重复：{'、'.join(repeated)}")
    return items


def _name(name: str) -> str:
    if name in RESERVED_NAMES:
        raise ValueError(f"{name} 是保留名称")
    return name


def _file(file: str) -> str:
    match = _FILE.fullmatch(file)
    if match is None or match.group(1) in RESERVED_NAMES:
        raise ValueError("路径必须是 builtin/名称.js 或 custom/名称.js")
    return file


def _host(host: str) -> str:
    if not is_canonical_host(host):
        raise ValueError(f"{host[:80]} 不是规范的主机名")
    return host


def _action(action: str) -> str:
    if action not in ACTIONS:
        raise ValueError(f"没有操作 {action[:40]}")
    return action


def _ref(ref: str) -> str:
    if not _REF.fullmatch(ref):
        raise ValueError(f"{ref[:80]} 不是技能名或 name@version")
    return ref


def _params(schema: JsonSchema) -> JsonSchema:
    if schema.get("type") != "object":
        raise ValueError('最外层必须是 "type": "object"')
    check_schema(schema)
    return schema


def _output(schema: JsonSchema) -> JsonSchema:
    check_schema(schema)
    return schema


SkillName = Annotated[str, Field(pattern=f"^{_NAME}$"), AfterValidator(_name)]
SkillVersion = Annotated[str, Field(pattern=f"^{_VERSION}$")]
"""Three plain numbers: suffixes would make two spellings of one release."""
SkillFile = Annotated[str, AfterValidator(_file)]
# strict=False at the tuple alone: JSON brings lists. The items stay strict.
_SOME = Field(min_length=1, strict=False)
Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], _SOME, AfterValidator(_distinct)]
Actions = Annotated[tuple[Annotated[str, AfterValidator(_action)], ...], _SOME, AfterValidator(_distinct)]
Words = Annotated[tuple[Annotated[str, Field(max_length=64)], ...], Field(max_length=64), AfterValidator(_distinct)]
Refs = Annotated[tuple[Annotated[str, AfterValidator(_ref)], ...], AfterValidator(_distinct)]


class Capabilities(BaseModel):
    """What the skill may do. Origins follow the manifest's domains, so only actions are named here."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    actions: Actions


class Manifest(BaseModel):
    """One skill's identity, purpose, inputs, outputs and powers. The signed registry entry freezes the powers, the
    signed hash freezes the rest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    name: SkillName
    version: SkillVersion
    kind: SkillKind
    description: str = Field(min_length=1, max_length=1_000)
    when_to_use: str = Field(default="", max_length=1_000)
    triggers: Words = ()
    """Chinese phrases a person uses when they mean this skill."""
    proactive: str | None = Field(default=None, max_length=1_000)
    """When to offer the skill unasked."""
    domains: Hosts
    """Canonical hosts (A-label, lower case, no port) the skill may act on."""
    params: Annotated[JsonSchema, AfterValidator(_params)] = Field(default_factory=lambda: dict(EMPTY_PARAMS))
    output: Annotated[JsonSchema, AfterValidator(_output)] | None = None
    depends_on: Refs = ()
    tags: Words = ()
    author: str = Field(default="", max_length=200)
    capabilities: Capabilities

    @property
    def ref(self) -> str:
        """`name@version`, the form in which everything else names a skill."""
        return f"{self.name}@{self.version}"
