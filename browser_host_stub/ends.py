"""How the stub ends: exit codes, and errors for the person and for programs. Loads fast: `__main__` needs it first."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from browser_host_stub.output import say, tell_json
from sgclaw.errors import (
    CancelledTaskError,
    FileProblemError,
    SgClawError,
    UsageProblemError,
    WireCode,
    WireError,
)

OK, FAILED, USAGE, NEEDS_PERSON, UNVERIFIED, STOPPED = 0, 1, 2, 3, 5, 130
EXIT_CODES: Mapping[int, str] = MappingProxyType(
    {
        OK: "完成",
        FAILED: "任务失败，或浏览器、sgclaw、文件出了问题",
        USAGE: "命令用法不对",
        NEEDS_PERSON: "需要人来回答、确认或补充信息",
        UNVERIFIED: "执行结束，但结果无法确认",
        STOPPED: "被用户停止",
    }
)
_BY_OUTCOME = {"completed": OK, "failed": FAILED, "unverified": UNVERIFIED, "aborted": STOPPED}
_BY_CODE = {
    "BAD_USAGE": USAGE,
    "CANCELLED": STOPPED,
    **dict.fromkeys(("NEEDS_HUMAN", "NEEDS_APPROVAL", "NO_MODEL", "BAD_INPUTS"), NEEDS_PERSON),
}


class BadUsageError(UsageProblemError):
    """The words of the command, or a task line of `serve`, cannot be used."""

    default_next_step = "请用 python -m browser_host_stub --help 查看用法"


class LocalFileError(FileProblemError):
    """A file, a folder or stdout does not take what belongs there."""

    default_next_step = "请检查 --out、--state-dir 和标准输出所在位置的权限和空间"


_REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "LEDGER_BROKEN": "审计账本被改动、截断或调换过",
        "AUDIT_UNAVAILABLE": "审计账本不能安全写入：权限太开放、没有权限，或磁盘已满",
        "BAD_CONFIG": "设置不可用",
        "BAD_POLICY": "浏览器下发的访问策略不可用",
    }
)


class SessionRefusedError(WireError):
    """Sgclaw said `bye` instead of `ready`; `facts.reason` is its code."""

    default_next_step = "详情在 --out 目录的 sgclaw.log（默认 out/sgclaw.log），也可用 sgclaw doctor 检查"

    def __init__(self, reason: str) -> None:
        meaning = f"：{_REFUSALS[reason]}" if reason in _REFUSALS else ""
        cause = f"sgclaw 拒绝了这次会话{meaning}（{reason}）"
        super().__init__(WireCode.HANDSHAKE_FAILED, cause, facts={"reason": reason})


def exit_of(outcome: str, code: str | None = None) -> int:
    """The exit code of a task's end; an error code that says more than the outcome wins."""
    return _BY_CODE.get(code or "", _BY_OUTCOME[outcome])


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether stdout is for a program, known before the arguments are parsed."""
    return "--json" in arguments or list(arguments[:1]) == ["demo"]


def report(error: SgClawError, *, as_json: bool) -> int:
    """Tell an error that ended a task or the program; returns its exit code."""
    say(f"{error.code}：{error.cause}。{error.next_step}")
    outcome = "aborted" if error.code == CancelledTaskError.code else "failed"
    if as_json:
        with contextlib.suppress(OSError):  # it may be stdout that is lost
            tell_json({"outcome": outcome, "error": error.as_dict()})
    return exit_of(outcome, error.code)


def stopped(*, as_json: bool) -> int:
    """Ctrl-C before or between tasks."""
    return report(CancelledTaskError("已停止"), as_json=as_json)
