from datetime import timedelta, timezone
from pathlib import Path

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.records import story
from sgclaw.audit.story import MAX_SHOWN, render, render_kept
from sgclaw.ports import Record, RecordKind
from tests.unit.audit.support import TRACE, HandClock

DIGEST = "ab" * 32
BEIJING = timezone(timedelta(hours=8))

EXTENT: dict[str, object] = {"class": "pipe", "day": "20260303", "records": 3, "bytes": 420, "sha256": DIGEST}

LOGOUT: dict[str, object] = {
    "action": "click",
    "params": {"selector": ".logout"},
    "origin": "https://erp.example.com",
    "domain": "erp.example.com",
    "rule": "approval.label",
    "label": "退出登录",
    "element": "退出登录",
    "value": None,
    "form_action": "https://erp.example.com/logout",
    "skill": "leave@1.0.0",
}
APPROVALS: list[tuple[dict[str, object], str]] = [
    (
        LOGOUT,
        "点击“退出登录”，在 https://erp.example.com，表单地址 https://erp.example.com/logout（规则 approval.label）",
    ),
    (
        {
            **LOGOUT,
            "action": "type",
            "params": {"selector": "#no", "text": "记-9"},
            "element": "凭证号",
            "value": "记-8",
        },
        (
            "在“退出登录”输入“记-9”，在 https://erp.example.com，元素“凭证号”，当前值“记-8”，"
            "表单地址 https://erp.example.com/logout（规则 approval.label）"
        ),
    ),
    (
        {"action": "handleDialog", "params": {"accept": True}, "label": "确定删除吗？", "rule": "approval.label"},
        "处理页面弹出的对话框，页面上的文字“确定删除吗？”（规则 approval.label）",
    ),
    (
        {"action": "clearStorage", "params": {}, "label": "", "rule": "approval.irreversible", "colour": "red"},
        "清空页面的本地存储（规则 approval.irreversible），colour=red",
    ),
    ({"action": "click", "params": {"selector": "#a"}}, "点击 #a"),
    (
        {"action": "click", "params": {}, "label": "删除", "href": "https://erp.example.com/x", "context": "记-9 作废"},
        "点击“删除”，链接地址 https://erp.example.com/x，所在的行、表单或本页已填的内容“记-9 作废”",
    ),
]

