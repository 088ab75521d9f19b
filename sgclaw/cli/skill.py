"""`sgclaw skill list | show | verify | sign | disable | enable`: the catalogue as it is on disk, and signing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import Row, say, say_json, table, warn
from sgclaw.cli.world import World, world_of
from sgclaw.errors import SkillRefusedError, UsageProblemError
from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.reasons import Reason

if TYPE_CHECKING:
    from sgclaw.skills.catalogue import Catalogue, Refusal
    from sgclaw.skills.trust import VerifiedSkill

JsonObject = dict[str, object]
app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="查看、校验和签名技能。")


def catalogue_of(world: World, *, production: bool = False) -> Catalogue:
    """The catalogue of the settings without anything of a running session.

    Raises `BAD_CONFIG`, and `REGISTRY_REFUSED` when the trust root cannot be read.
    """
    from sgclaw.skills.catalogue import open_set

    settings = world.settings()
    return open_set(settings, world.now(), production=production or settings.production, advances=False)


# --- list -----------------------------------------------------------------------------------------------------------


@app.command("list", cls=Command, help="列出全部技能，以及被拒绝的条目和原因。")
def list_skills(context: typer.Context, as_json: JsonFlag = False) -> int:
    """Every skill, and every refused entry with its reason."""
    catalogue = catalogue_of(world_of(context))
    if catalogue.registry_error is not None:
        raise catalogue.registry_error
    skills, refused = list(catalogue.skills.values()), [*catalogue.refused, *catalogue.unsigned]
    notices = _notices(catalogue)
    if as_json:
        say_json({"skills": [_brief(skill) for skill in skills], "refused": _refusals(refused), "notices": notices})
        return Exit.OK
    rows = [
        (skill.manifest.name, skill.manifest.version, "可用", "、".join(skill.manifest.domains), _first_line(skill))
        for skill in skills
    ]
    rows += [(item.name, "—", _state(item), "—", item.cause) for item in refused]
    if rows:
        table(("名称", "版本", "状态", "域名", "说明"), rows)
    else:
        say("还没有技能。写法见 docs/skills.md，写好后用 sgclaw skill sign 签名")
    return Exit.OK


_STATES: Mapping[str, str] = {Reason.UNSIGNED: "未签名", Reason.SWITCHED_OFF: "本机停用"}
"""What is no refusal of the trust check, in a list."""


def _state(item: Refusal) -> str:
    return _STATES.get(item.reason, f"已拒绝：{item.reason}")


def _notices(catalogue: Catalogue) -> list[JsonObject]:
    """What refuses nothing and should be known; said on stderr too."""
    for item in catalogue.notices:
        place = f"（{item.file}）" if item.file else ""
        warn(f"注意：{item.cause}{place}。{item.next_step}")
    return [
        {
            "file": item.file,
            "reason": item.reason,
            "cause": item.cause,
            "next_step": item.next_step,
            "facts": dict(item.facts),
        }
        for item in catalogue.notices
    ]


def _first_line(skill: VerifiedSkill) -> str:
    return skill.manifest.description.partition("\n")[0]


def _brief(skill: VerifiedSkill) -> JsonObject:
    manifest = skill.manifest
    return {
        "name": manifest.name,
        "version": manifest.version,
        "kind": manifest.kind,
        "description": manifest.description,
        "state": "usable",
        "domains": list(manifest.domains),
        "sha256": skill.sha256,
        "key_id": skill.key_id,
    }


def _refusals(refused: Sequence[Refusal]) -> list[JsonObject]:
    return [
        {
            "name": item.name,
            "file": item.file,
            "state": "refused",
            "reason": item.reason,
            "cause": item.cause,
            "next_step": item.next_step,
            "facts": dict(item.facts),
        }
        for item in refused
    ]


# --- show -----------------------------------------------------------------------------------------------------------


@app.command("show", cls=Command, help="显示一个技能的文件头、输入、权限和签名。")
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="名称", help="技能名，或 名称@版本")],
    as_json: JsonFlag = False,
) -> int:
    """One skill: its manifest, inputs, powers and signature."""
    skill = catalogue_of(world_of(context)).get(name)
    manifest = skill.manifest
    if as_json:
        say_json({**manifest.model_dump(mode="json"), "sha256": skill.sha256, "key_id": skill.key_id})
        return Exit.OK
    for title, value in (
        ("名称", manifest.ref),
        ("类型", manifest.kind),
        ("说明", manifest.description),
        ("何时使用", manifest.when_to_use),
        ("触发说法", "、".join(manifest.triggers)),
        ("域名", "、".join(manifest.domains)),
        ("允许的操作", "、".join(manifest.capabilities.actions)),
        ("依赖", "、".join(manifest.depends_on)),
        ("标签", "、".join(manifest.tags)),
        ("作者", manifest.author),
        ("sha256", skill.sha256),
        ("签名密钥", skill.key_id),
    ):
        if value:
            say(f"{title}：{value}")
    rows = _param_rows(manifest.params)
    say()
    if rows:
        table(("输入", "类型", "必填", "默认", "可选值", "说明"), rows)
    else:
        say("没有输入")
    return Exit.OK


def _param_rows(schema: JsonObject) -> list[Row]:
    required = cast("list[str]", schema.get("required", []))
    properties = cast("dict[str, JsonObject]", schema.get("properties", {}))
    return [
        (
            name,
            "、".join(cast("list[str]", part["type"])) if isinstance(part.get("type"), list) else _shown(part, "type"),
            "是" if name in required else "否",
            _shown(part, "default"),
            "、".join(_text(item) for item in cast("list[object]", part.get("enum", []))),
            "；".join(text for text in (_shown(part, "title"), _shown(part, "description")) if text),
        )
        for name, part in properties.items()
    ]


def _shown(part: JsonObject, key: str) -> str:
    return _text(part[key]) if key in part else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- verify ---------------------------------------------------------------------------------------------------------


@app.command("verify", cls=Command, help="校验清单和每个技能的签名、哈希与文件头；有被拒绝或未签名的技能时退出码是 4。")
def verify(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="名称", help="只校验这一个技能；省略则校验全部")] = None,
    as_json: JsonFlag = False,
) -> int:
    """Judge the registry and every entry, or one."""
    catalogue = catalogue_of(world_of(context))
    wanted = name.partition("@")[0] if name else None
    every = (*catalogue.refused, *catalogue.unsigned)
    refused = [item for item in every if wanted in (None, item.name) or not item.name]
    if name is not None and not refused:
        catalogue.get(name)
    skills = [skill for skill in catalogue.skills.values() if wanted in (None, skill.manifest.name)]
    notices = _notices(catalogue)
    if as_json:
        say_json(
            {
                "ok": not refused,
                "skills": [_brief(each) for each in skills],
                "refused": _refusals(refused),
                "notices": notices,
            }
        )
    else:
        _say_verdicts(skills, refused)
    return Exit.REFUSED if refused else Exit.OK


def _say_verdicts(skills: Sequence[VerifiedSkill], refused: Sequence[Refusal]) -> None:
    rows: list[Row] = [("通过", skill.manifest.ref, "", f"密钥 {skill.key_id}") for skill in skills]
    unsigned = sum(item.reason == Reason.UNSIGNED for item in refused)
    rows += [
        (_verdict(item), item.name or item.file, item.reason, f"{item.cause}。{item.next_step}") for item in refused
    ]
    if rows:
        table(("结论", "技能", "原因", "说明"), rows)
    end = f"，{unsigned} 个未签名" if unsigned else ""
    say(f"{len(skills)} 个通过，{len(refused) - unsigned} 个被拒绝{end}")


def _verdict(item: Refusal) -> str:
    return _STATES.get(item.reason, "拒绝")


# --- sign -----------------------------------------------------------------------------------------------------------


_SIGN_HELP = """给 skills/builtin 和 skills/custom 里的全部脚本签名，重写 registry.json。

