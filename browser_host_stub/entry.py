"""The words of the command, and how every end of it is told."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Never

from pydantic import ValidationError

from browser_host_stub.chromium.faults import report_lost
from browser_host_stub.commands import check, host, run, serve
from browser_host_stub.conformance import command as conformance
from browser_host_stub.ends import EXIT_CODES, BadUsageError, LocalFileError, report, stopped, wants_json
from browser_host_stub.terminal import PEOPLE
from sgclaw.errors import ActionCode, ActionError, SgClawError

DEFAULT_OUT = Path("out")
DEMO_INSTRUCTION = "导出2026年3月财务部的月度报表"


_FAULTS = (
    (r"the following arguments are required: (.+)", "缺少 {}"),
    (r"unrecognized arguments: (.+)", "不认识 {}"),
    (r"argument (.+?): expected one argument", "{} 后面要有一个值"),
    (r"argument (.+?): ignored explicit argument (.+)", "{} 后面不能有值：{}"),
    (r"argument (.+?): invalid choice: (.+) \(choose from (.+)\)", "{} 不能是 {}，可选 {}"),
    (r"ambiguous option: (.+) could match (.+)", "{} 不明确，可以是 {}"),
    (r"argument (.+?): (.+)", "{}：{}"),
)
"""What argparse says about a command line, and the same in Chinese; the first that fits counts."""


def _in_chinese(message: str) -> str:
    found = ((re.fullmatch(pattern, message, re.DOTALL), told) for pattern, told in _FAULTS)
    return next((told.format(*match.groups()) for match, told in found if match), message)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """The words of argparse that stand before the usage, in Chinese."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, "用法：" if prefix is None else prefix)


class _Parser(argparse.ArgumentParser):
    """Usage errors are errors like any other: typed, and told to programs too."""

    def error(self, message: str) -> Never:
        raise BadUsageError(f"命令用法不对：{_in_chinese(message)}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"日期要写成 2026-03-31 这样，不能是“{text[:40]}”") from None


_Option = tuple[str, Mapping[str, Any]]
_BROWSER_OPTIONS: Sequence[_Option] = (
    ("--headed", {"action": "store_true", "help": "显示浏览器窗口"}),
    ("--signed-out", {"action": "store_true", "help": "不替用户登录演示系统"}),
    ("--out", {"type": Path, "default": DEFAULT_OUT, "metavar": "目录", "help": "下载文件和日志的目录，默认 ./out"}),
    ("--state-dir", {"type": Path, "metavar": "目录", "help": "状态目录，账本在其中，默认与 sgclaw 命令相同"}),
    ("--today", {"type": _day, "metavar": "日期", "help": "演示站点的日期，默认今天"}),
    ("--yes", {"action": "store_true", "help": "对需要确认的操作一律同意（仅限演示站点）"}),
)
_TASK_OPTIONS: Sequence[_Option] = (
    ("--skill", {"metavar": "技能", "help": "指定技能，不做选择"}),
    ("--input", {"action": "append", "default": [], "metavar": "名称=值", "help": "指定一个输入，可重复"}),
    ("--file", {"action": "append", "default": [], "metavar": "名称=路径", "help": "把文件作为输入交给任务，可重复"}),
    ("--json", {"action": "store_true", "help": "只在标准输出打印一个 JSON 对象"}),
    ("--keep", {"action": "store_true", "help": "结束后保持浏览器打开，按回车关闭"}),
)
_HOST_OPTIONS: Sequence[_Option] = (
    ("--policy", {"type": Path, "metavar": "文件", "help": "访问策略（JSON），默认是演示站点的；给出时不登录演示系统"}),
    ("--approve", {"choices": tuple(PEOPLE), "help": "对需要确认的操作总是这样回答"}),
)
_HELPS: Mapping[str, str] = {
    "run": "执行一个任务",
    "demo": f"执行演示任务：{DEMO_INSTRUCTION}",
    "serve": "保持浏览器打开，逐行读取任务",
    "host": "由 sgclaw run 启动：经标准输入输出提供浏览器",
    "conformance": conformance.HELP,
}


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m browser_host_stub",
        description="用 Chromium 演示站点试用 sgClaw",
        epilog="退出码：\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items()),
        formatter_class=_Formatter,
        add_help=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, title="命令", metavar="命令")
    _add_options(parser, ())
    for name, told in _HELPS.items():
        command = commands.add_parser(name, help=told, description=told, formatter_class=_Formatter, add_help=False)
        if name == "run":
            command.add_argument_group("参数").add_argument("instruction", metavar="指令", help="用中文描述的任务")
        if name == "conformance":
            conformance.add_to(command)
        else:
            _add_options(command, (*_BROWSER_OPTIONS, *(_HOST_OPTIONS if name == "host" else _TASK_OPTIONS)))
    return parser


def _add_options(parser: argparse.ArgumentParser, options: Iterable[_Option]) -> None:
    group = parser.add_argument_group("选项")
    group.add_argument("-h", "--help", action="help", help="显示这份说明")
    for name, settings in options:
        group.add_argument(name, **settings)


_COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[None, None, int]]] = {
    "run": run,
    "demo": run,
    "serve": serve,
    "host": host,
    "conformance": conformance.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. With `--json`, whatever ends it is one JSON object on stdout."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = wants_json(words)
    problem: SgClawError
    try:
        return _run(words)
    except KeyboardInterrupt:
        return stopped(as_json=as_json)
    except SgClawError as error:
        problem = error
    except ValidationError as error:
        names = "、".join(sorted({str(part) for item in error.errors(include_input=False) for part in item["loc"]}))
        problem = BadUsageError(f"这些设置不可用：{names}")
    except TimeoutError:
        problem = ActionError(ActionCode.TIMEOUT, "浏览器或 sgclaw 没有在期限内响应")
    except OSError as error:
        problem = LocalFileError(f"无法读写 {error.filename or '标准输出'}：{error.strerror}")
    return report(problem, as_json=as_json)


def _run(words: list[str]) -> int:
    if any(map(_has_surrogates, words)):
        raise BadUsageError("命令行参数不是合法的 UTF-8 文字")
    options = _parser().parse_args(words)
    if options.command == "demo":
        options.instruction, options.json = DEMO_INSTRUCTION, True
    if options.command != "conformance":
        check(options)
    return asyncio.run(_carry_out(options))


async def _carry_out(options: argparse.Namespace) -> int:
    asyncio.get_running_loop().set_exception_handler(report_lost)
    return await _COMMANDS[options.command](options)


def _has_surrogates(word: str) -> bool:
    """How Python hands over bytes of an argument that are not UTF-8."""
    return any("\ud800" <= char <= "\udfff" for char in word)