EVENTS: list[tuple[str, str, dict[str, object], str]] = [
    (
        "session_started",
        "host",
        {"protocol": "sgclaw-pipe/1", "version": "0.1.0", "policy_sha256": DIGEST, "host": "SuperRPA 9"},
        "浏览器  会话开始：版本 0.1.0，协议 sgclaw-pipe/1，浏览器 SuperRPA 9，策略 abababababab",
    ),
    (
        "session_started",
        "host",
        {"protocol": "sgclaw-pipe/1", "version": "0.1.0", "host": {"name": "SuperRPA", "version": "9"}},
        "浏览器  会话开始：版本 0.1.0，协议 sgclaw-pipe/1，浏览器 SuperRPA 9，策略 ？",
    ),
    ("peer_refused_line", "agent", {"code": "BAD_HMAC"}, "sgClaw  浏览器拒收了一行消息（BAD_HMAC）"),
    (
        "task_submitted",
        "user",
        {"instruction": "导出2026年3月财务部的月度报表", "source": "panel"},
        "用户  提交任务「导出2026年3月财务部的月度报表」，来自 panel",
    ),
    (
        "routed",
        "router",
        {"skill": "erp-monthly-report", "inputs": {"month": "2026-03"}, "understood": "2026年3月"},
        "路由  选用技能 erp-monthly-report，输入 month=2026-03，理解为 2026年3月",
    ),
    (
        "routed",
        "router",
        {
            "skill": "erp-monthly-report",
            "understood": [
                {"field": "month", "value": "2026-03", "source_text": "上个月"},
                {"field": "rows", "value": 3, "source_text": ""},
            ],
        },
        "路由  选用技能 erp-monthly-report，理解为 month=2026-03（来自“上个月”），rows=3",
    ),
    ("agent_started", "sgclaw", {"instruction": "查"}, "sgClaw  没有合适的技能，交给大模型逐步处理"),
    (
        "data_kept",
        "sgclaw",
        {"from": ["https://a.example.com"], "to": "https://b.example.com", "characters": 9},
        "sgClaw  您没有同意把读到的内容发给 https://b.example.com",
    ),
    ("foreign_tool_called", "sgclaw", {"server": "f", "tool": "r"}, "sgClaw  调用外部工具 f 的 r，按设置不必询问"),
    (
        "foreign_tool_answered",
        "sgclaw",
        {"server": "f", "tool": "r", "outcome": "unknown"},
        "sgClaw  外部工具 f 的 r 结果不明",
    ),
    ("foreign_tool_refused", "sgclaw", {"server": "f", "tool": "r"}, "sgClaw  您没有同意调用外部工具 f 的 r"),
    ("plan_made", "sgclaw", {"mode": "single", "why": "几步能办完"}, "sgClaw  任务不拆分：几步能办完"),
    ("card_moved", "sgclaw", {"card": "a", "from": "review", "to": "done"}, "sgClaw  子任务 a 从 review 变为 done"),
    ("review_held", "sgclaw", {"card": "a", "author": "b", "verdict": "approved"}, "sgClaw  b 评审子任务 a：approved"),
    ("escalated", "sgclaw", {"title": "导出", "reason": "unverified"}, "sgClaw  子任务「导出」等您决定（unverified）"),
    ("routed", "router", {"skill": "erp-monthly-report", "understood": []}, "路由  选用技能 erp-monthly-report"),
    (
        "skill_refused",
        "host",
        {"name": "read-title", "file": "builtin/read-title.js", "reason": "HASH_MISMATCH", "expected": DIGEST},
        "浏览器  不加载 builtin/read-title.js（HASH_MISMATCH），技能 read-title",
    ),
    (
        "skill_refused",
        "host",
        {"name": "", "file": "registry.json", "reason": "EXPIRED"},
        "浏览器  不加载 registry.json（EXPIRED）",
    ),
    (
        "skills_refused",
        "host",
        {"refused": 900, "notices": 1, "told": 200},
        "浏览器  共有 900 个技能不加载，以上列出 200 个",
    ),
    (
        "segment_committed",
        "ledger",
        {**EXTENT, "complete": True},
        "账本  封存 20260303 的通信记录：3 条，420 字节，sha256 abababababab",
    ),
    (
        "segment_committed",
        "ledger",
        {**EXTENT, "class": "llm", "complete": False},
        "账本  登记 20260303 的模型调用记录：3 条，420 字节，sha256 abababababab",
    ),
    (
        "segment_dropped",
        "ledger",
        {**EXTENT, "class": "operation", "reason": "retention"},
        "账本  保留期已满，删除 20260303 的操作日志：3 条，420 字节，sha256 abababababab",
    ),
    ("records_lost", "ledger", {"class": "pipe", "count": 7}, "账本  7 条通信记录没有写下来"),
    ("question_asked", "agent", {"text": "哪个部门？"}, "sgClaw  提问：哪个部门？"),
    ("question_answered", "user", {"text": "财务部"}, "用户  回答：财务部"),
    ("question_answered", "user", {"timeout": True}, "用户  没有在期限内回答"),
    (
        "skill_started",
        "agent",
        {"ref": "erp-monthly-report@1.0.0", "sha256": DIGEST, "key_id": "dev"},
        "sgClaw  开始运行技能 erp-monthly-report@1.0.0，sha256 abababababab，签名密钥 dev",
    ),
    (
        "command",
        "skill",
        {
            "seq": 1,
            "action": "click",
            "params": {"selector": "#export"},
            "domain": "erp.example.com",
            "verdict": "allow",
        },
        "技能  第 1 步 点击 #export，在 erp.example.com → 成功，用时 245 毫秒",
    ),
    ("command_done", "host", {"seq": 1, "ok": True, "duration_ms": 245}, ""),
    (
        "command",
        "skill",
        {
            "seq": 2,
            "action": "click",
            "params": {},
            "domain": "evil.example",
            "verdict": "deny",
            "reason": "来源不在策略中",
        }
        | {"rule": "origins"},
        "技能  第 2 步 点击 页面，在 evil.example → 拒绝：来源不在策略中（规则 origins）",
    ),
    (
        "command",
        "skill",
        {"seq": 0, "action": "navigate", "params": {"url": "https://evil.example/"}, "domain": "evil.example"}
        | {"verdict": "deny", "reason": "策略没有列出 evil.example", "rule": "domain.unlisted"},
        "技能  打开 https://evil.example/，在 evil.example → 拒绝：策略没有列出 evil.example（规则 domain.unlisted）",
    ),
    (
        "command_done",
        "skill",
        {"seq": 0, "ok": False, "code": "HOST_GONE"},
        "技能  操作没有发出：失败（HOST_GONE）",
    ),
    (
        "command",
        "skill",
        {"seq": 6, "action": "click", "params": {"selector": ".logout"}, "domain": "erp.example.com"}
        | {"verdict": "allow"},
        "技能  第 6 步 点击 .logout，在 erp.example.com → 需要您确认（规则 approval.label），用时 31 毫秒",
    ),
    (
        "command_done",
        "skill",
        {"seq": 6, "ok": False, "code": "NEEDS_APPROVAL", "rule": "approval.label", "duration_ms": 31},
        "",
    ),
    (
        "command",
        "skill",
        {"seq": 7, "action": "goBack", "params": {}, "domain": "erp.example.com", "verdict": "allow"},
        "技能  第 7 步 后退，在 erp.example.com → 失败（POLICY_DENIED，规则 landed.origin.unlisted），用时 5 毫秒",
    ),
    (
        "command_done",
        "skill",
        {"seq": 7, "ok": False, "code": "POLICY_DENIED", "rule": "landed.origin.unlisted", "duration_ms": 5},
        "",
    ),
    (
        "command",
        "skill",
        {"seq": 3, "action": "download", "params": {}, "domain": "erp.example.com", "verdict": "allow"},
        "技能  第 3 步 点击 页面 并等待下载，在 erp.example.com → 失败（TIMEOUT），用时 60.0 秒，文件 report.xlsx",
    ),
    (
        "command_done",
        "host",
        {"seq": 3, "ok": False, "code": "TIMEOUT", "duration_ms": 60_000, "artifact": {"name": "report.xlsx"}},
        "",
    ),
    (
        "command",
        "skill",
        {"seq": 4, "action": "teleport", "params": {}, "verdict": "allow"},
        "技能  第 4 步 teleport → 没有收到结果",
    ),
    ("command_done", "host", {"seq": 9, "ok": True}, "浏览器  第 9 步的结果：成功"),
    (
        "approval_requested",
        "host",
        {"approval_id": "a-1", "facts": {"label": "提交"}},
        "浏览器  请求确认：label=提交",
    ),
    ("approval_given", "user", {"approval_id": "a-1", "approved": True}, "用户  同意"),
    ("approval_given", "user", {"approval_id": "a-1", "approved": "true"}, "用户  不同意，或没有在期限内确认"),
    (
        "line_refused",
        "agent",
        {"code": "BAD_HMAC", "sha256": DIGEST, "bytes": 90},
        "sgClaw  拒收一行消息（BAD_HMAC），90 字节",
    ),
    ("skill_finished", "skill", {"success": False, "error": "没有数据"}, "技能  技能运行失败：没有数据"),
    ("skill_finished", "skill", {"success": True}, "技能  技能运行成功"),
    (
        "artifact",
        "host",
        {"id": "f1", "name": "report.xlsx", "size": 9_000, "sha256": DIGEST},
        "浏览器  得到文件「report.xlsx」，9000 字节，sha256 abababababab",
    ),
    (
        "task_finished",
        "agent",
        {"outcome": "failed", "duration_ms": 61_000, "llm_calls": 0, "tokens": 0}
        | {"error": {"code": "TIMEOUT", "message": "页面没有响应"}},
        "sgClaw  任务失败，用时 61.0 秒，模型调用 0 次，词元 0：页面没有响应（TIMEOUT）",
    ),
    ("cancelled", "agent", {"by": "user"}, "sgClaw  任务被取消，取消者 用户"),
    ("cancelled", "sgclaw", {"by": "session"}, "sgClaw  任务被取消，取消者 会话"),
    ("session_ended", "host", {"reason": "shutdown"}, "浏览器  会话结束：shutdown"),
    ("something_new", "robot", {"a": 1, "b": ["x"]}, 'robot  something_new a=1，b=["x"]'),
]

