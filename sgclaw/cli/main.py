"""Entry of `sgclaw`: takes stdio for `pipe` before anything else is imported, otherwise hands over to the CLI toolkit.

One of the three process edges that may catch everything.
"""

from __future__ import annotations

import sys

from sgclaw.host.stdio import fill_closed

_STOPPED = 130  # as in exits.py, which is not imported before stdio is private


def wants_pipe(arguments: list[str], *, stdin_is_terminal: bool) -> bool:
    """`sgclaw pipe`, and bare `sgclaw` when a program holds the other end of stdin."""
    return arguments == ["pipe"] or (not arguments and not stdin_is_terminal)


def main() -> None:
    """Run the command named by the process's arguments and exit with its documented code.

    Whatever goes wrong in our own code is told in one line, without a traceback, and exits with 70.
    """
    fill_closed()
    arguments = sys.argv[1:]
    try:
        pipe = wants_pipe(arguments, stdin_is_terminal=sys.stdin is not None and sys.stdin.isatty())
        code = _pipe() if pipe else _command(arguments)
    except KeyboardInterrupt:
        code = _STOPPED
    except Exception as error:
        code = _crash(error)
    from sgclaw.cli.last_words import drop_unwritable

    drop_unwritable()
    sys.exit(code)


def _pipe() -> int:
    if sys.stdin is None or sys.stdout is None:
        from sgclaw.cli.exits import Exit
        from sgclaw.cli.last_words import tell

        tell("HOST_GONE: 标准输入或标准输出没有打开。sgclaw pipe 由浏览器启动，经它们收发消息")
        return Exit.NO_HOST
    from sgclaw.host.stdio import take_stdio

    descriptors = take_stdio()  # before any other import: see host/stdio.py
    from sgclaw.cli.pipe import run_pipe

    return run_pipe(*descriptors)


def _command(arguments: list[str]) -> int:
    from sgclaw.cli.interrupts import interrupts_held

    with interrupts_held() as held:
        from sgclaw.cli.commands import report_crash, report_stop, run_command
    try:
        return report_stop(arguments) if held.asked else run_command(arguments)
    except KeyboardInterrupt:
        return report_stop(arguments)
    except Exception as error:
        return report_crash(error, arguments)


def _crash(error: Exception) -> int:
    """The type and the place say enough to find a bug; a message may hold what must not be told."""
    from pathlib import Path

    from sgclaw.cli.exits import Exit
    from sgclaw.cli.last_words import tell

    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f"，{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else ""
    tell(f"INTERNAL: 程序内部错误（{type(error).__name__}{place}）。请把这一行交给管理员")
    return Exit.INTERNAL


if __name__ == "__main__":
    main()
