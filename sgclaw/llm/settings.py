"""What can be configured about the model: `[model]` in the settings file, or `SGCLAW_MODEL_…` in the environment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Final, Literal
from urllib.parse import urlsplit

DEFAULT_HOSTS: Final = ("api.anthropic.com", "api.openai.com", "api.deepseek.com", "dashscope.aliyuncs.com")
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

DEFAULT_URLS: Final[Mapping[str, str]] = {
    "claude": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "scripted": "",
}
"""The providers there are, and where each is reached when nothing else is said."""

_PLAIN: Final = re.compile(r"(?i:https?)://[A-Za-z0-9.:\[\]-]{1,300}(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]{0,2000})?")
"""An address that every parser reads alike: no user, no query, nothing that one of them repairs."""

LEAST_THINKING: Final = 1024
"""Tokens; Claude refuses a smaller budget."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of one model cost, in `currency`."""

    input: Decimal
    output: Decimal
    cached_input: Decimal
    cache_write: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model to ask and how; `provider` empty: none is configured.

    `key` is where the key is, as `env:NAME`; the key itself is never here. `hosts` are the only places a model may be
    at, beside this machine: a host name (reached by https), or `http://host:port` for one of the own network.
    `thinking` is a budget of tokens, 0 for none, or "adaptive" (Claude only). `scenario` is the file a scripted model
    recites. `window` is in tokens.
    """

    provider: str = ""
    name: str = ""
    base_url: str = ""
    key: str = "env:SGCLAW_API_KEY"
    scenario: str = ""
    window: int = 128_000
    tools: bool = True
    pictures: bool = False
    thinking: int | Literal["adaptive"] = 0
    hosts: tuple[str, ...] = DEFAULT_HOSTS
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where the provider is reached."""
        return self.base_url or DEFAULT_URLS.get(self.provider, "")


def unfit(settings: ModelSettings) -> str | None:
    """The key of the first setting that does not fit the others; None when all do."""
    if not settings.provider:
        return None
    if settings.provider == "scripted":
        return None if settings.scenario else "scenario"
    if not settings.name:
        return "name"
    return None if is_permitted(settings.address, settings.hosts) else "base_url"


def is_permitted(url: str, hosts: tuple[str, ...]) -> bool:
    """Whether a model may be asked at this address; anything that is not plainly an address of a listed host is not."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if host is None or _PLAIN.fullmatch(url) is None:
        return False
    if host in LOOPBACK:
        return True
    shown = f"[{host}]" if ":" in host else host
    return (host if parts.scheme == "https" else f"http://{shown}" + (f":{port}" if port else "")) in hosts


# --- reading single values ------------------------------------------------------------------------------------------


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError(value)
    return value


def _provider(value: object) -> str:
    if value not in DEFAULT_URLS:
        raise ValueError(value)
    return str(value)


def _key(value: object) -> str:
    scheme, _, name = _text(value).partition(":")
    if scheme != "env" or not name.isidentifier():
        raise ValueError("a key is named, never written here")
    return f"env:{name}"


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(value)
    count = int(value)
    if count < 0:
        raise ValueError(value)
    return count


def _window(value: object) -> int:
    window = _count(value)
    if window < LEAST_THINKING:
        raise ValueError(value)
    return window


def _thinking(value: object) -> int | Literal["adaptive"]:
    if value == "adaptive":
        return "adaptive"
    budget = _count(value)
    if 0 < budget < LEAST_THINKING:
        raise ValueError(value)
    return budget


def _flag(value: object) -> bool:
    flags = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    return flags[str(value).lower()]


def _hosts(value: object) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list):
        raise ValueError(value)
    return tuple(_text(word).strip().lower().rstrip("/") for word in words)


_PRICE_KEYS: Final = frozenset({"input", "output", "cached_input", "cache_write", "currency"})


def _prices(value: object) -> Mapping[str, Price]:
    if not isinstance(value, dict):
        raise ValueError(value)
    return {name: _price(price) for name, price in value.items()}


def _price(value: object) -> Price:
    if not isinstance(value, dict) or not value.keys() <= _PRICE_KEYS:
        raise ValueError(value)
    paid = _amount(value["input"])
    return Price(
        input=paid,
        output=_amount(value["output"]),
        cached_input=_amount(value.get("cached_input", paid)),
        cache_write=_amount(value.get("cache_write", paid)),
        currency=_text(value["currency"]),
    )


def _amount(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(value)
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(value) from None
    if not amount.is_finite() or amount < 0:
        raise ValueError(value)
    return amount


Setter = Callable[[ModelSettings, object], ModelSettings]

SETTERS: Final[Mapping[str, Setter]] = {
    "provider": lambda settings, value: replace(settings, provider=_provider(value)),
    "name": lambda settings, value: replace(settings, name=_text(value)),
    "base_url": lambda settings, value: replace(settings, base_url=_text(value)),
    "key": lambda settings, value: replace(settings, key=_key(value)),
    "scenario": lambda settings, value: replace(settings, scenario=_text(value)),
    "window": lambda settings, value: replace(settings, window=_window(value)),
    "tools": lambda settings, value: replace(settings, tools=_flag(value)),
    "pictures": lambda settings, value: replace(settings, pictures=_flag(value)),
    "thinking": lambda settings, value: replace(settings, thinking=_thinking(value)),
    "hosts": lambda settings, value: replace(settings, hosts=_hosts(value)),
    "prices": lambda settings, value: replace(settings, prices=_prices(value)),
}
"""How each setting is read; raises `ValueError` or `KeyError` for a value that cannot be used."""

ALLOWED: Final[Mapping[str, str]] = {
    "provider": "、".join(DEFAULT_URLS),
    "name": "服务商给出的模型名称",
    "base_url": "https 地址，其主机须列在 model.hosts 中；本机可用 http",
    "key": "env:环境变量名；密钥本身不写在设置里",
    "scenario": "剧本文件（YAML）的路径",
    "window": f"不小于 {LEAST_THINKING} 的整数（token 数）",
    "tools": "1、true、yes、0、false、no",
    "pictures": "1、true、yes、0、false、no",
    "thinking": f"0、adaptive，或不小于 {LEAST_THINKING} 的整数（token 数）",
    "hosts": "主机名的列表；内网的 http 服务写成 http://主机:端口",
    "prices": "每个模型一张表：input、output、cached_input、cache_write（每百万 token 的价格）和 currency",
}
"""What each setting may be, as the user reads it."""
