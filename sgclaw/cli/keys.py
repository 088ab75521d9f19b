"""`sgclaw keys new | rotate | revoke`: making a signing key, handing its place on, taking trust from it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json, warn
from sgclaw.cli.world import world_of
from sgclaw.errors import UsageProblemError

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="生成、轮换和吊销签名密钥。")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_SECRET_COMMENT = """SECRET signing key for skills. Whoever has it can sign skills that this key's owners trust.
Keep it off machines that run skills and out of repositories."""
_PUBLIC_COMMENT = """Trust root: only skills signed by the keys in this file are loaded.
Install it as keys/skill_verify.pub."""


@app.command(
    "new", cls=Command, help="生成一把新的签名密钥：名称.key 是私钥（权限 0600），名称.pub 是公钥。不覆盖已有文件。"
)
def new(
    name: Annotated[str, typer.Argument(metavar="名称", help="文件名（不带后缀）：字母、数字、- 和 _")],
    out: Annotated[Path, typer.Option("--out", metavar="目录", help="写到这个目录，不存在则建立")],
    as_json: JsonFlag = False,
) -> int:
    """Write a fresh key pair; nothing that exists is overwritten."""
    from sgclaw.skills.ed25519 import render_public_key, render_secret_key
    from sgclaw.skills.signing import new_key

    if not _NAME.fullmatch(name):
        raise UsageProblemError(f"密钥名不合规：{name[:64]}", next_step="请只用字母、数字、- 和 _，最多 64 个字符")
    secret_path, public_path = out / f"{name}.key", out / f"{name}.pub"
    for path in (secret_path, public_path):
        if path.exists() or path.is_symlink():
            raise UsageProblemError(f"文件已存在，没有覆盖：{path}", next_step="请换一个名称或目录")
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = new_key()
    _write_new(secret_path, render_secret_key(key, _SECRET_COMMENT), 0o600)
    _write_new(public_path, render_public_key(key.public, _PUBLIC_COMMENT), 0o644)
    facts = {"key_id": key.public.key_id, "private": str(secret_path), "public": str(public_path)}
    if as_json:
        say_json(facts)
        return Exit.OK
    say(f"私钥：{secret_path}（权限 0600，请离线保管，不要放进仓库）")
    say(f"公钥：{public_path}")
    say(f"密钥编号：{key.public.key_id}")
    say("下一步：把公钥那一行加到信任的公钥文件（没有另设 trust_root 时是 keys/skill_verify.pub）")
    say(f"再用 sgclaw skill sign --key {secret_path} 签名")
    return Exit.OK


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that did not exist; it never exists with a wider mode."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


# --- rotate -----------------------------------------------------------------------------------------------------------

_ROTATE_HELP = """让新密钥接替旧密钥：写一份由两把密钥共同签名的声明，追加到 keys/rotations.json。

之后旧密钥签的一切都不再有效，请用新密钥全部重新签名。随技能包一起分发该文件，各机器不必更换公钥。
"""


@app.command("rotate", cls=Command, help=_ROTATE_HELP)
def rotate(
    context: typer.Context,
    old: Annotated[Path, typer.Option("--old", metavar="文件", help="旧密钥的私钥，现在必须受信任")],
    new_: Annotated[Path, typer.Option("--new", metavar="文件", help="新密钥的私钥")],
    as_json: JsonFlag = False,
) -> int:
    """Append a rotation to keys/rotations.json; nothing is written that would not count."""
    from sgclaw.cli.key_papers import add_rotation

    done = add_rotation(world_of(context), old, new_)
    if as_json:
        say_json(done.as_dict())
        return Exit.OK
    say(f"密钥 {done.old} 已由 {done.new} 接替，写入 {done.file}")
    say(f"下一步：sgclaw skill sign --key {new_}，再把该文件和 registry.json 一起分发")
    return Exit.OK


# --- revoke -----------------------------------------------------------------------------------------------------------

_REVOKE_HELP = """吊销密钥：写一份由根密钥签名的名单 keys/revocations.json，其中的密钥签过的一切都不再有效。

根密钥是 skill_verify.pub 里 root: 开头的行；没有这样的行时，就是其中的签名密钥。吊销不能撤回。
吊销后没有一把密钥可用时本机会拒绝全部技能，所以不写入，除非加 --force。
"""


@app.command("revoke", cls=Command, help=_REVOKE_HELP)
def revoke(
    context: typer.Context,
    key_ids: Annotated[list[str], typer.Argument(metavar="密钥编号…", help="要吊销的密钥，16 位十六进制编号")],
    root: Annotated[Path, typer.Option("--root", metavar="文件", help="根密钥的私钥")],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="本机没见过的编号、或吊销后本机没有密钥可用时，也照样吊销")
    ] = False,
    as_json: JsonFlag = False,
) -> int:
    """Add keys to keys/revocations.json; nothing is written that would not count."""
    from sgclaw.cli.key_papers import add_revocations

    done = add_revocations(world_of(context), key_ids, root, force=force)
    for warning in done.warnings:
        warn(f"警告：{warning}")
    if as_json:
        say_json(done.as_dict())
        return Exit.OK
    say(f"已吊销 {'、'.join(done.revoked)}，名单序号 {done.serial}，写入 {done.file}")
    say(f"下一步：{done.next_step}，再把该文件和 registry.json 一起分发")
    return Exit.OK
