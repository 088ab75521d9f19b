"""What `sgclaw keys rotate` and `sgclaw keys revoke` do: extend a signed paper, and write it only when it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from sgclaw.cli.given import read_key
from sgclaw.cli.signing import replace_file, way_out
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import RegistryRefusedError, SgClawError, UsageProblemError
from sgclaw.protocol import strict
from sgclaw.skills.catalogue import known_here
from sgclaw.skills.ed25519 import SecretKey, TrustRoot, public_key
from sgclaw.skills.files import read_registry, read_trust_root
from sgclaw.skills.keyring import Keyring, Known, make_keyring
from sgclaw.skills.papers import form_text, problem_text, read_paper
from sgclaw.skills.reasons import Reason
from sgclaw.skills.registry import LastSerialError
from sgclaw.skills.revocation import REVOCATIONS_FILE, Basis, Revocations, list_in_force, revoke
from sgclaw.skills.rotation import ROTATIONS_FILE, read_chain, rotate
from sgclaw.skills.state import SkillState, hold_lock

LOCK_FILE: Final = ".lock"
LOCK_SECONDS: Final = 10.0
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
    """A list that was written, every key id on it, and the keys that count after it."""

    revoked: tuple[str, ...]
    serial: int
    file: str
    in_force: tuple[str, ...]
    next_step: str
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """The shape of `--json`."""
        return asdict(self)


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
    old, new = read_key(old_path), read_key(new_path)
    with alone(world.settings()):
        return _add_rotation(world, old, new)


def _add_rotation(world: World, old: SecretKey, new: SecretKey) -> Rotated:
    desk = _desk(world)
    try:
        chain = rotate(desk.known.rotations, old, new, world.now())
    except LastSerialError:
        raise _last_serial(ROTATIONS_FILE, "请恢复该文件原来的内容") from None
    except ValueError as error:
        raise _unreadable(ROTATIONS_FILE, error) from None
    keys = desk.keyring(replace(desk.known, rotations=chain))
    old_id, new_id = old.public.key_id, new.public.key_id
    if keys.marks.retired.get(old_id) != new_id or new_id not in keys.current:
        raise _without_effect("轮换", Reason.BAD_ROTATION, keys)
    return Rotated(old_id, new_id, desk.write(ROTATIONS_FILE, chain))


def add_revocations(world: World, key_ids: Sequence[str], root_path: Path, *, force: bool) -> Revoked:
    """Revoke these keys. Raises `BAD_USAGE` for what is no key id and when no machine would heed the list; without
    `force` also for a key that nobody here has seen, and when no key would be left.
    """
    wrong = [key_id for key_id in key_ids if not _KEY_ID.fullmatch(key_id)]
    if wrong:
        raise UsageProblemError(
            f"不是密钥编号：{wrong[0][:40]}", next_step="密钥编号是 16 位小写十六进制，sgclaw doctor 会列出"
        )
    root = read_key(root_path)
    with alone(world.settings()):
        return _add_revocations(world, key_ids, root, force=force)


def _add_revocations(world: World, key_ids: Sequence[str], root: SecretKey, *, force: bool) -> Revoked:
    desk = _desk(world)
    content = _next_list(desk, root, key_ids, world)
    doubts = _doubt_ids(desk, key_ids)
    keys = desk.keyring(replace(desk.known, revocations=content))
    if any(notice.facts["reason"] == Reason.BAD_REVOCATION for notice in keys.notices):
        raise _without_effect("吊销", Reason.BAD_REVOCATION, keys)
    doubts += _doubt_lockout(desk, keys)
    if doubts and not force:
        raise doubts[0]
    paper = read_paper(content, Revocations)
    return Revoked(
        revoked=tuple(item.key_id for item in paper.revoked),
        serial=paper.serial,
        file=desk.write(REVOCATIONS_FILE, content),
        in_force=tuple(sorted(keys.current)),
        next_step=_sign_with(keys) if keys.current else f"{way_out(desk.settings)}；每台机器都要加上这行公钥",
        warnings=tuple(doubt.cause for doubt in doubts),
    )


def _sign_with(keys: Keyring) -> str:
    return f"用仍有效的密钥重新签名：sgclaw skill sign --key 私钥，编号 {'、'.join(sorted(keys.current))}"


def _doubt_ids(desk: _Desk, key_ids: Sequence[str]) -> list[UsageProblemError]:
    """A slip of the pen revokes nothing and cannot be taken back."""
    unseen = sorted(set(key_ids) - _seen(desk))
    if not unseen:
        return []
    return [
        UsageProblemError(
            f"本机没有见过编号 {'、'.join(unseen)} 的密钥",
            next_step="请核对编号：sgclaw doctor 列出有效和失效的密钥；编号无误（例如只在别的机器上用过）时加 --force",
            facts={"unseen": unseen},
        )
    ]


def _seen(desk: _Desk) -> set[str]:
    """The ids of every key that the trust root, the papers, the registry or this machine's memory names."""
    known, marks = desk.known, desk.known.marks
    pinned = {key.key_id for key in (*desk.trust.signing, *desk.trust.roots)}
    chain = {public_key(text).key_id for link in read_chain(known.rotations) for text in (link.old, link.new)}
    listed = set() if known.revocations is None else _listed(read_paper(known.revocations, Revocations))
    remembered = {*marks.keys, *marks.revoked, *marks.retired, *marks.retired.values()}
    return pinned | chain | listed | remembered | _registry_key(desk.settings.registry)


