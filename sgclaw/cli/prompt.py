"""`sgclaw prompt show`: what a role would be told for a task, layer by layer, with token counts. Asks no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json
from sgclaw.errors import UsageProblemError

if TYPE_CHECKING:
    from sgclaw.context.assemble import Assembled

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="查看模型会看到的提示词。")

_SHOW = """逐层列出一个角色为一个任务会看到的提示词和 token 数，不调用模型。

指令用 --task 给出，其余内容（背景、前序结果、经验、技能等）是自带的示例。
token 按 cl100k 离线计数；没有安装计数组件时给出的是上限。
角色：executor、reviewer、quality_review、planner、delegate、goal_review、claim、mention、discussion、healer、evolver。
"""


@app.command("show", cls=Command, help=_SHOW)
def show(
    role: Annotated[str, typer.Option("--role", metavar="角色", help="看哪个角色，不写就是 executor")] = "executor",
    task: Annotated[str, typer.Option("--task", metavar="指令", help="用户的指令，不写就用示例")] = "导出本月合规报表",
    as_json: JsonFlag = False,
) -> int:
    """The layers of one role."""
    from sgclaw.context.assemble import assemble
    from sgclaw.context.samples import REFERENCES, TRACE_ID, sample

    if not task.strip():
        raise UsageProblemError("--task 是空的", next_step="请写出指令，例如 --task 导出本月合规报表")
    assembled = assemble(role, sample(role, task), TRACE_ID, REFERENCES)
    if as_json:
        say_json(_as_dict(assembled))
    else:
        _tell(assembled)
    return Exit.OK


def _tell(assembled: Assembled) -> None:
    from sgclaw.context.budgets import BOOTSTRAP
    from sgclaw.context.matrix import row_of

    row = row_of(assembled.role)
    idle = "" if row.runs else "；目前没有场景会启动它"
    say(f"角色 {assembled.role}（{row.title}{idle}）")
    for layer in assembled.layers:
        say()
        say(f"=== {layer.name} {layer.title}：{layer.tokens} / {layer.budget} token")
        for name, tokens in layer.parts:
            say(f"    {name}：{tokens}")
        say(layer.text or "（无）")
    say()
    say(f"=== 指令（原文）\n{assembled.messages[-1].text}")
    say()
    say(f"合计（不含 L3 和指令）：{assembled.bootstrap} / {BOOTSTRAP} token")
    say("说明：指令以外的任务内容都是示例")


def _as_dict(assembled: Assembled) -> dict[str, object]:
    from sgclaw.context.budgets import BOOTSTRAP
    from sgclaw.context.matrix import row_of

    layers = [
        {
            "name": layer.name,
            "title": layer.title,
            "tokens": layer.tokens,
            "budget": layer.budget,
            "parts": [{"name": name, "tokens": tokens} for name, tokens in layer.parts],
            "text": layer.text,
        }
        for layer in assembled.layers
    ]
    messages = [{"role": each.role, "text": each.text, "keeps": each.keeps} for each in assembled.messages]
    return {
        "role": assembled.role,
        "runs": row_of(assembled.role).runs,
        "example": True,
        "tokens": assembled.bootstrap,
        "budget": BOOTSTRAP,
        "layers": layers,
        "messages": messages,
    }
