"""`python -m browser_host_stub conformance`: the words of the command, and its end."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from browser_host_stub.conformance.report import as_json, table, titles
from browser_host_stub.conformance.runner import PLACEHOLDERS, Plan, Report, Runner, chosen
from browser_host_stub.conformance.site import Site
from browser_host_stub.conformance.verdict import STATES_TOLD, State, Verdict
from browser_host_stub.ends import FAILED, OK, BadUsageError
from browser_host_stub.output import say, tell, tell_json

HELP = "逐项检查一个浏览器端实现是否符合 docs/protocol.md"
_REPORT = "conformance.json"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Enter the options of the command."""
    group = parser.add_argument_group("选项")
    names = " ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    group.add_argument("-h", "--help", action="help", help="显示这份说明")
    group.add_argument("--host-cmd", required=True, metavar="命令", help=f"启动被测浏览器端的命令，可用 {names}")
    group.add_argument("--json", action="store_true", help="只在标准输出打印一个 JSON 对象")
    group.add_argument("--out", type=Path, default=Path("out/conformance"), metavar="目录", help="日志和报告的目录")
    group.add_argument("--only", nargs="+", default=[], metavar="名称", help="只检查这些组或项目")
    group.add_argument("--timeout", type=_seconds, default=20.0, metavar="秒", help="每次等待的时限，默认 20")
    group.add_argument("--slow", action="store_true", help="也检查需要几分钟的项目")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 600:
        raise argparse.ArgumentTypeError(f"要在 1 到 600 之间，不能是“{text[:20]}”")
    return seconds


async def run(options: argparse.Namespace) -> int:
    """Run the rows; the exit code is 0 when all passed."""
    plan = Plan(options.host_cmd, options.out.absolute(), options.timeout, tuple(options.only), options.slow)
    chosen(plan.only, slow=plan.slow)
    plan.words({})
    _make(plan.out)
    report = await conformance(plan)
    if options.json:
        tell_json(as_json(report))
    else:
        for line in table(report):
            tell(line)
    return OK if report.passed else FAILED


async def conformance(plan: Plan) -> Report:
    """One run on pages of its own; the report is kept in the folder as JSON, too."""
    async with Site() as site:
        report = await Runner(plan, site, _progress).run()
    (plan.out / _REPORT).write_text(json.dumps(as_json(report), ensure_ascii=False, indent=1), "utf-8")
    return report


def _progress(verdict: Verdict) -> None:
    if verdict.state is not State.PASSED:
        say(f"{STATES_TOLD[verdict.state]} {verdict.row}（{titles()[verdict.row][0]}）：{verdict.why}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"--out 不能用作目录：{folder}（{error.strerror}）"
        raise BadUsageError(cause, next_step="请换一个可以写入的目录") from None
