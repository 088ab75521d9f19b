"""The checks of `spec/000` 5.3 on what a model answers, before anything of it is carried out."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from sgclaw.agent.text_mode import calls_in, read_object
from sgclaw.agent.tools.model import Tool
from sgclaw.context.chat import ChatMessage, ToolCall
from sgclaw.context.untrusted import one_line
from sgclaw.errors import ActionError, ModelError
from sgclaw.ports import Reply
from sgclaw.protocol.actions import ACTIONS, Risk

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

REGENERATE: Final = 2
"""Times an answer that cannot be used is asked for anew."""
MOST_CALLS: Final = 8
"""Calls of one answer that are carried out; a longer list was not thought through."""
_PEOPLES: Final = tuple(row.name for row in ACTIONS.values() if row.risk is Risk.CREDENTIAL)
"""Actions no model may ask for."""
_SHOWN: Final = 200
_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with at least one call. Its arguments are JSON objects, as text."""

    message: ChatMessage


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that must be given anew; `text` tells the model why, `reason` is the machine word."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A call that fits its tool's schema."""

    tool: Tool
    arguments: Mapping[str, object]


def read_reply(reply: Reply, tools: Sequence[Tool], number: int) -> Answer | Wrong:
    """The calls of an answer, also where a model wrote them as text. Raises `MODEL_FAILED` when it refuses to answer.

    `number` is the step's: calls that came without an id get one from it.
    """
    if reply.stop == "refusal":
        raise ModelError("大模型拒绝回答这个任务", facts={"reason": "refusal"})
    message = replace(reply.message, role="assistant", text=_whole(reply.message.text), results=(), pictures=())
    calls = message.calls or calls_in(message.text, [tool.spec for tool in tools], f"text_{number}")
    if not calls:
        return _no_call(reply)
    read: list[ToolCall] = []
    for call in calls[:MOST_CALLS]:
        arguments = read_object(call.arguments.strip() or "{}")
        if arguments is None:
            cut = "回答太长，被截断了；" if reply.stop == "length" else ""
            return Wrong("malformed", f"{cut}{call.name[:_NAME]} 的参数不是一个 JSON 对象。请重新给出完整的调用。")
        written = json.dumps(arguments, ensure_ascii=False)
        read.append(ToolCall(_whole(call.id), _whole(call.name), written))
    return Answer(replace(message, calls=tuple(read)))


def _whole(text: str) -> str:
    """The text without halves of characters, which no request could carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _no_call(reply: Reply) -> Wrong:
    if reply.stop == "length":
        return Wrong("cut", "回答太长，被截断了。请短一些，直接调用一个工具。")
    return Wrong("no_call", "回答里没有工具调用。请调用一个工具继续；任务做完或做不下去时，用 finish 结束。")


def unusable(wrong: Wrong) -> ModelError:
    """The end of a run whose model does not come back to the form."""
    cause = f"大模型连续 {REGENERATE + 1} 次没有给出可用的回答"
    return ModelError(cause, next_step="请换一个模型后重新提交任务", facts={"reason": wrong.reason})


def check_call(call: ToolCall, tools: Mapping[str, Tool]) -> Checked | str:
    """The call with its tool, or what is wrong with it, in words for the model."""
    tool = tools.get(call.name)
    if tool is None:
        return _unknown_tool(call.name, tools)
    arguments = read_object(call.arguments) or {}
    problems = _problems(tool.spec.schema if tool.checks is None else tool.checks, arguments)
    if problems:
        return f"{call.name} 的参数不对：{'；'.join(problems)}。请改正后重新调用。"
    return Checked(tool, arguments)


def _unknown_tool(name: str, tools: Mapping[str, Tool]) -> str:
    shown = one_line(name, _NAME)
    if name in ACTIONS:
        return f"没有工具 {shown}；它是一个操作，用 browser_action，action 写 {name}。"
    near = nearest(name, tools)
    return f"没有工具 {shown}。{f'是不是 {near[0]}？' if near else ''}可用的工具：{'、'.join(tools)}。"


def nearest(name: str, known: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Known names that a mistyped one may stand for, the nearest first."""
    by_fold = {each.lower().replace("_", ""): each for each in known}
    found = difflib.get_close_matches(name[:_NAME].lower().replace("_", ""), by_fold, n=3, cutoff=0.6)
    return [by_fold[each] for each in found]


def _problems(schema: Mapping[str, object], arguments: Mapping[str, object]) -> list[str]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - only who runs an agent pays for it

    validator = Draft202012Validator(cast("Any", dict(schema)))
    errors = sorted(validator.iter_errors(cast("Any", dict(arguments))), key=lambda error: error.json_path)
    return [_told(error) for error in errors[:5]]


def _told(error: ValidationError) -> str:
    """One problem without quoting more of a value than its beginning."""
    place = error.json_path.removeprefix("$").removeprefix(".") or "参数"
    rule, allowed = str(error.validator), error.validator_value
    if rule == "enum" and isinstance(allowed, list):
        if place == "action" and error.instance in _PEOPLES:
            return f"{error.instance} 由用户自己完成：用 ask_user 请用户处理好之后告诉你"
        near = nearest(str(error.instance), [str(each) for each in allowed])
        return (
            f"{place} 没有这个值{f'，是不是 {near[0]}' if near else ''}，可用：{'、'.join(map(str, allowed))[:_SHOWN]}"
        )
    if rule == "required":
        missing = [name for name in cast("list[str]", allowed) if name not in cast("dict[str, object]", error.instance)]
        return f"{place} 缺少 {'、'.join(missing)}"
    if rule == "additionalProperties":
        known = cast("Mapping[str, object]", cast("Mapping[str, object]", error.schema).get("properties", {}))
        extra = [name for name in cast("dict[str, object]", error.instance) if name not in known]
        shown = "、".join(one_line(name, _NAME) for name in extra[:5])
        return f"{place} 不认识 {shown}，可用：{'、'.join(known)[:_SHOWN]}"
    return f"{place} 应符合 {rule} {json.dumps(allowed, ensure_ascii=False, default=str)[:_SHOWN]}"


def told_problem(error: ActionError) -> str:
    """What is wrong with the parameters of an action, field by field, for the model."""
    problems = error.facts.get("problems")
    fields = (
        [f"{item['field']}（{item['problem']}）" for item in problems if isinstance(item, dict)]
        if isinstance(problems, list)
        else []
    )
    return f"{error.cause}{'：' + '、'.join(fields) if fields else ''}"
