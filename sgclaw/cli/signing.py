"""What `sgclaw skill sign` does: read the old registry, sign every script, put the new registry in its place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sgclaw.app.opening import check_script
from sgclaw.cli.given import read_key
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import RegistryRefusedError, SgClawError, SkillRefusedError, UsageProblemError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.catalogue import known_here
from sgclaw.skills.ed25519 import DEV_KEY_ID, PublicKey, SecretKey
from sgclaw.skills.files import read_registry, read_script, read_trust_root
from sgclaw.skills.keyring import NOTHING_KNOWN, Keyring, Known, make_keyring
from sgclaw.skills.reasons import Reason, add_author_step, refused_registry
from sgclaw.skills.registry import LastSerialError, format_time, next_serial
from sgclaw.skills.signing import Release, build_registry
from sgclaw.skills.state import SkillState
from sgclaw.skills.trust import TrustCheck

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
class Order:
    """What a signing is asked to be; what is None is chosen."""

    key: Path | None = None
    serial: int | None = None
    expires: datetime | None = None
    elsewhere: bool = False
    """For machines that trust another set of keys: this one need not trust the key."""


@dataclass(frozen=True, slots=True)
class _Old:
    """What the registry before this one said; serial 0 when there was none."""

    serial: int
    disabled: frozenset[str]


def sign_all(world: World, order: Order) -> Signed:
    """Rebuild `registry.json`; nothing is written when anything is refused.

    Raises `BAD_USAGE` for a key file, serial or date that cannot be used, `SANDBOX_TERMINATED` for a script that does
    not load, what `build_registry` raises, and whatever this machine would refuse the result for.
    """
    settings, now = world.settings(), world.now()
    path = order.key or settings.home / "keys" / DEV_KEY_NAME
    key = read_key(path)
    _refuse_dev_key_in_production(settings, key)
    bench = _bench(settings, key, elsewhere=order.elsewhere)
    ends = now + timedelta(days=VALID_DAYS) if order.expires is None else order.expires.replace(tzinfo=UTC)
    if ends <= now:
        raise UsageProblemError(f"失效日期 {ends:%Y-%m-%d} 已经过去", next_step="请用 --expires 给一个将来的日期")
    old = _old_registry(settings.registry, order.serial, bench.serial)
    number = _number(order.serial, old.serial)
    release = Release(serial=number, updated_at=now, expires=ends)
    content = build_registry(settings.skills_root, key, release, disabled=old.disabled, check=_check_loads)
    names = _check(content, bench, settings, now)
    replace_file(settings.registry, content)
    return Signed(
        registry=str(settings.registry),
        serial=number,
        expires=format_time(ends),
        key_id=key.public.key_id,
        skills=tuple(sorted(names)),
        warnings=(*_key_warnings(key, path), *bench.warnings, *_clock_warnings(bench.latest, ends)),
    )


def _number(wanted: int | None, old: int) -> int:
    """The serial that was asked for, or the one after the old one."""
    try:
        following = next_serial(old)
    except LastSerialError:
        raise UsageProblemError(
            f"旧清单或本机用过的序号 {old} 已经是最大的",
            next_step="旧清单不是您签的，请删除 registry.json 后再签名；本机用过它，请换新密钥（sgclaw keys new）",
        ) from None
    if wanted is not None and wanted <= old:
        raise UsageProblemError(
            f"序号 {wanted} 不大于旧清单或本机用过的 {old}", next_step=f"请用 --serial {following}，或省略 --serial"
        )
    return following if wanted is None else wanted


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


# --- whether this machine would use what is signed -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Bench:
    """By what the result is judged: what this machine trusts and remembers, or for another machine the key alone."""

    trusted: tuple[PublicKey, ...]
    known: Known
    serial: int
    """The highest serial that this machine has seen of the key and of those that bind it."""
    latest: datetime
    """The latest time at which this machine used skills of these keys."""
    warnings: tuple[str, ...]


def _bench(settings: Settings, key: SecretKey, *, elsewhere: bool) -> _Bench:
    """Raises what keeps this machine from using anything that the key signs."""
    try:
        return _bench_here(settings, key)
    except RegistryRefusedError as error:
        # A rotation or a revocation travels with the registry: no other machine would take it either.
        if not elsewhere or error.facts["reason"] in (Reason.KEY_RETIRED, Reason.KEY_REVOKED):
            raise
        warning = f"按 --for-other-machine 签名，本机会拒绝这份清单：{error.cause}"
        return _Bench((key.public,), NOTHING_KNOWN, 0, NOTHING_KNOWN.marks.seen(0, ()), (warning,))


def _bench_here(settings: Settings, key: SecretKey) -> _Bench:
    """Raises `RegistryRefusedError`."""
    state = SkillState(settings.skills_state, settings.registry)
    outside = settings.registry.parent if settings.production else None
    trust = read_trust_root(settings.trust_root, outside=outside)
    # What the person at this machine does not want is no fault of what is signed.
    known = replace(known_here(trust, settings.registry, state), switched_off=frozenset())
    keys = make_keyring(trust.signing, known, production=settings.production)
    key_id = key.public.key_id
    try:
        keys.registry_key(key_id)
    except RegistryRefusedError as error:
        raise _refused_key(error, keys, key_id, settings) from None
    warnings = tuple(f"{notice.cause}（{notice.facts['file']}）" for notice in keys.notices)
    serial, latest = known.marks.serial(keys.binding), known.marks.seen(0, keys.binding)
    return _Bench(trust.signing, known, serial, latest, warnings)


def _refused_key(error: RegistryRefusedError, keys: Keyring, key_id: str, settings: Settings) -> RegistryRefusedError:
    """Why this key signs nothing that this machine would use, and which key does."""
    causes = {  # an id right behind the word 密钥 would be taken for a secret, and redacted
        Reason.KEY_RETIRED: f"编号 {key_id} 的密钥已轮换，签出的清单不会被信任",
        Reason.KEY_REVOKED: f"编号 {key_id} 的密钥已被吊销，签出的清单不会被信任",
        Reason.UNKNOWN_KEY: f"{settings.trust_root} 里没有编号 {key_id} 的公钥，签出的清单不会被信任",
    }
    reason, successor = Reason(str(error.facts["reason"])), keys.successor(key_id)
    facts = {**error.facts, "trusted": sorted(keys.current)}
    return RegistryRefusedError(causes[reason], next_step=_other_key(reason, successor, keys, settings), facts=facts)


def _other_key(reason: Reason, successor: str | None, keys: Keyring, settings: Settings) -> str:
    if reason is Reason.KEY_RETIRED and successor is not None:
        step = f"请用 --key 给出接替的密钥，编号 {successor}"
    elif keys.current:
        step = f"请用 --key 给出有效的密钥，编号 {'、'.join(sorted(keys.current))}"
    else:
        step = way_out(settings)
    if reason is not Reason.UNKNOWN_KEY:
        return step
    return f"{step}；要让本机信任它，把它的公钥加到 {settings.trust_root}；只给别的机器签名时加 --for-other-machine"


def way_out(settings: Settings) -> str:
    """What a machine without a key in force needs."""
    return (
        f"请用 sgclaw keys new 名称 --out 目录 生成新密钥，把公钥那一行加到 {settings.trust_root}，"
        "再用 sgclaw skill sign --key 新私钥 重新签名"
    )


def _check(content: bytes, bench: _Bench, settings: Settings, now: datetime) -> list[str]:
    """The names in a registry that was just signed; raises what loading it would."""
    check = TrustCheck(bench.trusted, now, production=settings.production, known=bench.known)
    names = []
    for candidate in check.open_registry(content):
        names.append(candidate.name)
        try:
            entry = check.verify_entry(candidate)
            check.verify_file(entry, read_script(settings.skills_root, entry.file))
        except SkillRefusedError as error:
            if error.facts["reason"] != Reason.DISABLED:
                add_author_step(error)
                cause = f"{candidate.file}：{error.cause}"
                raise SkillRefusedError(cause, next_step=error.next_step, facts=error.facts) from None
    return names


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
        if not isinstance(number, int) or isinstance(number, bool):
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
    entries = document.get("skills", [])
    if not isinstance(entries, list):
        raise KeyError("skills")
    return {str(entry.get("name")): entry.get("enabled") is not False for entry in entries if isinstance(entry, dict)}


def _clock_warnings(latest: datetime, ends: datetime) -> list[str]:
    if ends > latest:
        return []
    return [f"本机用过技能的时间到过 {latest:%Y-%m-%d}，不早于失效日期 {ends:%Y-%m-%d}：请核对系统时间和 --expires"]


def _key_warnings(key: SecretKey, path: Path) -> list[str]:
    if key.public.key_id == DEV_KEY_ID:
        return ["用的是仅供开发的签名密钥（DEV-ONLY），人人都有它，签出的技能不能用于生产"]
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return [f"私钥文件其他用户可读，请执行 chmod 600 '{path}'"]
    return []
