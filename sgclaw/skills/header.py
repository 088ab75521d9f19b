"""Reads the header of a skill script: the doc comment that must be the first thing of the file. Executes nothing.

    /**
     * @skill erp-monthly-report
     * @version 1.0.0
     * ...
     */

A value runs to the next tag. Text and lists may span lines; `@params` and `@output` hold JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from sgclaw.errors import BadManifestError, WireCode, WireError
from sgclaw.protocol import strict
from sgclaw.skills.manifest import DEFAULT_ACTIONS, Manifest


@dataclass(frozen=True, slots=True)
class _Tag:
    """One tag as written: its name, its line in the file (from 1), and the lines of its value."""

    name: str
    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _TagSpec:
    """How a tag is read, which manifest field it fills, and what an author should write."""

    field: str
    read: Callable[[_Tag], object]
    hint: str
    required: bool = False


def parse_header(text: str) -> Manifest:
    """The manifest in the header of a script's source.

    Raises `BadManifestError`: `facts` hold the line, the tag and the problem; `next_step` says what to write.
    """
    tags = _by_name(_tags(_comment(text)))
    fields: dict[str, object] = {"kind": "script", "capabilities": {"actions": DEFAULT_ACTIONS}}
    for name, tag in tags.items():
        spec = TAGS[name]
        value = spec.read(tag)
        fields[spec.field] = {"actions": value} if spec.field == "capabilities" else value
    try:
        return Manifest.model_validate(fields)
    except ValidationError as error:
        raise _from_model(error, tags) from None


def _bad(line: int, tag: str | None, problem: str, hint: str) -> BadManifestError:
    where = f"第 {line} 行" + (f" @{tag}" if tag else "")
    return BadManifestError(f"{where}：{problem}", next_step=hint, facts={"line": line, "tag": tag, "problem": problem})


# --- the comment ----------------------------------------------------------------------------------------------------

_START_HINT = "文件必须以 /** 开头，接着写 @skill、@version 等标签，再以 */ 结束"
_SECOND_HEADER = re.compile(r"(?:^|/\*)[ \t]*\**[ \t]*@skill\b", re.MULTILINE)
_STAR = re.compile(r"[ \t]*\*?[ \t]?")
_TAG = re.compile(r"[ \t]*@(\S*)(?:[ \t]+(.*))?")


def _comment(text: str) -> list[str]:
    """The lines between `/**` and `*/` without their stars; a second header anywhere below is refused."""
    end = text.find("*/", 3)
    if not text.startswith("/**") or end < 0:
        raise _bad(1, None, "文件开头没有完整的文件头", _START_HINT)
    second = _SECOND_HEADER.search(text, end)
    if second is not None:
        line = text.count("\n", 0, second.start()) + 1
        raise _bad(line, "skill", "一个文件只能有一个文件头", "请删去多余的文件头")
    return [line.removesuffix("\r")[_star_width(line) :] for line in text[3:end].split("\n")]


def _star_width(line: str) -> int:
    match = _STAR.match(line)
    return 0 if match is None else match.end()


def _tags(lines: list[str]) -> Iterator[_Tag]:
    """Group the lines into tags; anything but blank lines before the first tag is refused."""
    current: _Tag | None = None
    for number, line in enumerate(lines, start=1):
        match = _TAG.fullmatch(line)
        if match is not None:
            if current is not None:
                yield current
            current = _Tag(match.group(1), number, (match.group(2) or "",))
        elif current is not None:
            current = _Tag(current.name, current.line, (*current.lines, line))
        elif line.strip():
            raise _bad(number, None, "文件头的第一项必须是标签", _START_HINT)
    if current is not None:
        yield current


def _by_name(found: Iterator[_Tag]) -> Mapping[str, _Tag]:
    tags: dict[str, _Tag] = {}
    for tag in found:
        if tag.name not in TAGS:
            known = "、".join(f"@{name}" for name in TAGS)
            raise _bad(tag.line, tag.name[:40], "没有这个标签", f"可用的标签：{known}")
        if tag.name in tags:
            raise _bad(tag.line, tag.name, f"重复，第 {tags[tag.name].line} 行已经写过", "请只保留一个")
        tags[tag.name] = tag
    for name, spec in TAGS.items():
        if spec.required and name not in tags:
            raise _bad(1, name, "缺少这个标签", f"请写：{spec.hint}")
    return tags


# --- values ---------------------------------------------------------------------------------------------------------

_WIDE = "\u2e80"
_SEPARATORS = re.compile(r"[,，、]")


def _text(tag: _Tag) -> str:
    """The lines as one; a line break between Chinese characters is no space."""
    joined = ""
    for line in filter(None, (part.strip() for part in tag.lines)):
        gap = " " if joined and joined[-1] < _WIDE and line[0] < _WIDE else ""
        joined += gap + line
    if not joined:
        raise _bad(tag.line, tag.name, "没有值", f"请写：{TAGS[tag.name].hint}")
    return joined


def _list(tag: _Tag) -> tuple[str, ...]:
    items = (item.strip() for item in _SEPARATORS.split(",".join(tag.lines)))
    found = tuple(item for item in items if item)
    if not found:
        raise _bad(tag.line, tag.name, "没有值", f"请写：{TAGS[tag.name].hint}")
    return found


_JSON_PROBLEMS: Mapping[str, str] = {
    WireCode.DUPLICATE_KEY: "JSON 中有重复的键",
    WireCode.BAD_NUMBER: "JSON 中的数字超出范围或不是普通写法",
    WireCode.TOO_DEEP: "JSON 嵌套太深",
    WireCode.BAD_ENCODING: "JSON 中有孤立的代理字符",
}


def _json(tag: _Tag) -> strict.JsonObject:
    text = "\n".join(tag.lines)
    try:
        return strict.decode(text.strip().encode("utf-8"))
    except WireError as error:
        line = tag.line + (_json_line(text) if error.code == WireCode.BAD_JSON else 0)
        problem = _JSON_PROBLEMS.get(error.code, "不是一个完整的 JSON 对象")
        raise _bad(line, tag.name, problem, f"请写：{TAGS[tag.name].hint}") from None


def _json_line(text: str) -> int:
    """How many lines below its start the text stops being JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno - 1
    return 0


