"""A patch: what healing may change in a signed flow, signed by the key of the workstation that healed it.

Models, statement, making and checking the signature; carrying a patch out is `patching.py`. The signed file itself is
what is exported and imported. A workstation key signs patches and nothing else: its keys are a set of their own, which
the trust check of skills never sees, and the label keeps its signatures from serving another purpose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sgclaw.errors import SkillRefusedError
from sgclaw.skills.ed25519 import PublicKey, SecretKey
from sgclaw.skills.manifest import SkillName, SkillVersion
from sgclaw.skills.papers import Paper, read_paper
from sgclaw.skills.reasons import Reason, refused_skill
from sgclaw.skills.registry import (
    KeyId,
    Sha256,
    Signature,
    Time,
    as_document,
    canonical,
    format_time,
    render,
    signature_bytes,
    signature_text,
)

PATCH_LABEL = "sgclaw/patch/v1"
MAX_OPS = 64
MAX_WAIT_MS = 60_000

_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
_STEP = r"steps\[(?:0|[1-9][0-9]{0,3})\]"

StepPath = Annotated[str, Field(pattern=rf"^{_STEP}(?:\.{_STEP}){{0,7}}$")]
"""`steps[2]`, and for a step within a step `steps[2].steps[0]`: the only form, so that one place has one name."""
_Index = Annotated[int, Field(ge=0, le=31)]


class Locator(BaseModel):
    """One way to find a control."""

    model_config = _STRICT

    by: Literal["role", "css", "xpath", "text", "visual"]
    value: str = Field(min_length=1, max_length=2_000)
    name: str | None = Field(max_length=200)
    """The accessible name, for `role`."""


_SELECTS = r"(?:#[\w-]+|\.[\w-]+|\[[\w-]+[*^$|~]?=(?:\"[^\"]+\"|'[^']+'|[\w-]+)\])"
_CSS = rf"(?:(?:[\w-]+|(?:[\w-]+)?{_SELECTS}+)(?:\s*>\s*|\s+))*(?!(?:html|body)(?![\w-]))(?:[\w-]+)?{_SELECTS}+"
_XPATH = r"[^|]*\[(?:@[\w-]+|text\(\)|normalize-space\(\))\s*=\s*(?:\"[^\"|]+\"|'[^'|]+')\]"
_SPECIFIC: Mapping[str, re.Pattern[str]] = {
    "css": re.compile(_CSS, re.IGNORECASE),
    "xpath": re.compile(_XPATH),
    "role": re.compile(r"\w+"),
    "text": re.compile(r"\S.*\S"),
    "visual": re.compile(r"\S.*\S"),
}
"""What singles something out on a page: an id, a class or an attribute's value, a name, a text of two characters."""


def _specific(when: Locator) -> Locator:
    """A condition that every page meets guards nothing."""
    if not _SPECIFIC[when.by].fullmatch(when.value.strip()) or (when.by == "role" and not (when.name or "").strip()):
        raise ValueError("too general")
    return when


class GuardedStep(BaseModel):
    """A step that healing may add: done only while `when` is on the page, like closing a notice that covers a form."""

    model_config = _STRICT

    guarded: Literal[True]
    when: Annotated[Locator, AfterValidator(_specific)]
    action: Literal["click", "hover", "waitForSelector"]
    """Without a value of its own, so that nothing can be typed, opened or sent."""
    locators: list[Locator] = Field(min_length=1, max_length=8)
    wait_ms: int = Field(ge=0, le=MAX_WAIT_MS)


class _Op(BaseModel):
    model_config = _STRICT

    step: StepPath


class ReplaceLocator(_Op):
    """Another locator in the place of one."""

    op: Literal["replace_locator"]
    index: _Index
    locator: Locator


class AddLocator(_Op):
    """One more locator, before the one at `index`."""

    op: Literal["add_locator"]
    index: _Index
    locator: Locator


class ReorderLocators(_Op):
    """The same locators in another order: `order[i]` is the old place of the new i-th."""

    op: Literal["reorder_locators"]
    order: list[_Index] = Field(min_length=1, max_length=32)


class SetWait(_Op):
    """How long to wait, in milliseconds."""

    op: Literal["set_wait"]
    wait_ms: int = Field(ge=0, le=MAX_WAIT_MS)


class AddGuardedStep(_Op):
    """A guarded step that will stand at `step`."""

    op: Literal["add_guarded_step"]
    content: GuardedStep


class RemoveGuardedStep(_Op):
    """Away with a guarded step that a patch added; no other can be removed."""

    op: Literal["remove_guarded_step"]


PatchOp = Annotated[
    ReplaceLocator | AddLocator | ReorderLocators | SetWait | AddGuardedStep | RemoveGuardedStep,
    Field(discriminator="op"),
]
"""The whole list. Assertions, scope, capabilities, parameters and outputs have no op."""


class PatchBase(BaseModel):
    """The signed skill that is patched, by name and by content."""

    model_config = _STRICT

    name: SkillName
    version: SkillVersion
    sha256: Sha256


class Patch(Paper):
    """One signed patch file."""

    base: PatchBase
    ops: list[PatchOp] = Field(min_length=1, max_length=MAX_OPS)
    created: Time
    key_id: KeyId
    signature: Signature

    def statement(self) -> bytes:
        """The bytes that `signature` signs: everything but the signature."""
        signed = {key: value for key, value in as_document(self).items() if key != "signature"}
        return canonical({**signed, "label": PATCH_LABEL})


def sign_patch(key: SecretKey, base: PatchBase, ops: Sequence[PatchOp], created: datetime) -> bytes:
    """The bytes of a patch file."""
    unsigned = Patch(
        version="1.0",
        base=base,
        ops=list(ops),
        created=format_time(created),
        key_id=key.public.key_id,
        signature=signature_text(bytes(64)),
    )
    signature = signature_text(key.sign(unsigned.statement()))
    return render(as_document(unsigned.model_copy(update={"signature": signature})))


def verify_patch(raw: bytes, workstations: Sequence[PublicKey]) -> Patch:
    """The patch in these bytes, signed by one of the workstation keys. Raises `SkillRefusedError` (`BAD_PATCH`)."""
    try:
        patch = read_paper(raw, Patch)
    except ValueError as error:
        raise bad_patch(str(error)) from None
    keys = {key.key_id: key for key in workstations if not key.is_weak}
    key = keys.get(patch.key_id)
    if key is None:
        raise bad_patch("UNKNOWN_KEY", patch)
    if not key.verifies(patch.statement(), signature_bytes(patch.signature)):
        raise bad_patch("BAD_SIGNATURE", patch)
    return patch


def bad_patch(problem: str, patch: Patch | None = None, **facts: object) -> SkillRefusedError:
    """The error that refuses a patch; `problem` is a machine word."""
    named = {} if patch is None else {"name": patch.base.name, "key_id": patch.key_id}
    return refused_skill(Reason.BAD_PATCH, problem=problem, **named, **facts)
