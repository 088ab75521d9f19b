"""Our own files and settings, and the command lines."""

from __future__ import annotations

from sgclaw.errors.base import Fault, SgClawError


class AuditUnavailableError(SgClawError):
    """The ledger cannot be written; actions stop until it can."""

    code = "AUDIT_UNAVAILABLE"
    fault = Fault.USER
    default_next_step = "请检查状态目录所在磁盘的空间和权限"


class LedgerBrokenError(SgClawError):
    """The ledger was edited, shortened or reordered; `facts` name the first bad record."""

    code = "LEDGER_BROKEN"
    fault = Fault.USER
    default_next_step = "请保全现场并通知审计人员"


class ConfigError(SgClawError):
    """A setting cannot be used."""

    code = "BAD_CONFIG"
    fault = Fault.USER
    default_next_step = "请运行 sgclaw doctor 查看需要修正的设置"


class UsageProblemError(SgClawError):
    """The words of the command cannot be used."""

    code = "BAD_USAGE"
    fault = Fault.USER
    default_next_step = "请用 sgclaw --help 查看用法"


class TraceNotFoundError(SgClawError):
    """The ledger holds nothing under this trace id; `facts.recent` are the latest ones it holds."""

    code = "TRACE_NOT_FOUND"
    fault = Fault.USER
    default_next_step = "请用 sgclaw audit list 查看最近的记录；账本在别处时加上 --state-dir"


class NoLedgerError(SgClawError):
    """There is no ledger where one was looked for: nothing has run there yet; `facts.ledger` is the folder."""

    code = "NO_LEDGER"
    fault = Fault.USER
    default_next_step = "执行过任务后才有账本；账本在别处时加上 --state-dir，账本被删除时请用 --head 与另存的账本头比对"


class FileProblemError(SgClawError):
    """A file or folder cannot be read or written; `facts` hold its path and the operating system's word."""

    code = "FILE_ERROR"
    fault = Fault.USER
    default_next_step = "请检查该路径的权限和磁盘空间，或运行 sgclaw doctor"