原来停用的技能保持停用。本机会拒绝的清单不写入（退出码 4）：密钥已轮换、已吊销或不受本机信任，版本比用过的旧。
给别的机器签名、本机不信任这把密钥时，加 --for-other-machine；已轮换和已吊销的密钥仍然拒绝。
正式环境不接受仅供开发的密钥。
"""


@app.command("sign", cls=Command, help=_SIGN_HELP)
def sign(
    context: typer.Context,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="文件", help="签名私钥；省略则用仓库里仅供开发的密钥")
    ] = None,
    serial: Annotated[
        int | None,
        typer.Option("--serial", metavar="整数", min=1, max=MAX_INT, help="清单序号，必须比旧清单大；省略则加 1"),
    ] = None,
    expires: Annotated[
        datetime | None,
        typer.Option("--expires", metavar="日期", formats=["%Y-%m-%d"], help="失效日期 YYYY-MM-DD；省略则为一年后"),
    ] = None,
    *,
    elsewhere: Annotated[
        bool, typer.Option("--for-other-machine", help="签给别的机器用：本机不信任这把密钥也照签，本机会拒绝这份清单")
    ] = False,
    as_json: JsonFlag = False,
) -> int:
    """Sign every script and rewrite the registry."""
    from sgclaw.cli.signing import Order, sign_all

    signed = sign_all(world_of(context), Order(key, serial, expires, elsewhere))
    for warning in signed.warnings:
        warn(f"警告：{warning}")
    if as_json:
        say_json(signed.as_dict())
        return Exit.OK
    say(f"已签名 {len(signed.skills)} 个技能，写入 {signed.registry}")
    say(f"序号 {signed.serial}，失效时间 {signed.expires}，密钥 {signed.key_id}")
    for skill in signed.skills:
        say(f"  {skill}")
    return Exit.OK


# --- disable, enable --------------------------------------------------------------------------------------------------


@app.command("disable", cls=Command, help="在本机停用一个技能。不改动技能文件和清单，发布方签名的内容不变。")
def disable(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="名称", help="技能名")],
    as_json: JsonFlag = False,
) -> int:
    """Switch a skill off on this machine."""
    return _switch(world_of(context), name, on=False, as_json=as_json)


@app.command("enable", cls=Command, help="取消在本机的停用。只能取消 skill disable 的停用，不能让被拒绝的技能可用。")
def enable(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="名称", help="技能名")],
    as_json: JsonFlag = False,
) -> int:
    """Take back what `disable` did; a refused skill stays refused."""
    return _switch(world_of(context), name, on=True, as_json=as_json)


def _switch(world: World, name: str, *, on: bool, as_json: bool) -> int:
    from sgclaw.skills.state import SkillState

    settings = world.settings()
    plain = name.partition("@")[0]
    if plain != name:
        raise UsageProblemError(
            f"停用和取消停用不分版本，不能写 {name[:64]}",
            next_step=f"请只写技能名：sgclaw skill {'enable' if on else 'disable'} {plain[:64]}",
        )
    state = SkillState(settings.skills_state, settings.registry)
    if name not in state.switched_off():
        _refuse_unknown(world, name)
    changed = state.switch(name, on=on)
    if as_json:
        say_json({"name": name, "switched_off": not on, "changed": changed})
        return Exit.OK
    done = "已取消在本机的停用" if on else "已在本机停用"
    say(f"{done}：{name}" if changed else f"没有变化：{name} {'没有' if on else '已经'}在本机停用")
    return Exit.OK


def _refuse_unknown(world: World, name: str) -> None:
    """A name that no entry and no file has is a slip of the pen; what is refused may be switched off all the same."""
    try:
        catalogue_of(world).get(name)
    except SkillRefusedError:
        return
