"""Revocation: a list, signed by a pinned root key, of keys that must not be believed any more.

It is honoured before any signature is judged. A key that this machine once saw revoked stays revoked, so neither an old
list nor a missing one brings it back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.ed25519 import PublicKey, SecretKey
from sgclaw.skills.marks import Marks
from sgclaw.skills.papers import Paper, read_paper, told
from sgclaw.skills.reasons import Reason
from sgclaw.skills.registry import (
    JsonObject,
    KeyId,
    Serial,
    Signature,
    Time,
    as_document,
    canonical,
    format_time,
    next_serial,
    render,
    signature_bytes,
    signature_text,
)

REVOCATION_LABEL = "sgclaw/revocation/v1"
REVOCATIONS_FILE = "keys/revocations.json"
"""Where the list lies, seen from the registry's folder."""


class RevokedKey(BaseModel):
    """One revoked key. `successor` is the key whose rotation from it stays good, if there was one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    key_id: KeyId
    successor: KeyId | None


class Revocations(Paper):
    """The whole list; each release names every revoked key again."""

    serial: Serial
    updated_at: Time
    key_id: KeyId
    """The root key that signed."""
    revoked: list[RevokedKey]
    signature: Signature

    def statement(self) -> bytes:
        """The bytes that the root key signs: everything but the signature."""
        signed: JsonObject = {key: value for key, value in as_document(self).items() if key != "signature"}
        return canonical({**signed, "label": REVOCATION_LABEL})


@dataclass(frozen=True, slots=True)
class Revoked:
    """What is revoked, by the list and by what was seen before."""

    key_ids: frozenset[str]
    serials: Mapping[str, int] = field(default_factory=dict)
    """Root key → the serial of its list, when one was heard now."""
    successors: Mapping[str, str] = field(default_factory=dict)
    notice: RegistryRefusedError | None = None


def judge_revocations(raw: bytes | None, roots: Mapping[str, PublicKey], marks: Marks) -> Revoked:
    """The revoked keys. A list that does not hold revokes nothing and is told; what was seen stays revoked."""
    before = Revoked(frozenset(marks.revoked))
    if raw is None:
        return before
    try:
        paper = read_paper(raw, Revocations)
    except ValueError as error:
        return _unheard(before, str(error))
    problem = _problem(paper, roots, marks)
    if problem:
        return _unheard(before, problem, serial=paper.serial, seen=marks.lists.get(paper.key_id, 0))
    listed = {item.key_id for item in paper.revoked}
    # A root that revokes itself vouches for nobody: whoever stole it would name a successor of their own.
    vouches = paper.key_id not in listed
    successors = {item.key_id: item.successor for item in paper.revoked if vouches and item.successor is not None}
    return Revoked(before.key_ids | listed, {paper.key_id: paper.serial}, successors)


def list_in_force(raw: bytes | None, roots: Mapping[str, PublicKey], marks: Marks) -> Revocations | None:
    """The list in these bytes if it would be heard; None for one of somebody else, which no new list may build on.

    Raises `ValueError` when they are no list.
    """
    paper = None if raw is None else read_paper(raw, Revocations)
    return None if paper is None or _problem(paper, roots, marks) else paper


def _problem(paper: Revocations, roots: Mapping[str, PublicKey], marks: Marks) -> str:
    root = roots.get(paper.key_id)
    if root is None:
        return "UNKNOWN_KEY"
    if not root.verifies(paper.statement(), signature_bytes(paper.signature)):
        return "BAD_SIGNATURE"
    if paper.key_id in marks.revoked:
        return "KEY_REVOKED"
    return "ROLLBACK" if paper.serial < marks.lists.get(paper.key_id, 0) else ""


def _unheard(before: Revoked, problem: str, **facts: object) -> Revoked:
    notice = told(Reason.BAD_REVOCATION, REVOCATIONS_FILE, problem, **facts)
    return Revoked(before.key_ids, notice=notice)


# --- making -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Basis:
    """What a new list builds on: the list in force, whichever root signed it, and the highest serial of the new root's
    own lists that was heard.
    """

    old: Revocations | None = None
    heard: int = 0

    def serial(self, root: SecretKey) -> int:
        """The next serial of this root. Raises `LastSerialError`."""
        own = self.old is not None and self.old.key_id == root.public.key_id
        return next_serial(max(self.heard, self.old.serial if self.old is not None and own else 0))


def revoke(basis: Basis, root: SecretKey, key_ids: Collection[str], links: Mapping[str, str], date: datetime) -> bytes:
    """The next list: what is in force and these keys. `links` names the successor of each key that was rotated.

    Raises `LastSerialError`.
    """
    kept = {item.key_id: item for item in basis.old.revoked} if basis.old else {}
    added = {key_id: RevokedKey(key_id=key_id, successor=links.get(key_id)) for key_id in key_ids}
    return sign_revocations(root, list({**kept, **added}.values()), basis.serial(root), date)


def sign_revocations(root: SecretKey, revoked: list[RevokedKey], serial: int, date: datetime) -> bytes:
    """The bytes of keys/revocations.json."""
    unsigned = Revocations(
        version="1.0",
        serial=serial,
        updated_at=format_time(date),
        key_id=root.public.key_id,
        revoked=revoked,
        signature=signature_text(bytes(64)),
    )
    signature = signature_text(root.sign(unsigned.statement()))
    return render(as_document(unsigned.model_copy(update={"signature": signature})))
