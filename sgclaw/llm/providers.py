"""From the settings to the model: the one table of providers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sgclaw.errors import ConfigError, ModelKeyError
from sgclaw.llm.careful import Care, CarefulModel, Traits
from sgclaw.llm.claude import ADAPTIVE, VERSION, Claude
from sgclaw.llm.openai_like import OpenAiLike
from sgclaw.llm.scenario import read_scenario
from sgclaw.llm.scripted import Scripted
from sgclaw.llm.settings import LOOPBACK, ModelSettings, is_permitted
from sgclaw.llm.transport import Endpoint
from sgclaw.llm.wire import Wire
from sgclaw.ports import Model


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a provider's row makes a model of."""

    settings: ModelSettings
    care: Care
    key: str = field(repr=False)


def make_model(settings: ModelSettings, care: Care, key: str = "") -> Model | None:
    """The model of the settings, None when none is configured. Connects to nothing and loads no package of a provider.

    `key` is what stands at `settings.key`. Raises `BAD_CONFIG` for a place that is not listed or a scenario that cannot
    be read, `MODEL_KEY_REFUSED` when a provider elsewhere needs a key and there is none.
    """
    if not settings.provider:
        return None
    return PROVIDERS[settings.provider](Wanted(settings, care, key))


def _claude(wanted: Wanted) -> Model:
    headers = {"x-api-key": wanted.key, "anthropic-version": VERSION}
    wire = Claude(wanted.settings.name, _endpoint(wanted, headers), wanted.settings.thinking)
    thinking = ADAPTIVE if wanted.settings.thinking == "adaptive" else wanted.settings.thinking
    return _model(wanted, wire, thinking)


def _openai(wanted: Wanted) -> Model:
    headers = {"authorization": f"Bearer {wanted.key}"} if wanted.key else {}
    return _model(wanted, OpenAiLike(wanted.settings.name, _endpoint(wanted, headers)))


def _scripted(wanted: Wanted) -> Model:
    scenario = read_scenario(Path(wanted.settings.scenario))
    model = scenario.model
    traits = Traits(wanted.settings.name or model.name, model.tools, model.pictures, model.window)
    return CarefulModel(traits, Scripted(scenario), wanted.care, wanted.settings.prices.get(traits.name))


TOKENS_FOR_ONE: Final[Mapping[str, float]] = {"claude": 1.5, "openai": 1.0}
"""How many tokens of a provider's own one of `tokens.counter` may be, at the most: the window is told in the latter.

Claude's tokenizer is not public and takes more than the one we count with, the newest models a third more than those
before them. Nothing offline can say how much; too small a margin is a refused request in the middle of a task, too
large a one costs steps of a history. Models behind the other protocol stay below our count: measured on Chinese prompts
and pages, o200k takes 0.75 to 0.84 of cl100k, llama3 0.79 to 0.86, Qwen less; on English and JSON they differ by 2 %.
"""

PROVIDERS: Final[Mapping[str, Callable[[Wanted], Model]]] = {
    "claude": _claude,
    "openai": _openai,
    "scripted": _scripted,
}


def _model(wanted: Wanted, wire: Wire, thinking: int = 0) -> Model:
    """`thinking` tokens of the window are for thoughts."""
    settings = wanted.settings
    window = int((settings.window - thinking) / TOKENS_FOR_ONE[settings.provider])
    traits = Traits(settings.name, settings.tools, settings.pictures, max(window, 0))
    return CarefulModel(traits, wire, wanted.care, settings.prices.get(settings.name))


def _endpoint(wanted: Wanted, headers: Mapping[str, str]) -> Endpoint:
    settings = wanted.settings
    if not is_permitted(settings.address, settings.hosts):
        raise ConfigError(
            "设置 model.base_url 的地址不在允许的主机之列",  # the address may hold a key
            next_step="请改正地址，或由管理员把主机加进设置 model.hosts",
            facts={"key": "model.base_url", "hosts": list(settings.hosts)},
        )
    if not wanted.key and _needs_key(settings):
        facts = {"reason": "missing", "key": settings.key}
        raise ModelKeyError(f"没有大模型的密钥：{settings.key} 是空的", facts=facts)
    if not wanted.key.isascii() or not wanted.key.isprintable():
        raise ModelKeyError("大模型的密钥里有不该有的字符", facts={"reason": "malformed", "key": settings.key})
    return Endpoint(settings.address, wanted.care.patience.connect, headers)


def _needs_key(settings: ModelSettings) -> bool:
    """Providers of the internet do; a server of this machine or, by plain http, of the own network may go without."""
    parts = urlsplit(settings.address)
    return parts.scheme == "https" and parts.hostname not in LOOPBACK
