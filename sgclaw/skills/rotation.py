"""Key rotation: a statement signed by the old and the new key hands the old one's place to the new one.

The pinned keys and the chain of statements in keys/rotations.json give the keys that may sign now. A chain counts up to
its first link that does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.ed25519 import PublicKey, SecretKey, key_text, public_key
from sgclaw.skills.papers import KeyText, Paper, read_paper, told
from sgclaw.skills.reasons import Reason
from sgclaw.skills.registry import (
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

ROTATION_LABEL = "sgclaw/rotation/v1"
ROTATIONS_FILE = "keys/rotations.json"
"""Where the chain lies, seen from the registry's folder."""


class Rotation(BaseModel):
    """One link: `new` takes the place of `old`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    serial: Serial
    """Rises from link to link."""
    date: Time
    old: KeyText
    new: KeyText
    signature_old: Signature
    signature_new: Signature

    def statement(self) -> bytes:
        """The bytes that both keys sign."""
        fields = {"serial": self.serial, "date": self.date, "old": self.old, "new": self.new}
        return canonical({"label": ROTATION_LABEL, **fields})


class Rotations(Paper):
    """The whole chain, oldest link first."""

    rotations: list[Rotation]


@dataclass(frozen=True, slots=True)
class Seen:
    """What bounds a chain from outside: which keys are revoked and by what successor a root key vouches for, and the
    links this machine followed before.
    """

    revoked: Collection[str]
    successors: Mapping[str, str]
    retired: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Followed:
    """Where the chain leads. Both maps go from key id to key."""

    current: Mapping[str, PublicKey]
    retired: Mapping[str, PublicKey]
    links: Mapping[str, str]
    """Rotated key id → its successor's."""
    notice: RegistryRefusedError | None = None


def follow(raw: bytes | None, pinned: Mapping[str, PublicKey], seen: Seen) -> Followed:
    """The keys after every link that holds. A key that was once seen rotated is retired even without its link."""
    current, retired = dict(pinned), dict[str, PublicKey]()
    links: dict[str, str] = {}
    serial, problem = 0, ""
    try:
        chain = read_paper(raw, Rotations).rotations if raw is not None else []
    except ValueError as error:
        chain, problem = [], str(error)
    for link in chain:
        old, new = public_key(link.old), public_key(link.new)
        problem = "SERIAL" if link.serial <= serial else _problem(link, {**current, **retired}, current, seen)
        if problem:
            serial = link.serial
            break
        retired[old.key_id] = current.pop(old.key_id)
        current[new.key_id] = new
        links[old.key_id], serial = new.key_id, link.serial
    for key_id in seen.retired:
        if key_id in current:
            retired[key_id] = current.pop(key_id)
    notice = told(Reason.BAD_ROTATION, ROTATIONS_FILE, problem, serial=serial) if problem else None
    return Followed(current, retired, links, notice)


def _problem(link: Rotation, known: Collection[str], current: Collection[str], seen: Seen) -> str:
    """The machine word for why a link does not hold; empty when it does."""
    old, new = public_key(link.old), public_key(link.new)
    if old.key_id not in current:
        return "OLD_KEY"
    if new.key_id in known:
        return "NEW_KEY"
    if new.is_weak:
        return "WEAK_KEY"
    if not old.verifies(link.statement(), signature_bytes(link.signature_old)):
        return "SIGNATURE_OLD"
    if not new.verifies(link.statement(), signature_bytes(link.signature_new)):
        return "SIGNATURE_NEW"
    return _fork(old.key_id, new.key_id, seen)


def _fork(old: str, new: str, seen: Seen) -> str:
    # Whoever stole a key can rotate it too: after its revocation only the successor that a root key names counts,
    # against everything that was seen before.
    if old in seen.revoked:
        return "" if seen.successors.get(old) == new else "KEY_REVOKED"
    return "FORK" if seen.retired.get(old, new) != new else ""


# --- making -----------------------------------------------------------------------------------------------------------


def read_chain(raw: bytes | None) -> list[Rotation]:
    """The links in these bytes, unjudged; raises `ValueError` for another form. None is no link."""
    return [] if raw is None else read_paper(raw, Rotations).rotations


def rotate(raw: bytes | None, old: SecretKey, new: SecretKey, date: datetime) -> bytes:
    """The chain with one more link, signed by both keys. Raises `ValueError` when `raw` is no chain,
    `LastSerialError` after the highest serial.
    """
    chain = read_chain(raw)
    serial = next_serial(chain[-1].serial if chain else 0)
    return render_chain([*chain, sign_rotation(old, new, serial, date)])


def sign_rotation(old: SecretKey, new: SecretKey, serial: int, date: datetime) -> Rotation:
    """One link, signed by both keys."""
    unsigned = Rotation(
        serial=serial,
        date=format_time(date),
        old=key_text(old.public),
        new=key_text(new.public),
        signature_old=signature_text(bytes(64)),
        signature_new=signature_text(bytes(64)),
    )
    statement = unsigned.statement()
    return unsigned.model_copy(
        update={
            "signature_old": signature_text(old.sign(statement)),
            "signature_new": signature_text(new.sign(statement)),
        }
    )


def render_chain(chain: list[Rotation]) -> bytes:
    """The bytes of keys/rotations.json."""
    return render(as_document(Rotations(version="1.0", rotations=chain)))
