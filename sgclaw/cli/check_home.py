"""Checks of our own house: the ledger, skills and keys, policy, model, the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sgclaw.app.opening import SystemClock, open_model
from sgclaw.audit.verify import verify
from sgclaw.cli.audit import has_ledger
from sgclaw.cli.findings import Finding, Verdict
from sgclaw.cli.signing import way_out
from sgclaw.cli.skill import catalogue_of
from sgclaw.cli.world import World
from sgclaw.errors import PolicyDeniedError, SgClawError
from sgclaw.ports import Act, Observed, SkillResult
from sgclaw.sandbox.engine import engine_folder
from sgclaw.sandbox.pool import WorkerPool
from sgclaw.sandbox.process import start_worker
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.catalogue import known_here
from sgclaw.skills.ed25519 import DEV_KEY_ID
from sgclaw.skills.files import read_trust_root
from sgclaw.skills.keyring import Keyring, make_keyring
from sgclaw.skills.signing import Release, new_key, sign_registry, sign_skill
from sgclaw.skills.state import SkillState
from sgclaw.skills.trust import TrustCheck, VerifiedSkill

SANDBOX_SECONDS = 20
_PROBE = """/**
 * @skill doctor-probe
 * @version 1.0.0
 * @description 检查脚本沙箱
 * @domains doctor.invalid
 */
async function execute(params, browserAction) {
  return { success: true, data: { sum: params.left + params.right } };
}
"""
_MODEL_PACKAGES = {"claude": "anthropic", "openai": "openai"}
_INPUTS = {"left": 20, "right": 22}
_ANSWER = {"sum": 42}


def check_ledger(directory: Path) -> Finding:
    """Every record of the ledger: a broken one stops each session before its first task."""
    name = "审计账本"
    try:
        if not has_ledger(directory):
            return Finding(name, Verdict.OK, "还没有（第一次使用时建立）")
        verified = verify(directory)
    except SgClawError as error:
        mend = f"{error.next_step}；要继续使用，可用 --state-dir 或 state_dir 换一个状态目录，保留原来的"
        return Finding(name, Verdict.FAIL, f"{error.cause}（{directory}）", mend)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Finding(name, Verdict.FAIL, f"读不了 {error.filename or directory}（{reason}）", "请检查该路径的权限")
    return Finding(name, Verdict.OK, f"完好，{verified.count} 条记录")


def check_keys(world: World, *, production: bool) -> Finding:
    """The keys in force, after rotations and revocations; whether one of them is everybody's."""
    name, settings = "签名公钥", world.settings()
    try:
        trust = read_trust_root(settings.trust_root)
        state = SkillState(settings.skills_state, settings.registry)
        known = known_here(trust, settings.registry, state)
        keys = make_keyring(trust.signing, known, production=production or settings.production)
    except SgClawError as error:
        place = error.facts.get("file", settings.trust_root)
        return Finding(name, Verdict.FAIL, f"{error.cause}：{place}", error.next_step)
    fallen = _fallen(keys)
    if not keys.current:
        return Finding(name, Verdict.FAIL, f"没有一把有效的密钥，全部技能都会被拒绝{fallen}", way_out(settings))
    found = f"有效的密钥 {len(keys.current)} 把：{'、'.join(sorted(keys.current))}{fallen}"
    if DEV_KEY_ID not in keys.current:
        return Finding(name, Verdict.OK, found)
    told = f"{found}；{DEV_KEY_ID} 仅供开发（DEV-ONLY），人人都能用它签名，不能用于生产"
    mend = (
        f"sgclaw keys new 名称 --out 目录，用新公钥替换 {settings.trust_root} 里的，再 sgclaw skill sign --key 新私钥"
    )
    return Finding(name, Verdict.WARN, told, mend)


def _fallen(keys: Keyring) -> str:
    """The pinned keys and successors that do not count any more, and why."""
    retired = [f"{key_id}（已轮换）" for key_id in sorted(keys.retired)]
    revoked = [f"{key_id}（已吊销）" for key_id in sorted(keys.revoked)]
    return f"；不再有效：{'、'.join([*retired, *revoked])}" if retired or revoked else ""


