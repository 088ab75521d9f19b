"""A skills folder on disk, signed with fixed test keys: what the tests change to see it refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sgclaw.skills.catalogue import Catalogue, Terms
from sgclaw.skills.ed25519 import PublicKey, SecretKey, TrustRoot
from sgclaw.skills.registry import SkillEntry, as_document, signature_text
from sgclaw.skills.signing import Release, build_registry, sign_registry
from sgclaw.skills.state import SkillState

GOOD = SecretKey(b"test key: good".ljust(32, b"."))
ATTACKER = SecretKey(b"test key: attacker".ljust(32, b"."))

NOW = datetime(2026, 3, 31, 8, 0, tzinfo=UTC)
RELEASE = Release(serial=7, updated_at=datetime(2026, 3, 1, tzinfo=UTC), expires=datetime(2027, 3, 1, tzinfo=UTC))


def script(name: str, *, version: str = "1.0.0", extra: str = "", domains: str = "erp.example.com") -> str:
    """A tiny skill; `extra` holds further header lines."""
    return (
        f"/**\n * @skill {name}\n * @version {version}\n * @description 测试用的技能 {name}\n"
        f" * @domains {domains}\n{extra} */\n"
        "async function execute(params, browserAction) {\n  return { success: true, data: params };\n}\n"
    )


def resigned(entry: SkillEntry, key: SecretKey = GOOD, **changes: object) -> SkillEntry:
    """The entry with changes, its statement signed again by `key`."""
    changed = SkillEntry.model_validate({**as_document(entry), **changes})
    return changed.model_copy(update={"signature": signature_text(key.sign(changed.statement()))})


def hash_of(source: bytes) -> str:
    return "sha256:" + hashlib.sha256(source).hexdigest()


@dataclass
class Folder:
    """`root` is the skills folder; `registry` lies beside it."""

    root: Path
    key: SecretKey = GOOD
    trusted: tuple[PublicKey, ...] = field(default=(GOOD.public,))

    @property
    def registry(self) -> Path:
        return self.root.parent / "registry.json"

    def write(self, file: str, source: str | bytes) -> Path:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.encode("utf-8") if isinstance(source, str) else source)
        return path

    def sign(self, release: Release = RELEASE) -> None:
        self.registry.write_bytes(build_registry(self.root, self.key, release))

    def sign_entries(self, *entries: SkillEntry) -> None:
        self.registry.write_bytes(sign_registry(self.key, entries, RELEASE))

    @property
    def state(self) -> SkillState:
        """What a machine remembers of this registry, beside it."""
        return SkillState(self.root.parent / "state", self.registry)

    def load(self, now: datetime = NOW, *, production: bool = False) -> Catalogue:
        """The set on a machine that remembers nothing."""
        return Catalogue(self.root, self.registry, Terms(TrustRoot(self.trusted, self.trusted), now, production))

    def use(self, now: datetime = NOW, *, roots: Sequence[PublicKey] = (), advances: bool = True) -> Catalogue:
        """The set on a machine that remembers what it saw."""
        trust = TrustRoot(self.trusted, tuple(roots) or self.trusted)
        return Catalogue(self.root, self.registry, Terms(trust, now, state=self.state, advances=advances))

    def outcome(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Names that load, and (name, reason) of what is refused."""
        catalogue = self.load()
        return list(catalogue.skills), [(refusal.name, refusal.reason) for refusal in catalogue.refused]
