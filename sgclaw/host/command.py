"""The process of a host command that we start ourselves, for the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO, Final

from sgclaw.errors import HostGoneError, SgClawError

HOST_EXIT_SECONDS: Final = 5
"""From the end of the session to the end of a host that we started: it has a browser to close."""
SEE_DOCTOR: Final = "请用 sgclaw doctor 检查浏览器命令（host_command）"


def start_host(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start it with pipes for its standard streams; raises `HOST_GONE` when it cannot be."""
    try:
        # A group of its own: Ctrl-C in the terminal is for us, who stop the task in order and then the host.
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=None if sys.platform == "win32" else 0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        facts = {"command": command[0], "why": error.strerror or type(error).__name__}
        raise HostGoneError(f"启动不了浏览器命令 {command[0]}", next_step=SEE_DOCTOR, facts=facts) from None


def own_fd(stream: IO[bytes] | None) -> int:
    """A descriptor of our own for one end of the child's pipe; the stream object is closed."""
    if stream is None:
        raise SgClawError("没有为浏览器进程建立管道")
    with stream:
        return os.dup(stream.fileno())


def end_host(host: subprocess.Popen[bytes]) -> None:
    """The host ends when its pipe closes; one that does not is killed."""
    try:
        host.wait(HOST_EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        host.kill()
        host.wait()
