"""Which typed error a provider's failure is, and whether another try may help. Knows statuses and words, no package.

Nothing a provider says enters an error: it may repeat the prompt or the key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sgclaw.errors import ModelError, ModelKeyError, ModelRateLimitedError, ModelTimeoutError, ModelUnreachableError

OVERLOADED: Final = 529
MISSHAPEN: Final = (ValueError, AttributeError, TypeError, LookupError, RecursionError)
"""What reading an event of another shape than its protocol's may end in: the packages check nothing."""
_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")

_STATUS_OF_WORD: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": OVERLOADED,
}
"""The status an error inside a stream would have had; the stream itself began with 200."""

_LIMIT_NAMES: Final[Mapping[str, str]] = {
    "connect": "建立连接",
    "first_token": "等待第一个字",
    "between_tokens": "等待下一个字",
    "whole_call": "整个回答",
}


def status_of_words(*words: object) -> int:
    """The status that an error event's type or code stands for; a word nobody knows is the provider's own failure."""
    for word in words:
        if isinstance(word, int) and 400 <= word < 600:
            return word
        if isinstance(word, str) and word in _STATUS_OF_WORD:
            return _STATUS_OF_WORD[word]
    return 500


def of_status(status: int, retry_after: str | None = None) -> ModelError:
    """The error for an HTTP status; `facts.retry_after` holds the seconds of that header, when it is a number."""
    facts: dict[str, object] = {"status": status}
    if retry_after is not None and _SECONDS.fullmatch(retry_after):
        facts["retry_after"] = float(retry_after)
    if status in (401, 403):
        return ModelKeyError(f"大模型服务拒绝了密钥（HTTP {status}）", facts={**facts, "reason": "refused"})
    if status == 429:
        return ModelRateLimitedError("大模型服务限制了调用频率（HTTP 429）", facts=facts)
    if status >= 500:
        return ModelUnreachableError(f"大模型服务出错（HTTP {status}）", facts=facts)
    return ModelError(f"大模型服务没有接受请求（HTTP {status}）", facts=facts)


def unreachable() -> ModelUnreachableError:
    """No connection came about."""
    return ModelUnreachableError("连接不上大模型服务", facts={"reason": "connection"})


def cut() -> ModelUnreachableError:
    """The answer broke off."""
    return ModelUnreachableError("大模型的回答在中途断开", facts={"reason": "cut"})


def timed_out(limit: str, seconds: float) -> ModelTimeoutError:
    """One of the limits of time was reached."""
    cause = f"大模型超时：{_LIMIT_NAMES[limit]}超过 {seconds:g} 秒"
    return ModelTimeoutError(cause, facts={"limit": limit, "seconds": seconds})


def garbled(reason: str) -> ModelError:
    """What came is no answer of this protocol."""
    return ModelError("看不懂大模型服务的回答", facts={"reason": reason})


def may_try_again(error: ModelError) -> bool:
    """Whether the same call may succeed a moment later: the network, the provider's own failures, rate limits.

    Silence is not tried again: a provider that thought for half a minute charges for it and would do so once more.
    """
    if isinstance(error, ModelTimeoutError):
        return error.facts["limit"] == "connect"
    return isinstance(error, ModelUnreachableError | ModelRateLimitedError)
