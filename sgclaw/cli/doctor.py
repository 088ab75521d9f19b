"""`sgclaw doctor`: what is there, what is missing, and the command that mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json, table
from sgclaw.cli.world import World, world_of
from sgclaw.errors import ConfigError

if TYPE_CHECKING:
    from sgclaw.cli.findings import Finding

HELP = "检查运行所需的一切；缺什么就给出补上它的命令。必需的东西缺失时退出码是 1。"


def doctor(
    context: typer.Context,
    *,
    production: Annotated[bool, typer.Option("--production", help="按正式环境检查：不接受仅供开发的密钥")] = False,
    as_json: JsonFlag = False,
) -> int:
    """Check everything that is needed to work, and say what mends what is missing."""
    from sgclaw.cli.findings import WORDS, Verdict

    findings = examine(world_of(context), production=production)
    failed = [each for each in findings if each.verdict is Verdict.FAIL]
    if as_json:
        say_json({"ok": not failed, "checks": [asdict(each) for each in findings]})
    else:
        table(("检查", "结论", "情况"), [(each.name, WORDS[each.verdict], each.found) for each in findings])
        _say_mends([each for each in findings if each.mend])
        say(f"{len(failed)} 项必需的检查没有通过" if failed else "可以使用")
    return Exit.FAILED if failed else Exit.OK


def examine(world: World, *, production: bool) -> list[Finding]:
    """Every check, in the order they are shown; without usable settings, those that need none."""
    from sgclaw.cli import check_home, check_machine, check_tools
    from sgclaw.cli.findings import Finding, Verdict

    try:
        settings = world.settings()
    except ConfigError as error:
        return [
            check_machine.check_python(),
            Finding("设置", Verdict.FAIL, error.cause, f"{error.next_step}；依赖设置的检查这次没有做"),
            check_machine.check_fonts(),
            check_home.check_sandbox(world),
        ]
    return [
        check_machine.check_python(),
        Finding("设置", Verdict.OK, f"技能目录 {settings.skills_root}，状态目录 {settings.state_dir}"),
        check_machine.check_host(settings),
        check_machine.check_chromium(settings),
        check_machine.check_playwright(settings),
        check_machine.check_fonts(),
        *check_machine.check_state(settings),
        check_home.check_ledger(settings.audit_dir),
        check_home.check_keys(world, production=production),
        check_home.check_skills(world, production=production),
        check_home.check_policy(world),
        check_home.check_model(world),
        check_tools.check_tools(settings),
        check_home.check_sandbox(world),
    ]


def _say_mends(findings: Sequence[Finding]) -> None:
    for each in findings:
        say(f"{each.name}：{each.mend}")
