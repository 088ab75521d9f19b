"""Sessions in which a person is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sgclaw.errors import WireCode
from sgclaw.protocol.messages import Answer, Approval, AskPerson, SubmitTask, TaskCompleted
from sgclaw.protocol.parts import Problem, SkillTag, State
from tests.wire.scribe import ERP, ERP_HOST, Scribe
from tests.wire.stories.ordinary import state
from tests.wire.transcript import Transcript

SUBMIT: Final = {"selector": "#submit"}
_ASKS: Final = {"clearStorage": "irreversible", "login": "credential", "logout": "credential"}
_DATA: Final[Mapping[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "clearStorage": ({}, {"cleared": True}),
    "login": ({"site": ERP_HOST, "credential": "%vault:erp.zhang%"}, {"logged_in": True}),
    "logout": ({"site": ERP_HOST}, {"logged_out": True}),
}


def held(scribe: Scribe, seq: int, approval_id: str, action: str, params: dict[str, Any], **facts: Any) -> None:
    """`NEEDS_APPROVAL`: everything in `facts` comes from the real page."""
    word = facts.pop("word", None)
    cause = f"目标含有“{word}”，需要您确认" if word else f"操作 {action} 影响较大，需要您确认"
    shown = {
        "approval_id": approval_id,
        "action": action,
        "params": params,
        "origin": ERP,
        "domain": ERP_HOST,
        "rule": "approval.label" if word else f"approval.{_ASKS[action]}",
        "label": "",
        "element": "",
        "value": None,
        "form_action": None,
        "href": None,
        "context": None,
        "skill": None,
        **facts,
    }
    scribe.fail(seq, "NEEDS_APPROVAL", cause, shown)


def _click_held(scribe: Scribe, approval_id: str, **command: Any) -> int:
    seq = scribe.command("click", SUBMIT, **command)
    facts = {"label": "提 交", "element": "提 交", "form_action": f"{ERP}/voucher/save", "word": "提交"}
    skill = command.get("skill")
    held(scribe, seq, approval_id, "click", SUBMIT, **facts, skill=skill.ref if isinstance(skill, SkillTag) else None)
    return seq


def approved() -> Transcript:
    scribe = Scribe("An act that a person approves", "NEEDS_APPROVAL, the person's yes, the same act once more.").open()
    _click_held(scribe, "ap-1")
    scribe.host(Approval(approval_id="ap-1", approved=True), note="the person saw the facts of the real element")
    seq = scribe.command("click", SUBMIT, approval_id="ap-1", note="a new seq; everything else is the act that is held")
    scribe.answer(seq, {"clicked": True}, moved=(f"{ERP}/voucher/1", "凭证"))
    return scribe.close()


def credentials() -> Transcript:
    scribe = Scribe(
        "Acts that always need a yes", "login, logout and clearStorage; the secret stays with the host."
    ).open()
    for number, (action, (params, data)) in enumerate(_DATA.items(), 1):
        seq = scribe.command(action, params)
        held(scribe, seq, f"ap-{number}", action, params)
        scribe.host(Approval(approval_id=f"ap-{number}", approved=True))
        scribe.answer(scribe.command(action, params, approval_id=f"ap-{number}"), data)
    return scribe.close()


def refused() -> Transcript:
    scribe = Scribe(
        "An act that a person refuses", "approved: false, or silence for 120 s: nothing is sent again."
    ).open()
    _click_held(scribe, "ap-1")
    scribe.host(Approval(approval_id="ap-1", approved=False))
    state(scribe, State.FAILED)
    problem = Problem(
        code="NEEDS_APPROVAL", message="该操作没有得到您的确认，没有执行", next_step="请在侧边栏确认该操作后重新提交"
    )
    scribe.agent(TaskCompleted(task_id="t1", outcome="failed", summary=problem.message, error=problem, steps=1))
    return scribe.close()


def misused() -> Transcript:
    scribe = Scribe(
        "Approvals that cover nothing",
        "An unknown one, a used one, one of another act: each POLICY_DENIED, and nothing is done.",
        agent="channel",
    ).open()
    seq = scribe.command("click", SUBMIT, approval_id="ap-9")
    scribe.fail(seq, "POLICY_DENIED", "没有这个确认，或它已经用过", {"rule": "approval.unknown"})
    _click_held(scribe, "ap-1")
    scribe.host(Approval(approval_id="ap-1", approved=True))
    scribe.answer(scribe.command("click", SUBMIT, approval_id="ap-1"), {"clicked": True})
    seq = scribe.command("click", SUBMIT, approval_id="ap-1", note="used up")
    scribe.fail(seq, "POLICY_DENIED", "没有这个确认，或它已经用过", {"rule": "approval.unknown"})
    _click_held(scribe, "ap-2")
    scribe.host(Approval(approval_id="ap-2", approved=True))
    seq = scribe.command("click", SUBMIT, approval_id="ap-2", task_id="t2", note="the same act for another task")
    scribe.fail(seq, "POLICY_DENIED", "确认的不是这个操作", {"rule": "approval.other_act"})
    return scribe.close()


def asked_too_often() -> Transcript:
    scribe = Scribe(
        "The eleventh confirmation of one task",
        "Ten are put to the person; the next is refused in their name.",
        agent="channel",
    ).open()
    for number in range(1, 11):
        _click_held(scribe, f"ap-{number}")
        scribe.host(Approval(approval_id=f"ap-{number}", approved=False))
    seq = scribe.command("click", SUBMIT)
    facts = {
        "approval_id": "ap-11", "action": "click", "params": SUBMIT, "origin": ERP, "domain": ERP_HOST,
        "rule": "approval.too_many", "label": "提 交", "element": "提 交", "value": None,
        "form_action": f"{ERP}/voucher/save", "href": None, "context": None, "skill": None,
    }  # fmt: skip
    scribe.fail(seq, "NEEDS_APPROVAL", "要求您确认的次数过多，不再询问", facts)
    scribe.host(Approval(approval_id="ap-11", approved=False), note="nobody was asked")
    return scribe.close()


def questions() -> Transcript:
    scribe = Scribe("Questions", "An answer, a choice, and nobody there.").open()
    scribe.host(SubmitTask(task_id="t1", instruction="导出财务月报"))
    state(scribe, State.PLANNING)
    state(scribe, State.CONFIRMING)
    scribe.agent(AskPerson(question_id="q1", task_id="t1", text="要导出哪个月的报表？", deadline_s=120))
    scribe.host(Answer(question_id="q1", text="上个月"))
    state(scribe, State.PLANNING)
    state(scribe, State.CONFIRMING)
    scribe.agent(AskPerson(question_id="q2", task_id="t1", text="哪种格式？", choices=("Excel", "CSV"), deadline_s=120))
    scribe.host(Answer(question_id="q2", text="Excel"))
    state(scribe, State.PLANNING)
    state(scribe, State.CONFIRMING)
    scribe.agent(AskPerson(question_id="q3", task_id="t1", text="哪个部门？", deadline_s=120))
    scribe.host(Answer(question_id="q3", declined=True), note="at once, instead of letting the deadline pass")
    state(scribe, State.FAILED)
    problem = Problem(code="NEEDS_HUMAN", message="没有得到回答：哪个部门？", next_step="请按提示处理后重新提交任务")
    scribe.agent(TaskCompleted(task_id="t1", outcome="failed", summary=problem.message, error=problem))
    return scribe.close()


def unasked() -> Transcript:
    scribe = Scribe("Answers nobody waits for", "Refused with UNKNOWN_SEQ; the session goes on.", host="channel").open()
    cause = "没有等待这个答复的问题"
    scribe.unasked(Answer(question_id="q1", text="上个月"), WireCode.UNKNOWN_SEQ, cause)
    scribe.unasked(Approval(approval_id="ap-1", approved=True), WireCode.UNKNOWN_SEQ, cause, "no act is held under it")
    return scribe.close()


STORIES: Final[Mapping[str, Callable[[], Transcript]]] = {
    "20-approved": approved,
    "21-credentials": credentials,
    "22-refused": refused,
    "23-approvals-misused": misused,
    "24-asked-too-often": asked_too_often,
    "25-questions": questions,
    "26-unasked-answers": unasked,
}
