"""Why a server or one of its tools gave nothing: the words of `facts.reason`, and what a person reads."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from sgclaw.errors import ForeignToolError


class Reason(StrEnum):
    """Why there is no tool, or no result of it."""

    START_FAILED = "START_FAILED"  # no such program, nobody at the address, an end before the handshake
    TIMEOUT = "TIMEOUT"  # facts.limit: start, list or call; the outcome of a call is not known
    GONE = "GONE"  # ended or closed the connection; the outcome of a call is not known
    BAD_MESSAGE = "BAD_MESSAGE"  # no message of the protocol, or none that answers what was asked
    TOO_MUCH = "TOO_MUCH"  # more bytes or messages than one request may bring
    TOO_MANY_TOOLS = "TOO_MANY_TOOLS"
    NOT_ALLOWED = "NOT_ALLOWED"  # the settings list other tools
    NOT_PINNED = "NOT_PINNED"
    CHANGED = "CHANGED"  # its digest is not the pinned one
    MISSING = "MISSING"  # pinned, and no longer there
    BAD_NAME = "BAD_NAME"
    DUPLICATE_NAME = "DUPLICATE_NAME"
    BAD_SCHEMA = "BAD_SCHEMA"  # too deep, too large, or not of an object
    UNKNOWN_TOOL = "UNKNOWN_TOOL"  # nothing of this name is offered
    VAULT_REFERENCE = "VAULT_REFERENCE"
    PRIVATE_VALUE = "PRIVATE_VALUE"  # arguments with a credential or a personal number
    TOOL_FAILED = "TOOL_FAILED"  # the tool's own error; `said` has its words


CAUSES: Final[Mapping[Reason, str]] = {
    Reason.START_FAILED: "启动或连接不上",
    Reason.TIMEOUT: "没有在期限内回应",
    Reason.GONE: "中途断开",
    Reason.BAD_MESSAGE: "发来的内容不符合 MCP 协议",
    Reason.TOO_MUCH: "发来的内容超过上限",
    Reason.TOO_MANY_TOOLS: "提供的工具超过上限",
    Reason.NOT_ALLOWED: "设置里没有允许这个工具",
    Reason.NOT_PINNED: "这个工具还没有锁定",
    Reason.CHANGED: "这个工具的名称、说明或参数与锁定时不同",
    Reason.MISSING: "锁定过的这个工具已不存在",
    Reason.BAD_NAME: "工具名不可用（应为字母、数字、_、-，且不太长）",
    Reason.DUPLICATE_NAME: "有两个同名的工具",
    Reason.BAD_SCHEMA: "工具的参数说明过深、过大或不是对象",
    Reason.UNKNOWN_TOOL: "没有这个工具",
    Reason.VAULT_REFERENCE: "参数里有 %vault 引用，密码不能交给外部工具",
    Reason.PRIVATE_VALUE: "参数里有密钥、证件号或卡号，不能交给外部工具",
    Reason.TOOL_FAILED: "工具报告失败",
}

_PIN: Final = "请用 sgclaw mcp list 核对，认可后用 sgclaw mcp pin 重新锁定"
NEXT_STEPS: Final[Mapping[Reason, str]] = {
    Reason.START_FAILED: "请核对设置 mcp.servers 里的命令或地址",
    Reason.NOT_ALLOWED: "如确需使用，请把它加进该服务的 tools",
    Reason.NOT_PINNED: _PIN,
    Reason.CHANGED: _PIN,
    Reason.MISSING: _PIN,
    Reason.VAULT_REFERENCE: "请由人直接处理需要密码的步骤",
    Reason.PRIVATE_VALUE: "请去掉这些内容，或由人直接处理",
}
"""Where it is not the general one."""


def failure(
    reason: Reason, server: str, *, tool: str = "", said: str = "", facts: Mapping[str, object] | None = None
) -> ForeignToolError:
    """The error for this reason; `said` is a block of untrusted text."""
    named = f"{server} 的工具 {tool}" if tool else server
    told: dict[str, object] = {
        "reason": reason.value,
        "server": server,
        **({"tool": tool} if tool else {}),
        **(facts or {}),
    }
    cause = f"外部工具服务 {named}：{CAUSES[reason]}"
    return ForeignToolError(cause, next_step=NEXT_STEPS.get(reason), facts=told, said=said)
