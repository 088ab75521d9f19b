"""What a task without an answer ends with: which input or choice is missing, and how to give it without a question."""

from __future__ import annotations

from collections.abc import Mapping

from sgclaw.errors import NeedsHumanError
from sgclaw.gateway.routes import AskInput, AskWhich
from sgclaw.ports import JsonObject
from sgclaw.skills.manifest import Manifest

_MOST_NAMED = 4


def unanswered(cause: str, asked: AskInput | AskWhich, manifests: Mapping[str, Manifest]) -> NeedsHumanError:
    """The error of a question that stays open; `facts.parameter` or `facts.skills` name what it was about."""
    facts: JsonObject = {"question": asked.question.text, "choices": list(asked.question.choices)}
    if isinstance(asked, AskWhich):
        names = list(asked.names)
        which = names[0] if len(names) == 1 else f"名称（{'、'.join(names[:_MOST_NAMED])}）"
        step = f"请重新提交任务并指明技能：命令行用 --skill {which}，侧边栏里请在询问时选择"
        return NeedsHumanError(cause, next_step=step, facts={**facts, "skills": names})
    given = f"--input {asked.field}{_sign(asked, manifests)}…"
    step = f"请重新提交任务并给出这一项：命令行用 {given}，侧边栏里请在询问时回答"
    return NeedsHumanError(cause, next_step=step, facts={**facts, "skill": asked.name, "parameter": asked.field})


def _sign(asked: AskInput, manifests: Mapping[str, Manifest]) -> str:
    """`=` gives a text, `:=` any JSON value: what the command line needs for this input."""
    properties = manifests[asked.name].params.get("properties") if asked.name in manifests else None
    schema = properties.get(asked.field) if isinstance(properties, Mapping) else None
    kind = schema.get("type", "string") if isinstance(schema, Mapping) else "string"
    return "=" if kind == "string" or (isinstance(kind, list) and "string" in kind) else ":="
