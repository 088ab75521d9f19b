"""The story of a session or task, told from its ledger records in Chinese: when, who, what, where, outcome, how long.

A command and its result are told in one line. What a record holds is shown as inert text: control and direction marks
are taken out and long values cut, each by itself, so that no value hides the ones behind it; page content could
otherwise write over the reader's terminal, or push the reason out of a line. A record with an unknown event or missing
data is told by its names and values; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import Final

from sgclaw.audit.chain import StoredRecord
from sgclaw.audit.encode import encode
from sgclaw.audit.ledger import ADOPTED, REPAIRED
from sgclaw.audit.segments import COMMITTED, DROPPED, LOST
from sgclaw.errors import NeedsApprovalError
from sgclaw.ports import RecordKind
from sgclaw.protocol.actions import describe

MAX_SHOWN: Final = 120
"""Characters of one value that are shown."""
MAX_NAMED: Final = 20
"""Named values of one object that are shown."""
_NOT_SENT: Final = "0"
"""The `seq` of an act that never became a command."""

Data = Mapping[str, object]

_ACTORS: Final[Mapping[str, str]] = {
    "user": "用户",
    "person": "用户",
    "host": "浏览器",
    "agent": "sgClaw",
    "sgclaw": "sgClaw",
    "skill": "技能",
    "router": "路由",
    "policy": "策略",
    "gateway": "调度",
    "session": "会话",
    "ledger": "账本",
}
_OUTCOMES: Final[Mapping[str, str]] = {
    "completed": "完成",
    "failed": "失败",
    "aborted": "已中止",
    "unverified": "已结束，但结果未能核实",
}


def outcome_in_words(outcome: str) -> str:
    """How a task ended, in Chinese; an unknown outcome is given back as it is."""
    return _OUTCOMES.get(outcome, outcome)


def _show(value: object) -> str:
    """A value as inert text of at most `MAX_SHOWN` characters."""
    if isinstance(value, Mapping):
        if value.keys() == {"sha256", "bytes"}:
            return f"（{value['bytes']} 字节，sha256 {_short(value['sha256'])}）"
        if {"code", "message"} <= value.keys():
            return f"{_show(value['message'])}（{_show(value['code'])}）"
        return _named(value)
    text = value if isinstance(value, str) else encode({"": value})[4:-1].decode()
    text = "".join(character if character.isprintable() else " " for character in text[: 2 * MAX_SHOWN])
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _named(values: Data) -> str:
    """Names and values, each value cut by itself; of very many only the first."""
    told = [f"{_cut(_show(str(key)))}={_cut(_show(item))}" for key, item in islice(values.items(), MAX_NAMED)]
    more = len(values) - len(told)
    return "，".join(told) + (f"，另有 {more} 项" if more else "")


def _short(digest: object) -> str:
    return _show(digest)[:12]


def _quoted(text: object) -> str:
    """Page content as what it is."""
    return f"“{_show(text)}”"


def _took(data: Data) -> str:
    duration = data.get("duration_ms")
    if not isinstance(duration, int | float):
        return ""
    return f"，用时 {duration:.0f} 毫秒" if duration < 1_000 else f"，用时 {duration / 1_000:.1f} 秒"


def _optional(data: Data, key: str, form: str) -> str:
    """`form` filled with the value of the key; nothing when there is none or it is empty."""
    return "" if data.get(key) in (None, "", {}, []) else form.format(_show(data[key]))


def _of(data: Data, key: str) -> str:
    return _show(data[key]) if key in data else "？"


def _step(data: Data) -> str:
    number = _of(data, "seq")
    return "" if number == _NOT_SENT else f"第 {number} 步 "


def _command(data: Data) -> str:
    params, domain = data.get("params"), data.get("domain")
    what = describe(str(data.get("action", "？")), params if isinstance(params, Mapping) else {})
    told = f"{_step(data)}{_show(what)}" + (f"，在 {_show(domain)}" if domain else "")
    if data.get("verdict") != "allow":
        told += f" → 拒绝：{_of(data, 'reason')}" + _optional(data, "rule", "（规则 {}）")
    return told


def _artifact_of(data: Data) -> str:
    artifact = data.get("artifact")
    return (
        f"，文件 {_of(artifact, 'name')}" if isinstance(artifact, Mapping) else _optional(data, "artifact", "，文件 {}")
    )


def _result(data: Data) -> str:
    rule = _optional(data, "rule", "，规则 {}")
    if data.get("ok") is True:
        outcome = "成功"
    elif data.get("code") == NeedsApprovalError.code:
        outcome = "需要您确认" + (f"（{rule[1:]}）" if rule else "")
    else:
        outcome = f"失败（{_of(data, 'code')}{rule}）"
    return outcome + _took(data) + _artifact_of(data)


def _done(data: Data) -> str:
    """A result whose command is not there; one without a number was not sent."""
    number = _of(data, "seq")
    return f"操作没有发出：{_result(data)}" if number == _NOT_SENT else f"第 {number} 步的结果：{_result(data)}"


_TARGET: Final = "\ue000"
"""Stands for the target while the sentence of an act is made; `describe` gives it back where the target belongs."""


def _act_of(facts: Data) -> str:
    """The act with the label of the real control in place of the selector that named it."""
    action, params, label = str(facts.get("action", "？")), facts.get("params"), facts.get("label")
    named = dict(params) if isinstance(params, Mapping) else {}
    if not label:
        return _show(describe(action, named))
    before, target, after = describe(action, {**named, "selector": _TARGET}).partition(_TARGET)
    if not target:  # an act without a target: the message of a dialog, say
        return f"{_show(before)}，页面上的文字{_quoted(label)}"
    return f"{_show(before.rstrip())}{_quoted(label)}{_show(after.lstrip())}"


_FACTS: Final[Mapping[str, str]] = {
    "origin": "，在 {}",
    "element": "，元素“{}”",
    "value": "，当前值“{}”",
    "form_action": "，表单地址 {}",
    "href": "，链接地址 {}",
    "context": "，所在的行、表单或本页已填的内容“{}”",
    "rule": "（规则 {}）",
}
"""What of the facts of an act follows its sentence, in this order; other facts come last, by their names."""
_IN_OTHER_WORDS: Final = frozenset({"action", "params", "label", "domain", "skill"})
"""Facts that the sentence itself, or the line of the command before it, tells."""


def _approval_requested(data: Data) -> str:
    facts = data.get("facts")
    if not isinstance(facts, Mapping) or "action" not in facts:
        return f"请求确认：{_of(data, 'facts')}"
    shown = {name: fact for name, fact in facts.items() if name != "element" or fact != facts.get("label")}
    told = _act_of(shown) + "".join(_optional(shown, name, form) for name, form in _FACTS.items())
    others = {name: fact for name, fact in shown.items() if name not in {*_FACTS, *_IN_OTHER_WORDS}}
    return f"请求确认：{told}" + (f"，{_named(others)}" if others else "")


def _finished(data: Data) -> str:
    outcome = _of(data, "outcome")
    told = f"任务{outcome_in_words(outcome)}{_took(data)}"
    told += _optional(data, "llm_calls", "，模型调用 {} 次") + _optional(data, "tokens", "，词元 {}")
    return told + _failure(data)


def _failure(data: Data) -> str:
    return f"：{_show(data['error'])}" if data.get("error") else ""


def _understood(data: Data) -> str:
    """Which words of the user each input came from."""
    items = data.get("understood")
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        return _optional(data, "understood", "，理解为 {}")
    told = [
        f"{_of(item, 'field')}={_of(item, 'value')}" + _optional(item, "source_text", "（来自“{}”）") for item in items
    ]
    return f"，理解为 {'，'.join(told[:MAX_NAMED])}" if told else ""


def _session_started(data: Data) -> str:
    host = data.get("host")
    browser = f"{_of(host, 'name')} {_of(host, 'version')}" if isinstance(host, Mapping) else _of(data, "host")
    return (
        f"会话开始：版本 {_of(data, 'version')}，协议 {_of(data, 'protocol')}，浏览器 {browser}，"
        f"策略 {_short(data.get('policy_sha256', '？'))}"
    )


def _artifact(data: Data) -> str:
    return f"得到文件「{_of(data, 'name')}」，{_of(data, 'size')} 字节，sha256 {_short(data.get('sha256', '？'))}"


_CLASSES: Final[Mapping[str, str]] = {
    RecordKind.OPERATION.value: "操作日志",
    RecordKind.PIPE.value: "通信记录",
    RecordKind.LLM.value: "模型调用记录",
}


def class_in_words(kind: str) -> str:
    """The name of a class of records in Chinese; an unknown one is given back as it is."""
    return _CLASSES.get(kind, kind)


def _class_of(data: Data) -> str:
    return class_in_words(_of(data, "class"))


def _segment(data: Data) -> str:
    extent = f"{_of(data, 'records')} 条，{_of(data, 'bytes')} 字节，sha256 {_short(data.get('sha256', '？'))}"
    return f"{_of(data, 'day')} 的{_class_of(data)}：{extent}"


_ANSWERED: Final[Mapping[str, str]] = {"answered": "已回答", "failed": "没有成功", "unknown": "结果不明"}

_EVENTS: Final[Mapping[str, Callable[[Data], str]]] = {
    "session_started": _session_started,
    "session_ended": lambda data: f"会话结束：{_of(data, 'reason')}",
    "task_submitted": lambda data: f"提交任务「{_of(data, 'instruction')}」" + _optional(data, "source", "，来自 {}"),
    "routed": lambda data: (
        f"选用技能 {_of(data, 'skill')}" + _optional(data, "inputs", "，输入 {}") + _understood(data)
    ),
    "question_asked": lambda data: f"提问：{_of(data, 'text')}",
    "question_answered": lambda data: "没有在期限内回答" if data.get("timeout") else f"回答：{_of(data, 'text')}",
    "agent_started": lambda _: "没有合适的技能，交给大模型逐步处理",
    "scope_widened": lambda data: f"您同意任务使用 {_of(data, 'origin')}",
    "scope_kept": lambda data: f"您没有同意任务使用 {_of(data, 'origin')}",
    "data_released": lambda data: f"您看过原文，同意把读到的内容发给 {_of(data, 'to')}",
    "data_kept": lambda data: f"您没有同意把读到的内容发给 {_of(data, 'to')}",
    "plan_made": lambda data: (
        ("任务拆分为子任务" if data.get("mode") == "board" else "任务不拆分") + _optional(data, "why", "：{}")
    ),
    "card_moved": lambda data: (
        f"子任务 {_of(data, 'card')} 从 {_of(data, 'from')} 变为 {_of(data, 'to')}"
        + _optional(data, "reason", "（{}）")
    ),
    "review_held": lambda data: f"{_of(data, 'author')} 评审子任务 {_of(data, 'card')}：{_of(data, 'verdict')}",
    "escalated": lambda data: f"子任务「{_of(data, 'title')}」等您决定" + _optional(data, "reason", "（{}）"),
    "foreign_tool_called": lambda data: (
        f"调用外部工具 {_of(data, 'server')} 的 {_of(data, 'tool')}"
        + ("，您看过参数并同意" if data.get("asked") is True else "，按设置不必询问")
        + _optional(data, "arguments", "，参数 {}")
    ),
    "foreign_tool_refused": lambda data: f"您没有同意调用外部工具 {_of(data, 'server')} 的 {_of(data, 'tool')}",
    "foreign_tool_answered": lambda data: (
        f"外部工具 {_of(data, 'server')} 的 {_of(data, 'tool')} {_ANSWERED.get(str(data.get('outcome')), '？')}"
        + _optional(data, "reason", "（{}）")
    ),
    "outcome_unknown": lambda data: f"结果不明，之后不再改变任何内容：{_of(data, 'cause')}",
    "skill_started": lambda data: (
        f"开始运行技能 {_of(data, 'ref')}，sha256 {_short(data.get('sha256', '？'))}"
        + _optional(data, "key_id", "，签名密钥 {}")
    ),
    "skill_finished": lambda data: ("技能运行成功" if data.get("success") is True else "技能运行失败") + _failure(data),
    "command": _command,
    "command_done": _done,
    "approval_requested": _approval_requested,
    "approval_given": lambda data: "同意" if data.get("approved") is True else "不同意，或没有在期限内确认",
    "line_refused": lambda data: f"拒收一行消息（{_of(data, 'code')}），{_of(data, 'bytes')} 字节",
    "peer_refused_line": lambda data: f"浏览器拒收了一行消息（{_of(data, 'code')}）",
    "skill_refused": lambda data: (
        f"不加载 {_of(data, 'file')}（{_of(data, 'reason')}）" + _optional(data, "name", "，技能 {}")
    ),
    "skills_refused": lambda data: f"共有 {_of(data, 'refused')} 个技能不加载，以上列出 {_of(data, 'told')} 个",
    "artifact": _artifact,
    "task_finished": _finished,
    "cancelled": lambda data: f"任务被取消，取消者 {_ACTORS.get(_of(data, 'by'), _of(data, 'by'))}",
    COMMITTED: lambda data: ("封存 " if data.get("complete") is True else "登记 ") + _segment(data),
    DROPPED: lambda data: "保留期已满，删除 " + _segment(data),
    LOST: lambda data: f"{_of(data, 'count')} 条{_class_of(data)}没有写下来",
    REPAIRED: lambda data: f"账本末尾有一行没有写完（进程曾被强行结束），已移到 {_of(data, 'moved_to')}",
    ADOPTED: lambda data: (
        f"接收了账本头之后的 {_of(data, 'records')} 条记录（第 {_of(data, 'from')} 至 {_of(data, 'to')} 条）："
        "进程曾被强行结束，或者有人添加过记录"
    ),
}
"""One sentence an event. An event that is missing here is told generically."""


def _generic(record: StoredRecord) -> str:
    return f"{_show(record.event)} {_show(record.data)}".rstrip()


def _when(time: str, zone: tzinfo) -> str:
    try:
        return datetime.fromisoformat(time).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return _show(time)


def _key(record: StoredRecord) -> tuple[str, str]:
    return record.trace_id, _of(record.data, "seq")


def _is_sent(record: StoredRecord) -> bool:
    """Whether it is a command that has, or waits for, a result of its own."""
    return record.event == "command" and record.data.get("verdict") == "allow" and _of(record.data, "seq") != _NOT_SENT


def _asked(data: Data) -> Data:
    """What a command came to that a person was asked about, where its own result was not written."""
    facts = data.get("facts")
    return {"code": NeedsApprovalError.code, "rule": facts.get("rule") if isinstance(facts, Mapping) else None}


def _who(actor: str) -> str:
    kind, separator, name = actor.partition(":")
    return f"{_ACTORS[kind]} {_show(name)}" if separator and kind in _ACTORS else _ACTORS.get(actor, _show(actor))


def render(records: Sequence[StoredRecord], zone: tzinfo = UTC) -> list[str]:
    """One line a record, in order, times in `zone`; the result of a command stands in the line of the command."""
    results: dict[tuple[str, str], Data] = {
        _key(record): _asked(record.data) for record in records if record.event == "approval_requested"
    }
    results |= {_key(record): record.data for record in records if record.event == "command_done"}
    commands = {_key(record) for record in records if _is_sent(record)}
    told = []
    for record in records:
        if record.event == "command_done" and _key(record) in commands:
            continue
        sentence = _EVENTS[record.event](record.data) if record.event in _EVENTS else _generic(record)
        if _is_sent(record):
            done = results.get(_key(record))
            sentence += f" → {_result(done) if done else '没有收到结果'}"
        told.append(f"{_when(record.time, zone)}  {_who(record.actor)}  {sentence}")
    return told


# --- records of a class ---------------------------------------------------------------------------------------------

_DIRECTIONS: Final[Mapping[str, str]] = {"in": "收到", "out": "发出"}


def _operation(data: Data) -> str:
    return f"{_of(data, 'level')} {_of(data, 'module')} {_of(data, 'event')}" + _optional(data, "data", "：{}")


def _pipe(data: Data) -> str:
    direction = _of(data, "direction")
    told = f"{_DIRECTIONS.get(direction, direction)} {_of(data, 'type')}"
    told += _optional(data, "seq", " seq={}") + _optional(data, "n", " n={}") + _optional(data, "action", " {}")
    if "success" in data or data.get("code"):
        told += "，成功" if data.get("success") is True else f"，失败（{_of(data, 'code')}）"
    digest = _short(data.get("sha256", ""))
    return told + _optional(data, "bytes", "，{} 字节") + (f"，sha256 {digest}" if digest else "")


def _llm(data: Data) -> str:
    told = f"模型 {_of(data, 'model')}" + _optional(data, "outcome", "，{}") + _took(data)
    return told + _optional(data, "tokens", "，词元 {}") + _optional(data, "cost", "，费用 {}")


_KINDS: Final[Mapping[RecordKind, Callable[[Data], str]]] = {
    RecordKind.OPERATION: _operation,
    RecordKind.PIPE: _pipe,
    RecordKind.LLM: _llm,
}


def render_kept(kind: RecordKind, kept: Iterable[Data], zone: tzinfo = UTC) -> Iterator[str]:
    """One line a record of a class, in order, times in `zone`."""
    for data in kept:
        if "damaged" in data:
            yield f"这里有一行损坏了（{_of(data, 'damaged')} 字节）"
        else:
            yield f"{_when(str(data.get('timestamp', '')), zone)}  {_KINDS[kind](data)}"
