"""What the session waits for from people: approvals of held acts, answers to questions. Silence is no."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from sgclaw.errors import HostGoneError, WireCode, WireError

Value = TypeVar("Value")
_CAUSES: Final[Mapping[str, str]] = MappingProxyType({"shutdown": "浏览器结束了会话"})


def gone(reason: str) -> HostGoneError:
    """What everybody gets who still waits when the session has ended, and who comes later."""
    return HostGoneError(_CAUSES.get(reason, "与浏览器的连接已断开"), facts={"reason": reason})


class Waiting(Generic[Value]):
    """Answers expected by id; each is given once, and only to who asked."""

    def __init__(self) -> None:
        self._futures: dict[str, asyncio.Future[Value]] = {}

    def expect(self, key: str) -> None:
        """From now on an answer to `key` is legal."""
        self._futures.setdefault(key, asyncio.get_running_loop().create_future())

    def give(self, key: str, value: Value) -> None:
        """The answer came; raises `UNKNOWN_SEQ` when nobody waits for it or it was given before."""
        future = self._futures.get(key)
        if future is None or future.done():
            raise WireError(WireCode.UNKNOWN_SEQ, "没有等待这个答复的问题", facts={"id": key})
        future.set_result(value)

    async def take(self, key: str, timeout_s: float) -> Value | None:
        """Wait for the answer to an expected key; None when it did not come in time. Raises `HOST_GONE`."""
        try:
            return await asyncio.wait_for(asyncio.shield(self._futures[key]), timeout_s)
        except TimeoutError:
            return None
        finally:
            self._futures.pop(key, None)

    def fail_all(self, reason: str) -> None:
        """The session ended: whoever waits gets `HOST_GONE`."""
        for future in self._futures.values():
            if not future.done():
                future.set_exception(gone(reason))
                future.exception()  # marked as seen: the one who waited may be gone already
