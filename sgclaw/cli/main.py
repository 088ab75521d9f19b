"""Entry of `sgclaw`: takes stdio for `pipe` before anything else is imported, otherwise hands over to the CLI toolkit.

One of the three process edges that may catch everything.
"""

from __future__ import annotations

import sys


def wants_pipe(arguments: list[str], *, stdin_is_terminal: bool) -> bool:
    """`sgclaw pipe`, and bare `sgclaw` when a program holds the other end of stdin."""
    return arguments == ["pipe"] or (not arguments and not stdin_is_terminal)


def main() -> None:
    """Run the command named by the process's arguments and exit with its documented code."""
    arguments = sys.argv[1:]
    if wants_pipe(arguments, stdin_is_terminal=sys.stdin is not None and sys.stdin.isatty()):
        from sgclaw.host.stdio import take_stdio

        descriptors = take_stdio()  # before any other import: see host/stdio.py
        from sgclaw.cli.pipe import run_pipe

        sys.exit(run_pipe(*descriptors))
    from sgclaw.cli.commands import run_command

    sys.exit(run_command(arguments))


if __name__ == "__main__":
    main()
