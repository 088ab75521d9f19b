"""Exit codes of every command, documented in `sgclaw --help`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Exit(IntEnum):
    """What the exit code of a command means."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NEEDS_HUMAN = 3
    REFUSED = 4
    UNVERIFIED = 5
    NO_HOST = 6
    INTERNAL = 70
    STOPPED = 130


MEANINGS: Mapping[Exit, str] = MappingProxyType(
    {
        Exit.OK: "完成",
        Exit.FAILED: "任务或检查失败",
        Exit.USAGE: "命令用法不对",
        Exit.NEEDS_HUMAN: "需要人来回答、确认或补充信息",
        Exit.REFUSED: "被策略、签名或账本检查拒绝",
        Exit.UNVERIFIED: "执行结束，但结果无法确认",
        Exit.NO_HOST: "浏览器没有启动或中途断开",
        Exit.INTERNAL: "程序内部错误",
        Exit.STOPPED: "被用户停止",
    }
)

_BY_CODE: Mapping[str, Exit] = MappingProxyType(
    {
        "NEEDS_HUMAN": Exit.NEEDS_HUMAN,
        "NEEDS_APPROVAL": Exit.NEEDS_HUMAN,
        "BAD_INPUTS": Exit.NEEDS_HUMAN,
        "NO_MODEL": Exit.NEEDS_HUMAN,
        "POLICY_DENIED": Exit.REFUSED,
        "SKILL_REFUSED": Exit.REFUSED,
        "REGISTRY_REFUSED": Exit.REFUSED,
        "LEDGER_BROKEN": Exit.REFUSED,
        "UNVERIFIED": Exit.UNVERIFIED,
        "UNKNOWN_OUTCOME": Exit.UNVERIFIED,
        "HOST_GONE": Exit.NO_HOST,
        "HANDSHAKE_FAILED": Exit.NO_HOST,
        "BAD_CONFIG": Exit.USAGE,
        "CANCELLED": Exit.STOPPED,
    }
)


def exit_of(code: str | None) -> Exit:
    """The exit code for an error code; None is success, an unlisted error is a plain failure."""
    return Exit.OK if code is None else _BY_CODE.get(code, Exit.FAILED)
