"""Submissions that count once: the same idempotency key gives the same answer, whatever becomes of the first one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from browser_host_stub.sites.frame.answers import SiteError


@dataclass(slots=True)
class Receipts:
    """Answers already given, by idempotency key, each with the order it answered."""

    given: dict[str, tuple[Mapping[str, object], Mapping[str, object]]] = field(default_factory=dict)

    def once(
        self, key: str, order: Mapping[str, object], carry_out: Callable[[], Mapping[str, object]]
    ) -> Mapping[str, object]:
        """Carries the order out, or repeats the answer of the first time.

        Refusals: NO_KEY without a key of 8 to 64 characters; KEY_REUSED when the key came with another order. An order
        that is refused leaves no receipt: it may be corrected and sent again under the same key.
        """
        if not 8 <= len(key) <= 64:
            raise SiteError(400, "NO_KEY", "请求缺少幂等键，请刷新页面后重新提交")
        if key in self.given:
            first, answer = self.given[key]
            if first != order:
                raise SiteError(409, "KEY_REUSED", "该提交编号已用于另一笔业务，请刷新页面后重新提交")
            return answer
        answer = carry_out()
        self.given[key] = (dict(order), answer)
        return answer
