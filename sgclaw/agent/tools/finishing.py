"""`finish`: the end a model asks for, which it gets when its evidence and its words hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sgclaw.agent.dataflow import strings
from sgclaw.agent.desk import Desk
from sgclaw.agent.ending import Ending
from sgclaw.agent.summary import Review, inert_answer, is_chinese, review, scope_test, without
from sgclaw.agent.tools.model import Tool, ToolOutcome
from sgclaw.agent.truth import Claim, Judgement
from sgclaw.context.chat import ToolSpec
from sgclaw.errors import ActionCode, ActionError, NeedsHumanError, SgClawError, UnverifiedError
from sgclaw.protocol.parts import State
from sgclaw.redact import redact, redact_text

NAME: Final = "finish"
_LONGEST: Final = 4_000
_NO_CHINESE: Final = "任务已结束，没有可以显示的中文总结"


def finishing_tool(desk: Desk) -> Tool:
    """The tool over one desk."""

    async def call(arguments: Mapping[str, object]) -> ToolOutcome:
        desk.machine.settle(State.EVALUATING)
        return _evaluated(desk, arguments)

    return Tool(_SPEC, call, changes=False)


def _evaluated(desk: Desk, arguments: Mapping[str, object]) -> ToolOutcome:
    """The ending, or once the reasons why it is not believed."""
    summary = str(arguments["summary"]).strip()[:_LONGEST]
    stated = arguments.get("criterion")
    desk.criterion = desk.criterion or (stated.strip() if isinstance(stated, str) else "")
    known, kinds, today = desk.proofs.numbers, desk.proofs.kinds, desk.equipment.clock.now().date()
    looked_at = review(summary, known, kinds, today)
    data = arguments.get("data")
    unseen = review("\n".join(strings(data, names=True)), known, kinds, today).numbers
    if arguments["outcome"] != "done":
        return _undone(desk, summary, looked_at)
    judgement = desk.proofs.judge(_claims(arguments.get("evidence")))
    problems = [*judgement.objections, *_problems(summary, looked_at)]
    if not desk.criterion:
        problems.append("没有说出任务的成功标准：写在 criterion 里。")
    problems += [f"data 里的“{number}”在读到的数据里找不到。" for _, number in unseen[:5]]
    if problems and not desk.sent_back:
        desk.sent_back = True
        words = "\n".join(f"- {problem}" for problem in problems)
        return ToolOutcome(f"还不能结束，请核对之后再次 finish：\n{words}", failed=True)
    return ToolOutcome("任务结束。", ends=_done(desk, summary, looked_at, judgement, None if unseen else data))


def _problems(summary: str, looked_at: Review) -> list[str]:
    problems = [
        f"总结里的“{number}”在读到的数据里找不到（{sentence[:60]}）。" for sentence, number in looked_at.numbers
    ]
    problems += [f"没有做过总结里说的事（{claim[:60]}）。" for claim in looked_at.claims]
    return problems if is_chinese(summary) else [*problems, "总结要用中文写。"]


def _done(desk: Desk, summary: str, looked_at: Review, judgement: Judgement, data: object) -> Ending:
    dropped = {sentence for sentence, _ in looked_at.numbers}
    shown = _shown(desk, without(summary, dropped))
    kept = redact(data) if data is not None else None
    error: SgClawError | None = None
    if desk.in_doubt is not None:
        error = _unknown(desk.in_doubt)
    elif judgement.objections:
        error = UnverifiedError(f"证据不足：{judgement.objections[0]}", facts={"reason": "evidence"})
    elif looked_at.claims:
        error = UnverifiedError(
            "总结里有过程中没有做过的事", facts={"reason": "claims", "claims": len(looked_at.claims)}
        )
    return Ending(shown, error, kept, judgement.evidence)


def _undone(desk: Desk, summary: str, looked_at: Review) -> ToolOutcome:
    """A model that gives up is believed, but for numbers it cannot know."""
    shown = _shown(desk, without(summary, {sentence for sentence, _ in looked_at.numbers}))
    error: SgClawError = NeedsHumanError(
        "任务没有完成", next_step="请查看说明，处理后重新提交任务", facts={"reason": "given_up"}
    )
    if desk.in_doubt is not None:
        error = _unknown(desk.in_doubt)
    return ToolOutcome("任务结束。", ends=Ending(shown, error))


def _unknown(doubt: SgClawError) -> SgClawError:
    return ActionError(ActionCode.UNKNOWN_OUTCOME, doubt.cause, facts=doubt.facts)


def _shown(desk: Desk, text: str) -> str:
    origins = {str(origin) for origin in desk.task.scope.all_origins}
    inert = redact_text(inert_answer(text, scope_test(origins)))
    return inert if is_chinese(inert) else _NO_CHINESE


def _claims(given: object) -> list[Claim]:
    listed = given if isinstance(given, list) else []
    return [Claim(int(each["seq"]), str(each.get("quote", ""))) for each in listed if isinstance(each, dict)]


_SPEC: Final = ToolSpec(
    NAME,
    "结束任务。outcome：done 做成了，not_done 没做成。总结用中文，数字只用读到的；证据写看到结果的操作编号和原文。",
    {
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": ["done", "not_done"]},
            "summary": {"type": "string", "minLength": 1},
            "criterion": {"type": "string", "description": "成功标准"},
            "evidence": {
                "type": "array",
                "maxItems": 20,
                "items": {
                    "type": "object",
                    "properties": {
                        "seq": {"type": "integer", "minimum": 1, "description": "操作编号"},
                        "quote": {"type": "string", "description": "结果里的原文，尽量具体"},
                    },
                    "required": ["seq"],
                    "additionalProperties": False,
                },
            },
            "data": {"description": "任务要的数据"},
        },
        "required": ["outcome", "summary"],
        "additionalProperties": False,
    },
)
