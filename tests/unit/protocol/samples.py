"""Test keys and one complete message of every type, as bodies (the line without `security`)."""

from __future__ import annotations

from typing import Final

from sgclaw.protocol.channel import Channel, parse
from sgclaw.protocol.messages import Command, Message, Ready, Response
from sgclaw.protocol.signing import Role, derive_key
from sgclaw.protocol.strict import JsonObject

TEST_ONLY_KEY: Final = bytes(range(32))
OTHER_TEST_KEY: Final = bytes(range(1, 33))
TRACE: Final = "sgclaw-20260303-0a1b2c3d"
HOST_KEY: Final = derive_key(TEST_ONLY_KEY, TRACE, Role.HOST)
AGENT_KEY: Final = derive_key(TEST_ONLY_KEY, TRACE, Role.AGENT)
DIGEST: Final = "5d" * 32
DOMAIN: Final = "erp.example.com"

PAGE: Final[JsonObject] = {"id": "p1", "url": "https://erp.example.com/", "title": "首页", "version": 3}
NODE: Final[JsonObject] = {"role": "button", "name": "导出", "bounds": [460, 80, 100, 40], "disabled": False}
ARTIFACT: Final[JsonObject] = {"id": "a1", "name": "报表.xlsx", "size": 9, "sha256": DIGEST, "mime": "text/csv"}
PROBLEM: Final[JsonObject] = {"code": "NO_MODEL", "message": "没有模型", "next_step": "请配置", "facts": {}}

PROTOCOL_ERROR: Final[JsonObject] = {
    "type": "protocol_error",
    "code": "BAD_JSON",
    "message": "消息不是合法的 JSON",
    "line_sha256": DIGEST,
    "line_bytes": 12,
}

FROM_HOST_BODIES: Final[dict[str, JsonObject]] = {
    "init": {
        "type": "init",
        "protocol": "sgclaw-pipe/1",
        "trace_id": TRACE,
        "session_key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "host": {"name": "SuperRPA", "version": "1.0", "actions": ["click", "navigate"]},
        "policy": '{"version":1,"origins":[]}',
        "locale": "zh-CN",
        "state_dir": "state",
    },
    "submit_task": {
        "type": "submit_task",
        "task_id": "t1",
        "instruction": "导出本月合规报表",
        "skill": "erp-monthly-report@1.0.0",
        "inputs": {"month": "2026-03", "note": None},
        "page": "p1",
        "options": {"max_steps": 20, "budget_tokens": 0, "deadline_s": 60},
    },
    "response": {
        "type": "response",
        "seq": 1,
        "success": True,
        "data": {"value": None, "rate": 0.5},
        "aom_snapshot": [{**NODE, "children": [{"role": "text", "name": "x", "children": []}]}],
        "page": PAGE,
    },
    "approval": {"type": "approval", "approval_id": "ap1", "approved": True, "note": "好"},
    "answer": {"type": "answer", "question_id": "q1", "text": "三月", "declined": False},
    "cancel_task": {"type": "cancel_task", "task_id": "t1"},
    "pause": {"type": "pause", "task_id": "t1"},
    "resume": {"type": "resume", "task_id": "t1"},
    "takeover": {"type": "takeover", "task_id": "t1"},
    "page_event": {"type": "page_event", "event": "navigated", "page": PAGE, "facts": {}},
    "panel_request": {"type": "panel_request", "request_id": "r1", "method": "skills.list", "params": {}},
    "ping": {"type": "ping", "id": "1"},
    "shutdown": {"type": "shutdown", "reason": "关闭"},
    "protocol_error": PROTOCOL_ERROR,
}

FROM_AGENT_BODIES: Final[dict[str, JsonObject]] = {
    "ready": {
        "type": "ready",
        "protocol": "sgclaw-pipe/1",
        "version": "0.1.0",
        "policy_sha256": DIGEST,
        "warnings": ["开发密钥"],
    },
    "catalogue_changed": {"type": "catalogue_changed", "skills": 3, "refused": 0},
    "command": {
        "type": "command",
        "seq": 1,
        "action": "click",
        "params": {"selector": "#导出"},
        "task_id": "t1",
        "page": "p1",
        "skill": {"ref": "erp-monthly-report@1.0.0", "sha256": DIGEST},
        "deadline_ms": 10_000,
        "observe": "diff",
        "approval_id": "ap1",
    },
    "cancel_command": {"type": "cancel_command", "seq": 1},
    "task_state": {"type": "task_state", "task_id": "t1", "state": "executing", "detail": ""},
    "log_entry": {"type": "log_entry", "task_id": "t1", "level": "info", "text": "打开页面", "data": {}},
    "question": {
        "type": "question",
        "question_id": "q1",
        "task_id": "t1",
        "text": "哪个月？",
        "choices": ["三月", "四月"],
        "deadline_s": 60,
    },
    "panel_result": {"type": "panel_result", "request_id": "r1", "data": {"skills": []}, "error": PROBLEM},
    "audit_head": {"type": "audit_head", "count": 64, "hash": DIGEST},
    "task_completed": {
        "type": "task_completed",
        "task_id": "t1",
        "outcome": "completed",
        "summary": "已导出 3 行",
        "data": {"rows": 3, "empty": None},
        "error": PROBLEM,
        "artifacts": [ARTIFACT],
        "usage": {"llm_calls": 0, "tokens": 0, "cost_micros": 0},
        "evidence": [{"rank": "file_hash", "seq": 4, "fact": "sha256 相符"}],
        "steps": 4,
        "duration_ms": 900,
        "skill": "erp-monthly-report@1.0.0",
        "inputs": {"month": "2026-03"},
        "heal_events": [{"level": 1}],
    },
    "pong": {"type": "pong", "id": "1"},
    "bye": {"type": "bye", "reason": "shutdown"},
    "protocol_error": PROTOCOL_ERROR,
}

BODIES: Final = {Role.HOST: FROM_HOST_BODIES, Role.AGENT: FROM_AGENT_BODIES}


def message(sender: Role, kind: str, **changes: object) -> Message:
    """The sample of this type with some fields replaced."""
    return parse({**BODIES[sender][kind], **changes}, sender)


def command(seq: int, **changes: object) -> Command:
    made = message(Role.AGENT, "command", seq=seq, **changes)
    assert isinstance(made, Command)
    return made


def response(seq: int, **changes: object) -> Response:
    made = message(Role.HOST, "response", seq=seq, **changes)
    assert isinstance(made, Response)
    return made


def ready() -> Ready:
    made = message(Role.AGENT, "ready")
    assert isinstance(made, Ready)
    return made


def opened() -> tuple[Channel, Channel]:
    """Host end and agent end of one session, after `ready`."""
    host = Channel(Role.HOST, TEST_ONLY_KEY, TRACE)
    agent = Channel(Role.AGENT, TEST_ONLY_KEY, TRACE)
    host.receive(agent.seal(ready())[:-1])
    return host, agent
