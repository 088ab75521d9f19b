"""What tests of models share: models at a provider on loopback, and pauses that are noted instead of waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sgclaw.context.chat import ChatMessage, ToolSpec
from sgclaw.llm.careful import Care, Patience
from sgclaw.llm.providers import make_model
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import CallLimits, Model, ModelEvent, Reply
from tests.provider.server import Provider
from tests.support.ports import LoopClock

KEY: Final = "sk-test-0123456789abcdef"
ASK: Final = (ChatMessage("system", "规则"), ChatMessage("user", "导出报表"))
DIALECTS: Final = ("claude", "openai")
LIMITS: Final = CallLimits()
QUICK: Final = Patience(first_token=10, between_tokens=10, whole_call=20)
"""Short enough for a test that fails, long enough for a slow machine; tests of a limit set that one."""


@dataclass(slots=True)
class Pauses:
    """`careful.Sleep` that does not wait."""

    taken: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def settings_for(provider: Provider, dialect: str) -> ModelSettings:
    return ModelSettings(dialect, "m-1", provider.claude_url if dialect == "claude" else provider.openai_url)


def model_at(
    provider: Provider,
    dialect: str,
    pauses: Pauses | None = None,
    patience: Patience = QUICK,
    settings: ModelSettings | None = None,
) -> Model:
    care = Care(LoopClock(), patience, pauses or Pauses())
    model = make_model(settings or settings_for(provider, dialect), care, KEY)
    assert model is not None
    return model


async def events_of(
    model: Model,
    messages: Sequence[ChatMessage] = ASK,
    tools: Sequence[ToolSpec] = (),
    limits: CallLimits = LIMITS,
) -> list[ModelEvent]:
    return [event async for event in model.stream(messages, tools, limits)]


async def reply_of(
    model: Model,
    messages: Sequence[ChatMessage] = ASK,
    tools: Sequence[ToolSpec] = (),
    limits: CallLimits = LIMITS,
) -> Reply:
    last = (await events_of(model, messages, tools, limits))[-1]
    assert isinstance(last, Reply)
    return last