def _listed(paper: Revocations) -> set[str]:
    return {item.key_id for item in paper.revoked} | {paper.key_id}


def _registry_key(path: Path) -> set[str]:
    """The key id that the registry claims: the key may be what has to be revoked."""
    try:
        return {str(strict.decode(read_registry(path).removesuffix(b"\n")).get("key_id"))}
    except SgClawError:
        return set()


def _doubt_lockout(desk: _Desk, keys: Keyring) -> list[UsageProblemError]:
    if keys.current or not desk.keyring(desk.known).current:
        return []
    trust_root = desk.settings.trust_root
    return [
        UsageProblemError(
            f"吊销后没有一把密钥可用，本机会拒绝全部技能（公钥文件 {trust_root}）",
            next_step="请先让另一把密钥受信任：用 sgclaw keys new 名称 --out 目录 生成，把公钥那一行加到该公钥文件，"
            "用 sgclaw skill sign --key 新私钥 签名后再吊销；现在就要吊销时加 --force",
            facts={"trust_root": str(trust_root)},
        )
    ]


def _next_list(desk: _Desk, root: SecretKey, key_ids: Sequence[str], world: World) -> bytes:
    try:
        chain = read_chain(desk.known.rotations)
        links = {public_key(link.old).key_id: public_key(link.new).key_id for link in chain}
        roots = {key.key_id: key for key in desk.trust.roots}
        marks = desk.known.marks
        old = list_in_force(desk.known.revocations, roots, marks)
        return revoke(Basis(old, marks.lists.get(root.public.key_id, 0)), root, key_ids, links, world.now())
    except LastSerialError:
        raise _last_serial("吊销名单", "请换一把根密钥") from None
    except ValueError as error:
        raise _unreadable(f"{REVOCATIONS_FILE} 或 {ROTATIONS_FILE}", error) from None


@contextmanager
def alone(settings: Settings, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """From reading a paper to writing it nobody else extends it: of two written at once, one would be lost."""
    folder = (settings.registry.parent / REVOCATIONS_FILE).parent
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with hold_lock(folder / LOCK_FILE, seconds):
            yield
    except BlockingIOError:
        raise UsageProblemError(
            "另一个 sgclaw keys 命令正在改密钥文件，没有等到它结束",
            next_step="请等它结束后重试",
            facts={"folder": str(folder)},
        ) from None


def _desk(world: World) -> _Desk:
    settings = world.settings()
    trust = read_trust_root(settings.trust_root)
    state = SkillState(settings.skills_state, settings.registry)
    return _Desk(settings, trust, known_here(trust, settings.registry, state))


def _unreadable(file: str, error: ValueError) -> UsageProblemError:
    return UsageProblemError(
        f"读不懂现有的 {file}：{form_text(str(error))}",
        next_step="请先恢复该文件，或删除后重新开始",
        facts={"why": str(error)},
    )


def _last_serial(what: str, step: str) -> UsageProblemError:
    return UsageProblemError(f"{what}的序号已经是最大的，不能再加", next_step=step)


def _without_effect(what: str, reason: Reason, keys: Keyring) -> UsageProblemError:
    told: list[RegistryRefusedError] = [notice for notice in keys.notices if notice.facts["reason"] == reason]
    problem = str(told[0].facts["problem"]) if told else Reason.KEY_REVOKED.value
    current = "、".join(sorted(keys.current)) or "没有"
    return UsageProblemError(
        f"这份{what}不会生效，没有写入：{problem_text(reason, problem)}",
        next_step=f"请核对所用的密钥，现在有效的是：{current}；规则见 docs/skills.md 的 Rotation and revocation 一节",
        facts={"problem": problem},
    )