def check_skills(world: World, *, production: bool) -> Finding:
    """The registry and every entry of it."""
    try:
        catalogue = catalogue_of(world, production=production)
    except SgClawError as error:
        return Finding("技能清单", Verdict.FAIL, error.cause, error.next_step)
    refused = catalogue.refused
    if catalogue.registry_error is not None:
        return Finding("技能清单", Verdict.FAIL, f"{refused[0].cause}（{refused[0].reason}）", refused[0].next_step)
    found = f"{len(catalogue.skills)} 个可用"
    if refused:
        names = "、".join(f"{item.name}（{item.reason}）" for item in refused)
        return Finding("技能清单", Verdict.FAIL, f"{found}，被拒绝：{names}", "sgclaw skill verify 查看原因")
    return Finding("技能清单", Verdict.OK, found)


def check_policy(world: World) -> Finding:
    """Where the access policy comes from: nothing on this side can be missing."""
    del world
    return Finding(
        "访问策略",
        Verdict.INFO,
        "由浏览器在每次会话开始时下发；演示浏览器只放行 https://erp.example.com",
        "sgclaw audit show TRACE 的第一行有当次策略的摘要",
    )


def check_model(world: World) -> Finding:
    """The language model, as far as it shows without asking it: nothing is sent. None is a supported mode."""
    name, settings = "大模型", world.settings()
    model = settings.model
    if not model.provider:
        said = "没有配置：选技能、执行脚本技能、审计都不需要它；没有技能能做的任务会转给人"
        return Finding(name, Verdict.INFO, said)
    try:
        made = open_model(settings, SystemClock())
    except SgClawError as error:
        return Finding(name, Verdict.FAIL, error.cause, error.next_step)
    package = _MODEL_PACKAGES.get(model.provider)
    if package is not None and find_spec(package) is None:
        return Finding(name, Verdict.FAIL, f"没有安装 {package}", f"pip install {package}")
    key = f"密钥在 {model.key}" if settings.model_key else "不用密钥"
    where = f"，地址 {model.address}，{key}" if model.address else ""
    found = f"{model.provider}：{made.name if made else model.name}{where}（没有试着调用）"
    if model.provider != "scripted" and model.name not in model.prices:
        mend = f"要知道费用，请在设置 model.prices 里写上 {model.name} 的价格"
        return Finding(name, Verdict.OK, f"{found}；没有价格，用量里不会有费用", mend)
    return Finding(name, Verdict.OK, found)


# --- the sandbox ----------------------------------------------------------------------------------------------------


def check_sandbox(world: World) -> Finding:
    """Sign a tiny script with a key of the moment and run it the way skills are run."""
    name = "脚本沙箱"
    try:
        result = asyncio.run(_probe(world.now()))
    except SgClawError as error:
        return Finding(name, Verdict.FAIL, error.cause, error.next_step)
    except (OSError, TimeoutError) as error:
        return Finding(name, Verdict.FAIL, f"启动不了（{type(error).__name__}）", "请检查能否启动子进程，以及系统限制")
    if result.data != _ANSWER:
        return Finding(name, Verdict.FAIL, "试运行的结果不对", "pip install --force-reinstall quickjs-ng")
    return Finding(name, Verdict.OK, f"quickjs-ng {version('quickjs-ng')}，试运行成功")


def probe_skill(now: datetime) -> VerifiedSkill:
    """The probe, signed and verified in memory."""
    key, source = new_key(), _PROBE.encode()
    release = Release(serial=1, updated_at=now, expires=now + timedelta(days=1))
    check = TrustCheck([key.public], now)
    raw = sign_registry(key, [sign_skill(key, "builtin/doctor-probe.js", source)], release)
    (candidate,) = check.open_registry(raw)
    return check.verify_file(check.verify_entry(candidate), source)


async def _probe(now: datetime) -> SkillResult:
    engine = engine_folder()
    pool = WorkerPool(lambda: start_worker(engine))
    try:
        async with asyncio.timeout(SANDBOX_SECONDS):
            return await ScriptRunner(pool, _Silent()).run(probe_skill(now), _INPUTS, _NoPage())
    finally:
        await pool.close()


class _NoPage:
    """`ports.Browser` of a skill that has no page to act on."""

    trail: Sequence[Observed] = ()

    async def act(self, act: Act) -> Observed:
        raise PolicyDeniedError("检查脚本不能操作页面", facts={"action": act.action})


class _Silent:
    """`ports.Log` that keeps nothing: a check says what it found itself."""

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        del module, event, data, level
