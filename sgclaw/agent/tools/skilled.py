"""`search_skills`, `read_skill`, `run_skill`: what others have made work before, ahead of working it out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sgclaw.agent.dataflow import strings
from sgclaw.agent.desk import Desk
from sgclaw.agent.limits import objection
from sgclaw.agent.tools.model import Tool, ToolOutcome
from sgclaw.agent.tools.telling import capped
from sgclaw.agent.truth import SUBMITTED, Write
from sgclaw.context.chat import ToolSpec
from sgclaw.context.untrusted import Untrusted, one_line
from sgclaw.errors import ActionCode
from sgclaw.ports import Observed, SkillBook
from sgclaw.protocol.actions import Risk, spec_of
from sgclaw.protocol.parts import EvidenceRank

_FOUND: Final = 5
_TEXT_CAP: Final = 2_000


def skill_tools(desk: Desk) -> Sequence[Tool]:
    """The three tools over one desk; none where there is no catalogue."""
    book = desk.equipment.skills
    if book is None:
        return ()
    tools = _Skilled(desk, book)
    return (
        Tool(_SEARCH, tools.search, changes=False),
        Tool(_READ, tools.read, changes=False),
        Tool(_RUN, tools.run, changes=True),
    )


class _Skilled:
    def __init__(self, desk: Desk, book: SkillBook) -> None:
        self._desk, self._book = desk, book

    async def search(self, arguments: Mapping[str, object]) -> ToolOutcome:
        """Names and a line each."""
        found = await self._book.search(str(arguments["query"]), _FOUND)
        if not found:
            return ToolOutcome("没有找到合适的技能，请直接操作页面。")
        lines = [f"- {each.name}（v{each.version}）：{one_line(each.description, 120)}" for each in found]
        return ToolOutcome("\n".join(("找到的技能：", *lines)))

    async def read(self, arguments: Mapping[str, object]) -> ToolOutcome:
        """The whole text of one."""
        name = str(arguments["name"])
        text = await self._book.read(name)
        return ToolOutcome(capped(Untrusted("note", f"skill:{name}", text), _TEXT_CAP))

    async def run(self, arguments: Mapping[str, object]) -> ToolOutcome:
        """Run one; its acts count as this task's, and its words are a claim like any other."""
        desk, name = self._desk, str(arguments["name"])
        given = arguments.get("inputs")
        inputs: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
        stated = arguments.get("criterion")
        desk.criterion = desk.criterion or (stated.strip() if isinstance(stated, str) else "")
        if desk.in_doubt is not None:
            return ToolOutcome("前面有操作结果不明，不再运行技能。请用 finish 如实说明。", failed=True)
        refusal = objection(desk.task.context.instruction, desk.criterion, changes=True)
        if refusal is not None:
            return ToolOutcome(refusal, failed=True)
        with desk.judged(f"run_skill {name}"):
            origins = await self._admitted(name, inputs)
        desk.person_decided = False
        with desk.underway(f"运行技能 {name}"):
            run = await self._book.run(name, inputs)
        for observed in run.trail:
            self._took(observed)
        for origin in origins:
            desk.tracker.read(origin, strings(run.result.data))
        if run.error is not None:
            if run.error.code == ActionCode.UNKNOWN_OUTCOME:
                desk.in_doubt = run.error
            raise run.error
        told = json.dumps(
            {"success": run.result.success, "data": run.result.data, "error": run.result.error},
            ensure_ascii=False,
            default=str,
        )
        seqs = "、".join(str(each.seq) for each in run.trail[-8:])
        head = f"技能 {name} {'执行完成' if run.result.success else '报告失败'}，操作编号 {seqs or '无'}："
        last = run.trail[-1] if run.trail else None
        text = f"{head}\n{capped(Untrusted('page', desk.task.scope.main.host, told), _TEXT_CAP)}"
        return ToolOutcome(text, failed=not run.result.success, observed=last, note=f"运行技能 {name}")

    async def _admitted(self, name: str, inputs: Mapping[str, object]) -> Sequence[str]:
        """The origins the skill acts on, each let in, and every text of the inputs let go there."""
        desk, origins = self._desk, []
        for host in self._book.domains(name):
            origin = desk.task.scope.origin_for(host, "")
            await desk.admit(origin, f"运行技能 {name}")
            for text in strings(list(inputs.values()), names=True):
                await desk.release(str(origin), text)
            origins.append(str(origin))
        return origins

    def _took(self, observed: Observed) -> None:
        desk, spec = self._desk, spec_of(observed.action)
        sight = desk.took(observed, observed.page.id if observed.page else None)
        if spec.changes:
            rank = EvidenceRank.FILE_HASH if observed.artifact else EvidenceRank.DOM_STATE
            final = spec.risk is Risk.IRREVERSIBLE or desk.person_decided
            name = SUBMITTED if observed.action == "type" else observed.action  # it is not told whether it was sent off
            desk.proofs.wrote(Write(observed.seq, name, final, (sight.page.id, sight.page.version), rank))


_NAME: Final = {"type": "string", "minLength": 1, "maxLength": 200, "description": "技能名"}
_SEARCH: Final = ToolSpec(
    "search_skills",
    "按要做的事查找现成的技能，返回名称和说明。有合适的技能就先用技能。",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
_READ: Final = ToolSpec(
    "read_skill",
    "读取一个技能的全文：用途、参数、步骤。",
    {"type": "object", "properties": {"name": _NAME}, "required": ["name"], "additionalProperties": False},
)
_RUN: Final = ToolSpec(
    "run_skill",
    "运行一个技能。inputs 按 read_skill 给出的参数填写。",
    {
        "type": "object",
        "properties": {
            "name": _NAME,
            "inputs": {"type": "object"},
            "criterion": {"type": "string", "description": "任务的成功标准；第一次改变之前必须写一次"},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)
