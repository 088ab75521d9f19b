"""Scenario files: what a scripted model answers, step by step, for demos and tests.

A file is YAML: `model` (name, tools, pictures, window; all optional) and `steps`. A step says what the model is to
have seen (`expect`, about the last message) and what it answers:

    steps:
      - expect: {role: user, contains: 导出, lacks: 密码}
        thinks: 先找到菜单。
        says: 我来打开报表页。
        calls:
          - {name: browser_action, arguments: {action: click, params: {selector: "#go"}}}
        usage: {input: 900, output: 40, cached: 700}
        stop: end
      - {fault: rate_limited, retry_after: 1}

`arguments` given as a text are passed on as that text. A step with a `fault` fails in that way instead of answering;
`cut`, `cut_in_call`, `stalls` and `error_event` fail after the step's words. Unknown keys are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import ConfigError
from sgclaw.skills.files import RefusedFileError, read_named

Fault = Literal[
    "bad_request",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "server_error",
    "overloaded",
    "unreachable",
    "silent",
    "cut",
    "cut_in_call",
    "stalls",
    "error_event",
    "garbled",
]

STATUSES: Final[Mapping[Fault, int]] = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "rate_limited": 429,
    "server_error": 500,
    "overloaded": 529,
}
"""Faults that are an HTTP status instead of an answer."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expected(_Strict):
    """What the last message of a request has to be like; the texts are looked for in its words and results."""

    role: Literal["system", "user", "assistant", "tool"] | None = None
    contains: str = ""
    lacks: str = ""


class ScriptedCall(_Strict):
    """A call the model makes. `name` may be a tool nobody has, `arguments` a text that is not JSON."""

    name: str
    arguments: dict[str, object] | str = Field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments as a model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


Count = Annotated[int, Field(ge=0)]


class ScriptedUsage(_Strict):
    """Tokens the answer is said to have used; `cached` are part of `input`."""

    input: Count = 0
    output: Count = 0
    cached: Count = 0


class Step(_Strict):
    """One answer, or one failure."""

    expect: Expected | None = None
    thinks: str = ""
    says: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: ScriptedUsage = ScriptedUsage()
    stop: Literal["end", "tools", "length", "refusal"] = "end"
    fault: Fault | None = None
    retry_after: Annotated[float, Field(ge=0)] | None = None


class ScriptedTraits(_Strict):
    """What the scripted model is taken for."""

    name: str = "scripted"
    tools: bool = True
    pictures: bool = False
    window: Annotated[int, Field(ge=1024)] = 128_000


class Scenario(_Strict):
    """A whole file."""

    model: ScriptedTraits = ScriptedTraits()
    steps: tuple[Step, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Seen:
    """The last message of a request, whichever protocol it came by."""

    role: str
    text: str


def unmet(expected: Expected | None, seen: Seen) -> str | None:
    """Which expectation the message does not meet; None when it meets all."""
    if expected is None:
        return None
    if expected.role is not None and expected.role != seen.role:
        return f"role {expected.role}, was {seen.role}"
    if expected.contains not in seen.text:
        return f"contains {expected.contains}"
    if expected.lacks and expected.lacks in seen.text:
        return f"lacks {expected.lacks}"
    return None


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file; raises `BAD_CONFIG` that names the file and the first thing wrong in it."""
    import yaml  # noqa: PLC0415 - only who recites a scenario needs it

    try:
        return Scenario.model_validate(yaml.safe_load(read_named(path).decode("utf-8")))
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise _unreadable(path, place, error.errors()[0]["type"]) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise _unreadable(path, "", type(error).__name__, line) from None
    except (OSError, ValueError, RecursionError, RefusedFileError, yaml.YAMLError) as error:
        raise _unreadable(path, "", type(error).__name__) from None


def _unreadable(path: Path, place: str, why: str, line: int | None = None) -> ConfigError:
    return ConfigError(
        f"剧本文件 {path} " + (f"第 {line} 行" if line else "") + "不可用" + (f"：{place}" if place else ""),
        next_step="请按 sgclaw/llm/scenario.py 说明的格式改正该文件",
        facts={"file": str(path), "key": place, "why": why, "line": line},
    )
