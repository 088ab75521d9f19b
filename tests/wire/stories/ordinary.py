"""Sessions in which everybody does what they should."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sgclaw.protocol.actions import describe
from sgclaw.protocol.messages import (
    AuditHead,
    Bye,
    CancelCommand,
    CancelTask,
    CatalogueChanged,
    LogEntry,
    PageEvent,
    PanelRequest,
    PanelResult,
    Pause,
    Ping,
    Pong,
    Resume,
    SubmitTask,
    Takeover,
    TaskCompleted,
    TaskState,
)
from sgclaw.protocol.parts import AomFacts, Evidence, EvidenceRank, KeptHead, Problem, State, TaskOptions
from sgclaw.protocol.results import Artifact, PageInfo
from sgclaw.protocol.signing import Role
from tests.wire.scribe import ERP, ERP_HOST, Scribe, digest, skill_tag
from tests.wire.skill import REF, SOURCE
from tests.wire.transcript import Transcript

REPORT: Final = f"{ERP}/report/finance"
FILE: Final = {
    "id": "f1",
    "name": "财务月报-2026-03.xlsx",
    "size": 18_432,
    "sha256": digest("the report"),
    "mime": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def state(scribe: Scribe, now: State, detail: str = "", task: str = "t1") -> None:
    """A `task_state`."""
    scribe.agent(TaskState(task_id=task, state=now, detail=detail))


def step(scribe: Scribe, number: int, text: str, seq: int) -> None:
    """A `log_entry` of a step that was done."""
    data = {"step": number, "success": True, "seq": seq, "duration_ms": 40}
    scribe.agent(LogEntry(task_id="t1", text=text, data=data))


def handshake() -> Transcript:
    scribe = Scribe("Start and end", "init, ready, a ping, and an orderly end. The host kept a head of this ledger.")
    scribe.open(
        state_dir="/var/lib/superrpa/sgclaw",
        audit_head=KeptHead(count=9, hash=digest("kept")),
    )
    scribe.agent(
        CatalogueChanged(skills=1, refused=0), note="comes when the skills are verified, at any time after ready"
    )
    scribe.host(Ping(id="1"))
    scribe.agent(Pong(id="1"))
    return scribe.close("浏览器关闭")


def bad_policy() -> Transcript:
    about = "sgclaw says bye instead of ready: the key of init signs it."
    scribe = Scribe("A policy that cannot be read", about, host="channel")
    scribe.host(
        scribe.init(policy='{"version":1,"origins":["https://ERP.example.com"]}'), note="origins are lower case"
    )
    scribe.agent(Bye(reason="BAD_POLICY"))
    scribe.end(Role.AGENT)
    return scribe.transcript


def broken_ledger() -> Transcript:
    about = "The head the host kept is no longer in the ledger: bye instead of ready."
    scribe = Scribe("A ledger that was shortened", about, agent="channel")
    scribe.host(scribe.init(audit_head=KeptHead(count=64, hash=digest("record 64"))))
    scribe.agent(Bye(reason="LEDGER_BROKEN"))
    scribe.end(Role.AGENT)
    return scribe.transcript


def hung_up() -> Transcript:
    scribe = Scribe(
        "The browser goes away", "The end of the stream ends the session; outstanding commands fail."
    ).open()
    scribe.command("getText", {"selector": "h1"})
    scribe.end(Role.HOST)
    return scribe.goodbye("eof")


def script_task() -> Transcript:
    scribe = Scribe("A task done by a script skill", "Submit, eight acts of a signed skill, a file, the result.").open()
    scribe.host(
        SubmitTask(
            task_id="t1",
            instruction="导出2026年3月的财务月报",
            inputs={"department": "财务部"},
            page="p1",
            options=TaskOptions(max_steps=40, budget_tokens=0, deadline_s=300),
        )
    )
    state(scribe, State.PLANNING)
    state(scribe, State.EXECUTING, "从 ERP 导出财务月报")
    for number, (action, params, data) in enumerate(_SCRIPT, 1):
        seq = scribe.command(action, params, skill=skill_tag(REF, SOURCE))
        scribe.answer(seq, data, moved=(REPORT, "财务月报") if action == "navigate" else None)
        step(scribe, number, describe(action, params), seq)
    state(scribe, State.EVALUATING)
    state(scribe, State.COMPLETED)
    scribe.agent(_script_result())
    return scribe.close()


_SCRIPT: Final[tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]] = (
    ("navigate", {"url": REPORT}, {"url": REPORT, "title": "财务月报", "status": 200}),
    ("waitForSelector", {"selector": ".report-filter", "timeout_ms": 10_000}, {"found": True}),
    ("click", {"selector": "#month-picker"}, {"clicked": True}),
    ("type", {"selector": "#month-input", "text": "2026-03"}, {"typed": True, "value": "2026-03"}),
    ("press", {"selector": "#month-input", "key": "Enter"}, {"pressed": True}),
    ("select", {"selector": "#export-format", "value": "xlsx"}, {"value": "xlsx", "label": "Excel"}),
    ("getText", {"selector": ".report-total"}, {"text": "共 1,204 条"}),
    ("download", {"selector": ".export-link", "timeout_ms": 60_000}, {"artifact": FILE}),
)


def _script_result() -> TaskCompleted:
    return TaskCompleted(
        task_id="t1",
        outcome="completed",
        summary="已导出 2026 年 3 月财务月报，共 1,204 条",
        data={"message": "已导出 2026 年 3 月财务月报，共 1,204 条", "file": FILE["name"], "rows": 1204},
        artifacts=(Artifact(**FILE),),  # type: ignore[arg-type]
        evidence=(
            Evidence(rank=EvidenceRank.RESPONSE_STATUS, seq=1, fact=f"{REPORT} 返回 200"),
            Evidence(rank=EvidenceRank.DOM_STATE, seq=7, fact="共 1,204 条"),
            Evidence(rank=EvidenceRank.FILE_HASH, seq=8, fact=f"财务月报-2026-03.xlsx sha256 {digest('the report')}"),
        ),
        steps=8,
        duration_ms=4_210,
        skill=REF,
        inputs={"month": "2026-03", "department": "财务部", "format": "xlsx"},
    )


def observed() -> Transcript:
    scribe = Scribe(
        "Responses with a snapshot",
        "`observe` asks for `aom_snapshot` of the page after the act. Only an agent that reads pages asks.",
        host="channel",
    ).open()
    seq = scribe.command("click", {"selector": "#go"}, observe="full")
    whole = AomFacts(interactive_total=2, blank=False)
    scribe.answer(seq, {"clicked": True}, aom_snapshot=_NODES, aom_facts=whole)
    seq = scribe.command("click", {"selector": "#go"}, observe="diff")
    changed = [{**_NODES[0]["children"][1], "disabled": True}]
    differences = AomFacts(interactive_total=2, blank=False, removed=("1:3",))
    scribe.answer(seq, {"clicked": True}, aom_snapshot=changed, aom_facts=differences, note="only what changed")
    return scribe.close()


_NODES: Final[list[dict[str, Any]]] = [
    {
        "role": "main",
        "name": "",
        "children": [
            {"role": "heading", "name": "财务系统"},
            {"role": "button", "name": "查询", "selector": "#go", "ref": "1:2", "bounds": [460, 80, 100, 40]},
        ],
    }
]


def pause_and_takeover() -> Transcript:
    scribe = Scribe(
        "Pause, resume, takeover", "No further act starts while a task is held; the one that runs ends."
    ).open()
    scribe.host(SubmitTask(task_id="t1", instruction="查合计金额"))
    state(scribe, State.PLANNING)
    state(scribe, State.EXECUTING, "查合计金额")
    first = scribe.command("getText", {"selector": ".report-total"})
    scribe.host(Pause(task_id="t1"))
    state(scribe, State.EXECUTING, "已暂停")
    scribe.answer(first, {"text": "共 9 条"}, note="the act that was under way is answered as ever")
    step(scribe, 1, "读取 .report-total 的文字", first)
    scribe.host(Resume(task_id="t1"))
    state(scribe, State.EXECUTING, "继续执行")
    second = scribe.command("getText", {"selector": ".report-sums"})
    scribe.answer(second, {"text": "借方 1.00"})
    step(scribe, 2, "读取 .report-sums 的文字", second)
    scribe.host(Takeover(task_id="t1"), note="the person works on the page; task and deadlines stand still")
    state(scribe, State.EXECUTING, "您已接管页面")
    page = PageInfo(id="p1", url=f"{ERP}/list", title="列表", version=2)
    scribe.host(PageEvent(event="navigated", page=page, facts={"by": "person"}))
    scribe.host(Resume(task_id="t1"))
    state(scribe, State.EXECUTING, "继续执行")
    state(scribe, State.EVALUATING)
    state(scribe, State.COMPLETED)
    scribe.agent(TaskCompleted(task_id="t1", outcome="completed", summary="合计 1.00", steps=2))
    return scribe.close()


def cancelled() -> Transcript:
    scribe = Scribe(
        "A task is stopped", "cancel_task ends the pending command with cancel_command, then the task."
    ).open()
    scribe.host(SubmitTask(task_id="t1", instruction="等待审批结果"))
    state(scribe, State.PLANNING)
    state(scribe, State.EXECUTING, "等待审批结果")
    seq = scribe.command("waitForSelector", {"selector": ".done"})
    scribe.host(CancelTask(task_id="t1"))
    scribe.agent(CancelCommand(seq=seq), note="no response is awaited any more; the host stops the act and sends none")
    state(scribe, State.ABORTED)
    scribe.agent(
        TaskCompleted(
            task_id="t1",
            outcome="aborted",
            summary="任务已停止。任务已按您的要求停止",
            error=Problem(
                code="CANCELLED", message="任务已停止", next_step="任务已按您的要求停止", facts={"by": "user"}
            ),
            steps=1,
            duration_ms=800,
        )
    )
    return scribe.close()


def panel() -> Transcript:
    scribe = Scribe("Panel, page events, the ledger's head", "What goes on beside tasks.").open()
    scribe.agent(CatalogueChanged(skills=3, refused=1))
    scribe.host(PanelRequest(request_id="r1", method="skills.list"))
    scribe.agent(PanelResult(request_id="r1", data={"skills": [{"name": "erp-monthly-report", "version": "1.0.0"}]}))
    scribe.host(PanelRequest(request_id="r2", method="no.such", params={"x": [1, 2.5, None, True]}))
    problem = Problem(code="NOT_IMPLEMENTED", message="这个版本不回答侧边栏的请求 no.such", next_step="请升级 sgclaw")
    scribe.agent(PanelResult(request_id="r2", error=problem))
    for number, event in enumerate(("opened", "navigated", "dialog", "download", "crashed", "closed"), 1):
        page = PageInfo(id="p2", url=f"{ERP}/list", title="列表", version=number)
        scribe.host(PageEvent(event=event, page=page))  # type: ignore[arg-type]
    scribe.agent(AuditHead(count=40, hash=digest("record 40")), note="keep the latest: it goes into the next init")
    return scribe.close()


def two_pages() -> Transcript:
    pages = {
        "p1": {"id": "p1", "url": f"{ERP}/", "title": "首页", "version": 1},
        "p2": {"id": "p2", "url": f"{ERP}/list", "title": "列表", "version": 1},
    }
    scribe = Scribe(
        "Commands in flight on two pages", "Answers may come in any order.", host="channel", pages=pages
    ).open()
    slow = scribe.command("getText", {"selector": "h1"}, domain=ERP_HOST, page="p1")
    fast = scribe.command("getText", {"selector": "h1"}, domain=ERP_HOST, page="p2")
    scribe.answer(fast, {"text": "列表"})
    scribe.answer(slow, {"text": "财务系统"})
    return scribe.close()


STORIES: Final[Mapping[str, Callable[[], Transcript]]] = {
    "01-handshake": handshake,
    "02-bad-policy": bad_policy,
    "03-broken-ledger": broken_ledger,
    "04-hung-up": hung_up,
    "05-script-task": script_task,
    "06-observed": observed,
    "07-two-pages": two_pages,
    "08-pause-takeover": pause_and_takeover,
    "09-cancelled": cancelled,
    "10-panel": panel,
}
