"""One question to a model whose answer is JSON of a known shape: asked, read tolerantly, checked strictly."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sgclaw.context.assemble import assemble
from sgclaw.context.chat import ChatMessage
from sgclaw.context.parts import L2Parts, Reference
from sgclaw.errors import BoardRefusedError, BudgetExceededError, ModelError
from sgclaw.ports import CallLimits, Model, ModelUsage, Reply

REPAIRS: Final = 2
"""How often a wrong answer is sent back with what is wrong about it."""
_SHOWN: Final = 400
_MOST_STARTS: Final = 50
"""Braces at which an answer is tried; one that has more before its object is no answer."""


class Shape(BaseModel):
    """The base of every answer: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def complain(self) -> str | None:
        """What is wrong although the shape is right; told to the model."""
        return None


A = TypeVar("A", bound=Shape)


class Budget(Protocol):
    """What the whole task may use, shared by planner, actors and reviewers."""

    def check(self) -> None:
        """Raise `BUDGET_EXCEEDED` when nothing is left."""
        ...

    def spend(self, usage: ModelUsage) -> None:
        """Count what a call used; never raises, so that the answer that was paid for is kept."""
        ...


class TokenBudget:
    """A budget of input and output tokens together."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens

    def check(self) -> None:
        """See `Budget`."""
        if self.left <= 0:
            raise BudgetExceededError("任务的 token 限额已用完", facts={"limit": "tokens"})

    def spend(self, usage: ModelUsage) -> None:
        """See `Budget`."""
        self.left -= max(0, usage.input_tokens) + max(0, usage.output_tokens)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are asked: one model, one session, one budget."""

    model: Model
    trace_id: str
    budget: Budget
    references: tuple[Reference, ...] = ()

    async def ask(self, role: str, parts: L2Parts, request: str, shape: type[A]) -> A:
        """The checked answer; `MODEL_FAILED` when it is still wrong after `REPAIRS` corrections."""
        messages = [*assemble(role, parts, self.trace_id, self.references).messages]
        schema = shape.model_json_schema()
        form = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        messages.append(ChatMessage("user", f"{request}\n只回答一个符合此结构的 JSON 对象：{form}"))
        limits = CallLimits(schema=None if self.model.calls_tools else schema)
        wrong = ""
        for _ in range(REPAIRS + 1):
            self.budget.check()
            text = await self._answer(messages, limits)
            answer = read(text, shape)
            if not isinstance(answer, str):
                return answer
            wrong = answer
            messages += [
                ChatMessage("assistant", text or "（空）"),
                ChatMessage("user", f"回答不符合结构：{wrong}\n请重新给出完整的 JSON 对象。"),
            ]
        raise ModelError("模型的回答一直不符合要求的结构", facts={"reason": "bad_answer", "role": role, "wrong": wrong})

    async def _answer(self, messages: list[ChatMessage], limits: CallLimits) -> str:
        text = ""
        async for event in self.model.stream(messages, (), limits):
            if isinstance(event, Reply):
                self.budget.spend(event.usage)
                text = event.message.text
        return text


def read(text: str, shape: type[A]) -> A | str:
    """The answer in a text that may have words or a code fence around it, or what is wrong with it."""
    found = _object_in(text)
    if found is None:
        return "找不到 JSON 对象"
    try:
        answer = shape.model_validate_json(json.dumps(found), strict=True)
        return answer.complain() or answer
    except ValidationError as error:
        each = (f"{'.'.join(map(str, item['loc'])) or '整体'} {item['msg']}" for item in error.errors())
        return "；".join(each)[:_SHOWN]
    except BoardRefusedError as error:
        return error.cause


def _object_in(text: str) -> dict[str, object] | None:
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        return value if isinstance(value, dict) else None
    return None