EVENTS += [
    ("approval_requested", "host", {"approval_id": "a-1", "facts": facts}, f"浏览器  请求确认：{told}")
    for facts, told in APPROVALS
]


@pytest.mark.requirement("AUDIT-14")
def test_every_event_is_told_in_one_chinese_line_and_a_result_stands_with_its_command(tmp_path: Path) -> None:

    ledger = FileLedger(tmp_path / "ledger", HandClock())
    for event, actor, data, _ in EVENTS:
        ledger.append(Record(event, TRACE, actor, "t-1", data))
    expected = ["2026-03-03 18:23:05  " + sentence for *_, sentence in EVENTS if sentence]
    assert render(story(tmp_path / "ledger", TRACE), BEIJING) == expected


@pytest.mark.requirement("AUDIT-14")
@pytest.mark.parametrize("event", [event for event, *_ in EVENTS])
@pytest.mark.parametrize("data", [{}, {"seq": [], "verdict": {}, "error": [], "artifact": 3, "duration_ms": "x"}])
def test_missing_or_odd_data_never_stops_the_telling(tmp_path: Path, event: str, data: dict[str, object]) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    ledger.append(Record(event, TRACE, "agent", None, data))
    [line] = render(story(tmp_path / "ledger", TRACE))
    assert line.startswith("2026-03-03 10:23:05  sgClaw  ")


