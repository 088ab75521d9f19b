"""Every command of `sgclaw` but `pipe`, and how they end: documented exit codes, errors as cause and next step."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from sgclaw import __version__
from sgclaw.cli import audit, doctor, keys, mcp, policy, prompt, run, skill
from sgclaw.cli.exits import Exit, exit_of
from sgclaw.cli.help import PROGRAM, Command, Group, page_of, usage_problem
from sgclaw.cli.output import say, say_json, use_utf8, warn
from sgclaw.cli.world import World, world_of
from sgclaw.errors import CancelledTaskError, FileProblemError, SgClawError, UsageProblemError
from sgclaw.redact import redact

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, rich_markup_mode=None)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"{PROGRAM} {__version__}")
        raise typer.Exit


@app.callback(help="SuperRPA 侧边栏背后的智能助手：把一句中文任务变成浏览器里的操作。")
def common(
    context: typer.Context,
    state_dir: Annotated[
        Path | None, typer.Option("--state-dir", metavar="目录", help="账本等运行数据所在的目录，代替设置里的")
    ] = None,
    *,
    debug: Annotated[bool, typer.Option("--debug", help="出错时同时打印调用栈")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="显示版本后退出")
    ] = False,
) -> None:
    """Take the options that stand before the command."""
    del version, debug  # one is done by its callback, the other is looked for when an error is told
    world_of(context).state_dir = state_dir


_PIPE_HELP = """由浏览器启动：经标准输入输出收发消息（协议见 docs/protocol.md）。

不带参数、且标准输入不是终端时，sgclaw 就是 sgclaw pipe。它不接受任何选项，日志写到标准错误。
"""


@app.command("pipe", cls=Command, help=_PIPE_HELP)
def pipe() -> None:
    """Stands here for its help only: `main` runs `sgclaw pipe` before the toolkit is loaded."""
    raise UsageProblemError("pipe 前后不能有其它参数", next_step="请只写 sgclaw pipe")


app.command("run", cls=Command, help=run.HELP)(run.run)
app.add_typer(skill.app, name="skill")
app.add_typer(keys.app, name="keys")
app.add_typer(audit.app, name="audit")
app.add_typer(policy.app, name="policy")
app.add_typer(prompt.app, name="prompt")
app.add_typer(mcp.app, name="mcp")
app.command("doctor", cls=Command, help=doctor.HELP)(doctor.doctor)


def toolkit_group() -> Group:
    """The commands as the toolkit sees them, for documents and tests."""
    group = get_command(app)
    if not isinstance(group, Group):
        raise TypeError("the outermost command is a Group")
    return group


def render_cli_docs() -> str:
    """The text of docs/cli.md."""
    return page_of(toolkit_group())


def run_command(arguments: list[str], world: World | None = None) -> int:
    """Run one command line; returns its exit code. Raises only what is a bug of ours: `report_crash` ends that."""
    use_utf8()
    try:
        _check_surroundings(arguments)
        code = toolkit_group().main(arguments, prog_name=PROGRAM, standalone_mode=False, obj=world or World())
    except SgClawError as error:
        return _report(error, arguments)
    except typer.TyperException as error:
        return _report_usage(error, arguments)
    except OSError as error:
        return _report(_from_os(error), arguments, traced=error)
    if code == Exit.STOPPED and not isinstance(code, Exit):
        return report_stop(arguments)  # the toolkit's number for a Ctrl-C in a command that did not tell of it
    return code if isinstance(code, int) else Exit.OK


def report_stop(arguments: Sequence[str]) -> int:
    """Tell that Ctrl-C ended the command before it had anything better to tell."""
    return _report(CancelledTaskError("命令已停止", facts={"by": "user"}), arguments)


def report_crash(error: Exception, arguments: Sequence[str]) -> int:
    """Tell of a bug of ours without a traceback (unless `--debug`); for the process edge in `main.py`."""
    name = type(error).__name__
    crash = SgClawError(
        f"程序内部错误（{name}）", next_step="请用 sgclaw --debug 重新执行，把输出交给管理员", facts={"error": name}
    )
    _report(crash, arguments, traced=error)
    return Exit.INTERNAL


def _check_surroundings(arguments: Sequence[str]) -> None:
    """What makes every command impossible is refused before it begins, whatever it would have done."""
    if sys.stdout is None:
        raise FileProblemError("标准输出没有打开，结果无处可写", next_step="请去掉 >&-，或改为 >/dev/null")
    for number, word in enumerate(arguments, 1):
        if not word.isascii() and any("\ud800" <= character <= "\udfff" for character in word):
            raise UsageProblemError(f"第 {number} 个参数不是有效的 UTF-8 文字", next_step="请检查终端或脚本的编码")


def _report_usage(error: typer.TyperException, arguments: Sequence[str]) -> int:
    problem = usage_problem(error)
    if problem is not None:
        return _report(problem, arguments)
    warn(str(error))
    return Exit.USAGE


def _from_os(error: OSError) -> FileProblemError:
    place = f"：{error.filename}" if error.filename else ""
    facts = {"path": str(error.filename or ""), "why": type(error).__name__}
    return FileProblemError(f"读写文件失败（{error.strerror or type(error).__name__}）{place}", facts=facts)


def _report(error: SgClawError, arguments: Sequence[str], *, traced: Exception | None = None) -> int:
    # An error may come before options are read, so the words themselves say what is wanted.
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--debug" in options:
        warn("".join(traceback.format_exception(traced or error)))
    if "--json" not in options or not _told_as_json(error):
        warn(f"错误：{error.cause}")
        warn(f"下一步：{error.next_step}")
    return Exit.USAGE if isinstance(error, UsageProblemError) else exit_of(error.code)


def _told_as_json(error: SgClawError) -> bool:
    """Whether stdout took the error: it may be the very thing that went wrong."""
    if sys.stdout is None:
        return False
    try:
        say_json({"error": redact(error.as_dict())})
    except OSError:
        return False
    return True
