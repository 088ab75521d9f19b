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


class FileProblemError(SgClawError):
    """A file or folder cannot be read or written; `facts` hold its path and the operating system's word."""

    code = "FILE_ERROR"
    fault = Fault.USER
    default_next_step = "请检查该路径的权限和磁盘空间，或运行 sgclaw doctor"
