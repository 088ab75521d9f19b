"""What is kept of a call of a model: who was asked, how it ended, what it used, digests of what was said; no words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from sgclaw.context.history import cost
from sgclaw.llm.prices import Spent
from sgclaw.llm.wire import Request
from sgclaw.ports import JsonObject, ModelUsage, Reply
from sgclaw.tokens.counter import counter

BROKEN_OFF = "CANCELLED"
"""The outcome of a call that neither replied nor failed: whoever asked left."""


@dataclass(slots=True)
class Call:
    """One call while it goes on, all its tries together. `outcome` is why the model stopped, or an error's code."""

    model: str
    request: Request
    began: float
    spent: Spent = field(default_factory=Spent)
    tries: int = 0
    outcome: str = BROKEN_OFF
    answer: str = ""

    def replied(self, reply: Reply) -> None:
        """It ended well."""
        self.outcome, self.answer = reply.stop, _digest(reply.message)

    def record(self, usage: ModelUsage, now: float) -> JsonObject:
        """The record for `RecordKind.LLM`; the request is told as it was sent, redacted."""
        kept: JsonObject = {
            "model": self.model,
            "outcome": self.outcome,
            "duration_ms": round((now - self.began) * 1000),
            "tries": self.tries,
            "tokens": usage.input_tokens + usage.output_tokens,
            "usage": {"input": usage.input_tokens, "output": usage.output_tokens, "cached": usage.cached_tokens},
            "request_sha256": _digest(self.request),
        }
        if usage.cost is not None:
            kept["cost"] = f"{usage.cost:f} {usage.currency}"
        if self.answer:
            kept["response_sha256"] = self.answer
        return kept


def planned(request: Request, said: Sequence[str]) -> Spent:
    """What a try used by our own count: for servers that tell none, and where an answer broke off before they do.

    Without it such a server would cost no task anything, and no budget would ever end one.
    """
    count = counter()
    tools = (f"{tool.name} {tool.description} {orjson.dumps(tool.schema, _as_json).decode()}" for tool in request.tools)
    return Spent(cost(request.messages, count) + sum(map(count, tools)), count("".join(said)))


def _digest(value: object) -> str:
    """Of the value as JSON, pictures by their own digests."""
    return hashlib.sha256(orjson.dumps(value, default=_as_json, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _as_json(value: object) -> object:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)
