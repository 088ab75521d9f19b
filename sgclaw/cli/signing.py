"""What `sgclaw skill sign` does: read the old registry, sign every script, put the new registry in its place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from sgclaw.app import check_script
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import RegistryRefusedError, SgClawError, UsageProblemError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.catalogue import known_here
from sgclaw.skills.ed25519 import DEV_KEY_ID, SecretKey, parse_secret_key
from sgclaw.skills.files import read_registry, read_trust_root
from sgclaw.skills.keyring import make_keyring
from sgclaw.skills.marks import FIRST_USE, Marks
from sgclaw.skills.reasons import Reason, refused_registry, refused_skill
from sgclaw.skills.registry import Registry, SkillEntry, format_time
from sgclaw.skills.signing import Release, build_registry
from sgclaw.skills.state import SkillState

DEV_KEY_NAME = "DEV-ONLY-skill-signing.key"
VALID_DAYS = 365


@dataclass(frozen=True, slots=True)
class Signed:
    """What was written. `skills` are the names of all scripts, disabled ones too."""

    registry: str
    serial: int
    expires: str
    key_id: str
    skills: tuple[str, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """The shape of `--json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Old:
    """What the registry before this one said; serial 0 when there was none."""

    serial: int
    disabled: frozenset[str]


def sign_all(world: World, key_path: Path | None, serial: int | None, expires: datetime | None) -> Signed:
    """Rebuild `registry.json`; nothing is written when anything is refused.

    Raises `BAD_USAGE` for a serial or date that would be refused later, `SANDBOX_TERMINATED` for a script that does not
    load, and what `build_registry` raises.
    """
    settings, now = world.settings(), world.now()
    path = key_path or settings.home / "keys" / DEV_KEY_NAME
    key = read_key(path)
    here = _what_is_known(settings, key)
    _refuse_dev_key_in_production(settings, key)
    ends = now + timedelta(days=VALID_DAYS) if expires is None else expires.replace(tzinfo=UTC)
    if ends <= now:
        raise UsageProblemError(f"失效日期 {ends:%Y-%m-%d} 已经过去", next_step="请用 --expires 给一个将来的日期")
    old = _old_registry(settings.registry, serial, here.serial)
    number = old.serial + 1 if serial is None else serial
    if number <= old.serial:
        raise UsageProblemError(
            f"序号 {number} 不大于旧清单或本机用过的 {old.serial}",
            next_step=f"请用 --serial {old.serial + 1}，或省略 --serial",
        )
    release = Release(serial=number, updated_at=now, expires=ends)
    content = build_registry(settings.skills_root, key, release, disabled=old.disabled, check=_check_loads)
    names = _check_marks(content, here)
    replace_file(settings.registry, content)
    return Signed(
        registry=str(settings.registry),
        serial=number,
        expires=format_time(ends),
        key_id=key.public.key_id,
        skills=tuple(sorted(names)),
        warnings=(*_key_warnings(key, path), *here.warnings),
    )


def _check_loads(file: str, source: str) -> None:
    asyncio.run(check_script(source, file))


def replace_file(path: Path, content: bytes) -> None:
    """Put the content in the file's place at once: a reader sees the old file or the new one, whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def read_key(path: Path) -> SecretKey:
    """The signing key in this file; raises `BAD_KEY`."""
    try:
        return parse_secret_key(path.read_bytes())
    except OSError:
        raise refused_registry(Reason.BAD_KEY, file=str(path)) from None


@dataclass(frozen=True, slots=True)
class _Here:
    """What this machine would make of a registry signed by this key."""

    key_id: str
    marks: Marks
    key_ids: frozenset[str]
    """The keys whose marks count."""
    warnings: tuple[str, ...]

    @property
    def serial(self) -> int:
        """The highest serial that this machine has seen."""
        return self.marks.serial(self.key_ids)


def _what_is_known(settings: Settings, key: SecretKey) -> _Here:
    key_id = key.public.key_id
    state = SkillState(settings.skills_state, settings.registry)
    try:
        trust = read_trust_root(settings.trust_root)
        keys = make_keyring(trust.signing, known_here(trust, settings.registry, state), production=False)
    except RegistryRefusedError as error:
        return _Here(
            key_id, FIRST_USE, frozenset(), (f"{error.cause}：{error.facts.get('file', settings.trust_root)}",)
        )
    warnings = [f"{notice.cause}（{notice.facts['problem']}）" for notice in keys.notices]
    try:
        keys.registry_key(key_id)
    except RegistryRefusedError as error:
        known = error.facts["reason"] != Reason.UNKNOWN_KEY
        unknown = f"{settings.trust_root} 里没有这把密钥的公钥，签出的清单不会被信任"
        warnings.append(f"这把密钥不能再用（{error.facts['reason']}），签出的清单不会被信任" if known else unknown)
    return _Here(key_id, state.read_marks(), keys.binding | {key_id}, tuple(warnings))


def _check_marks(content: bytes, here: _Here) -> list[str]:
    """The names in a registry that was just signed; raises for a skill that this machine would refuse for what it has
    seen of it.
    """
    document = strict.decode(content.removesuffix(b"\n"))
    entries = [SkillEntry.model_validate(entry) for entry in Registry.model_validate(document).skills]
    for entry in entries:
        refusal = here.marks.refuses(entry, here.key_id, here.key_ids)
        if refusal is not None:
            reason, seen = refusal
            facts = {"name": entry.name, "file": entry.file, "version": entry.version, "seen": seen.version}
            raise refused_skill(reason, **facts)
    return [entry.name for entry in entries]


def _refuse_dev_key_in_production(settings: Settings, key: SecretKey) -> None:
    if settings.production and key.public.key_id == DEV_KEY_ID:
        raise refused_registry(Reason.DEV_KEY_IN_PRODUCTION, key_id=DEV_KEY_ID)


def _old_registry(path: Path, serial: int | None, seen: int) -> _Old:
    """The old registry's own words, its serial at least what was seen here. They are not verified: they can only raise
    the serial and keep skills off.
    """
    if not path.exists():
        return _Old(seen, frozenset())
    try:
        document = strict.decode(read_registry(path).removesuffix(b"\n"))
        number = document["serial"]
        if not isinstance(number, int):
            raise KeyError("serial")
        return _Old(max(number, seen), frozenset(name for name, enabled in _names(document).items() if not enabled))
    except (SgClawError, KeyError) as error:
        if serial is None:
            why = error.code if isinstance(error, WireError) else type(error).__name__
            raise UsageProblemError(
                "读不出旧清单的序号", next_step="请用 --serial 指定一个更大的序号", facts={"why": why}
            ) from None
        return _Old(seen, frozenset())


def _names(document: dict[str, object]) -> dict[str, bool]:
    """Name → whether it is enabled."""
    entries = cast("list[object]", document.get("skills", []))
    return {str(entry.get("name")): entry.get("enabled") is not False for entry in entries if isinstance(entry, dict)}


def _key_warnings(key: SecretKey, path: Path) -> list[str]:
    if key.public.key_id == DEV_KEY_ID:
        return ["用的是仅供开发的签名密钥（DEV-ONLY），人人都有它，签出的技能不能用于生产"]
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return [f"私钥文件其他用户可读，请执行 chmod 600 '{path}'"]
    return []
