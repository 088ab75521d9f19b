"""`sgclaw mcp list | pin`: the tools of configured MCP servers, and a person's word that they may be used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json, table
from sgclaw.cli.world import world_of
from sgclaw.errors import UsageProblemError

if TYPE_CHECKING:
    from sgclaw.config import Settings
    from sgclaw.toolbox.listing import Judged, ServerReport

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="查看和锁定外部工具（MCP 服务）。")

_LIST = """启动设置 mcp.servers 里的每个服务，列出它们的工具：可用的，和不可用的原因。

说明是对方写的文字。与锁定时不同的工具不会提供给模型。
"""
_PIN = """锁定一个服务现在的全部工具：把每个工具的名称、说明和参数的摘要写进锁定文件。

锁定之后才提供给模型；以后有任何改动就不再提供，直到重新锁定。请先看过列出的说明。
"""


def _surveyed(settings: Settings) -> list[ServerReport]:
    """Every server started, asked and ended; what that needs is loaded by these commands alone."""
    import asyncio

    from sgclaw.cli.check_tools import survey

    return asyncio.run(survey(settings))


@app.command("list", cls=Command, help=_LIST)
def list_tools(context: typer.Context, *, as_json: JsonFlag = False) -> int:
    """Every server and every tool of it."""
    settings = world_of(context).settings()
    reports = _surveyed(settings)
    if as_json:
        say_json({"pins": str(settings.tool_pins), "servers": [_as_dict(report) for report in reports]})
        return Exit.OK
    if not reports:
        say("没有配置 MCP 服务（设置 mcp.servers）")
    for report in reports:
        _tell(report)
    return Exit.OK


@app.command("pin", cls=Command, help=_PIN)
def pin(
    context: typer.Context,
    server: Annotated[str, typer.Argument(metavar="服务名", help="设置 mcp.servers 里的名字")],
    *,
    as_json: JsonFlag = False,
) -> int:
    """Accept the tools of one server as they are now."""
    from sgclaw.toolbox.listing import pins_of
    from sgclaw.toolbox.pins import read_pins, write_pins

    settings = world_of(context).settings()
    (report,) = _surveyed(_only(settings, server))
    if report.failure is not None:
        raise report.failure
    pins = pins_of(report)
    write_pins(settings.tool_pins, {**read_pins(settings.tool_pins), server: pins})
    if as_json:
        say_json({"pins": str(settings.tool_pins), "server": server, "tools": pins})
        return Exit.OK
    _tell(report)
    say(f"已锁定 {len(pins)} 个工具：{settings.tool_pins}")
    return Exit.OK


def _only(settings: Settings, server: str) -> Settings:
    servers = settings.toolbox.servers
    if server not in servers:
        raise UsageProblemError(
            f"设置里没有 MCP 服务 {server[:64]}",
            next_step=f"已配置的：{'、'.join(servers) or '无'}；请在 settings.toml 的 [mcp.servers] 里配置",
            facts={"known": sorted(servers)},
        )
    return replace(settings, toolbox=replace(settings.toolbox, servers={server: servers[server]}))


def _tell(report: ServerReport) -> None:
    from sgclaw.toolbox.reasons import CAUSES

    if report.failure is not None:
        say(f"{report.server}：不可用。{report.failure.cause}。{report.failure.next_step}")
        return
    say(f"{report.server}：")
    rows = [
        (each.name, CAUSES[each.refused] if each.refused else "可用", each.digest[:12], each.description)
        for each in report.tools
    ]
    table(("工具", "结论", "摘要", "对方的说明"), rows)


def _as_dict(report: ServerReport) -> dict[str, object]:
    failure = report.failure.as_dict() if report.failure is not None else None
    return {"server": report.server, "failure": failure, "tools": [_tool(each) for each in report.tools]}


def _tool(judged: Judged) -> dict[str, object]:
    return {
        "name": judged.name,
        "offered_as": judged.tool.name if judged.tool is not None else None,
        "refused": judged.refused.value if judged.refused is not None else None,
        "digest": judged.digest,
        "description": judged.description,
    }
