"""Errors that only the command line can make."""

from __future__ import annotations

from sgclaw.errors import Fault, SgClawError


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
