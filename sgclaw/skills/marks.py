"""High-water marks: what this machine has seen of one registry, so that nothing older can take its place.

Values and pure rules; the store is `state.py`, the check that consults and advances them is `trust.py`. Marks only ever
take trust away, and two of them merge into the higher one, so their order of writing does not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.ed25519 import DEV_KEY_ID
from sgclaw.skills.manifest import SkillName, SkillVersion
from sgclaw.skills.reasons import Reason
from sgclaw.skills.registry import KeyId, Sha256, SkillEntry, Time, format_time, parse_time

_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
_Count = Annotated[int, Field(ge=0, le=MAX_INT)]

NEVER: str = format_time(datetime.fromisoformat("1970-01-01T00:00:00Z"))


class SkillMark(BaseModel):
    """The highest version of one skill that was verified, and its file's hash."""

    model_config = _STRICT

    version: SkillVersion
    sha256: Sha256

    @property
    def order(self) -> tuple[int, ...]:
        """What versions are compared by: 1.10.0 is newer than 1.9.9."""
        return version_order(self.version)


class KeyMark(BaseModel):
    """What was verified under one key: the highest serial of the registry, the highest version of each skill."""

    model_config = _STRICT

    serial: _Count = 0
    seen: Time = NEVER
    """The latest time, by this machine's clock, at which the registry of this serial was verified. The next serial
    begins anew: a clock that ran ahead once says nothing about a later release.
    """
    skills: dict[SkillName, SkillMark] = Field(default_factory=dict)

    def merged(self, other: KeyMark) -> KeyMark:
        """The higher of both; of one version seen twice, what was seen first."""
        skills = dict(self.skills)
        for name, mark in other.skills.items():
            if name not in skills or mark.order > skills[name].order:
                skills[name] = mark
        # One form of fixed width: texts compare as times.
        serial, seen = max((self.serial, self.seen), (other.serial, other.seen))
        return KeyMark(serial=serial, seen=seen, skills=skills)


class Marks(BaseModel):
    """All that is remembered of one registry. The default is a machine that never saw it."""

    model_config = _STRICT

    lists: dict[KeyId, _Count] = Field(default_factory=dict)
    """Root key → the highest serial of its revocation lists that was heard. Each root counts for itself: whoever stole
    one cannot outrun another.
    """
    revoked: tuple[KeyId, ...] = Field(default=(), strict=False)
    """Key ids, sorted. A key that was revoked once stays revoked."""
    retired: dict[KeyId, KeyId] = Field(default_factory=dict)
    """Rotated key → its successor."""
    keys: dict[KeyId, KeyMark] = Field(default_factory=dict)

    def seen(self, serial: int, key_ids: Iterable[str]) -> datetime:
        """The latest time at which a registry of this serial or a higher one was verified under these keys."""
        marks = [self.keys[key_id] for key_id in key_ids if key_id in self.keys]
        return parse_time(max((mark.seen for mark in marks if mark.serial >= serial), default=NEVER))

    def serial(self, key_ids: Iterable[str]) -> int:
        """The highest serial seen under these keys."""
        return max((self.keys[key_id].serial for key_id in key_ids if key_id in self.keys), default=0)

    def refuses(self, entry: SkillEntry, signer: str, key_ids: Iterable[str]) -> tuple[Reason, SkillMark] | None:
        """Why this entry, signed by `signer`, may not take the place of what was seen under these keys; None if it may.

        Under the development key one version may change its content: authors edit and sign again, and the key proves
        nothing anyway.
        """
        marks = [self.keys[key_id].skills.get(entry.name) for key_id in key_ids if key_id in self.keys]
        seen = max((mark for mark in marks if mark is not None), key=lambda mark: mark.order, default=None)
        if seen is None:
            return None
        order = version_order(entry.version)
        if order < seen.order:
            return Reason.ROLLBACK, seen
        if order == seen.order and entry.sha256 != seen.sha256 and signer != DEV_KEY_ID:
            return Reason.VERSION_REUSED, seen
        return None

    def merged(self, other: Marks) -> Marks:
        """The higher of both in every respect."""
        ids = {**self.keys, **other.keys}
        return Marks(
            lists={
                key_id: max(self.lists.get(key_id, 0), other.lists.get(key_id, 0))
                for key_id in {**self.lists, **other.lists}
            },
            revoked=tuple(sorted({*self.revoked, *other.revoked})),
            retired={**other.retired, **self.retired},
            keys={key_id: self._key(key_id).merged(other._key(key_id)) for key_id in ids},
        )

    def _key(self, key_id: str) -> KeyMark:
        return self.keys.get(key_id, KeyMark())


FIRST_USE = Marks()


def marks_of_registry(now: datetime, key_id: str, serial: int) -> Marks:
    """That a registry of this serial was verified at `now`."""
    return Marks(keys={key_id: KeyMark(serial=serial, seen=format_time(now))})


def marks_of_skills(verified: Iterable[tuple[SkillEntry, str]]) -> Marks:
    """That these entries and their files were verified, each under the key of this id."""
    by_key: dict[str, dict[str, SkillMark]] = {}
    for entry, key_id in verified:
        by_key.setdefault(key_id, {})[entry.name] = SkillMark(version=entry.version, sha256=entry.sha256)
    return Marks(keys={key_id: KeyMark(skills=skills) for key_id, skills in by_key.items()})


def marks_of_keys(revoked: Collection[str], lists: Mapping[str, int], retired: Mapping[str, str]) -> Marks:
    """That these keys were revoked, that lists of these serials were heard (by root key), and these keys rotated."""
    return Marks(lists=dict(lists), revoked=tuple(sorted(revoked)), retired=dict(retired))


def version_order(version: str) -> tuple[int, ...]:
    """The three numbers of a version."""
    return tuple(int(part) for part in version.split("."))
