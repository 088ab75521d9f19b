"""Which keys count: the pinned ones, led on by rotations, less what was revoked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.ed25519 import DEV_KEY_ID, PublicKey
from sgclaw.skills.marks import FIRST_USE, Marks, marks_of_keys
from sgclaw.skills.reasons import Reason, refused_registry
from sgclaw.skills.revocation import judge_revocations
from sgclaw.skills.rotation import Seen, follow


@dataclass(frozen=True, slots=True)
class Known:
    """What bears on a set of skills beside its registry and its files; the default is nothing at all."""

    roots: Sequence[PublicKey] = ()
    """Keys that may revoke; without any, the pinned ones."""
    rotations: bytes | None = None
    revocations: bytes | None = None
    marks: Marks = FIRST_USE
    switched_off: frozenset[str] = frozenset()
    """Names that the person at this machine does not want."""


NOTHING_KNOWN = Known()


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of one moment, by key id. `notices` tells of papers that had no effect."""

    current: Mapping[str, PublicKey]
    """They sign registries and entries."""
    retired: Mapping[str, PublicKey]
    """They were rotated: they sign nothing any more, but what was seen under them still binds their successors."""
    revoked: Mapping[str, PublicKey]
    """Keys that would count if they were not revoked."""
    revoked_ids: frozenset[str]
    successors: Mapping[str, str]
    """Rotated key id → its successor's, as the chain says now or said when it was seen."""
    marks: Marks
    """What was learned about keys."""
    notices: tuple[RegistryRefusedError, ...]

    @property
    def binding(self) -> frozenset[str]:
        """The ids of the keys whose marks count."""
        return frozenset({*self.current, *self.retired})

    def registry_key(self, key_id: str) -> PublicKey:
        """The key that signs a registry. Raises `KEY_REVOKED`, `KEY_RETIRED` or `UNKNOWN_KEY`."""
        key = self.current.get(key_id)
        if key is not None:
            return key
        if key_id in self.revoked_ids:
            raise refused_registry(Reason.KEY_REVOKED, key_id=key_id)
        if key_id in self.retired:
            facts = {"successor": self.successor(key_id), "trusted": sorted(self.current)}
            raise refused_registry(Reason.KEY_RETIRED, key_id=key_id, **facts)
        raise refused_registry(Reason.UNKNOWN_KEY, key_id=key_id, trusted=sorted(self.current))

    def successor(self, key_id: str) -> str | None:
        """The current key that a rotated one led to; None when it led to none that counts."""
        passed: set[str] = set()
        while key_id not in self.current:
            passed.add(key_id)
            following = self.successors.get(key_id)
            if following is None or following in passed:
                return None
            key_id = following
        return key_id

    def signer(self, statement: bytes, signature: bytes) -> str | None:
        """The id of the current key that made this signature."""
        return _signer(self.current, statement, signature)

    def fallen_signer(self, statement: bytes, signature: bytes) -> tuple[Reason, str] | None:
        """Which key that does not count any more made this signature, and why it does not."""
        for reason, keys in ((Reason.KEY_REVOKED, self.revoked), (Reason.KEY_RETIRED, self.retired)):
            key_id = _signer(keys, statement, signature)
            if key_id is not None:
                return reason, key_id
        return None


def make_keyring(pinned: Sequence[PublicKey], known: Known, *, production: bool) -> Keyring:
    """The keys that count now. Raises `WEAK_KEY` and `DEV_KEY_IN_PRODUCTION`; a bad paper is a notice."""
    signing = {key.key_id: key for key in pinned}
    roots = {key.key_id: key for key in known.roots or pinned}
    _check(signing, production=production)
    _check(roots, production=production)
    revoked = judge_revocations(known.revocations, roots, known.marks)
    followed = follow(known.rotations, signing, Seen(revoked.key_ids, revoked.successors, known.marks.retired))
    _check(followed.current, production=production)
    every = {**followed.current, **followed.retired}
    return Keyring(
        current={key_id: key for key_id, key in followed.current.items() if key_id not in revoked.key_ids},
        retired={key_id: key for key_id, key in followed.retired.items() if key_id not in revoked.key_ids},
        revoked={key_id: key for key_id, key in every.items() if key_id in revoked.key_ids},
        revoked_ids=revoked.key_ids,
        successors={**known.marks.retired, **followed.links},
        marks=marks_of_keys(revoked.key_ids, revoked.serials, followed.links),
        notices=tuple(notice for notice in (revoked.notice, followed.notice) if notice is not None),
    )


def _check(keys: Mapping[str, PublicKey], *, production: bool) -> None:
    if production and DEV_KEY_ID in keys:
        raise refused_registry(Reason.DEV_KEY_IN_PRODUCTION, key_id=DEV_KEY_ID)
    for key_id, key in keys.items():
        if key.is_weak:
            raise refused_registry(Reason.WEAK_KEY, key_id=key_id)


def _signer(keys: Mapping[str, PublicKey], statement: bytes, signature: bytes) -> str | None:
    return next((key_id for key_id, key in keys.items() if key.verifies(statement, signature)), None)
