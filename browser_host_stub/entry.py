"""The words of the command, and how every end of it is told."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from datetime import date
from pathlib import Path
from typing import Never

from pydantic import ValidationError

from browser_host_stub.chromium.faults import report_lost
from browser_host_stub.commands import check, host, run, serve
from browser_host_stub.ends import EXIT_CODES, BadUsageError, LocalFileError, report, stopped, wants_json
from sgclaw.errors import ActionCode, ActionError, SgClawError

DEFAULT_OUT = Path("out")
DEMO_INSTRUCTION = "导出2026年3月财务部的月度报表"


class _Parser(argparse.ArgumentParser):
    """Usage errors are errors like any other: typed, and told to programs too."""

    def error(self, message: str) -> Never:
        raise BadUsageError(f"命令用法不对：{message}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m browser_host_stub",
        description="用 Chromium 演示站点试用 sgClaw",
        epilog="退出码：\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _run_options(commands.add_parser("run", help="执行一个任务"), instruction=True)
    _run_options(commands.add_parser("demo", help=f"执行演示任务：{DEMO_INSTRUCTION}"), instruction=False)
    _run_options(commands.add_parser("serve", help="保持浏览器打开，逐行读取任务"), instruction=False)
    host_parser = commands.add_parser("host", help="由 sgclaw run 启动：经标准输入输出提供浏览器")
    _browser_options(host_parser)
    return parser


def _browser_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--headed", action="store_true", help="显示浏览器窗口")
    parser.add_argument("--signed-out", action="store_true", help="不替用户登录演示系统")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="下载文件和日志的目录（默认 ./out）")
    parser.add_argument("--state-dir", type=Path, default=None, help="账本的目录（默认与 sgclaw 命令相同）")
    parser.add_argument("--today", type=date.fromisoformat, default=None, help="演示站点的日期，默认今天")
    parser.add_argument("--yes", action="store_true", help="对需要确认的操作一律同意（仅限演示站点）")


def _run_options(parser: argparse.ArgumentParser, *, instruction: bool) -> None:
    if instruction:
        parser.add_argument("instruction", help="用中文描述的任务")
    _browser_options(parser)
    parser.add_argument("--skill", help="指定技能，不做选择")
    parser.add_argument("--input", action="append", default=[], metavar="名称=值", help="指定一个输入，可重复")
    parser.add_argument("--json", action="store_true", help="只在标准输出打印一个 JSON 对象")
    parser.add_argument("--keep", action="store_true", help="结束后保持浏览器打开，按回车关闭")


_COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[None, None, int]]] = {
    "run": run,
    "demo": run,
    "serve": serve,
    "host": host,
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
    check(options)
    return asyncio.run(_carry_out(options))


async def _carry_out(options: argparse.Namespace) -> int:
    asyncio.get_running_loop().set_exception_handler(report_lost)
    return await _COMMANDS[options.command](options)


def _has_surrogates(word: str) -> bool:
    """How Python hands over bytes of an argument that are not UTF-8."""
    return any("\ud800" <= char <= "\udfff" for char in word)
