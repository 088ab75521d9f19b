"""Calls of tools in plain text, for models without tool calling; and a reader for what models write for JSON."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from sgclaw.context.chat import ChatMessage, ToolCall, ToolSpec
from sgclaw.protocol.actions import ACTIONS

_FENCE: Final = re.compile(r"```[A-Za-z0-9_-]*\n?|```")
_THINKING: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED: Final = re.compile(r"</?(?:tool_call|function_call|tool|function)>", re.IGNORECASE)
_TRAILING: Final = re.compile(r",(\s*[}\]])")
_FULL_WIDTH: Final = str.maketrans(
    {"｛": "{", "｝": "}", "“": '"', "”": '"', "：": ":", "，": ",", "［": "[", "］": "]"}
)
_NAMES: Final = ("tool", "name", "tool_name", "function", "函数", "工具")
_ARGUMENTS: Final = ("arguments", "args", "parameters", "input", "tool_input", "参数")
_HALF: Final = re.compile("[\ud800-\udfff]")
_MOST_NUMBER: Final = 10**30
_MOST: Final = 200_000
_MOST_STARTS: Final = 50
_DEEPEST: Final = 32
"""Levels of an object: what lies deeper would be looked at by nobody on its way to a page."""

_HEAD: Final = """# 怎样调用工具
你不能直接调用工具。每次只回答一个 JSON 对象，不写别的：
{"thought": "这一步的想法", "tool": "工具名", "arguments": {参数}}
可用的工具："""


def schema_of(tools: Sequence[ToolSpec]) -> dict[str, object]:
    """The shape of an answer in text mode."""
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string"},
            "tool": {"type": "string", "enum": [tool.name for tool in tools]},
            "arguments": {"type": "object"},
        },
        "required": ["tool", "arguments"],
    }


def explained(tools: Sequence[ToolSpec]) -> ChatMessage:
    """The tools in words, as a part of the system prompt."""
    lines = [
        f"- {tool.name}：{tool.description}\n  参数：{json.dumps(tool.schema, ensure_ascii=False, default=dict)}"
        for tool in tools
    ]
    return ChatMessage("system", "\n".join((_HEAD, *lines)), keeps=True)


def as_text(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages without calls and results in fields of their own: both become text."""
    return [_as_text(message) for message in messages]


def _as_text(message: ChatMessage) -> ChatMessage:
    if message.calls:
        written = "\n".join(
            json.dumps({"tool": call.name, "arguments": read_object(call.arguments) or {}}, ensure_ascii=False)
            for call in message.calls
        )
        return replace(message, text=written, calls=(), thoughts=())
    if message.results:
        parts = [f"工具结果{'（失败）' if result.failed else ''}：\n{result.content}" for result in message.results]
        return replace(message, role="user", text="\n".join((*parts, message.text)).strip(), results=())
    return replace(message, thoughts=())


def calls_in(text: str, tools: Sequence[ToolSpec], prefix: str) -> tuple[ToolCall, ...]:
    """The calls a text stands for; none when there is no object in it that names a tool or an action."""
    found = [call for value in objects_in(text) if (call := _call(value, tools)) is not None]
    return tuple(ToolCall(f"{prefix}_{number}", name, arguments) for number, (name, arguments) in enumerate(found))


def _call(value: Mapping[str, object], tools: Sequence[ToolSpec]) -> tuple[str, str] | None:
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if isinstance(given, str):
        given = read_object(given)
    if name is None and isinstance(value.get("action"), str):
        return "browser_action", json.dumps(value, ensure_ascii=False)
    if not isinstance(name, str):
        return None
    if given is None:
        given = {key: each for key, each in value.items() if key not in (*_NAMES, "thought")}
    if name in ACTIONS and name not in {tool.name for tool in tools} and isinstance(given, dict):
        params = given.get("params", given)
        return "browser_action", json.dumps({"action": name, "params": params}, ensure_ascii=False)
    return name, json.dumps(given, ensure_ascii=False)


def objects_in(text: str) -> list[dict[str, object]]:
    """Every outermost JSON object in a text, read as kindly as `read_object` does."""
    plain = _TAGGED.sub("", _FENCE.sub("", _THINKING.sub("", text[:_MOST])))
    found: list[dict[str, object]] = []
    place = looked_at = 0
    for _ in range(_MOST_STARTS):
        start = _next_brace(plain, place)
        if start < 0 or looked_at > _MOST:
            break
        end = _closing(plain, start)
        looked_at += end - start
        value = read_object(plain[start:end])
        if value is not None:
            found.append(value)
        place = end if value is not None else start + 1
    return found


def _next_brace(text: str, place: int) -> int:
    starts = [at for at in (text.find("{", place), text.find("｛", place)) if at >= 0]
    return min(starts, default=-1)


def _closing(text: str, start: int) -> int:
    """Behind the brace that closes the one at `start`; the end of the text when none does."""
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        char = text[at]
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = quoted
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "{｛":
            depth += 1
        elif not quoted and char in "}｝":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(text)


def read_object(text: str) -> dict[str, object] | None:
    """The one object a text is, mended where it is plain what was meant; None when it is not.

    It is a JSON value of at most 32 levels, whatever it was written in: sets, endless numbers, halves of characters
    and NaN are none, for nothing that takes it further could write them down.
    Mended are fences, commas before a closing bracket, full-width punctuation, Python's quotes and words. Brackets
    left open by an answer that was cut short are not: nobody knows what was to follow.
    """
    bare = _FENCE.sub("", text[:_MOST]).strip()
    for attempt in dict.fromkeys((bare, _TRAILING.sub(r"\1", bare), _TRAILING.sub(r"\1", bare.translate(_FULL_WIDTH)))):
        value = _loaded(attempt)
        if isinstance(value, dict):
            return cast("dict[str, object]", value) if _is_json(value) else None
    return None


def _is_json(value: object, depth: int = 0) -> bool:
    if isinstance(value, dict | list | tuple):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        named = not isinstance(value, dict) or all(isinstance(key, str) for key in value)
        return named and depth < _DEEPEST and all(_is_json(each, depth + 1) for each in inner)
    if isinstance(value, str):
        return not _HALF.search(value)
    if isinstance(value, int | float):
        return math.isfinite(value) if isinstance(value, float) else abs(value) < _MOST_NUMBER
    return value is None


def _loaded(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    if len(text) > 20_000 or not text.startswith("{"):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of a backslash: the text is not ours to warn of
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
