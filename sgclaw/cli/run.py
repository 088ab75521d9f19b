"""`sgclaw run "指令"`: one task through the configured browser, from here to its result."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sgclaw.cli.interrupts import interrupts_held
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.world import world_of
from sgclaw.errors import UsageProblemError

JsonObject = dict[str, object]
MAX_SECONDS = 86_400
HELP = """执行一个任务：启动设置里的浏览器（host_command），显示进度，打印结果。

标准输入是终端时会就缺少的信息提问；按一次 Ctrl-C 有序停止任务，再按一次立即退出。
进度写到标准错误。加 --json 时标准输出只有一个 JSON 对象。
"""


def run(
    context: typer.Context,
    instruction: Annotated[str, typer.Argument(metavar="指令", help="用中文描述的任务，例如 “导出上个月的月度报表”")],
    skill: Annotated[
        str | None, typer.Option("--skill", metavar="技能", help="直接用这个技能（名称 或 名称@版本）")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="名称=值", help="指定一个输入，可重复；名称:=值 表示值是 JSON，例如 rows:=10"),
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option("--timeout", metavar="秒", min=1, max=MAX_SECONDS, help="任务期限的秒数，等人答复时不计时"),
    ] = None,
    *,
    as_json: JsonFlag = False,
) -> int:
    """Run one task; progress goes to stderr, the result to stdout."""
    wanted = {"instruction": instruction, "skill": skill, "inputs": _inputs(inputs or []), "deadline_s": timeout}
    with interrupts_held() as held:
        from sgclaw.cli.task import request_of, run_task

        request = request_of(wanted)
    return run_task(world_of(context), request, as_json=as_json, stopped=held.asked)


def _inputs(pairs: list[str]) -> JsonObject:
    inputs: JsonObject = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name.rstrip(":"):
            raise UsageProblemError(f"--input 的写法不对：{pair[:80]}", next_step="请写成 名称=值，或 名称:=JSON 值")
        inputs[name.removesuffix(":")] = _json_value(pair, text) if name.endswith(":") else text
    return inputs


def _json_value(pair: str, text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise UsageProblemError(
            f"--input 的值不是 JSON：{pair[:80]}", next_step="请写成 名称:=JSON 值；文字用 名称=值"
        ) from None


def _refuse(constant: str) -> object:
    raise ValueError(constant)