@pytest.mark.requirement("AUDIT-14")
def test_page_content_is_told_as_inert_short_text(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    hostile = "\x1b[2J\x1b]0;pwn\x07\n2026-03-03 伪造的一行\u202e\u200b" + "x" * 500
    ledger.append(Record("question_asked", TRACE, "agent", None, {"text": hostile}))
    ledger.append(Record("\x1b[31m", TRACE, "\x1b[0m", None, {"\x1b[1m": "\r"}))
    for line in render(story(tmp_path / "ledger", TRACE)):
        assert line.isprintable()
        assert len(line) <= MAX_SHOWN + 60


@pytest.mark.requirement("AUDIT-28")
def test_no_text_of_a_page_pushes_the_rule_of_an_approval_out_of_its_line(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    names = ("label", "element", "value", "form_action", "origin", "domain")
    facts = {**LOGOUT, **dict.fromkeys(names, "长" * 400), "params": {"selector": "#" + "a" * 400}}
    ledger.append(Record("approval_requested", TRACE, "host", None, {"approval_id": "a-1", "facts": facts}))
    [line] = render(story(tmp_path / "ledger", TRACE))
    assert "请求确认：点击“长" in line
    assert line.endswith("（规则 approval.label）")
    assert len(line) <= 7 * MAX_SHOWN


@pytest.mark.requirement("AUDIT-28")
def test_a_command_that_asked_is_told_so_in_ledgers_that_did_not_write_its_result(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    command = {"seq": 3, "action": "click", "params": {"selector": ".logout"}, "verdict": "allow"}
    ledger.append(Record("command", TRACE, "skill:leave@1.0.0", None, command))
    asked = {"seq": 3, "approval_id": "a-1", "facts": LOGOUT}
    ledger.append(Record("approval_requested", TRACE, "skill:leave@1.0.0", None, asked))
    first, _ = render(story(tmp_path / "ledger", TRACE))
    assert first.endswith("技能 leave@1.0.0  第 3 步 点击 .logout → 需要您确认（规则 approval.label）")


@pytest.mark.requirement("AUDIT-28")
def test_acts_that_were_never_sent_hide_nothing_of_each_other(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    denied = {"seq": 0, "action": "reload", "params": {}, "verdict": "deny", "reason": "不行", "rule": "task.action"}
    ledger.append(Record("command", TRACE, "agent", None, denied))
    ledger.append(Record("command_done", TRACE, "agent", None, {"seq": 0, "ok": False, "code": "TOO_MANY_OUTSTANDING"}))
    assert [line.partition("sgClaw  ")[2] for line in render(story(tmp_path / "ledger", TRACE))] == [
        "刷新页面 → 拒绝：不行（规则 task.action）",
        "操作没有发出：失败（TOO_MANY_OUTSTANDING）",
    ]


@pytest.mark.requirement("AUDIT-14")
def test_a_repair_of_the_ledger_is_told(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    ledger.append(Record("ledger_repaired", TRACE, "ledger", None, {"moved_to": "ledger-20260303.jsonl.torn"}))
    [line] = render(story(tmp_path / "ledger", TRACE))
    assert line.endswith("账本  账本末尾有一行没有写完（进程曾被强行结束），已移到 ledger-20260303.jsonl.torn")


KEPT: list[tuple[RecordKind, dict[str, object], str]] = [
    (
        RecordKind.OPERATION,
        {"level": "WARN", "module": "agent::runtime", "event": "step_completed", "data": {"step": 3}},
        "WARN agent::runtime step_completed：step=3",
    ),
    (
        RecordKind.PIPE,
        {"direction": "out", "type": "command", "seq": 3, "bytes": 412, "sha256": DIGEST, "action": "click"},
        "发出 command seq=3 click，412 字节，sha256 abababababab",
    ),
    (
        RecordKind.PIPE,
        {"direction": "in", "type": "response", "seq": 3, "bytes": 99, "sha256": DIGEST, "success": True},
        "收到 response seq=3，成功，99 字节，sha256 abababababab",
    ),
    (
        RecordKind.PIPE,
        {"direction": "in", "type": "response", "seq": 4, "success": False, "code": "NOT_FOUND"},
        "收到 response seq=4，失败（NOT_FOUND）",
    ),
    (RecordKind.PIPE, {"direction": "in", "type": "ping\u202e", "n": 1}, "收到 ping  n=1"),
    (
        RecordKind.LLM,
        {"model": "qwen", "outcome": "ok", "duration_ms": 1_500, "tokens": {"in": 5, "out": 2}, "cost": 0.01},
        "模型 qwen，ok，用时 1.5 秒，词元 in=5，out=2，费用 0.01",
    ),
    (RecordKind.LLM, {"damaged": 17}, "这里有一行损坏了（17 字节）"),
]


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.parametrize(("kind", "data", "expected"), KEPT)
def test_a_record_of_a_class_is_told_in_one_line(kind: RecordKind, data: dict[str, object], expected: str) -> None:
    [told] = render_kept(kind, [{"timestamp": "2026-03-03T10:23:05.123Z", "trace_id": TRACE, **data}], BEIJING)
    assert told == (expected if "damaged" in data else f"2026-03-03 18:23:05  {expected}")
