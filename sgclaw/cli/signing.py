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
from sgclaw.errors import SgClawError, UsageProblemError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.ed25519 import DEV_KEY_ID, SecretKey, parse_secret_key
from sgclaw.skills.files import read_registry, read_trust_root
from sgclaw.skills.reasons import Reason, refused_registry
from sgclaw.skills.registry import format_time
from sgclaw.skills.signing import Release, build_registry

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
    path = key_path or settings.trust_root.parent / DEV_KEY_NAME
    key = parse_secret_key(_key_bytes(path))
    _refuse_dev_key_in_production(settings, key)
    ends = now + timedelta(days=VALID_DAYS) if expires is None else expires.replace(tzinfo=UTC)
    if ends <= now:
        raise UsageProblemError(f"失效日期 {ends:%Y-%m-%d} 已经过去", next_step="请用 --expires 给一个将来的日期")
    old = _old_registry(settings.registry, serial)
    number = old.serial + 1 if serial is None else serial
    if number <= old.serial:
        raise UsageProblemError(
            f"序号 {number} 不大于旧清单的 {old.serial}", next_step=f"请用 --serial {old.serial + 1}，或省略 --serial"
        )
    release = Release(serial=number, updated_at=now, expires=ends)
    content = build_registry(settings.skills_root, key, release, disabled=old.disabled, check=_check_loads)
    replace_file(settings.registry, content)
    return Signed(
        registry=str(settings.registry),
        serial=number,
        expires=format_time(ends),
        key_id=key.public.key_id,
        skills=tuple(sorted(_names(strict.decode(content.removesuffix(b"\n"))))),
        warnings=tuple(_warnings(settings, key, path)),
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


def _key_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise refused_registry(Reason.BAD_KEY, file=str(path)) from None


def _refuse_dev_key_in_production(settings: Settings, key: SecretKey) -> None:
    if settings.production and key.public.key_id == DEV_KEY_ID:
        raise refused_registry(Reason.DEV_KEY_IN_PRODUCTION, key_id=DEV_KEY_ID)


def _old_registry(path: Path, serial: int | None) -> _Old:
    """The old registry's own words. They are not verified: they can only raise the serial and keep skills off."""
    if not path.exists():
        return _Old(0, frozenset())
    try:
        document = strict.decode(read_registry(path).removesuffix(b"\n"))
        number = document["serial"]
        if not isinstance(number, int):
            raise KeyError("serial")
        return _Old(number, frozenset(name for name, enabled in _names(document).items() if not enabled))
    except (SgClawError, KeyError) as error:
        if serial is None:
            why = error.code if isinstance(error, WireError) else type(error).__name__
            raise UsageProblemError(
                "读不出旧清单的序号", next_step="请用 --serial 指定一个更大的序号", facts={"why": why}
            ) from None
        return _Old(0, frozenset())


def _names(document: dict[str, object]) -> dict[str, bool]:
    """Name → whether it is enabled."""
    entries = cast("list[object]", document.get("skills", []))
    return {str(entry.get("name")): entry.get("enabled") is not False for entry in entries if isinstance(entry, dict)}


def _warnings(settings: Settings, key: SecretKey, path: Path) -> list[str]:
    found = []
    if key.public.key_id == DEV_KEY_ID:
        found.append("用的是仅供开发的签名密钥（DEV-ONLY），人人都有它，签出的技能不能用于生产")
    elif sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        found.append(f"私钥文件其他用户可读，请执行 chmod 600 '{path}'")
    try:
        trusted = {public.key_id for public in read_trust_root(settings.trust_root)}
    except SgClawError as error:
        return [*found, f"{error.cause}：{settings.trust_root}"]
    if key.public.key_id not in trusted:
        found.append(f"{settings.trust_root} 里没有这把密钥的公钥，签出的清单不会被信任")
    return found
