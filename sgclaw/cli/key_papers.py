"""What `sgclaw keys rotate` and `sgclaw keys revoke` do: extend a signed paper, and write it only when it counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sgclaw.cli.signing import read_key, replace_file
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import RegistryRefusedError, UsageProblemError
from sgclaw.skills.catalogue import known_here
from sgclaw.skills.ed25519 import SecretKey, TrustRoot, public_key
from sgclaw.skills.files import read_trust_root
from sgclaw.skills.keyring import Keyring, Known, make_keyring
from sgclaw.skills.papers import read_paper
from sgclaw.skills.reasons import Reason
from sgclaw.skills.revocation import REVOCATIONS_FILE, Revocations, revoke
from sgclaw.skills.rotation import ROTATIONS_FILE, read_chain, rotate
from sgclaw.skills.state import SkillState

_KEY_ID = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Rotated:
    """A rotation that was written; keys by their ids."""

    old: str
    new: str
    file: str

    def as_dict(self) -> dict[str, object]:
        """The shape of `--json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Revoked:
    """A list that was written, and every key id on it."""

    revoked: tuple[str, ...]
    serial: int
    file: str

    def as_dict(self) -> dict[str, object]:
        """The shape of `--json`."""
        return {**asdict(self), "revoked": list(self.revoked)}


@dataclass(frozen=True, slots=True)
class _Desk:
    """The papers and keys of one installation."""

    settings: Settings
    trust: TrustRoot
    known: Known

    def keyring(self, known: Known) -> Keyring:
        return make_keyring(self.trust.signing, known, production=self.settings.production)

    def write(self, file: str, content: bytes) -> str:
        path = self.settings.registry.parent / file
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
        return str(path)


def add_rotation(world: World, old_path: Path, new_path: Path) -> Rotated:
    """Let the new key take the old one's place. Raises `BAD_USAGE` when no machine would follow."""
    desk, old, new = _desk(world), read_key(old_path), read_key(new_path)
    try:
        chain = rotate(desk.known.rotations, old, new, world.now())
    except ValueError as error:
        raise _unreadable(ROTATIONS_FILE, error) from None
    keys = desk.keyring(replace(desk.known, rotations=chain))
    old_id, new_id = old.public.key_id, new.public.key_id
    if keys.marks.retired.get(old_id) != new_id or new_id not in keys.current:
        raise _without_effect("轮换", Reason.BAD_ROTATION, keys)
    return Rotated(old_id, new_id, desk.write(ROTATIONS_FILE, chain))


def add_revocations(world: World, key_ids: Sequence[str], root_path: Path) -> Revoked:
    """Revoke these keys. Raises `BAD_USAGE` for what is no key id and when no machine would heed the list."""
    wrong = [key_id for key_id in key_ids if not _KEY_ID.fullmatch(key_id)]
    if wrong:
        raise UsageProblemError(
            f"不是密钥编号：{wrong[0][:40]}", next_step="密钥编号是 16 位小写十六进制，skill list --json 的 key_id 就是"
        )
    desk, root = _desk(world), read_key(root_path)
    content = _next_list(desk, root, key_ids, world)
    keys = desk.keyring(replace(desk.known, revocations=content))
    if any(notice.facts["reason"] == Reason.BAD_REVOCATION for notice in keys.notices):
        raise _without_effect("吊销", Reason.BAD_REVOCATION, keys)
    paper = read_paper(content, Revocations)
    listed = tuple(item.key_id for item in paper.revoked)
    return Revoked(listed, paper.serial, desk.write(REVOCATIONS_FILE, content))


def _next_list(desk: _Desk, root: SecretKey, key_ids: Sequence[str], world: World) -> bytes:
    try:
        chain = read_chain(desk.known.rotations)
        links = {public_key(link.old).key_id: public_key(link.new).key_id for link in chain}
        return revoke(desk.known.revocations, root, key_ids, links, world.now())
    except ValueError as error:
        raise _unreadable(f"{REVOCATIONS_FILE} 或 {ROTATIONS_FILE}", error) from None


def _desk(world: World) -> _Desk:
    settings = world.settings()
    trust = read_trust_root(settings.trust_root)
    state = SkillState(settings.skills_state, settings.registry)
    return _Desk(settings, trust, known_here(trust, settings.registry, state))


def _unreadable(file: str, error: ValueError) -> UsageProblemError:
    return UsageProblemError(
        f"读不懂现有的 {file}", next_step="请先恢复该文件，或删除后重新开始", facts={"why": str(error)}
    )


def _without_effect(what: str, reason: Reason, keys: Keyring) -> UsageProblemError:
    told: list[RegistryRefusedError] = [notice for notice in keys.notices if notice.facts["reason"] == reason]
    problem = str(told[0].facts["problem"]) if told else Reason.KEY_REVOKED.value
    return UsageProblemError(
        f"这份{what}不会生效，没有写入（{problem}）",
        next_step="请按 docs/skills.md 的 Rotation and revocation 一节核对所用的密钥",
        facts={"problem": problem},
    )
