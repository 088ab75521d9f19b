"""Check of the MCP servers whose tools the agent may use."""

from __future__ import annotations

import asyncio
from collections import Counter

from sgclaw.app.opening import open_toolbox
from sgclaw.cli.findings import Finding, Verdict
from sgclaw.config import Settings
from sgclaw.errors import ConfigError
from sgclaw.toolbox.listing import ServerReport
from sgclaw.toolbox.reasons import CAUSES, Reason

_NAME = "外部工具"
_LOOK = "sgclaw mcp list 逐个核对，认可后 sgclaw mcp pin 服务名"


def check_tools(settings: Settings) -> Finding:
    """Every configured server, started and asked for its tools. None is a supported mode; nothing here is required."""
    if not settings.toolbox.servers:
        return Finding(_NAME, Verdict.INFO, "没有配置 MCP 服务")
    try:
        reports = asyncio.run(survey(settings))
    except ConfigError as error:
        return Finding(_NAME, Verdict.WARN, error.cause, error.next_step)
    found = "；".join(_told(report) for report in reports)
    fine = all(report.failure is None and not _refusals(report) for report in reports)
    return Finding(_NAME, Verdict.OK, found) if fine else Finding(_NAME, Verdict.WARN, found, _LOOK)


async def survey(settings: Settings) -> list[ServerReport]:
    """What became of every configured server; they have ended when this returns. Raises `BAD_CONFIG`."""
    async with open_toolbox(settings) as box:
        return list(await box.survey())


def _refusals(report: ServerReport) -> Counter[Reason]:
    """How many tools are not offered, by reason; what the settings leave out is meant to be."""
    refused = (each.refused for each in report.tools)
    return Counter(reason for reason in refused if reason is not None and reason is not Reason.NOT_ALLOWED)


def _told(report: ServerReport) -> str:
    if report.failure is not None:
        return f"{report.failure.cause}（{report.failure.facts['reason']}）"
    offered = sum(each.tool is not None for each in report.tools)
    refusals = "".join(f"，{times} 个{CAUSES[reason]}（{reason}）" for reason, times in _refusals(report).items())
    return f"{report.server}：{offered} 个可用{refusals}"