TAGS: Mapping[str, _TagSpec] = {
    "skill": _TagSpec("name", _text, "@skill erp-monthly-report（小写字母、数字和连字符，1–64 个字符）", required=True),
    "version": _TagSpec("version", _text, "@version 1.0.0（三个数字）", required=True),
    "description": _TagSpec("description", _text, "@description 一句话说明它做什么（不超过 1000 字）", required=True),
    "domains": _TagSpec(
        "domains",
        _list,
        "@domains erp.example.com, oa.example.com（小写主机名，不带协议、端口和通配符）",
        required=True,
    ),
    "params": _TagSpec("params", _json, '@params { "type": "object", "properties": { … } }（见 docs/skills.md）'),
    "author": _TagSpec("author", _text, "@author 作者或团队"),
    "triggers": _TagSpec("triggers", _list, "@triggers 导出月度报表, 月度财务报表（每条不超过 64 字）"),
    "when_to_use": _TagSpec("when_to_use", _text, "@when_to_use 用户要……时使用"),
    "actions": _TagSpec("capabilities", _list, "@actions navigate, click, getText（docs/protocol.md 操作表中的名称）"),
    "tags": _TagSpec("tags", _list, "@tags 财务, 报表（每个不超过 64 字）"),
    "output": _TagSpec("output", _json, '@output { "type": "object", "properties": { … } }'),
    "depends_on": _TagSpec("depends_on", _list, "@depends_on oa-login, erp-login@1.0.0"),
    "proactive": _TagSpec("proactive", _text, "@proactive 什么情况下可以主动提出"),
}
"""Every tag of a header, in the order of the documentation."""

_TAG_OF_FIELD: Mapping[str, str] = {spec.field: name for name, spec in TAGS.items()}


def _from_model(error: ValidationError, tags: Mapping[str, _Tag]) -> BadManifestError:
    """The first thing the manifest model objects to, at the line of the tag it came from."""
    first = error.errors(include_url=False, include_input=False)[0]
    name = _TAG_OF_FIELD[str(first["loc"][0])]
    own_words = first.get("ctx", {}).get("error")
    problem = str(own_words) if isinstance(own_words, ValueError) else "写法不对"
    return _bad(tags[name].line, name, problem, f"请写：{TAGS[name].hint}")
