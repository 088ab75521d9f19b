"""`python -m browser_host_stub run | demo | serve | host`: a browser to try sgClaw with."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from datetime import date
from pathlib import Path

from browser_host_stub.commands import CODES, demo, host, run, serve
from browser_host_stub.terminal import say
from sgclaw.errors import SgClawError

DEFAULT_OUT = Path("out")
DEMO_INSTRUCTION = "导出2026年3月财务部的月度报表"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m browser_host_stub", description="用 Chromium 演示站点试用 sgClaw")
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
    "demo": demo,
    "serve": serve,
    "host": host,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "demo":
        options.instruction = DEMO_INSTRUCTION
    try:
        return asyncio.run(_COMMANDS[options.command](options))
    except KeyboardInterrupt:
        say("已停止")
        return CODES["aborted"]
    except SgClawError as error:
        say(f"{error.code}：{error.cause}。{error.next_step}")
        if getattr(options, "json", False):
            print(json.dumps({"outcome": "failed", "error": error.as_dict()}, ensure_ascii=False))
        return 1


if __name__ == "__main__":
    sys.exit(main())
